"""Windows: the least stretches around edits whose tokens can be counted by themselves.

A window begins and ends where every byte-level pattern has a pre-token boundary, both before and after the edits: so
tokens of the windows, before and after, differ by exactly what tokens of the whole text differ by. Such places are just
after a newline that is followed by a character that is neither white space nor ``/``, and just after a line that does
not end in white space and is followed by an indented one (as ``sources.pieces`` and the bulk path cut).

A line may be the whole text. Long ones are also cut within: before a full stop behind an ideograph, and before the
space of a new sentence. No pattern takes a letter with the punctuation behind it, or anything with the space behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tokaudit.model.edits import Edit

_SAFE = re.compile(r"[^\s/]")
_INDENTED = re.compile(r"[ \t]+[!-.0-~\u4e00-\u9fff]")
_INNER = re.compile("(?<=[\u4e00-\u9fff])(?=[。！？；])|(?<=[a-z][.!?])(?= [A-Z])")
LONG = 4000
"""Characters up to the next boundary between lines from which on a line is cut within."""
_MayCut = Callable[[int], bool] | None
_NEAR = 500
"""Characters on either side of an edit that such a window has at least."""


@dataclass(slots=True)
class Window:
    """A stretch of a text, half-open in code points, with the edits of one rule in it."""

    start: int
    end: int
    edits: list[Edit]
    chosen: bool = False
    """True if these are the edits that save by themselves."""


class Accepted:
    """The edits of a stage that are accepted so far, by start, in code points of the text before the stage."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._shifts: list[int] = [0]

    def add(self, edits: Sequence[Edit]) -> None:
        """Accept more edits, which ascend and overlap none that is there."""
        self.edits = sorted([*self.edits, *edits]) if self.edits else list(edits)
        self._starts = [edit[0] for edit in self.edits]
        self._ends = [edit[1] for edit in self.edits]
        self._shifts = [0, *accumulate([len(text) - (end - start) for start, end, text in self.edits])]

    def shift(self, offset: int) -> int:
        """The distance by which the edits that begin before an offset move it."""
        return self._shifts[bisect_left(self._starts, offset)]

    def place(self, offset: int) -> int:
        """The offset after the edits; one within a replaced stretch is at most at the end of the replacement."""
        index = bisect_left(self._starts, offset)
        if index and self._ends[index - 1] > offset:
            edit = self.edits[index - 1]
            return edit.start + self._shifts[index - 1] + min(offset - edit.start, len(edit.text))
        return offset + self._shifts[index]

    def placed(self, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The same for both ends of ranges."""
        starts, ends, shifts, place = self._starts, self._ends, self._shifts, self.place
        found = []
        for start, end in ranges:
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            new_start = place(start) if first and ends[first - 1] > start else start + shifts[first]
            new_end = place(end) if last and ends[last - 1] > end else end + shifts[last]
            found.append((new_start, new_end))
        return found

    def overlaps(self, edit: Edit) -> bool:
        """True if an edit touches what an accepted one changes."""
        index = bisect_right(self._starts, max(edit.end - 1, edit.start))
        return index > 0 and (self.edits[index - 1].end > edit.start or self.edits[index - 1].start == edit.start)

    def touches(self, start: int, end: int) -> bool:
        """True if an accepted edit changes, or ends or begins at, a character of ``[start, end]``."""
        index = bisect_right(self._starts, end)
        return index > 0 and self.edits[index - 1].end >= start

    def within(self, start: int, end: int) -> list[Edit]:
        """The accepted edits of a window, whose bounds no edit touches but at the ends of the text."""
        return self.edits[bisect_left(self._starts, start) : bisect_right(self._starts, end)]


def boundary(text: str, at: int) -> int:
    """The end of what makes every byte-level pattern cut before ``at``, just after a newline; 0 if not all do."""
    if _SAFE.match(text, at):
        return at + 1
    if at > 1 and not text[at - 2].isspace():
        indented = _INDENTED.match(text, at)
        return indented.end() if indented else 0
    return 0


def anywhere(_place: int) -> bool:
    """Accept every place at which tokenizers cut."""
    return True


def windows(
    text: str,
    edits: Sequence[Edit],
    accepted: Accepted,
    may_cut: Callable[[int], bool] | None = anywhere,
) -> list[Window]:
    """The windows of edits, which ascend and do not overlap; edits that share one stand in it together.

    Args:
        text: The text before all edits.
        edits: The edits that the windows surround.
        accepted: The other edits of the stage, which no boundary may touch.
        may_cut: Accepts a place in a long line at which every tokenizer cuts; None to accept none.
    """
    found: list[Window] = []
    reach = 0  # the end of what must stay unchanged after the last window
    for edit in edits:
        if not found or edit.start >= reach:
            least = found[-1].end if found else 0
            found.append(Window(_start(text, edit.start, accepted, least, may_cut), 0, []))
        last = found[-1]
        last.edits.append(edit)
        if edit.end > last.end - 2 or edit.start >= last.end:
            last.end, reach = _end(text, edit.end, accepted, may_cut)
    return found


def _start(text: str, at: int, accepted: Accepted, least: int, may_cut: _MayCut) -> int:
    """The last boundary before ``at`` that no edit touches, and not before ``least``, which is one."""
    newline = text.rfind("\n", least, max(at - 1, least))
    while newline >= least:
        start = newline + 1
        reach = boundary(text, start)
        if 0 < reach <= at and not accepted.touches(start - 2, reach - 1):
            break
        newline = text.rfind("\n", least, newline)
    start = max(newline + 1, least)
    high = at - _NEAR
    while may_cut and high > start + LONG:
        low = high - LONG
        for place in reversed([match.start() for match in _INNER.finditer(text, low, high)]):
            if not accepted.touches(place - 2, place + 1) and may_cut(place):
                return place
        high = low
    return start


def _end(text: str, at: int, accepted: Accepted, may_cut: _MayCut) -> tuple[int, int]:
    """The first boundary after ``at`` that no edit touches, and the end of what makes it one."""
    low, high = at, at + _NEAR + LONG if may_cut else len(text)
    while True:
        found = _line_end(text, low - (low > at), high, accepted)
        if may_cut and low > at:
            for match in _INNER.finditer(text, low, found[0] if found else high + 2):
                place = match.start()
                if not accepted.touches(place - 2, place + 1) and may_cut(place):
                    return place, place + 2
        if found:
            return found
        low, high = (at + _NEAR, high) if low == at else (high, high + LONG)


def _line_end(text: str, at: int, high: int, accepted: Accepted) -> tuple[int, int] | None:
    """The same between lines and up to ``high``; None for none there."""
    newline = text.find("\n", at + 1, high)
    while newline >= 0:
        end = newline + 1
        reach = boundary(text, end) if end < len(text) else 0
        if reach and not accepted.touches(end - 2, reach - 1):
            return end, reach
        newline = text.find("\n", end, high)
    return (len(text), len(text) + 1) if high >= len(text) else None


def apply_window(text: str, window: Window, edits: Sequence[Edit]) -> str:
    """The text of a window with edits applied, which lie in it."""
    if not edits:
        return text[window.start : window.end]
    parts = []
    at = window.start
    for start, end, replacement in edits:
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at : window.end]])
