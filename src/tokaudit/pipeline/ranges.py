"""Where a text has changed, so that only those places need be looked at again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

NEAR = 3
"""Lines with something in them, on either side of a change, that are looked at with it."""
_MOST = 0.5
"""Share of the text from which on it is looked at whole."""

Range = tuple[int, int]
"""Half-open, in code points."""


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same places as ranges that ascend and do not touch."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def neighbourhoods(text: str, ranges: Sequence[Range]) -> list[Range]:
    """Whole lines around ranges, with some lines more on either side; all of the text where that is most of it."""
    found: list[Range] = []
    for start, end in merged(ranges):
        if found and end <= found[-1][1] and start >= found[-1][0]:
            continue
        found.append((_lines_before(text, start), _lines_after(text, end)))
    found = merged(found)
    if sum(end - start for start, end in found) > _MOST * len(text):
        return [(0, len(text))]
    return found


def _lines_before(text: str, at: int) -> int:
    """The beginning of the line that is some lines with something in them before the one of ``at``."""
    line = text.rfind("\n", 0, at) + 1
    seen = 0
    while line > 0 and seen < NEAR:
        before = text.rfind("\n", 0, line - 1) + 1
        seen += not text[before:line].isspace()
        line = before
    return line


def _lines_after(text: str, at: int) -> int:
    """The same after ``at``: just after a newline, or the end of the text."""
    line = text.find("\n", at) + 1 or len(text)
    seen = 0
    while line < len(text) and seen < NEAR:
        after = text.find("\n", line) + 1 or len(text)
        seen += not text[line:after].isspace()
        line = after
    return line


def meets(ranges: Sequence[Range], start: int, end: int) -> bool:
    """Whether one of the ranges, which ascend, has something of ``[start, end)``."""
    index = bisect_left(ranges, (max(end, start + 1),)) - 1
    return index >= 0 and ranges[index][1] > start
