"""Page furniture: running lines, page numbers and watermarks, found by what recurs at the edges of pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from statistics import median
from typing import NamedTuple

from tokaudit.model.pages import Mark, Page, PageLine
from tokaudit.pipeline.pages.edge_lines import Headings, is_row, page_numbers
from tokaudit.pipeline.pages.families import DEPTH, find_families
from tokaudit.pipeline.pages.slots import Row, RowKind
from tokaudit.pipeline.pages.split import Line, bottom_lines, pages, top_lines
from tokaudit.pipeline.pages.watermarks import watermarks

_CLOSE, _TALL = 1.6, 5.0
"""Points between rows of different pages at one height, and of all such rows: boxes of letters differ a little."""
_LARGE = 1.25
"""Times the size of the body from which on a line is a title."""


class _Side(NamedTuple):
    """Lines of a page side by side, by index."""

    top: float
    bottom: float
    lines: tuple[int, ...]
    text: str
    size: float
    table: bool

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


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


def families(of: Sequence[Page]) -> dict[tuple[int, int], RowKind]:
    """Kind and family of each line that is furniture, by index of its page and of the line in it."""
    sides = [_sides(page.lines) for page in of]
    body = median([line.size for page in of for line in page.lines if line.kind == "body"] or [1.0])
    gaps = [max(0.0, below.top - above.bottom) for rows in sides for above, below in pairwise(rows)]
    gap = max(0.7 * body, 1.3 * median(gaps or [0.0]))
    edges: list[list[Row]] = []
    members: list[list[_Side]] = []
    places: dict[str, list[tuple[float, Row]]] = {"top": [], "bottom": []}
    for number, page in enumerate(of):
        for edge in ("top", "bottom"):
            rows = sides[number] if edge == "top" else sides[number][::-1]
            half = [row for row in rows if (row.middle < page.height / 2) == (edge == "top")]
            there = half[: DEPTH + 1]
            edges.append(_placed_rows(number, there, rows[len(there) : len(there) + 1], gap, body * _LARGE))
            members.append(there)
            for row, side in zip(edges[-1], there, strict=True):
                places[edge].append((side.middle if edge == "top" else page.height - side.middle, row))
    _set_slots(places)
    headings = _headings(lambda: (line.text for page in of for line in page.lines))
    of_edges = find_families(edges, headings, placed=True)
    found: dict[tuple[int, int], RowKind] = {}
    for edge_rows, there, of_edge in zip(edges, members, of_edges, strict=True):
        for row, side, what in zip(edge_rows, there, of_edge, strict=False):
            for at in side.lines:
                line = of[row.page].lines[at]
                found[row.page, at] = what if len(side.lines) == 1 else _of_line(line, row, what)
    return found


def _sides(lines: Sequence[PageLine]) -> list[_Side]:
    """The lines of a page in rows, from the top; those of any kind but body and table left out."""
    there = sorted(
        (line.top, line.left, at)
        for at, line in enumerate(lines)
        if line.kind in ("body", "table") and line.text.strip()
    )
    rows: list[list[int]] = []
    bottom = middle = -1.0
    for top, _, at in there:
        line = lines[at]
        # In one row where either's middle is within the other; letters reach below and above.
        if rows and ((top + line.bottom) / 2 < bottom - 1 and middle > top):
            rows[-1].append(at)
        else:
            rows.append([at])
            bottom, middle = line.bottom, (top + line.bottom) / 2
    return [_side(lines, row) for row in rows]


def _side(lines: Sequence[PageLine], row: list[int]) -> _Side:
    if len(row) == 1:
        line = lines[row[0]]
        return _Side(line.top, line.bottom, (row[0],), line.text.strip(), line.size, line.kind == "table")
    row = sorted(row, key=lambda at: (lines[at].left, at))
    return _Side(
        min(lines[at].top for at in row),
        max(lines[at].bottom for at in row),
        tuple(row),
        " ".join(lines[at].text.strip() for at in row),
        max(lines[at].size for at in row),
        any(lines[at].kind == "table" for at in row),
    )


def _placed_rows(page: int, there: Sequence[_Side], beyond: Sequence[_Side], gap: float, large: float) -> list[Row]:
    """Rows of an edge, the outermost first, with what is known of each from the one inwards of it."""
    rows: list[Row] = []
    all_rows = [*there, *beyond]
    apart = not beyond  # what is further in may be near
    for at in reversed(range(len(there))):
        side = there[at]
        inner = all_rows[at + 1] if at + 1 < len(all_rows) else None
        between = float("inf") if inner is None else max(inner.top - side.bottom, side.top - inner.bottom)
        # Apart by its own gap, or in a block of two or three lines that has one.
        own = between >= gap
        block = apart and at < DEPTH - 1 and inner is not None and abs(inner.size - side.size) < 1
        table = side.table or (inner is not None and not own and is_row(side.text, inner.text))
        rows.append(Row(page, "", side.text, table=table, apart=own or block, large=side.size > large))
        apart = own
    return rows[::-1]


def _set_slots(places: Mapping[str, list[tuple[float, Row]]]) -> None:
    """Name the places of rows, by their edge and points from it: those of an edge at one height."""
    for edge, placed in places.items():
        first = last = float("-inf")
        for at, row in sorted(placed, key=lambda one: one[0]):
            if at - last > _CLOSE or at - first > _TALL:
                first = at
            last = at
            row.slot = f"{edge} {first:.1f}"


def _of_line(line: PageLine, row: Row, what: RowKind) -> RowKind:
    """The kind of a line that stands beside others: a page number is one by itself."""
    if what.kind == "running" and row.number is not None:
        for number in page_numbers(line.text.strip()):
            if number.alone and number.value == row.number.value:
                return RowKind("number", "")
    return what


def _headings(lines: Callable[[], Iterable[str]]) -> Callable[[], Headings]:
    """The headings of lines, made when they are first asked for."""
    return lru_cache(maxsize=1)(lambda: Headings(lines()))


@lru_cache(maxsize=1)
def furniture_of_text(text: str) -> list[Mark]:
    """The furniture of a text whose pages form feeds end, in ascending order.

    Without geometry, lines are at the edge of a page by their order, and a watermark is a line of its own.
    """
    places = pages(text)
    if len(places) < 3:
        return []
    edges: list[list[Row]] = []
    members: list[list[Line]] = []
    for number, (start, end) in enumerate(places):
        for edge, lines in (("top", top_lines), ("bottom", bottom_lines)):
            there = list(islice(lines(text, start, end), DEPTH + 2))
            members.append(there[: DEPTH + 1])
            edges.append(
                [
                    Row(number, edge, line.text, table=at + 1 < len(there) and is_row(line.text, there[at + 1].text))
                    for at, line in enumerate(there[: DEPTH + 1])
                ]
            )
    headings = _headings(lambda: (line.strip() for line in text.replace("\f", "\n").split("\n")))
    marks: dict[int, Mark] = {}
    for there, of_edge in zip(members, find_families(edges, headings, placed=False), strict=True):
        for line, what in zip(there, of_edge, strict=False):
            page = bisect_right(places, (line.start, len(text) + 1))
            marks.setdefault(line.start, Mark(line.start, line.end, what.kind, page, what.family))
    # Pages of which most would be left with nothing are alike, and no furniture of one another.
    filled = [there for there in members[::2] if there]
    if 2 * sum(all(line.start in marks for line in there) for there in filled) > len(filled):
        marks = {}
    for mark in _marks_of_watermarks(text, places):
        marks.setdefault(mark.start, mark)
    return [marks[start] for start in sorted(marks)]


def _marks_of_watermarks(text: str, places: Sequence[tuple[int, int]]) -> Iterator[Mark]:
    for page, line in watermarks(text, places):
        yield Mark(line.start, line.end, "watermark", page + 1, line.text)
