"""Lines at the edges of pages that belong together: families of running lines, and numberings.

A row stands in a slot: with geometry, rows of one edge at the same height; without, all rows of one edge. Everything
is decided by slot, from what its rows say and how often, and then taken page by page from the edge inwards, since
furniture is contiguous with the edge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tokaudit.model.pages import LineKind
from tokaudit.pipeline.pages.edge_content import is_content, is_open, is_unanimous_label, names_section, says, valued
from tokaudit.pipeline.pages.edge_lines import Headings, Number, letters, page_numbers, unnumbered

DEPTH = 5
"""Lines at an edge that may be furniture."""
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
_LONG = 50
"""Characters of a title that goes on on a second line."""
_WITHIN = 0.5
"""Of the times that a line stands at its place, how often it may stand within pages: what is there oftener is body."""
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
class _Slot:
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


def find_families(
    edges: Sequence[Sequence[Row]],
    headings: Callable[[], Headings],
    *,
    placed: bool,
) -> list[list[RowKind]]:
    """The kinds of the rows of each edge, from the edge inwards; only those that are furniture.

    Args:
        edges: The rows of one edge of one page each, the outermost first.
        headings: The document's short lines; asked for only where titles change.
        placed: Whether slots are places by geometry: an edge and the points from it.
    """
    slots: dict[str, _Slot] = defaultdict(lambda: _Slot([]))
    for edge in edges:
        for depth, row in enumerate(edge):
            row.depth = depth
            row.numbers = page_numbers(row.text)
            row.masked = row.text
            beside = (edge[at].text for at in (depth - 1, depth + 1) if 0 <= at < len(edge))
            row.content = is_content(row.text, row.numbers, beside)
            slots[row.slot].rows.append(row)
    _keep_whole(edges)
    decided: dict[int, RowKind] = {}
    count = len({row.page for edge in edges for row in edge})
    for slot in slots.values():
        values = valued(row.text for row in slot.rows)
        for row in slot.rows:
            row.content = row.content or row.text in values
        _excuse_labels(slot, count)
        _number(slot)
        _repeat(slot)
    _drop_body(slots, headings)
    if placed:
        _decide_places(edges, slots, headings, decided)
    else:
        for name, slot in slots.items():
            decided.update(_unplaced(name, slot, headings))
    return [_from_the_edge(edge, decided, headings, placed=placed) for edge in edges]


def _keep_whole(edges: Sequence[Sequence[Row]]) -> None:
    """Take the outer line of two for content where a sentence that is content goes over both, again and again."""
    pairs = [(outer, inner) for edge in edges for outer, inner in pairwise(edge) if inner.content and says(inner.text)]
    counts = Counter((outer.text, inner.text) for outer, inner in pairs)
    for outer, inner in pairs:
        upper = outer if outer.slot.startswith("top") else inner
        if counts[outer.text, inner.text] >= LEAST_NUMBERS and is_open(upper.text):
            outer.content = True


def _excuse_labels(slot: _Slot, count: int) -> None:
    """Take fields of the document, as its company is one, for what they are: the same on nearly all pages."""
    texts: dict[str, set[int]] = defaultdict(set)
    for row in slot.rows:
        if row.content:
            texts[row.text].add(row.page)
    for row in slot.rows:
        if row.content and is_unanimous_label(row.text, texts, count):
            row.content = False


def _drop_body(slots: Mapping[str, _Slot], headings: Callable[[], Headings]) -> None:
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


def _from_the_edge(
    edge: Sequence[Row], decided: Mapping[int, RowKind], headings: Callable[[], Headings], *, placed: bool
) -> list[RowKind]:
    """Furniture without a gap in between."""
    found: list[RowKind] = []
    for at, row in enumerate(edge):
        this = decided.get(id(row))
        if this is None and placed and not (row.table or row.content or row.large) and len(row.text) <= 200:
            # A header or footer of two lines, of which the outer one is there only where a title is long.
            inner = decided.get(id(edge[at + 1])) if at + 1 < len(edge) else None
            # A page number that counts up is one, however near to what is above it.
            alone = row.number is not None and row.number.alone
            if alone and inner:
                this = RowKind("number", "")
            elif inner and _is_of_title(row, edge[at + 1], headings):
                this = RowKind("running", inner.family or row.masked)
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


def _is_of_title(outer: Row, inner: Row, headings: Callable[[], Headings]) -> bool:
    """True if a row outside of a running line is a part of it: numbered, or of a title that takes two lines."""
    if outer.numbers or headings().parts(f"{outer.text} {inner.text}"):
        return True
    return names_section(inner.text) and len(outer.text) < len(inner.text) and len(inner.text) >= _LONG


def _number(slot: _Slot) -> None:
    """Find the numberings: numbers of one style that are as far from the page's place in the document."""
    numberings: dict[tuple[str, int], list[tuple[Row, Number]]] = defaultdict(list)
    alone: dict[tuple[bool, int], list[tuple[Row, Number]]] = defaultdict(list)
    for row in slot.rows:
        for number in row.numbers:
            if _is_far(row, number):
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


def _is_far(row: Row, number: Number) -> bool:
    """True if a number cannot be the page's: too high, or set as a title is."""
    return (row.large and number.alone) or (not number.named and number.value - row.page > _BESIDE)


def _take(members: Iterable[tuple[Row, Number]], pages: set[int]) -> None:
    for row, number in members:
        if row.page in pages and (row.number is None or number.alone):
            row.number, row.masked = number, number.masked


def _repeat(slot: _Slot) -> None:
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
            if 0 < following.page - row.page <= _NEAR:
                slot.again.update((id(row), id(following)))
    # The same line with a number of another numbering, too short for one by itself: i and ii before 1, 2, 3 …
    for row in slot.rows:
        if row.number is None:
            for number in row.numbers:
                if number.masked in slot.repeated:
                    row.number, row.masked = number, number.masked


def _repeats(slot: _Slot, row: Row) -> bool:
    return not row.content and (not row.table or row.number is not None) and row.masked in slot.repeated


def _decide_places(
    edges: Sequence[Sequence[Row]],
    slots: Mapping[str, _Slot],
    headings: Callable[[], Headings],
    decided: dict[int, RowKind],
) -> None:
    """Decide place by place, from the edges inwards: what is further in than the body of other pages is body too."""
    # By edge and page: the rows, and how many of them are furniture.
    outer = {(edge[0].slot.split()[0], edge[0].page): 0 for edge in edges if edge}
    rows = {(edge[0].slot.split()[0], edge[0].page): edge for edge in edges if edge}
    for name, slot in sorted(slots.items(), key=lambda item: _distance(item[0])):
        side = name.split()[0]

        def is_further_out(page: int, side: str = side, distance: float = _distance(name)) -> bool:
            """True if a page has something that is no furniture between this place and the edge."""
            edge, done = rows.get((side, page), ()), outer.get((side, page), 0)
            return done < len(edge) and _distance(edge[done].slot) < distance

        decided.update(_placed(name, slot, headings, is_further_out))
        for row in slot.rows:
            if id(row) in decided:
                outer[side, row.page] = max(outer[side, row.page], row.depth + 1)


def _distance(slot: str) -> float:
    return float(slot.split()[1])


def _placed(
    name: str, slot: _Slot, headings: Callable[[], Headings], is_further_out: Callable[[int], bool]
) -> dict[int, RowKind]:
    """Rows at one height: furniture where most of those around are, and are apart from the body."""
    if len(slot.rows) < LEAST_NUMBERS:
        return {}
    strong = {row.page: row for row in slot.rows if _is_strong(slot, row, headings)}
    numbered = all(row.number is not None and row.number.alone for row in strong.values())
    there: dict[int, list[Row]] = defaultdict(list)
    for row in slot.rows:
        there[row.page].append(row)
    found: dict[int, RowKind] = {}
    for run in runs(recurring(strong, LEAST_NUMBERS if numbered else LEAST_PAGES)):
        near = range(run[0] - len(run), run[-1] + len(run) + 1)
        around = sum(page in there or is_further_out(page) for page in near)
        apart = sum(strong[page].apart for page in run)
        if len(run) < INNER_SHARE * around or apart < 0.7 * len(run):
            continue
        # What stands there once, and nowhere else, is no running line.
        members = [
            row
            for page in range(run[0] - _NEAR, run[-1] + _NEAR + 1)
            for row in there.get(page, ())
            if row is strong.get(page) or _belongs(slot, row)
        ]
        found.update(_named(name, members))
    return found


def _belongs(slot: _Slot, row: Row) -> bool:
    """True if a row at the place of a running line may be one: it comes again, or there is nothing but a number."""
    if row.content or row.large or row.table or not row.apart:
        return False
    if any(number.alone for number in row.numbers):
        return not any(_is_far(row, number) for number in row.numbers)
    return slot.texts[row.masked] > 1 or (row.text[:1].isdigit() and names_section(row.text))


def _named(name: str, members: Sequence[Row]) -> dict[int, RowKind]:
    """Kind and family of the rows of one place: of their own where a text is on many pages, as on all even ones."""
    texts = Counter(row.masked for row in members)
    found = {}
    for row in members:
        number = row.number or next(iter(row.numbers), None)
        if number is not None and number.alone:
            found[id(row)] = RowKind("number", "")
        elif texts[row.masked] >= max(LEAST_PAGES, SHARE * len(members)):
            found[id(row)] = RowKind("running", row.masked)
        else:
            found[id(row)] = RowKind("running", name)
    return found


def _is_strong(slot: _Slot, row: Row, headings: Callable[[], Headings]) -> bool:
    if row.content or (row.large and row.number is not None):
        return False
    if _repeats(slot, row) or (row.number is not None and not row.table):
        return True
    return not row.table and not row.large and (id(row) in slot.again or _is_elsewhere(slot, row, headings))


def _is_elsewhere(slot: _Slot, row: Row, headings: Callable[[], Headings]) -> bool:
    """True if a row is made of what stands elsewhere in the document."""
    said = unnumbered(row.masked)
    return headings().elsewhere(said, slot.said[letters(said)])


def _unplaced(name: str, slot: _Slot, headings: Callable[[], Headings]) -> dict[int, RowKind]:
    """Rows of which nothing is known but their order: furniture by what each says."""
    decided: dict[int, RowKind] = {}
    changing: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in slot.rows:
        if _repeats(slot, row):
            decided[id(row)] = RowKind("running", row.masked)
        elif row.table or row.content or row.number is None:
            continue
        elif row.number.alone:
            decided[id(row)] = RowKind("number", "")
        else:
            changing[row.number.style, row.number.value - row.page].append(row)
    # Titles that change, beside a number that counts up: they come again, or are headings elsewhere.
    for rows in changing.values():
        known = [row for row in rows if id(row) in slot.again or _is_elsewhere(slot, row, headings)]
        if 2 * len(known) >= len(rows):
            decided.update((id(row), RowKind("running", name)) for row in rows)
    decided.update(_composed(name, slot, decided, headings))
    return decided


def _composed(
    name: str, slot: _Slot, decided: Mapping[int, RowKind], headings: Callable[[], Headings]
) -> dict[int, RowKind]:
    """Lines of two headings each, a chapter's and a section's, that change from page to page."""
    left = [row for row in slot.rows if id(row) not in decided and not (row.table or row.content or row.depth)]
    # Both headings have numbers; a line without may be made of words that are lines elsewhere by accident.
    numbered = [row for row in left if any(map(str.isdigit, row.text))]
    # The headings are worth their time only where some of these lines come again.
    if len({row.page for row in numbered if id(row) in slot.again}) < 2 or len(numbered) < LEAST_PAGES:
        return {}
    two = [row for row in numbered if headings().parts(row.masked) > 1]
    found = {row.page for row in two}
    pages = recurring(found | {row.page for row in slot.rows if _repeats(slot, row)})
    if len(found & pages) < LEAST_PAGES:
        return {}
    again = [row for row in left if id(row) in slot.again and slot.said[letters(row.masked)] > 1]
    return {id(row): RowKind("running", name) for row in [*two, *again] if row.page in pages}
