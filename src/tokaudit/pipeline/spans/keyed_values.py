"""A scalar value of a YAML or TOML document with its place, and the error for one that cannot be read."""

from __future__ import annotations

from typing import NamedTuple


class Value(NamedTuple):
    """One scalar value of a document."""

    start: int
    """Where the key begins that it belongs to, or the item."""
    low: int
    """Where the value begins, with its quotes."""
    high: int
    """Where it ends."""
    path: str
    """``prompts[0].content``."""
    text: str
    style: str
    """As it is written: empty for plain, ``"``, ``'``, ``|`` or ``>``; the quotes of TOML are one or three."""
    string: bool
    """True for a text, and not a number or the like."""
    fixed: bool = False
    """True where its place cannot hold another text, since a tag or an anchor stands before it."""


class BrokenError(ValueError):
    """A document that cannot be read: why, and the place, 1-based."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column
