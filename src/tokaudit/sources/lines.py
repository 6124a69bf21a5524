r"""Lines of a text: split at ``\n`` only, so that a CRLF belongs to the line that it ends."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from tokaudit.sources.columns import LazyColumn

_NEWLINE = re.compile("\n")


def line_starts(text: str) -> list[int]:
    """Code-point offset of each line of ``text``; empty for an empty text, and no line after a final newline."""
    if not text:
        return []
    starts = [0]
    starts += [match.end() for match in _NEWLINE.finditer(text)]
    if starts[-1] == len(text):
        starts.pop()
    return starts


class LineNumbers(LazyColumn[int]):
    """The 1-based line of each offset of ``starts``, worked out when asked for.

    Counting the newlines before each segment anew would be quadratic for a report that shows all of them, and a list
    of numbers would be built in vain for one that shows none.
    """

    def __init__(self, text: str, starts: Sequence[int], first: int = 1) -> None:
        """``first`` is the line of the text's first character: more than 1 for a later piece of a large file."""
        self._text = text
        self._starts = starts
        self._first = first
        self._lines: list[int] | None = None

    def __len__(self) -> int:
        return len(self._starts)

    def item(self, index: int) -> int:
        """Line of one offset."""
        start = self._starts[index]
        if start == 0:
            return self._first
        if self._lines is None:
            self._lines = line_starts(self._text)
        return bisect_right(self._lines, start) - 1 + self._first
