"""The places where a text has changed, which are the only ones that local ops look at again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from tokaudit.model.edits import Edit
from tokaudit.pipeline.engine.windows import Accepted

NEAR = 3
"""Lines with something in them, on either side of a change, that are looked at with it."""
_MOST = 0.5
"""Share of the text from which on it is looked at whole."""

_APART = "\0\n"
"""A line between places that are looked at together."""

Range = tuple[int, int]
"""Half-open, in code points."""


class Places:
    """Some lines of a text as one text, in which they can be searched at once."""

    __slots__ = ("_begins", "_of", "ranges", "text")

    def __init__(self, text: str, ranges: Sequence[Range]) -> None:
        self._of = text
        self.ranges = ranges
        """Ascending and apart, each from the beginning of a line to the end of one."""
        parts: list[str] = []
        self._begins: list[int] = []
        size = 0
        for start, end in ranges:
            self._begins.append(size + len(_APART))
            parts += [_APART, text[start:end]]
            size += len(_APART) + end - start
        if ranges and ranges[-1][1] < len(text):
            parts.append(_APART)
        self.text = "".join(parts)

    def placed(self, edits: Iterable[Edit]) -> Iterator[Edit]:
        """Edits that were found in ``text``, ascending, where they are in the whole of it.

        Those at the ends of a place are left out: they may depend on what is beyond.
        """
        index = -1
        low = high = shift = 0
        for start, end, new in edits:
            while index + 1 < len(self._begins) and self._begins[index + 1] <= start:
                index += 1
                first, last = self.ranges[index]
                shift = first - self._begins[index]
                low, high = first + (first > 0), last - (last < len(self._of))
            if index >= 0 and start + shift >= low and end + shift <= high:
                yield Edit(start + shift, end + shift, new)


class ChangedRanges:
    """Changes of this pass and the one before, in code points of the current text."""

    def __init__(self, size: int) -> None:
        self._before: list[Range] = []
        self._now: list[Range] = [(0, size)]
        self._places: tuple[Places | None] | None = None

    def __bool__(self) -> bool:
        return bool(self._now)

    def begin_pass(self) -> None:
        """Begin another pass: changes of the last one are those before."""
        self._before, self._now, self._places = self._now, [], None

    def places(self, text: str) -> Places | None:
        """The lines to look at again; None for the whole text."""
        if self._places is None:
            ranges = neighbourhoods(text, [*self._before, *self._now])
            self._places = (None if ranges == [(0, len(text))] else Places(text, ranges),)
        return self._places[0]

    def move(self, accepted: Accepted) -> None:
        """Follow the edits of a stage, which are changes too."""
        self._before, self._now, self._places = accepted.placed(self._before), accepted.placed(self._now), None
        shift = 0
        for start, end, new in accepted.edits:
            self._now.append((start + shift, start + shift + len(new)))
            shift += len(new) - (end - start)


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
    """True if one of the ranges, which ascend, overlaps ``[start, end)``."""
    index = bisect_left(ranges, (max(end, start + 1),)) - 1
    return index >= 0 and ranges[index][1] > start
