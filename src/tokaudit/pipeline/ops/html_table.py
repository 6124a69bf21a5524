"""Write simple tables of HTML as pipe tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.view import Find, Parameter, View

SUMMARY = "Write tables of HTML as pipe tables, where a head row is there, no cell spans others and none has blocks."
PARAMETERS: Mapping[str, Parameter] = {}


class _Patterns(NamedTuple):
    table: re.Pattern[str]
    row: re.Pattern[str]
    cell: re.Pattern[str]
    around: re.Pattern[str]
    refused: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    attributes = r"(?:\s[^<>]*)?"
    return _Patterns(
        compiled(r"(?m)^<table\b[^<>]*>|</table\s*>[ \t]*$"),
        compiled(rf"\s*<tr{attributes}>((?:(?!</?tr\b|<table\b)[\s\S])*)</tr\s*>\s*"),
        compiled(rf"\s*<(t[hd]){attributes}>((?:(?!</?t[hdr]\b)[\s\S])*)</t[hd]\s*>\s*"),
        compiled(rf"\s*</?(?:thead|tbody){attributes}>\s*"),
        compiled(
            r"\b(?:row|col)span\b|<(?:p|div|ul|ol|li|pre|table|h[1-6]|blockquote|caption|colgroup|tfoot|br)\b|<!--|`"
        ),
    )


def prepare(_parameters: Mapping[str, Any]) -> Find:
    """A finder for one rule."""

    def find(view: View) -> Iterator[Edit]:
        if "<table" not in view.text and "<TABLE" not in view.text:
            return
        start = -1
        for match in _patterns().table.finditer(view.text):
            if match[0][1] != "/":
                start = -1 if start >= 0 else match.start()  # a table in a table is left alone
            elif start >= 0:
                edit = _rewritten(view.text, start, match.end())
                start = -1
                if edit:
                    yield edit

    return find


def _rewritten(text: str, start: int, end: int) -> Edit | None:
    """The table as a pipe table, between blank lines; None where it is not simple."""
    rows = _rows(text[start:end])
    if not rows:
        return None
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    before = "" if not start or text[max(0, start - 2) : start] == "\n\n" else "\n"
    after = "" if text[end : end + 2] in ("", "\n", "\n\n") else "\n"
    return Edit(start, end, before + "\n".join(lines) + after)


def _rows(table: str) -> list[list[str]]:
    """The cells of each row, the head first; nothing where the table is not simple."""
    patterns = _patterns()
    body = table[table.index(">") + 1 : table.rindex("</")]
    if patterns.refused.search(table, 1):
        return []
    body = patterns.around.sub("\n", body)
    rows: list[list[str]] = []
    at = 0
    while at < len(body):
        row = patterns.row.match(body, at)
        if row is None:
            return [] if body[at:].strip() else rows
        names, cells = _cells(row[1])
        head = not rows
        if not cells or (rows and len(cells) != len(rows[0])) or {name == "th" for name in names} != {head}:
            return []
        rows.append(cells)
        at = row.end()
    return rows


def _cells(row: str) -> tuple[list[str], list[str]]:
    """Names (th, td) and texts of the cells; nothing where there is something else between them."""
    names: list[str] = []
    cells: list[str] = []
    at = 0
    while at < len(row):
        cell = _patterns().cell.match(row, at)
        if cell is None:
            return ([], []) if row[at:].strip() else (names, cells)
        names.append(cell[1].lower())
        # White space in HTML is one space; what Markdown would read as its own stays what it is in either.
        cells.append(" ".join(cell[2].split()).replace("|", "\\|"))
        at = cell.end()
    return names, cells
