"""Take the padding out of pipe tables."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.pipe_tables import Row, tables
from tokaudit.pipeline.views.search import MENTIONS
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Cut the padding of the cells of pipe tables to one space, and the dashes of their delimiter rows."
PARAMETERS: Parameters = {
    "padding": Parameter("boolean", "Cut the padding of cells.", default=True),
    "dashes": Parameter("integer", "Dashes that a cell of a delimiter row keeps.", default=3),
    "tight": Parameter(
        "boolean",
        "Delete spaces also in delimiter rows that begin with a pipe.",
        default=False,
    ),
    **MENTIONS,
}
# Each run is met once, wherever it stands: looking for a pipe behind it here would take quadratic time.
_blanks = lazy(r"[ \t]{2,}|\t")


def prepare(parameters: Values) -> Find:
    padding, dashes, tight = parameters["padding"], max(1, parameters["dashes"]), parameters["tight"]

    def find(view: View) -> Edits:
        text = view.text
        for table in tables(view):
            for index, row in enumerate(table.rows):
                if index == 1:
                    yield from _delimiters(text, row, dashes, padding=padding, tight=tight)
                elif padding:
                    yield from _padding(text, row)

    return find


def _padding(text: str, row: Row) -> Edits:
    """Edits that cut blanks beside pipes to one space, and delete those at the end of the line."""
    pipes = frozenset(row.pipes)
    for match in _blanks().finditer(text, row.start, row.end):
        start, end = match.span()
        if start - 1 not in pipes and end not in pipes:
            continue
        if text[start] == " ":
            yield Edit(start + 1, end, "")
        elif end - start > 1 or text[start] == "\t":
            yield Edit(start, end, " ")
    stop = row.end
    while text[stop : stop + 1] in (" ", "\t"):
        stop += 1
    if stop > row.end:
        yield Edit(row.end, stop, "")


def _delimiters(text: str, row: Row, dashes: int, *, padding: bool, tight: bool) -> Edits:
    """Edits that cut a delimiter row."""
    tight = tight and text[row.start] == "|"
    edits: list[Edit] = []
    if padding and not tight:
        edits += _padding(text, row)
    elif tight:
        edits += [Edit(*match.span(), "") for match in re.finditer(r"[ \t]+", text[row.start : row.end])]
        edits = [Edit(start + row.start, end + row.start, "") for start, end, _ in edits]
    for match in re.finditer("-+", text[row.start : row.end]):
        start, end = row.start + match.start(), row.start + match.end()
        # One dash and a space at the beginning of a line are an item of a list.
        dashes_left = max(dashes, 2) if start == row.start and text[end : end + 1] in (" ", "\t") else dashes
        if end - start > dashes_left:
            edits.append(Edit(start + dashes_left, end, ""))
    yield from sorted(edits)
