"""``[slim]`` in the configuration: packs and rules of ``tokaudit slim``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.store.key_kinds import BadPartsError, BadValueError, Flag, Key, Texts, checked_table, described


@record
class SlimConfig:
    """The table ``[slim]``, None for what is unset."""

    rules: tuple[str, ...] | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    lossy: bool | None = None
    system: bool | None = None
    exclude: tuple[str, ...] | None = None


SLIM_KEYS: Mapping[str, Key] = {
    "rules": Texts(
        "Packs: names of built-in ones, or files relative to the configuration; +my.yaml is used besides those that "
        "are chosen by kind and language.",
        least=1,
    ),
    "select": Texts("Rules, packs or patterns such as md.* to apply too, of any class."),
    "ignore": Texts("Rules, packs or patterns not to apply."),
    "lossy": Flag("Also apply rules that delete content."),
    "system": Flag("Of requests: apply all of these rules to system prompts too, not the lossless ones alone."),
    "exclude": Texts("Glob patterns, besides those of exclude; in folders, matching files are not slimmed."),
}
"""Name of each key to its meaning and its check."""


class SlimTable(Key):
    """The table of them."""

    @property
    def in_file_only(self) -> str:
        return "[slim]"

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: {"description": key.summary, **key.schema} for name, key in SLIM_KEYS.items()},
            "additionalProperties": False,
        }

    def check(self, value: Any) -> SlimConfig:
        if not isinstance(value, dict):
            raise BadValueError(Message("must be a table, [slim], not {value}", value=described(value)))
        values, problems = checked_table(value, SLIM_KEYS, of="slim")
        if problems:
            raise BadPartsError(problems)
        return SlimConfig(**values)
