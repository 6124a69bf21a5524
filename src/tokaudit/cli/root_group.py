"""The group ``tokaudit``, whose commands are imported and made only when asked for: each costs at every start."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tokaudit.cli.plain_command import PlainCommand, PlainGroup

COMMANDS: Mapping[str, str] = {
    "count": "Count tokens, exactly, for several models at once.",
    "slim": "Make prompts shorter without changing what they say.",
    "diff": "Compare the tokens of two versions.",
    "fit": "Make a conversation fit a model's window.",
    "budget": "Show how a window is divided: system, user, retrieval, summary, output.",
    "check": "Fail where tokens grew or a budget is broken: the gate for CI.",
    "baseline": "Record the tokens of files, for check to compare with.",
    "tokenizers": "List the tokenizers, and which can be used now.",
    "models": "List the models of the catalog with their limits.",
    "rules": "List, show, test and start rules of slim.",
}
"""Names in the order of help, to what the list of commands says.

Each is a module of ``tokaudit.cli`` that has a function of that name, or ``app`` where it is a group.
"""


class RootGroup(PlainGroup):
    """For ``typer.Typer(cls=RootGroup)``."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of the commands, or None."""
        # All of them where there is none of the name: the nearest ones are offered.
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.commands[name] = _made(name)
        return super().get_command(ctx, cmd_name)


def _made(name: str) -> Any:
    import typer
    from typer.main import get_command, get_group

    module = import_module(f"tokaudit.cli.{name}")
    if hasattr(module, "app"):
        made: Any = get_group(module.app)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name, cls=PlainCommand, epilog=getattr(module, "EPILOG", None))(getattr(module, name))
        made = get_command(alone)
    made.name = name
    made.short_help = COMMANDS[name]
    return made
