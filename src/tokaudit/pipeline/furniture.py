"""Page furniture: running lines, page numbers and watermarks, told from what recurs at the edges of pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from statistics import median
from typing import NamedTuple

from tokaudit.model.pages import LineKind, Mark, Page, PageLine
from tokaudit.pipeline.furniture_families import DEPTH, Found, Row, find_families
from tokaudit.pipeline.furniture_lines import Headings, is_row, page_numbers
from tokaudit.pipeline.pages import Line, bottom_lines, pages, top_lines
from tokaudit.pipeline.watermarks import watermarks

_SAME_HEIGHT = 3.0
"""Points within which rows of different pages are at the same height: the boxes of letters differ."""
_LARGE = 1.25
"""Times the size of the body from which on a line is a title."""


class _Side(NamedTuple):
    """Lines of a page side by side, by index."""

    top: float
    bottom: float
    lines: tuple[int, ...]
    text: str
    size: float
    kinds: frozenset[str]


def furniture(of: Sequence[Page]) -> list[Page]:
    """The pages with kinds ``running`` and ``number`` set on the lines that are furniture.

    Lines of any kind but ``body`` stay as they are.
    """
    found = families(of)
    return [
        replace(
            page,
            lines=[
                line._replace(kind=found[number, at].kind) if (number, at) in found else line
                for at, line in enumerate(page.lines)
            ],
        )
        for number, page in enumerate(of)
    ]


def families(of: Sequence[Page]) -> dict[tuple[int, int], Found]:
    """Kind and family of each line that is furniture, by index of its page and of the line in it."""
    sides = [_sides(page.lines) for page in of]
    body = median(
        [line.size for page in of for line in page.lines if line.kind == "body"] or [1.0]
    )
    gap = max(0.7 * body, 1.3 * median([max(0.0, b.top - a.bottom) for page in sides for a, b in zip(page, page[1:])] or [0.0]))
    edges: list[list[Row]] = []
    members: list[list[_Side]] = []
    heights: list[list[float]] = []
    for number, page in enumerate(of):
        for edge, rows in (("top", sides[number]), ("bottom", sides[number][::-1])):
            there = list(_edge(rows, page.height, edge))
            members.append(there)
            edges.append(_rows(number, edge, rows, len(there), gap, body))
            heights.append([(side.top + side.bottom) / 2 for side in there])
    _set_slots(edges, heights, of)
    headings = _once(lambda: (line.text for page in of for line in page.lines))
    found: dict[tuple[int, int], Found] = {}
    for edge_rows, there, of_edge in zip(edges, members, find_families(edges, headings, placed=True), strict=True):
        for row, side, what in zip(edge_rows, there, of_edge, strict=False):
            for at in side.lines:
                found[row.page, at] = _of_line(of[row.page].lines[at], row, what, alone=len(side.lines) == 1)
    return found


def _of_line(line: PageLine, row: Row, what: Found, *, alone: bool) -> Found:
    """What a line is that stands beside others: the number is one by itself."""
    if alone or what.kind == "number":
        return what
    numbers = page_numbers(line.text.strip())
    if row.number is not None and any(one.alone and one.value == row.number.value for one in numbers):
        return Found("number", "")
    return what


def _once(lines: object) -> object: ...
