r"""Columns of segments that are computed when asked for: a corpus has millions of segments, a report shows twenty.

Lines are split at ``\n`` only, so that a CRLF belongs to the line that it ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokaudit.model import Segments
from tokaudit.model.text import LazyColumn

_NEWLINE = re.compile("\n")
_INK = re.compile(r"\S")
WHOLE_LABEL = "(whole text)"
"""Label of the section of a text that has no other."""


def whole(path: str, text: str, kind: str, first_line: int = 1) -> Segments:
    """One segment that is the whole text; none for an empty text."""
    if not text:
        return Segments(path, text, (), (kind,))
    return Segments(path, text, (0,), (kind,), labels=(WHOLE_LABEL,), ids=("document",), lines=(first_line,))


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

    Newlines are counted on from the offset asked for last, so that a report that shows all segments in order reads the
    text once, and one that shows none never does.
    """

    def __init__(self, text: str, starts: Sequence[int], first: int = 1) -> None:
        """``first`` is the line of the text's first character: more than 1 for a later piece of a large file."""
        self._text = text
        self._starts = starts
        self._first = first
        self._last = (0, first)

    def __len__(self) -> int:
        return len(self._starts)

    def item(self, index: int) -> int:
        """Line of what is first seen of a segment: blank lines may stand before it."""
        inked = _INK.search(self._text, self._starts[index])
        start = inked.start() if inked else self._starts[index]
        at, line = self._last
        if start < at:
            at, line = 0, self._first
        line += self._text.count("\n", at, start)
        self._last = (start, line)
        return line
