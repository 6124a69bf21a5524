"""The pages of a PDF with what on each of them is content and what is furniture, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokaudit.features.count.types import Counted
from tokaudit.model import Cell, Column, Table
from tokaudit.model.message import Message

_KINDS = {
    "body": "Body",
    "table": "Tables",
    "footnote": "Footnotes",
    "vertical": "Vertical",
    "running": "Running",
    "number": "Numbers",
    "watermark": "Watermark",
}
_FURNITURE = ("running", "number", "watermark")
_ROWS = 20
"""Pages that are shown; a table of a thousand is no answer."""


def page_table(document: Counted, model: str) -> Table | None:
    """Tokens by page and kind, as the first model counts them; None for what is no PDF, or has one page of body only.

    The document is counted by file.
    """
    kinds = [kind for kind in _KINDS if any(kind in page for page in document.pages)]
    if len(document.pages) < 2 and kinds in ([], ["body"]):
        return None
    columns = [
        Column("page", "Page", "right"),
        Column("tokens", "Tokens", "right", ","),
        *(Column(kind, _KINDS[kind], "right", ",") for kind in kinds),
        Column("furniture", "Furniture", "right", ".1%"),
    ]
    rows: list[list[Cell]] = [[number, *_row(page, kinds)] for number, page in enumerate(document.pages[:_ROWS], 1)]
    whole = {kind: sum(page.get(kind, 0) for page in document.pages) for kind in kinds}
    rows.append(["all", *_row(whole, kinds)])
    marks = {(len(rows) - 1, column): "total" for column in range(len(columns))}
    notes: list[str] = []
    if len(document.pages) > _ROWS:
        notes.append(Message("{rows} of {n:,} pages; --by page lists all", rows=_ROWS, n=len(document.pages)))
    furniture = sum(whole.get(kind, 0) for kind in _FURNITURE)
    if furniture:
        notes.append("furniture: running lines, page numbers and watermarks; tokaudit slim takes most of it out")
    return Table(Message("Pages, in tokens of {model}", model=model), columns, rows, marks, notes, key="pages")


def _row(page: Mapping[str, int], kinds: Sequence[str]) -> list[Cell]:
    total = sum(page.values())
    furniture = sum(page.get(kind, 0) for kind in _FURNITURE)
    return [total, *(page.get(kind) for kind in kinds), furniture / total if total else 0.0]
