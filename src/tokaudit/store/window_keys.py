"""``[window]`` in the configuration: how ``tokaudit budget`` divides a window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tokaudit.model.message import Message
from tokaudit.store.key_kinds import (
    BadPartsError,
    BadValueError,
    Key,
    Problem,
    Whole,
    checked_table,
    described,
    nearest,
)

BANDED = ("system", "user", "retrieval", "summary", "output")
"""Parts that have a share of the window."""
ROLES = ("system", "user", "retrieval", "summary", "tools")
"""Parts that a file can be."""
_BAND = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*%?\s*-\s*(\d{1,3}(?:\.\d+)?)\s*%\s*")


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """The table ``[window]``, None for what is unset."""

    size: int | None = None
    bands: Mapping[str, tuple[float, float]] | None = None
    roles: Mapping[str, str] | None = None


class Band(Key):
    """Two shares such as ``5-10%``."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_BAND.pattern}$"}

    def check(self, value: Any) -> tuple[float, float]:
        found = _BAND.fullmatch(value) if isinstance(value, str) else None
        least, most = (float(found[1]) / 100, float(found[2]) / 100) if found else (1.0, 0.0)
        if not 0 <= least <= most <= 1:
            raise BadValueError(Message("must be two shares such as '5-10%', not {value}", value=described(value)))
        return least, most


class Bands(Key):
    """A band for each part."""

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: Band("").schema for name in BANDED},
            "additionalProperties": False,
        }

    def check(self, value: Any) -> dict[str, tuple[float, float]]:
        if not isinstance(value, dict):
            raise BadValueError(Message("must be a table of shares, not {value}", value=described(value)))
        bands, problems = checked_table(value, {name: Band("") for name in BANDED}, of="window.bands")
        if problems:
            raise BadPartsError(problems)
        return bands


class Roles(Key):
    """A part of the window for each pattern of files."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"enum": list(ROLES)}}

    def check(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise BadValueError(Message("must be a table of patterns and roles, not {value}", value=described(value)))
        problems: list[Problem] = []
        for pattern, role in value.items():
            if role not in ROLES:
                near = nearest(role, ROLES) if isinstance(role, str) else ""
                problems.append(
                    (
                        (pattern,),
                        Message(
                            "'{pattern}' must be one of {choices}, not {value}{nearest}",
                            pattern=pattern,
                            choices=ROLES,
                            value=described(role),
                            nearest=near,
                        ),
                    )
                )
        if problems:
            raise BadPartsError(problems)
        return dict(value)


WINDOW_KEYS: Mapping[str, Key] = {
    "size": Whole("Tokens of the window; unset: that of the model."),
    "bands": Bands("Usual share of each part, such as system = '5-10%'."),
    "roles": Roles("Patterns of files, and the part of the window that they are, such as 'prompts/sys.md' = 'system'."),
}
"""Name of each key to its meaning and its check."""


class WindowTable(Key):
    """The table of them."""

    @property
    def in_file_only(self) -> str:
        return "[window]"

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: {"description": key.summary, **key.schema} for name, key in WINDOW_KEYS.items()},
            "additionalProperties": False,
        }

    def check(self, value: Any) -> WindowConfig:
        if not isinstance(value, dict):
            raise BadValueError(Message("must be a table, [window], not {value}", value=described(value)))
        values, problems = checked_table(value, WINDOW_KEYS, of="window")
        if problems:
            raise BadPartsError(problems)
        return WindowConfig(**values)
