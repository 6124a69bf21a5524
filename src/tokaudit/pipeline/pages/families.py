"""Lines at the edges of pages that belong together: families of running lines, and numberings.

A row stands in a slot: with geometry, rows of one edge at the same height; without, all rows of one edge. Everything
is decided by slot, from what its rows say and how often, and then taken page by page from the edge inwards, since
furniture is contiguous with the edge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from tokaudit.pipeline.pages.edge_content import is_content, names_section
from tokaudit.pipeline.pages.edge_lines import Headings, letters, page_numbers, unnumbered
from tokaudit.pipeline.pages.slots import (
    INNER_SHARE,
    LEAST_NUMBERS,
    LEAST_PAGES,
    NEAR,
    SHARE,
    Row,
    RowKind,
    Slot,
    drop_body,
    is_far,
    keep_whole,
    recurring,
    repeats,
    runs,
    tell,
)

DEPTH = 5
"""Lines at an edge that may be furniture."""
_LONG = 50
"""Characters of a title that goes on on a second line."""


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
    slots: dict[str, Slot] = defaultdict(lambda: Slot([]))
    for edge in edges:
        for depth, row in enumerate(edge):
            row.depth = depth
            row.numbers = page_numbers(row.text)
            row.masked = row.text
            beside = (edge[at].text for at in (depth - 1, depth + 1) if 0 <= at < len(edge))
            row.content = is_content(row.text, row.numbers, beside)
            slots[row.slot].rows.append(row)
    keep_whole(edges)
    decided: dict[int, RowKind] = {}
    count = len({row.page for edge in edges for row in edge})
    for slot in slots.values():
        tell(slot, count)
    drop_body(slots, headings)
    if placed:
        _decide_places(edges, slots, headings, decided)
    else:
        for name, slot in slots.items():
            decided.update(_unplaced(name, slot, headings))
    return [_from_the_edge(edge, decided, headings, placed=placed) for edge in edges]


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


def _decide_places(
    edges: Sequence[Sequence[Row]],
    slots: Mapping[str, Slot],
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
    name: str, slot: Slot, headings: Callable[[], Headings], is_further_out: Callable[[int], bool]
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
            for page in range(run[0] - NEAR, run[-1] + NEAR + 1)
            for row in there.get(page, ())
            if row is strong.get(page) or _belongs(slot, row)
        ]
        found.update(_named(name, members))
    return found


def _belongs(slot: Slot, row: Row) -> bool:
    """True if a row at the place of a running line may be one: it comes again, or there is nothing but a number."""
    if row.content or row.large or row.table or not row.apart:
        return False
    if any(number.alone for number in row.numbers):
        return not any(is_far(row, number) for number in row.numbers)
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


def _is_strong(slot: Slot, row: Row, headings: Callable[[], Headings]) -> bool:
    if row.content or (row.large and row.number is not None):
        return False
    if repeats(slot, row) or (row.number is not None and not row.table):
        return True
    return not row.table and not row.large and (id(row) in slot.again or _is_elsewhere(slot, row, headings))


def _is_elsewhere(slot: Slot, row: Row, headings: Callable[[], Headings]) -> bool:
    """True if a row is made of what stands elsewhere in the document."""
    said = unnumbered(row.masked)
    return headings().elsewhere(said, slot.said[letters(said)])


def _unplaced(name: str, slot: Slot, headings: Callable[[], Headings]) -> dict[int, RowKind]:
    """Rows of which nothing is known but their order: furniture by what each says."""
    decided: dict[int, RowKind] = {}
    changing: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in slot.rows:
        if repeats(slot, row):
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
    name: str, slot: Slot, decided: Mapping[int, RowKind], headings: Callable[[], Headings]
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
    pages = recurring(found | {row.page for row in slot.rows if repeats(slot, row)})
    if len(found & pages) < LEAST_PAGES:
        return {}
    again = [row for row in left if id(row) in slot.again and slot.said[letters(row.masked)] > 1]
    return {id(row): RowKind("running", name) for row in [*two, *again] if row.page in pages}
