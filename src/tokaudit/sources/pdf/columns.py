"""Reading order of rows: columns one after the other, everything else row by row.

The page is cut where white space runs down it, and what is on either side of the cut is cut again. A table and a
two-column page look alike: both have a gap that runs down. What tells them apart is the order in the file (columns are
mostly written one after the other, tables row by row) and how full the lines are. Where the cuts tear apart what the
file has together, as pages of many boxes may, the order of the file stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from tokaudit.sources.pdf.runs import Run

ROWS = 4
"""Lines that a column has at least, but for the shorter one of two that the file has one after the other."""
FEW = 2
"""Lines that this one has at least."""
PROSE_ROWS = 6
"""Lines that a column has at least where the order in the file does not tell."""
FULL = ((18.0, 0.7), (11.0, 0.8))
"""Least width of such a column in sizes of the type, and share of it that most of its lines fill."""
SWITCHES = 0.5
"""For each line of the shorter column, how often the file may go from one to the other; in tables it does twice."""
_KEPT, _PAIRS, _PROSE_RUN = 0.8, 8, 12.0
"""Share of lines that must stay together of those that the file has together; such lines at least, and their width in
sizes of the type."""
_ITEM = re.compile(r"(\d{1,3})\s?[.．、)）]")
ITEMS = 2
"""Numbered items of each of two columns at least."""
_DEPTH = 5
_PLACES = 12
"""Places that are tried for a cut."""

Row = list[Run]


def in_order(rows: Sequence[Row], width: float) -> list[Row]:
    """Rows in reading order; a row that crosses columns is divided."""
    if sum(len(row) > 1 for row in rows) < FEW and not _has_sides(rows, width):
        return list(rows)
    ordered = _cut(rows, width, _DEPTH)
    return _as_in_file(ordered) if _torn(ordered) else ordered


def _has_sides(rows: Sequence[Row], width: float) -> bool:
    """Check whether rows of one run each may stand in columns whose lines are not level with one another."""
    lefts = [row[0].left for row in rows]
    return len(rows) >= ROWS + FEW and sum(left > min(lefts) + 0.2 * width for left in lefts) >= ROWS


def _cut(rows: Sequence[Row], width: float, depth: int) -> list[Row]:
    """Rows of a region in reading order."""
    if len(rows) < ROWS or not depth:
        return list(rows)
    gutter = _gutter(rows, width)
    if gutter is None:
        return list(rows)
    ordered: list[Row] = []
    for band, crossing in _bands(rows, gutter):
        ordered += _divided(band, gutter, width, depth)
        if crossing:
            ordered.append(crossing)
    return ordered


def _bands(rows: Iterable[Row], gutter: float) -> list[tuple[list[Row], Row]]:
    """Rows between those that cross a gutter, each with the row that ends them."""
    found: list[tuple[list[Row], Row]] = []
    band: list[Row] = []
    for row in rows:
        if _crosses(row, gutter):
            found.append((band, row))
            band = []
        else:
            band.append(row)
    return [*found, (band, [])]


def _gutter(rows: Sequence[Row], width: float) -> float | None:
    """The left edge of a right column: of the places where many runs begin, the one with most lines on both sides."""
    starts: Counter[int] = Counter()
    for row in rows:
        for run in row:
            if not run.rows:
                starts[round(run.left)] += 1
    near = {place: starts[place - 1] + starts[place] + starts[place + 1] for place in starts}
    first = min(starts, default=0)
    possible = [place for place, count in near.items() if count >= FEW and place > first + 0.1 * width]
    if not possible:
        return None
    tried = sorted(possible, key=lambda place: (-near[place], place))[:_PLACES]
    sides = {place: _sides(rows, place - 2.0) for place in tried}
    most = max(sides.values())
    if not most:
        return None
    # Of places with about as many, those with most white before them; of these the leftmost: further columns are
    # found in what is right of it.
    likely = [place for place in tried if sides[place] >= 0.5 * most]
    if len(likely) > 1 and (parting := [place for place in likely if _parts_order(rows, place - 2.0)]):
        most, tried = max(sides[place] for place in parting), parting
    white = {place: _white(rows, place - 2.0) for place in tried if sides[place] >= 0.8 * most}
    widest = max(white.values())
    return min(place for place in white if white[place] >= 0.7 * widest) - 2.0


def _parts_order(rows: Sequence[Row], gutter: float) -> bool:
    """Check whether the file, or the numbers of items, go on from the left of a gutter to its right."""
    band = max((band for band, _ in _bands(rows, gutter)), key=len)
    left, right = _halves(band, gutter)
    return min(len(left), len(right)) >= ROWS and (_switches(left, right) == 1 or _counted(left, right))


def _halves(band: Iterable[Row], gutter: float) -> tuple[list[Row], list[Row]]:
    """The parts of rows left and right of a gutter."""
    left = [part for row in band if (part := [run for run in row if run.left < gutter])]
    right = [part for row in band if (part := [run for run in row if run.left >= gutter])]
    return left, right


def _sides(rows: Sequence[Row], gutter: float) -> int:
    """Number of lines at both sides of a gutter, in bands that may be columns."""
    total = 0
    for band, _ in _bands(rows, gutter):
        left = sum(row[0].left < gutter for row in band)
        right = sum(row[-1].left >= gutter for row in band)
        if min(left, right) >= FEW and max(left, right) >= ROWS - 1:
            total += min(left, right)
    return total


def _white(rows: Iterable[Row], gutter: float) -> float:
    """Width of the white before a gutter, beside rows that cross it."""
    ends = [run.right for row in rows if not _crosses(row, gutter) for run in row if run.left < gutter]
    return gutter - max(ends, default=0.0)


def _crosses(row: Row, gutter: float) -> bool:
    return any(run.left < gutter and run.right > gutter - 2 for run in row)


def _divided(band: list[Row], gutter: float, width: float, depth: int) -> list[Row]:
    """Rows none of which crosses the gutter: one column after the other, if columns they are."""
    head, band, foot = _ends(band)
    left, right = _halves(band, gutter)
    if not _columns(left, right, width, depth):
        return [*head, *band, *foot]
    return [*head, *_cut(left, width, depth - 1), *_cut(right, width, depth - 1), *foot]


def _columns(left: Sequence[Row], right: Sequence[Row], width: float, depth: int) -> bool:
    shorter, longer = sorted((len(left), len(right)))
    if shorter < FEW or longer < ROWS - 1:
        return False
    switches = _switches(left, right)
    if switches == 1 and min(row[0].order for row in left) > max(run.order for row in right for run in row):
        return shorter >= ROWS - 1  # the right column first
    return (
        switches == 1
        or _counted(left, right)
        or (shorter >= ROWS - 1 and (switches <= SWITCHES * shorter or _prose(left, right, width, depth)))
    )


def _counted(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Check whether the items of the right column, as questions are, are numbered on from those of the left one."""
    one, other = _numbers(left), _numbers(right)
    return (
        min(len(one), len(other)) >= ITEMS
        and other[0] == one[-1] + 1
        and all(after == before + 1 for numbers in (one, other) for before, after in pairwise(numbers))
    )


def _numbers(column: Sequence[Row]) -> list[int]:
    """The numbers of items that begin at the left of a column."""
    edge = min(row[0].left for row in column) + 0.5 * column[0][0].size
    found = (_ITEM.match(row[0].text) for row in column if row[0].left <= edge)
    return [int(match[1]) for match in found if match]


def _switches(left: Sequence[Row], right: Sequence[Row]) -> int:
    """How often the file goes from one column to the other."""
    orders = sorted((run.order, side) for side, column in enumerate((left, right)) for row in column for run in row)
    return sum(before[1] != after[1] for before, after in pairwise(orders))


def _ends(band: list[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Up to two rows at each end that are apart from the rest: they run over the columns."""
    if len(band) < 2 * ROWS:
        return [], band, []
    bases = [row[0].base for row in band]
    steps = [after - before for before, after in pairwise(bases)]
    wide = 1.8 * max(median(steps), max(run.size for row in band for run in row) * 0.6)
    start = max((i + 1 for i in range(2) if steps[i] > wide), default=0)
    end = min((len(band) - 1 - i for i in range(2) if steps[-1 - i] > wide), default=len(band))
    return band[:start], band[start:end], band[end:]


def _prose(left: Sequence[Row], right: Sequence[Row], width: float, depth: int) -> bool:
    """Check whether both columns are as wide and filled as those of running text, unlike listings and tables."""
    return min(len(left), len(right)) >= PROSE_ROWS and all(_is_prose(side, width, depth - 1) for side in (left, right))


def _is_prose(column: Sequence[Row], width: float, depth: int) -> bool:
    """Check whether a region is a filled column, or several such columns beside one another."""
    if _filled(column):
        return True
    gutter = _gutter(column, width) if depth > 0 else None
    if gutter is None:
        return False
    band = max((band for band, _ in _bands(column, gutter)), key=len)
    left, right = _halves(band, gutter)
    return 2 * len(band) > len(column) and _prose(left, right, width, depth)


def _filled(column: Sequence[Row]) -> bool:
    """Check whether most lines of a column, each of one run, go about as far as it does."""
    if 2 * sum(len(row) > 1 for row in column) > len(column):
        return False
    edge = min(row[0].left for row in column)
    breadth = max(row[-1].right for row in column) - edge
    size = median(row[0].size for row in column)
    full = median((row[-1].right - row[0].left) / breadth for row in column)
    return any(breadth >= least * size and full >= share for least, share in FULL)


def _torn(ordered: Sequence[Row]) -> bool:
    """Check whether lines of prose are apart in an order that follow one another in the file."""
    places: dict[int, int] = {}
    runs: list[Run] = []
    for place, row in enumerate(ordered):
        for run in row:
            if not run.rows:
                places[id(run)] = place
                runs.append(run)
    runs.sort(key=lambda run: run.order)
    kept = pairs = 0
    for before, after in pairwise(runs):
        down = after.base - before.base
        if not 0.5 * after.size < down < 2.5 * after.size or abs(before.left - after.left) > 4 * after.size:
            continue
        if min(before.right - before.left, after.right - after.left) < _PROSE_RUN * after.size:
            continue
        pairs += 1
        kept += places[id(after)] == places[id(before)] + 1
    return pairs >= _PAIRS and kept < _KEPT * pairs


def _as_in_file(ordered: Sequence[Row]) -> list[Row]:
    """The runs of rows in the order of the file; in one row those that follow one another there on one line."""
    found: list[Row] = []
    for run in sorted((run for row in ordered for run in row), key=lambda run: run.order):
        last = found[-1][-1] if found else None
        if last and not last.rows and not run.rows and last.base == run.base and run.left >= last.right:
            found[-1].append(run)
        else:
            found.append([run])
    return found
