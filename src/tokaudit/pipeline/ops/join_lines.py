"""Join lines that were broken only for the width of a page."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from tokaudit.model.edits import Edit
from tokaudit.model.text import line_end
from tokaudit.pipeline.pages.columns import width
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Join a line to the one before where only the width of the page broke it."
PARAMETERS: Parameters = {
    "before": Parameter("pattern", "End of a line that goes on.", required=True),
    "after": Parameter("pattern", "Beginning of the line that continues it.", required=True),
    "ends": Parameter("pattern", "End of the last line of a paragraph.", default='[。！？：；…”’」』】）.!?:;)"]'),
    "least": Parameter(
        "integer", "Columns that a line has at least which goes on; an ideograph takes two.", default=30
    ),
    "slack": Parameter(
        "integer", "Columns by which a line that goes on may be shorter than the lines next to it.", default=10
    ),
    "joint": Parameter("text", "Text between the joined lines.", default=""),
}
_cell_gap = lazy("(?<=[\u3400-\u9fff])[ \u3000]+(?=[\u3400-\u9fff])")
_CELLS = 2
"""Gaps between ideographs from which on a line is a row of cells: Chinese prose has none."""
_WHOLE = frozenset(("running", "number", "watermark", "vertical", "parted"))
"""Kinds of lines that are whole: what is left of a header is no sentence with the line below it, nor is a row."""


def prepare(values: Values) -> Find:
    """A finder of the line breaks to take away.

    A line goes on if it is about as wide as the one before, and the one after is so too or ends a paragraph: lines that
    a page broke fill its width, those of a list or of verse do not. A joined line is wider than its neighbours, so that
    nothing is joined to it later that was not joined at once. Lines known to be page furniture stay as they
    are, and so do rows of cells.
    """
    before, after, ends = values["before"], values["after"], values["ends"]
    least, slack, joint = values["least"], values["slack"], values["joint"]

    def find(view: View) -> Edits:
        from tokaudit.pipeline.patterns import compile_pattern

        text = view.text
        breaks = compile_pattern(f"(?<={before})\n(?={after})")
        ending = compile_pattern(f"(?:{ends})$")
        measured: dict[int, int] = {}
        furniture = {place for mark in view.marks or () if mark.kind in _WHOLE for place in (mark.start - 1, mark.end)}
        for match in breaks.finditer(text, timeout=view.seconds_left):
            place = match.start()
            if place in furniture:
                continue
            start = _line_start(text, place)
            columns = measured.get(start) or width(text[start:place])
            if columns < least or columns + slack < _columns_before(text, start, measured):
                continue
            last = line_end(text, place + 1)
            following = width(text[place + 1 : last])
            measured = {start: columns, place + 1: following}
            if _is_row(text, start, place) or _is_row(text, place + 1, last):
                continue
            if following + slack >= columns or ending.search(text, max(place, last - 2), last):
                yield Edit(place, place + 1, joint)

    return find


def _is_row(text: str, start: int, end: int) -> bool:
    return sum(1 for _ in islice(_cell_gap().finditer(text, start, end), _CELLS)) == _CELLS


def _line_start(text: str, at: int) -> int:
    start = text.rfind("\n", 0, at) + 1
    return max(start, text.rfind("\f", start, at) + 1)


def _columns_before(text: str, start: int, measured: Mapping[int, int]) -> int:
    """Columns of the line before the one that starts at a place; 0 where there is none on its page."""
    if not start or text[start - 1] == "\f":
        return 0
    before = _line_start(text, start - 1)
    return measured.get(before) or width(text[before : start - 1])
