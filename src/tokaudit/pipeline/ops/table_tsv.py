"""Write pipe tables as lines of values with tabs between them."""

from __future__ import annotations

from itertools import pairwise

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.pipe_tables import Row, Table, tables
from tokaudit.pipeline.views.search import MENTIONS
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Write pipe tables as lines of values with tabs between them, where no value has a pipe or tab."
PARAMETERS: Parameters = MENTIONS


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        for table in tables(view):
            lines = None if table.nested else _lines(view.text, table)
            if lines:
                yield Edit(table.start, table.end, "\n".join(lines))

    return find


def _lines(text: str, table: Table) -> list[str] | None:
    """The rows, or None where cells are not sure or rows differ in their number."""
    lines = []
    columns = 0
    for index, row in enumerate(table.rows):
        cells = _cells(text, row)
        columns = columns or len(cells)
        if not row.certain or len(cells) != columns or any("\t" in cell for cell in cells):
            return None
        if index != 1:
            lines.append("\t".join(cells))
    # One column is no table without its pipes, and an empty line ends what stands around it.
    return lines if columns > 1 and all(line.strip() for line in lines) else None


def _cells(text: str, row: Row) -> list[str]:
    edges = [row.start - 1, *row.pipes, row.end]
    cells = [text[start + 1 : end].strip(" \t") for start, end in pairwise(edges)]
    if row.pipes and row.pipes[0] == row.start:
        del cells[0]
    if row.pipes and row.pipes[-1] == row.end - 1:
        del cells[-1]
    return cells
