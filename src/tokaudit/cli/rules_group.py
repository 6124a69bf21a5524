"""The group ``tokaudit rules``, whose commands are made only when one is asked for, since each costs at every start."""

from __future__ import annotations

from typing import Any

from tokaudit.cli.plain_command import PlainGroup


class RulesGroup(PlainGroup):
    """For ``typer.Typer(cls=RulesGroup)``."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of help."""
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of the commands, or None."""
        self._load()
        return super().get_command(ctx, cmd_name)

    def _load(self) -> None:
        if not self.commands:
            from typer.main import get_group

            from tokaudit.cli.rules import app

            self.commands.update(get_group(app).commands)
