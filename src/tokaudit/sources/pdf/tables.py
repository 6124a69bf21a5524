"""Ruled tables to compact Markdown, or TSV where a cell has what would end one in Markdown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tokaudit.sources.pdf.glyphs import Glyph, Rule, Sheet, single
from tokaudit.sources.pdf.layout import row_text, rows_of
from tokaudit.sources.pdf.plumber import RULES, Cell
from tokaudit.sources.pdf.runs import Run, runs_of
from tokaudit.sources.pdf.text import MARK, TOUCH, cleaned, is_wide

_NEAR = 3.0
"""Points between lines that are one."""


def take_tables(sheet: Sheet, grids: Callable[[Sequence[Rule]], list[list[Cell]]]) -> list[Run]:
    """Take the glyphs of tables out of a sheet; one run for each table, with its lines."""
    if not crossed(sheet.rules):
        return []
    sheet.glyphs = single(sheet.glyphs)
    tables: list[Run] = []
    for cells in grids(closed(sheet.rules)):
        found = _table(sheet.glyphs, cells)
        if found is not None:
            run, taken = found
            tables.append(run)
            sheet.glyphs = [glyph for index, glyph in enumerate(sheet.glyphs) if index not in taken]
    return tables


def crossed(rules: Sequence[Rule]) -> bool:
    """Check whether there may be a table: an upright line that meets a level one between that one's ends.

    Frames around listings and notes, which most pages of some manuals have, meet at their corners only.
    """
    if len(rules) > 4 * RULES:
        return False
    level, upright = _level(rules), _upright(rules)
    return len(level) > 1 and any(_meet(line, rule) for rule in upright for line in level)


def closed(rules: Sequence[Rule]) -> list[Rule]:
    """Rules, and those that a reader sees without their being drawn.

    A table may have no lines at its left and right, and one that goes on over the page none at the page's end.
    """
    level, upright = _level(rules), _upright(rules)
    added: list[Rule] = []
    for rule in upright:
        met = [line for line in level if _meet(line, rule)]
        if len(met) < 2:
            continue
        left, right = min(line.left for line in met), max(line.right for line in met)
        added += (Rule(x, rule.top, x, rule.bottom) for x in (left, right))
        for end in (rule.top, rule.bottom):
            if all(abs(line.top - end) > 2 * _NEAR for line in met):
                added.append(Rule(left, end, right, end))
    return [*rules, *dict.fromkeys(added)]


def _meet(level: Rule, upright: Rule) -> bool:
    return (
        level.left + _NEAR < upright.left < level.right - _NEAR
        and upright.top - _NEAR <= level.top <= upright.bottom + _NEAR
    )


def _level(rules: Iterable[Rule]) -> list[Rule]:
    """Level lines, those that continue one another as one."""
    merged: list[Rule] = []
    long = (rule for rule in rules if rule.right - rule.left > rule.bottom - rule.top)
    for rule in sorted(long, key=lambda rule: (round(rule.top), rule.left)):
        last = merged[-1] if merged else None
        if last and abs(last.top - rule.top) <= _NEAR and last.left <= rule.left <= last.right + _NEAR:
            merged[-1] = last._replace(right=max(last.right, rule.right))
        else:
            merged.append(rule)
    return [rule for rule in merged if rule.right - rule.left > 2 * _NEAR]


def _upright(rules: Iterable[Rule]) -> list[Rule]:
    """Upright lines, those that continue one another as one."""
    flipped = _level(Rule(top, left, bottom, right) for left, top, right, bottom in rules)
    return [Rule(left, top, right, bottom) for top, left, bottom, right in flipped]


def _table(glyphs: Sequence[Glyph], cells: Sequence[Cell]) -> tuple[Run, set[int]] | None:
    """A table as a run with lines, and the indexes of its glyphs; None where it is none: a single row or column."""
    lefts = sorted({cell[0] for cell in cells})
    tops = sorted({cell[1] for cell in cells})
    if len(lefts) < 2 or len(tops) < 2:
        return None
    right, bottom = max(cell[2] for cell in cells), max(cell[3] for cell in cells)
    at = _grid(cells, lefts, tops)
    texts: dict[Cell, list[int]] = {}
    taken: set[int] = set()
    before: Glyph | None = None
    cell: Cell | None = None
    for index, glyph in enumerate(glyphs):
        follows = before is not None and _follows(before, glyph)
        before = glyph
        if follows:  # a word that is too long for its cell stands in it nevertheless
            if cell is not None:
                texts[cell].append(index)
                taken.add(index)
            continue
        cell = None
        x, y = (glyph.left + glyph.right) / 2, glyph.base - 0.3 * glyph.size
        if lefts[0] <= x <= right and tops[0] <= y <= bottom:
            cell = at.get((bisect_right(lefts, x) - 1, bisect_right(tops, y) - 1))
            if cell is not None:
                texts.setdefault(cell, []).append(index)
                taken.add(index)
    rows = _rows(
        cells, lefts, tops, {cell: _cell_text([glyphs[index] for index in part]) for cell, part in texts.items()}
    )
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    size = max(glyphs[index].size for index in taken)
    run = Run(min(taken), lefts[0], right, bottom, size, 0, height=bottom - tops[0], rows=tuple(written(rows)))
    return replace(run, kind="table"), taken


def _follows(before: Glyph, glyph: Glyph) -> bool:
    return not glyph.space and glyph.base == before.base and abs(glyph.left - before.right) < TOUCH * glyph.size


def _grid(cells: Iterable[Cell], lefts: Sequence[float], tops: Sequence[float]) -> dict[tuple[int, int], Cell]:
    """The cell at each column and row: one that spans several is at all of them."""
    at: dict[tuple[int, int], Cell] = {}
    for cell in cells:
        columns = range(bisect_right(lefts, cell[0]) - 1, bisect_right(lefts, cell[2] - _NEAR))
        for row in range(bisect_right(tops, cell[1]) - 1, bisect_right(tops, cell[3] - _NEAR)):
            for column in columns:
                at[column, row] = cell
    return at


def _rows(
    cells: Sequence[Cell], lefts: Sequence[float], tops: Sequence[float], texts: dict[Cell, str]
) -> list[list[str]]:
    """Texts by row and column, without rows and columns that are empty throughout."""
    placed = {(cell[0], cell[1]): texts.get(cell, "") for cell in cells}
    rows = [[placed.get((left, top), "") for left in lefts] for top in tops]
    rows = [row for row in rows if any(row)]
    filled = [column for column in range(len(lefts)) if any(row[column] for row in rows)]
    return [[row[column] for column in filled] for row in rows]


def _cell_text(glyphs: Sequence[Glyph]) -> str:
    text = ""
    for row in rows_of(runs_of(glyphs)):
        part = cleaned(row_text(row)).strip()
        if text and part and not _goes_on(text, part):
            text += " "
        text += part
    return text.removesuffix(MARK)


def _goes_on(text: str, part: str) -> bool:
    """Check whether a line of a cell goes on without a space: a divided word, an address, Chinese."""
    if is_wide(text[-1]) and is_wide(part[0]):
        return True
    return text[-1] == MARK or (text[-1] == "/" and text[-2:-1].isalnum() and part[0].isalnum())


def written(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: Markdown without padding; TSV where a cell has a bar or a line break."""
    if any("|" in cell or "\n" in cell for row in rows for cell in row):
        return ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return lines
