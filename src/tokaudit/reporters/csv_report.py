"""``--format csv``: one table for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from tokaudit.model import Cell, Column, Report, Table
from tokaudit.reporters.cells import one_line

# A spreadsheet runs a text that begins so as a formula; a signed figure is only a number to it.
_FORMULA = re.compile(r"[=+\-@＝＋－＠]")
_PLAIN_FIGURE = re.compile(r"[+-][0-9][0-9.,]*%?")


def render(report: Report, *, ascii_only: bool) -> str:
    """One table with its keys as header: that of the report, or of several the one that it offers as ``rows``.

    So every reader of CSV reads it, and its shape does not depend on what was found: findings and skipped inputs are in
    it where the command has rows for them, and on standard error or in other formats else. A record is always one line,
    and numbers are unrounded. A text that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    table = report.rows or _joined(report.tables)
    writer.writerow([column.key for column in table.columns])
    writer.writerows([_safe(cell, ascii_only=ascii_only) for cell in row] for row in table.rows)
    return out.getvalue()


def _joined(tables: Sequence[Table]) -> Table:
    """Several tables as one: their names in the first column, and all columns that one of them has."""
    if len(tables) == 1:
        return tables[0]
    columns = list({column.key: column for table in tables for column in table.columns}.values())
    rows: list[list[Cell]] = []
    for table in tables:
        at = {column.key: number for number, column in enumerate(table.columns)}
        known = [at.get(column.key) for column in columns]
        name = table.key or table.title
        rows += [[name, *(None if place is None else row[place] for place in known)] for row in table.rows]
    return Table("", [Column("table", "Table"), *columns], rows)


def _safe(cell: Cell, *, ascii_only: bool) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = one_line(cell, ascii_only=ascii_only)
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_FIGURE.fullmatch(text) else text
