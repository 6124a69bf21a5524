"""Rows at the edges of pages by their places: which are content, which are numbered, and which recur."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tokaudit.model.pages import LineKind
from tokaudit.pipeline.pages.edge_content import is_open, is_unanimous_label, says, valued
from tokaudit.pipeline.pages.edge_lines import Headings, Number, letters, unnumbered

LEAST_PAGES, LEAST_NUMBERS = 4, 3
"""Pages that have a family at least; that count up, where there is nothing but the number."""
SHARE = 0.3
"""Of the pages between the first and the last of a family, those that have it."""
INNER_SHARE = 0.6
"""The same for lines that have others between them and the edge, as the heads of tables may."""
_FAR = 8
"""Pages without a line of the family, after which another run begins."""
_BESIDE = 200
"""By which a bare number may be higher than the page's place and still be its number: years are no page numbers."""
_WITHIN = 0.5
"""Of the times that a line stands at its place, how often it may stand within pages: what is there oftener is body."""
NEAR = 3
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
    """True if a gap lies between it, or its block, and the body."""
    large: bool = False
    """True if it is larger than the body, as titles are."""
    numbers: Sequence[Number] = ()
    masked: str = ""
    number: Number | None = None
    """The page number that counts up with those of other pages."""
    depth: int = 0
    """Rows between it and the edge."""
    content: bool = False
    """True if it says something of its page, whatever recurs: a field's value, an obligation, a bullet."""


class RowKind(NamedTuple):
    """The kind of a row."""

    kind: LineKind
    family: str


@dataclass(slots=True)
class Slot:
    """Properties of a slot's rows."""

    rows: list[Row]
    repeated: set[str] = field(default_factory=set)
    """Masked texts that recur on enough pages."""
    again: set[int] = field(default_factory=set)
    """Rows, by identity, whose text comes again soon."""
    said: Counter[str] = field(default_factory=Counter)
    """Number of its rows by their letters."""
    texts: Counter[str] = field(default_factory=Counter)
    """The same by their masked texts."""


def runs(pages: Iterable[int]) -> list[list[int]]:
    """Ascending page numbers in runs, which many pages without lie between."""
    found: list[list[int]] = []
    for page in sorted(set(pages)):
        if found and page - found[-1][-1] <= _FAR:
            found[-1].append(page)
        else:
            found.append([page])
    return found


def recurring(pages: Iterable[int], least: int = LEAST_PAGES, share: float = SHARE) -> set[int]:
    """The pages in runs that are long and dense enough."""
    return {
        page for run in runs(pages) if len(run) >= least and len(run) >= share * (run[-1] - run[0] + 1) for page in run
    }


def keep_whole(edges: Sequence[Sequence[Row]]) -> None:
    """Take the outer line of two for content where a sentence that is content goes over both, again and again."""
    pairs = [(outer, inner) for edge in edges for outer, inner in pairwise(edge) if inner.content and says(inner.text)]
    counts = Counter((outer.text, inner.text) for outer, inner in pairs)
    for outer, inner in pairs:
        upper = outer if outer.slot.startswith("top") else inner
        if counts[outer.text, inner.text] >= LEAST_NUMBERS and is_open(upper.text):
            outer.content = True


def tell(slot: Slot, count: int) -> None:
    """Find which rows of a slot are content, numbered or recurring; ``count`` is that of the document's pages."""
    _excuse_labels(slot, count)
    _number(slot)
    values = valued(row.text for row in slot.rows if row.number is None)
    for row in slot.rows:
        row.content = row.content or row.text in values
    _repeat(slot)


def _excuse_labels(slot: Slot, count: int) -> None:
    """Take fields of the document, as its company is one, for what they are: the same on nearly all pages."""
    texts: dict[str, set[int]] = defaultdict(set)
    for row in slot.rows:
        if row.content:
            texts[row.text].add(row.page)
    for row in slot.rows:
        if row.content and is_unanimous_label(row.text, texts, count):
            row.content = False


def drop_body(slots: Mapping[str, Slot], headings: Callable[[], Headings]) -> None:
    """Take lines that stand within pages as well, as lines of code and of lists do, from those that recur.

    Not those beside a page number that counts up: a section's title may be said anywhere.
    """
    said: Counter[str] = Counter()
    for slot in slots.values():
        said.update(letters(row.masked) for row in slot.rows if row.masked in slot.repeated and row.number is None)
    if not said:
        return
    body = {key for key, count in said.items() if headings().count(key) - count > max(2.0, _WITHIN * count)}
    for slot in slots.values() if body else ():
        of_body = [row for row in slot.rows if row.number is None and letters(row.masked) in body]
        for row in of_body:
            row.content = True
        slot.repeated.difference_update(row.masked for row in of_body)


def _number(slot: Slot) -> None:
    """Find the numberings: numbers of one style that are as far from the page's place in the document."""
    numberings: dict[tuple[str, int], list[tuple[Row, Number]]] = defaultdict(list)
    alone: dict[tuple[bool, int], list[tuple[Row, Number]]] = defaultdict(list)
    for row in slot.rows:
        for number in row.numbers:
            if is_far(row, number):
                continue
            numberings[number.style, number.value - row.page].append((row, number))
            if number.alone:
                alone[number.roman, number.value - row.page].append((row, number))
    # Numbers at the left on even pages and at the right on odd ones count up together, and so do those that stand
    # alone on the first pages of chapters.
    counted: dict[tuple[bool, int], set[int]] = defaultdict(set)
    beside: list[tuple[tuple[bool, int], list[tuple[Row, Number]]]] = []
    for (_, offset), members in numberings.items():
        number = members[0][1]
        if not number.alone and (pages := recurring(row.page for row, _ in members)):
            beside.append(((number.roman, offset), members))
            counted[number.roman, offset] |= pages
    for key, members in alone.items():
        counted[key] |= recurring({row.page for row, _ in members} | counted[key], LEAST_NUMBERS)
        _take(members, counted[key])
    for key, members in beside:
        _take(members, recurring({row.page for row, _ in members} | counted[key]))


def is_far(row: Row, number: Number) -> bool:
    """True if a number cannot be the page's: too high, or set as a title is."""
    return (row.large and number.alone) or (not number.named and number.value - row.page > _BESIDE)


def _take(members: Iterable[tuple[Row, Number]], pages: set[int]) -> None:
    for row, number in members:
        if row.page in pages and (row.number is None or number.alone):
            row.number, row.masked = number, number.masked


def _repeat(slot: Slot) -> None:
    there: dict[str, list[Row]] = defaultdict(list)
    for row in slot.rows:
        if (not row.table or row.number) and not row.content and (said := unnumbered(row.masked)):
            there[row.masked].append(row)
            slot.said[letters(said)] += 1
            slot.texts[row.masked] += 1
    for masked, rows in there.items():
        pages = sorted({row.page for row in rows})
        # What is the outermost on no page must be on most pages, or on all odd or even ones.
        inner = min(row.depth for row in rows) > 0 and len({page % 2 for page in pages}) > 1
        if recurring(pages, share=INNER_SHARE if inner else SHARE):
            slot.repeated.add(masked)
        for row, following in pairwise(rows):
            if 0 < following.page - row.page <= NEAR:
                slot.again.update((id(row), id(following)))
    # The same line with a number of another numbering, too short for one by itself: i and ii before 1, 2, 3 …
    for row in slot.rows:
        if row.number is None:
            for number in row.numbers:
                if number.masked in slot.repeated:
                    row.number, row.masked = number, number.masked


def repeats(slot: Slot, row: Row) -> bool:
    return not row.content and (not row.table or row.number is not None) and row.masked in slot.repeated
