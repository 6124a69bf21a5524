"""Windows: the least stretches around edits whose tokens can be counted by themselves.

A window begins and ends where every byte-level pattern has a pre-token boundary, both before and after the edits: so
tokens of the windows, before and after, differ by exactly what tokens of the whole text differ by. Such places are just
after a newline that is followed by a character that is neither white space nor ``/``, and just after a line that does
not end in white space and is followed by an indented one (as ``sources.pieces`` and the bulk path cut).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tokaudit.model.edits import Edit

_SAFE = re.compile(r"[^\s/]")
_INDENTED = re.compile(r"[ \t]+[!-.0-~\u4e00-\u9fff]")


@dataclass(slots=True)
class Window:
    """A stretch of a text, half-open in code points, with the edits of one rule in it."""

    start: int
    end: int
    edits: list[Edit]
    chosen: bool = False
    """Whether these are the edits of it that save by themselves."""


class Accepted:
    """The edits of a stage that are accepted so far, by start, in code points of the text before the stage."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._starts: list[int] = []
        self._shifts: list[int] = [0]

    def add(self, edits: Sequence[Edit]) -> None:
        """Accept more edits, which ascend and overlap none that is there."""
        self.edits = sorted([*self.edits, *edits]) if self.edits else list(edits)
        self._starts = [edit.start for edit in self.edits]
        self._shifts = [0]
        for start, end, text in self.edits:
            self._shifts.append(self._shifts[-1] + len(text) - (end - start))

    def shift(self, offset: int) -> int:
        """By how much the edits that begin before an offset move it."""
        return self._shifts[bisect_right(self._starts, offset - 1)]

    def place(self, offset: int) -> int:
        """Where an offset is after the edits; one within what an edit replaces is at most at the end of what came."""
        index = bisect_right(self._starts, offset - 1)
        if index and self.edits[index - 1].end > offset:
            edit = self.edits[index - 1]
            return edit.start + self._shifts[index - 1] + min(offset - edit.start, len(edit.text))
        return offset + self._shifts[index]

    def overlaps(self, edit: Edit) -> bool:
        """Whether an edit touches what an accepted one changes."""
        index = bisect_right(self._starts, max(edit.end - 1, edit.start))
        return index > 0 and (self.edits[index - 1].end > edit.start or self.edits[index - 1].start == edit.start)

    def touches(self, start: int, end: int) -> bool:
        """Whether an accepted edit changes, or ends or begins at, a character of ``[start, end]``."""
        index = bisect_right(self._starts, end)
        return index > 0 and self.edits[index - 1].end >= start

    def within(self, start: int, end: int) -> list[Edit]:
        """The accepted edits of a window, whose bounds no edit touches but at the ends of the text."""
        return self.edits[bisect_right(self._starts, start - 1) : bisect_right(self._starts, end)]


def boundary(text: str, at: int) -> int:
    """The end of what makes every byte-level pattern cut before ``at``, just after a newline; 0 if not all do."""
    if _SAFE.match(text, at):
        return at + 1
    if at > 1 and not text[at - 2].isspace():
        indented = _INDENTED.match(text, at)
        return indented.end() if indented else 0
    return 0


def windows(text: str, edits: Sequence[Edit], accepted: Accepted) -> list[Window]:
    """The windows of edits, which ascend and do not overlap; edits that share one stand in it together."""
    found: list[Window] = []
    reach = 0  # the end of what must stay unchanged after the last window
    for edit in edits:
        if not found or edit.start >= reach:
            least = found[-1].end if found else 0
            found.append(Window(_start(text, edit.start, accepted, least), 0, []))
        last = found[-1]
        last.edits.append(edit)
        if edit.end > last.end - 2 or edit.start >= last.end:
            last.end, reach = _end(text, edit.end, accepted)
    return found


def _start(text: str, at: int, accepted: Accepted, least: int) -> int:
    """The last boundary before ``at`` that no edit touches, and not before ``least``, which is one."""
    newline = text.rfind("\n", least, max(at - 1, least))
    while newline >= least:
        start = newline + 1
        reach = boundary(text, start)
        if 0 < reach <= at and not accepted.touches(start - 2, reach - 1):
            return start
        newline = text.rfind("\n", least, newline)
    return least


def _end(text: str, at: int, accepted: Accepted) -> tuple[int, int]:
    """The first boundary after ``at`` that no edit touches, and the end of what makes it one."""
    newline = text.find("\n", at + 1)
    while newline >= 0:
        end = newline + 1
        reach = boundary(text, end) if end < len(text) else 0
        if reach and not accepted.touches(end - 2, reach - 1):
            return end, reach
        newline = text.find("\n", end)
    return len(text), len(text) + 1
