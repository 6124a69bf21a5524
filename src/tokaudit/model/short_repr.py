"""A ``repr`` that never prints a text whole: in a traceback or a notebook nobody wants a megabyte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

_TEXT = 60
"""Characters of a text that are shown."""
_ITEMS = 3
"""Items of a sequence that are shown."""


def short(value: object) -> str:
    """The ``repr`` of a value, of a long text or sequence its beginning and its length."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _TEXT else f"{value[:_TEXT]!r}… ({len(value):,} characters)"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)) and len(value) > _ITEMS:
        return f"[{', '.join(short(value[at]) for at in range(_ITEMS))}, … ({len(value):,} items)]"
    return repr(value)


class ShortRepr:
    """Base of a dataclass (with ``repr=False``) that holds texts."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The fields, long ones shortened."""
        shown: Any = self
        values = ", ".join(f"{field.name}={short(getattr(shown, field.name))}" for field in fields(shown) if field.repr)
        return f"{type(self).__name__}({values})"
