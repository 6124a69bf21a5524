"""``--format csv``: the tables for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from tokaudit.model import Cell, Report
from tokaudit.reporters.cells import one_line, place_of

# A spreadsheet runs a text that begins so as a formula; a signed figure is only a number to it.
_FORMULA = re.compile(r"[=+\-@＝＋－＠]")
_PLAIN_FIGURE = re.compile(r"[+-][0-9][0-9.,]*%?")


def render(report: Report, *, width: int, color: bool, ascii_only: bool = False) -> str:
    """The tables with their keys as header, then findings and skipped inputs where there are any.

    A record is always one line, and numbers are unrounded. A single table begins with its header on the first line;
    where there are several, each stands below a ``# title`` line. What follows a table is parted by an empty line.
    A text that a spreadsheet would run as a formula gets a leading apostrophe.

    Args:
        report: What a command found.
        width: Not used.
        color: Not used.
        ascii_only: Write ``...`` and ``~`` for the signs that are ours.
    """
    del width, color
    blocks: list[tuple[str, Sequence[str], Iterable[Sequence[Cell]]]] = [
        (table.title, [column.key for column in table.columns], table.rows) for table in report.tables
    ]
    titled = len(blocks) > 1
    if report.findings:
        rows = [(f.rule, f.level, f.message, place_of(f), f.measured, f.limit) for f in report.findings]
        blocks.append(("findings", ("rule", "level", "message", "place", "measured", "limit"), rows))
    if report.skipped:
        blocks.append(("skipped", ("what", "reason"), [(s.what, s.reason) for s in report.skipped]))

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for index, (title, keys, rows_) in enumerate(blocks):
        if index:
            out.write("\n")
        if titled or index:
            out.write(f"# {one_line(title, ascii_only=ascii_only)}\n")
        writer.writerow(keys)
        writer.writerows([_safe(cell, ascii_only=ascii_only) for cell in row] for row in rows_)
    return out.getvalue()


def _safe(cell: Cell, *, ascii_only: bool) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = one_line(cell, ascii_only=ascii_only)
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_FIGURE.fullmatch(text) else text
