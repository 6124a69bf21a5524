"""Write simple tables of HTML as pipe tables."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Write tables of HTML as pipe tables, where a head row is there, no cell spans others and none has blocks."
PARAMETERS: Parameters = {}
_ATTRIBUTES = r"(?:\s[^<>]*)?"
_table = lazy(r"(?im)^<table\b[^<>]*>|</table\s*>[ \t]*$")
_row = lazy(rf"(?i)\s*<tr{_ATTRIBUTES}>((?:(?!</?tr\b|<table\b)[\s\S])*)</tr\s*>\s*")
_cell = lazy(rf"(?i)\s*<(t[hd]){_ATTRIBUTES}>((?:(?!</?t[hdr]\b)[\s\S])*)</t[hd]\s*>\s*")
_around = lazy(rf"(?i)\s*</?(?:thead|tbody){_ATTRIBUTES}>\s*")
_refused = lazy(
    r"(?i)\b(?:row|col)span\b|<(?:p|div|ul|ol|li|pre|table|h[1-6]|blockquote|caption|colgroup|tfoot|br)\b|<!--|`"
)


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        if "<table" not in view.text and "<TABLE" not in view.text:
            return
        start = -1
        for match in _table().finditer(view.text):
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
    body = table[table.index(">") + 1 : table.rindex("</")]
    if _refused().search(table, 1):
        return []
    body = _around().sub("\n", body)
    rows: list[list[str]] = []
    at = 0
    while at < len(body):
        row = _row().match(body, at)
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
        cell = _cell().match(row, at)
        if cell is None:
            return ([], []) if row[at:].strip() else (names, cells)
        names.append(cell[1].lower())
        # White space in HTML is one space; what Markdown would read as its own stays what it is in either.
        cells.append(" ".join(cell[2].split()).replace("|", "\\|"))
        at = cell.end()
    return names, cells
