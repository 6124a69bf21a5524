"""Which lines at the edges of pages belong together: families of running lines, and numberings.

A row stands in a slot: with geometry, rows of one edge at the same height; without, all rows of one edge. Everything
is decided by slot, from what its rows say and how often, and then taken page by page from the edge inwards, since
furniture is contiguous with the edge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tokaudit.model.pages import LineKind
from tokaudit.pipeline.furniture_lines import Headings, Number, page_numbers, unnumbered

DEPTH = 5
"""Lines at an edge that may be furniture."""
LEAST_PAGES, LEAST_NUMBERS = 4, 3
"""Pages that have a family at least; that count up, where there is nothing but the number."""
SHARE = 0.3
"""Of the pages between the first and the last of a family, those that have it."""
_FAR = 8
"""Pages without a line of the family, after which another run begins."""
_NEAR = 3
"""Pages within which the same title comes again, where a section is longer than a page."""


@dataclass(slots=True)
class Row:
    """A line, or the lines side by side, at an edge of a page."""

    page: int
    """0-based."""
    slot: str
    text: str
    table: bool = False
    apart: bool = True
    """Whether a gap lies between it, or its block, and the body."""
    large: bool = False
    """Whether it is larger than the body, as titles are."""
    numbers: Sequence[Number] = ()
    masked: str = ""
    number: Number | None = None
    """The page number that counts up with those of other pages."""


class Found(NamedTuple):
    """What a row is."""

    kind: LineKind
    family: str


@dataclass(slots=True)
class _Slot:
    """What is known of a slot's rows."""

    rows: list[Row]
    repeated: set[str] = field(default_factory=set)
    """Masked texts that recur on enough pages."""
    again: set[int] = field(default_factory=set)
    """Pages whose text comes again soon."""


def runs(pages: Iterable[int]) -> list[list[int]]:
    """Ascending page numbers in runs, which many pages without lie between."""
    found: list[list[int]] = []
    for page in sorted(set(pages)):
        if found and page - found[-1][-1] <= _FAR:
            found[-1].append(page)
        else:
            found.append([page])
    return found


def recurring(pages: Iterable[int], least: int = LEAST_PAGES) -> set[int]:
    """The pages in runs that are long and dense enough."""
    return {
        page
        for run in runs(pages)
        if len(run) >= least and len(run) >= SHARE * (run[-1] - run[0] + 1)
        for page in run
    }


def find_families(edges: Sequence[Sequence[Row]], headings: Callable[[], Headings], *, placed: bool) -> list[list[Found]]:
    """What the rows of each edge are, from the edge inwards; only those that are furniture.

    Args:
        edges: The rows of one edge of one page each, the outermost first.
        headings: The document's short lines; asked for only where titles change.
        placed: Whether slots are places by geometry.
    """
    slots: dict[str, _Slot] = defaultdict(lambda: _Slot([]))
    for edge in edges:
        for row in edge:
            row.numbers = page_numbers(row.text)
            row.masked = row.text
            slots[row.slot].rows.append(row)
    decided: dict[int, Found] = {}
    for name, slot in slots.items():
        _number(slot)
        _repeat(slot)
        decide = _placed if placed else _unplaced
        decided.update(decide(name, slot, headings))
    return [_from_the_edge(edge, decided, placed=placed) for edge in edges]


def _from_the_edge(edge: Sequence[Row], decided: Mapping[int, Found], *, placed: bool) -> list[Found]:
    """What is furniture without a gap in between."""
    found: list[Found] = []
    for at, row in enumerate(edge):
        this = decided.get(id(row))
        if this is None and placed and not row.table and len(row.text) <= 200:
            # A header or footer of two lines, of which the outer one is there only where a title is long.
            inner = decided.get(id(edge[at + 1])) if at + 1 < len(edge) else None
            this = Found("running", inner.family) if inner else None
        if this is None:
            break
        found.append(this)
    if len(found) <= DEPTH:
        return found
    # All of what was looked at recurs: pages that are alike, such as forms, have no furniture but their numbers.
    kept = []
    for this in found:
        if this.kind != "number":
            break
        kept.append(this)
    return kept


def _number(slot: _Slot) -> None:
    """Find the numberings: numbers of one style that are as far from the page's place in the document."""
    numberings: dict[tuple[str, int], list[tuple[Row, Number]]] = defaultdict(list)
    for row in slot.rows:
        for number in row.numbers:
            numberings[number.style, number.value - row.page].append((row, number))
    for members in numberings.values():
        least = LEAST_NUMBERS if members[0][1].alone else LEAST_PAGES
        pages = recurring((row.page for row, _ in members), least)
        for row, number in members:
            if row.page in pages and (row.number is None or number.alone):
                row.number, row.masked = number, number.masked


def _repeat(slot: _Slot) -> None:
    pages: dict[str, list[int]] = defaultdict(list)
    for row in slot.rows:
        if not row.table and unnumbered(row.masked):
            pages[row.masked].append(row.page)
    for masked, there in pages.items():
        if recurring(there):
            slot.repeated.add(masked)
        ordered = sorted(set(there))
        for page, following in zip(ordered, ordered[1:], strict=False):
            if following - page <= _NEAR:
                slot.again.update((page, following))
    # The same line with a number of another numbering, too short for one by itself: i and ii before 1, 2, 3 …
    for row in slot.rows:
        if row.number is None:
            for number in row.numbers:
                if number.masked in slot.repeated:
                    row.number, row.masked = number, number.masked


def _repeats(slot: _Slot, row: Row) -> bool:
    return not row.table and row.masked in slot.repeated


def _placed(name: str, slot: _Slot, headings: Callable[[], Headings]) -> dict[int, Found]:
    """Rows at one height: furniture where most of those around are, and are apart from the body."""
    strong = [row for row in slot.rows if not row.table and _is_strong(slot, row, headings)]
    numbered = bool(strong) and all(row.number is not None and row.number.alone for row in strong)
    pages = recurring((row.page for row in strong), LEAST_NUMBERS if numbered else LEAST_PAGES)
    decided = {}
    of_page = {row.page: row for row in strong}
    for run in runs(pages):
        near = range(run[0] - len(run), run[-1] + len(run) + 1)
        around = [row for row in slot.rows if row.page in near]
        within = [row for row in around if not row.table and not row.large]
        if len(run) < 0.6 * len(around) or sum(of_page[page].apart for page in run) < 0.7 * len(run):
            continue
        # All at this place belong to it, titles that come only once too; the run ends where the last strong one is.
        members = [
            row
            for row in within
            if run[0] - _NEAR <= row.page <= run[-1] + _NEAR and (row.apart or row.page in of_page)
        ]
        texts = Counter(row.masked for row in members)
        own = {masked for masked, count in texts.items() if count >= max(LEAST_PAGES, SHARE * len(members))}
        family = name if len(texts) > 1 else next(iter(texts), name)
        for row in members:
            if row.number is not None and row.number.alone:
                decided[id(row)] = Found("number", "")
            else:
                alone = bool(row.numbers) and row.numbers[0].alone
                decided[id(row)] = (
                    Found("number", "") if alone else Found("running", row.masked if row.masked in own else family)
                )
    return decided


def _is_strong(slot: _Slot, row: Row, headings: Callable[[], Headings]) -> bool:
    if row.number is not None or _repeats(slot, row):
        return True
    if row.large:
        return False
    return row.page in slot.again or headings().parts(row.masked) > 0


def _unplaced(name: str, slot: _Slot, headings: Callable[[], Headings]) -> dict[int, Found]:
    """Rows of which nothing is known but their order: furniture by what each says."""
    decided: dict[int, Found] = {}
    changing: list[Row] = []
    for row in slot.rows:
        if row.table:
            continue
        if row.number is not None and row.number.alone:
            decided[id(row)] = Found("number", "")
        elif _repeats(slot, row):
            decided[id(row)] = Found("running", row.masked)
        elif row.number is not None:
            changing.append(row)
    # Titles that change, beside a number that counts up: they come again, or are headings elsewhere.
    known = [row for row in changing if row.page in slot.again or headings().parts(unnumbered(row.masked))]
    if 2 * len(known) >= len(changing):
        for row in changing:
            decided[id(row)] = Found("running", f"{name} {row.number.style if row.number else ''}")
    decided.update(_composed(name, slot, decided, headings))
    return decided


def _composed(
    name: str, slot: _Slot, decided: Mapping[int, Found], headings: Callable[[], Headings]
) -> dict[int, Found]:
    """Lines of two headings each, a chapter's and a section's, that change from page to page."""
    # Looked for at the very edge, and only where many of those lines come again: for nothing else the headings are
    # worth their time.
    left = [row for row in slot.rows if id(row) not in decided and not row.table and row.masked == row.text]
    if len({row.page for row in left if row.page in slot.again}) < 2:
        return {}
    two = [row for row in left if headings().parts(row.text) > 1]
    pages = recurring({row.page for row in two} | {row.page for row in slot.rows if _repeats(slot, row)})
    return {id(row): Found("running", name) for row in two if row.page in pages}
