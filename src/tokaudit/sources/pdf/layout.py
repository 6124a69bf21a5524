"""Runs of text to lines in reading order: rows, columns, and what stands beside the body."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tokaudit.model.pages import LineKind, Page, PageLine
from tokaudit.sources.pdf.columns import Row, in_order
from tokaudit.sources.pdf.glyphs import Glyph, Sheet
from tokaudit.sources.pdf.rtl import has_leftward, leftward_text
from tokaudit.sources.pdf.runs import Run, runs_of
from tokaudit.sources.pdf.text import cleaned, parted
from tokaudit.sources.pdf.turned import beside

LARGE = 2.0
"""Times the body's size: light type as large as this, drawn over or under other text, is a watermark."""
GUTTER, PART = 2.0, 4
"""Of the size: white from which on it may lie between columns; characters of a part at its sides."""
SMALL = 0.9
"""Times the body's size: notes are set in type no larger."""
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§¶]|[\u2460-\u2473]|\[\d{1,3}\])\s?[^\s\d.,)/%-]")


def laid_out(sheet: Sheet, number: int, tables: Iterable[Run] = (), others: Sequence[Glyph] = ()) -> Page:
    """Arrange a page.

    Args:
        sheet: Its glyphs that are level; those within tables are not among them.
        number: 1-based.
        tables: One run for each table.
        others: Glyphs that are not level.
    """
    runs = runs_of(sheet.glyphs)
    size = body_size(runs)
    marks = _watermarks(runs, size)
    runs = [run for run in runs if run not in marks] if marks else runs
    rows = rows_of([*runs, *tables])
    lines = _lines(in_order(rows, sheet.width))
    lines = _with_notes(lines, size, sheet)
    lines += [_line([run], "watermark") for run in marks]
    lines += beside(others, size)
    return Page(number, sheet.width, sheet.height, tuple(lines), sheet.unmapped, sheet.count)


def body_size(runs: Iterable[Run]) -> float:
    """Size of the type that most of the text is set in."""
    sizes: Counter[float] = Counter()
    for run in runs:
        sizes[round(run.size, 1)] += len(run.parts)
    return min(sizes, key=lambda size: (-sizes[size], size)) if sizes else 10.0


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """Runs that stand on one line, from the top; in a row from the left."""
    rows: list[Row] = []
    heads: list[Run] = []  # of each row the run with the largest type
    for run in sorted(runs, key=lambda run: (run.base if not run.rows else run.top, run.left)):
        for index in range(len(rows) - 1, max(-1, len(rows) - 5), -1):
            if _same_row(heads[index], run) and not _overlaps(rows[index], run):
                rows[index].append(run)
                if run.size > heads[index].size:
                    heads[index] = run
                break
        else:
            rows.append([run])
            heads.append(run)
    for row in rows:
        row.sort(key=lambda run: run.left)
    return rows


def _same_row(head: Run, run: Run) -> bool:
    if head.rows or run.rows:
        return False
    small, large = sorted((head.size, run.size))
    apart = abs(head.base - run.base)
    return apart <= 0.25 * small or (small <= 0.85 * large and apart <= 0.4 * large)


def _overlaps(row: Row, run: Run) -> bool:
    return any(
        run.left < other.right - 0.3 * run.size and other.left < run.right - 0.3 * run.size for other in row[-8:]
    )


def _lines(rows: Iterable[Row]) -> list[PageLine]:
    lines: list[PageLine] = []
    for row in rows:
        if row[0].rows:
            lines += _table_lines(row[0])
        else:
            lines.append(_line(row, "body"))
    return [line._replace(text=text) for line in lines if (text := cleaned(line.text).strip())]


def _line(row: Row, kind: LineKind) -> PageLine:
    text = row_text(row)
    return PageLine(
        text if kind == "body" else cleaned(text).strip(" \x02"),
        round(min(run.top for run in row), 2),
        round(max(run.bottom for run in row), 2),
        round(row[0].left, 2),
        round(max(run.right for run in row), 2),
        round(max(run.size for run in row), 2),
        kind,
        kind == "body" and _is_parted(row),
    )


def _is_parted(row: Row) -> bool:
    """Check whether white as wide as between columns parts a row; a number before a tab is no part."""
    return any(
        run.left - before.right >= GUTTER * run.size and min(len(before.parts), len(run.parts)) >= PART
        for before, run in pairwise(row)
    )


def row_text(row: Row) -> str:
    """The text of a row as it was drawn."""
    text = row[0].text
    for before, run in pairwise(row):
        gap = (run.left - before.right) / max(before.size, run.size)
        text += (" " if parted(before.last, run.first, gap, run.space) else "") + run.text
    return text if text.isascii() or not has_leftward(text) else leftward_text(row)


def _table_lines(run: Run) -> list[PageLine]:
    """Lines of a table: the places are shares of its box, in order."""
    step = run.height / len(run.rows)
    return [
        PageLine(
            text,
            round(run.top + index * step, 2),
            round(run.top + (index + 1) * step, 2),
            round(run.left, 2),
            round(run.right, 2),
            run.size,
            "table",
        )
        for index, text in enumerate(run.rows)
    ]


def _watermarks(runs: Sequence[Run], size: float) -> list[Run]:
    """Level text that is light, large, and drawn over or under other text."""
    marks = []
    for run in runs:
        if not run.light or run.size < LARGE * size:
            continue
        crossed = (
            other is not run
            and not other.light
            and other.left < run.right
            and other.right > run.left
            and run.top < other.base - 0.3 * other.size < run.bottom
            for other in runs
        )
        if any(crossed):
            marks.append(run)
    return marks


def _with_notes(lines: list[PageLine], size: float, sheet: Sheet) -> list[PageLine]:
    """Tell the notes at the foot of a page: small type at its end that begins with a mark."""
    start = end = len(lines)
    # A page number, or a running line, may stand below: lines apart from what is above them.
    while end > len(lines) - 2 and _apart(lines, end - 1) and not _noted(lines[end - 1], size):
        end -= 1
    start = end
    while start and lines[start - 1].size <= SMALL * size and lines[start - 1].kind == "body":
        start -= 1
    while start < end and not (_NOTE.match(lines[start].text) and lines[start].top > 0.3 * sheet.height):
        start += 1
    # All of a page in small type is no note, nor is a listing below text: there a rule or a gap must part them.
    if start in (0, end) or not _parted(lines, start, sheet):
        return lines
    return [
        line._replace(kind="footnote") if start <= index < end and line.size <= SMALL * size else line
        for index, line in enumerate(lines)
    ]


def _noted(line: PageLine, size: float) -> bool:
    return line.size <= SMALL * size and bool(_NOTE.match(line.text))


def _apart(lines: Sequence[PageLine], index: int) -> bool:
    return index > 0 and lines[index].top - lines[index - 1].bottom > 0.8 * lines[index].size


def _parted(lines: Sequence[PageLine], start: int, sheet: Sheet) -> bool:
    """Check whether a drawn line, or a gap, is above the notes."""
    above, below = lines[start - 1].bottom, lines[start].top
    ruled = any(
        rule.bottom - rule.top < 3 and rule.right - rule.left > 20 and above - 4 <= rule.top <= below + 4
        for rule in sheet.rules
    )
    return ruled or below - above > 0.8 * lines[start].size
