"""A walk through JSON in C: where records, their fields and what may be messages begin.

It is built with the package where there is a compiler (``hatch_build.py``). It takes only what the Python reader takes
(``json_reader``), and stops at the first record that it does not understand, so that errors and odd cases have one
reader. Without it, or with ``TOKAUDIT_NATIVE=0`` in the environment, the Python reader reads all.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

NOTHING, FIELDS, SHAPES = 0, 1, 2
"""What is wanted besides the end of what is valid: the fields of records, or their shapes."""
TELLS, LEADS, PLACED = 1, 2, 4
"""Flags of a key: its text is a part of the shape of a record, or what is within its value; its place is wanted."""
_ROW = 5
"""Numbers of a record."""
Keys = tuple[tuple[str, int], ...]


class Scan(NamedTuple):
    """Records that follow each other, as far as they are understood. Places are code points."""

    rows: array[int]
    """Of each record: start of its first segment, place, line, number of its shape, index of its first field or place.
    """
    others: array[int]
    """Start and number of the key of each field (-1: of a record without any); or the places that a shape speaks of."""
    names: Sequence[Any]
    """The keys, or the shapes as bytes."""
    byte: int
    """How far the text was read, in UTF-8."""
    place: int
    line: int
    """The line reached."""

    def column(self, number: int) -> array[int]:
        """One number of all records."""
        return self.rows[number::_ROW]

    def bounds(self, index: int) -> tuple[int, int]:
        """Where a record begins, and where it has ended."""
        after = (index + 1) * _ROW
        return self.rows[after - _ROW + 1], self.rows[after] if after < len(self.rows) else self.place


@cache
def _module() -> Any:
    """The compiled module, or None."""
    if os.environ.get("TOKAUDIT_NATIVE") == "0":
        return None
    try:
        from tokaudit.sources.native import _records  # type: ignore[attr-defined,unused-ignore]
    except ImportError:
        return None
    return _records


def scan_document(text: str, wanted: int, keys: Keys = ()) -> Scan | None:
    """The records of a JSON document: the elements of its list, or the one that it is; None where it is not understood.

    ``keys`` are those that a shape is made of, with their flags.
    """
    module = _module()
    if module is None or not text:
        return None
    try:
        found = _scan(module.scan(text, keys, wanted, 0, 0, 0, 0, 0, 0))
    except UnicodeEncodeError:  # a lone surrogate, which is refused elsewhere
        return None
    return found if found.byte else None


class LineScanner:
    """Scans JSON Lines; whoever asks reads the lines between, which are not understood."""

    def __init__(self, text: str, wanted: int, keys: Keys = (), *, first_line: int = 1) -> None:
        """``first_line`` is the line of the text's first character; the rest is as in ``scan_document``."""
        self._text = text
        self._wanted = wanted
        self._keys = keys
        self._module = _module()
        self._byte = 0
        self.at = 0
        """Code point of the first line that was not read."""
        self.line = first_line
        """Number of that line."""

    def scan(self, *, moved: int = 0, start: int = -1) -> Scan | None:
        """The records from here on up to the first line that is not understood; None where there are none.

        ``moved`` is added to places; the first segment of the first record begins at ``start``, if that is given.
        """
        if self._module is None:
            return None
        try:
            arguments = (self._wanted, 1, self._byte, self.at, moved, start, self.line)
            found = _scan(self._module.scan(self._text, self._keys, *arguments))
        except UnicodeEncodeError:  # a lone surrogate, which is refused elsewhere
            self._module = None
            return None
        self._byte, self.at, self.line = found.byte, found.place, found.line
        return found if found.rows else None

    def next_line(self) -> tuple[int, int] | None:
        """Start and end of the line that was not read, which is passed with it; None at the end of the text."""
        text, at = self._text, self.at
        if at >= len(text):
            return None
        end = text.find("\n", at) + 1 or len(text)
        if self._module is not None:
            self._byte += len(text[at:end].encode())
        self.at = end
        self.line += 1
        return at, end


def _scan(found: tuple[bytes, bytes, Sequence[Any], int, int, int]) -> Scan:
    return Scan(array("q", found[0]), array("q", found[1]), *found[2:])
