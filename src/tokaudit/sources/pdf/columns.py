"""Reading order of rows: columns of prose one after the other, everything else row by row.

A table and a two-column page look alike: both have a gap that runs down. What tells them apart is the order in the
file (columns are mostly written one after the other, tables row by row) and how full the lines are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from tokaudit.sources.pdf.runs import Run

ROWS = 4
"""Lines that a column has at least."""
FULL = 0.7
"""Share of a column's width that most of its lines fill where the order in the file does not tell."""
PROSE_ROWS, BREADTH = 6, 18
"""Lines that such a column has at least, and its least width in sizes of the type."""
_DEPTH = 3

Row = list[Run]


def in_order(rows: Sequence[Row], width: float, depth: int = _DEPTH) -> list[Row]:
    """Rows in reading order; a row that crosses columns is divided."""
    if len(rows) < ROWS or not depth:
        return list(rows)
    gutter = _gutter(rows, width)
    if gutter is None:
        return list(rows)
    ordered: list[Row] = []
    band: list[Row] = []
    for row in [*rows, []]:
        if row and not _crosses(row, gutter):
            band.append(row)
            continue
        ordered += _divided(band, gutter, width, depth)
        band = []
        if row:
            ordered.append(row)
    return ordered


def _gutter(rows: Iterable[Row], width: float) -> float | None:
    """The left edge of a right column: where most runs begin, besides those at the left."""
    starts: Counter[int] = Counter()
    for row in rows:
        for run in row:
            if not run.rows:
                starts[round(run.left)] += 1
    near = {place: starts[place - 1] + starts[place] + starts[place + 1] for place in starts}
    first = min(starts, default=0)
    possible = [place for place, count in near.items() if count >= ROWS and place > first + 0.2 * width]
    if not possible:
        return None
    # Of the places with about as many, the leftmost: further columns are found in what is right of it.
    most = max(near[place] for place in possible)
    return min(place for place in possible if near[place] >= 0.6 * most) - 2.0


def _crosses(row: Row, gutter: float) -> bool:
    return any(run.left < gutter and run.right > gutter - 2 for run in row)


def _divided(band: list[Row], gutter: float, width: float, depth: int) -> list[Row]:
    """Rows none of which crosses the gutter: one column after the other, if columns they are."""
    head, band, foot = _ends(band)
    left = [part for row in band if (part := [run for run in row if run.left < gutter])]
    right = [part for row in band if (part := [run for run in row if run.left >= gutter])]
    if (
        len(left) < ROWS - 1
        or len(right) < ROWS - 1
        or not (_one_after_other(left, right) or _prose(left, right, width))
    ):
        return [*head, *band, *foot]
    return [*head, *in_order(left, width, depth - 1), *in_order(right, width, depth - 1), *foot]


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


def _one_after_other(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Check whether the file has the whole left column before the right one."""
    last = max(run.order for row in left for run in row)
    return last < min(run.order for row in right for run in row)


def _prose(left: Sequence[Row], right: Sequence[Row], width: float) -> bool:
    """Check whether both columns are as wide and filled as those of running text, unlike listings and tables."""
    if min(len(left), len(right)) < PROSE_ROWS:
        return False
    breadth = max(row[-1].right for row in right) - min(row[0].left for row in left)
    return breadth >= 0.6 * width and all(_filled(column) for column in (left, right))


def _filled(column: Sequence[Row]) -> bool:
    edge = min(row[0].left for row in column)
    breadth = max(row[-1].right for row in column) - edge
    size = median(row[0].size for row in column)
    return breadth >= BREADTH * size and median((row[-1].right - row[0].left) / breadth for row in column) >= FULL
