"""``--format table``: for people at a terminal. The only module of the reporters that imports rich.

rich measures (East Asian widths) and colours. The layout is ours, because a table of figures must shrink only where
no figure is lost: first the text columns, then the headers (onto several lines), then the figures go into several
grids below each other, and at last every row becomes a small block of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.cells import cell_len, chop_cells

from tokaudit.model import Advice, Cell, Column, Finding, Report, Skipped, Table
from tokaudit.model.message import Message, separator, translated
from tokaudit.reporters.cells import figures, level_of, one_line, place_of, shown

_STYLES = {"cheap": "green", "dear": "red", "high": "yellow", "dim": "dim", "total": "bold", "title": "bold"}
_OUTCOMES = {"passed": "cheap", "failed": "dear", "unmeasured": "high"}
_LEAST_WIDTH = 20
_LABEL = 40
"""Cells of a cut label that still say what its row is, so that no column need go for the sake of the rest of it."""
_WHOLE = 1_000_000
"""More cells than any label has: it is not cut."""
_GAP = 2
_LISTED = 10
_ALIKE = 2
"""Findings about the same that are listed one by one."""
# A command of ours, one that installs, a word, or one wide character with the punctuation that must not begin a line.
_WORDS = re.compile(
    r"\s+|`tokaudit [^`]*`[!-/:-@]*|python -m pip install(?: --[a-z-]+)* [!-~]+"
    r"|[!-\u2e7f]+|\S[、。，．：；！？）】》」』”’…]*"
)


def render(report: Report, *, width: int, color: bool, ascii_only: bool) -> str:
    """Tables, findings and the first ten skipped inputs, in lines of at most ``width`` cells.

    A width under 20 counts as 20, in which every figure below 10^15 fits.
    """
    page = _Page(max(width, _LEAST_WIDTH), color, ascii_only)
    blocks = [_table(table, page, separator(": ", report.words)) for table in report.tables]
    judged = "outcome" in report.data
    # A figure with its limit is in the table.
    findings = [item for item in report.findings if not (judged and item.limit is not None)]
    if findings:
        blocks.append(list(_findings(findings, report, page, judged=judged)))
    blocks += [_noted(title, items, report, page) for title, items in report.noted]
    if report.verdict:
        mark = _OUTCOMES.get(str(report.data.get("outcome")))
        blocks.append([page.paint(line, mark) for line in page.wrapped(report.verdict)])
    # Padding to the right is invisible, but it wraps when the window is made smaller.
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block) + "\n"


def _findings(findings: Sequence[Finding], report: Report, page: _Page, *, judged: bool) -> Iterator[str]:
    """The findings; of more than two about the same, as for many models, the first and a number."""
    alike = Counter(finding.group for finding in findings)
    told: set[str] = set()
    for finding in findings:
        many = alike[finding.group] if finding.group else 1
        if finding.group in told:
            continue
        level = translated(level_of(finding, judged=judged), report.words)
        yield from page.wrapped(f"{level} {place_of(finding)}: {finding.message}", hang=2)
        if many > _ALIKE:
            told.add(finding.group)
            more = Message("and {n:,} more like it; --format json has all", n=many - 1)
            yield f"  {translated(more, report.words)}"


def broken_lines(text: str, *, width: int) -> str:
    """A page of Markdown with its long lines broken at ``width`` cells, those of lists with an indent."""
    page = _Page(max(width, _LEAST_WIDTH), color=False, ascii_only=False)
    lines: list[str] = []
    for line in text.splitlines():
        long = _cells(line) > page.width
        lines += page.wrapped(line, hang=2 if line.startswith("- ") else 0) if long else [line]
    return "\n".join(line.rstrip() for line in lines) + "\n"


@dataclass(frozen=True)
class _Page:
    """The terminal's width, colours and charset, and the fitting of text to it."""

    width: int
    color: bool
    ascii_only: bool

    @property
    def ellipsis(self) -> str:
        return "..." if self.ascii_only else "…"

    def plain(self, text: str) -> str:
        return one_line(text, ascii_only=self.ascii_only)

    def paint(self, text: str, mark: str | None) -> str:
        style = _STYLES.get(mark or "")
        if not style or not self.color:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

    def fitted(self, text: str, width: int, *, right: bool = False, mark: str | None = None) -> str:
        """The text in exactly ``width`` cells (more only where a figure is wider), painted but for the padding."""
        text = text if right else self.shortened(text, width)
        padding = " " * (width - _cells(text))
        painted = self.paint(text, mark)
        return padding + painted if right else painted + padding

    def shortened(self, text: str, width: int) -> str:
        """The text in at most ``width`` cells: a path loses its middle, other text its end."""
        if _cells(text) <= width:
            return text
        room = width - len(self.ellipsis)
        if room < 1:
            return self.ellipsis[:width]
        if "/" in text and " " not in text:
            # The end of a path, its file name, says more than its beginning.
            head = _head(text, room // 3)
            return head + self.ellipsis + _tail(text, room - _cells(head))
        return _head(text, room).rstrip(" …") + self.ellipsis

    def wrapped(self, text: str, *, hang: int = 0) -> list[str]:
        """The text in lines of at most the page's width, all but the first indented by ``hang``."""
        lines: list[str] = []
        line, room = "", self.width - hang
        for word in _WORDS.findall(self.plain(text)):
            if _cells(line + word.rstrip()) <= self.width:
                line += word if line.strip() or word.strip() or not lines else ""
                continue
            if line.strip():
                lines.append(line)
            # Half a command is none: it may be too wide.
            command = (word.startswith("`tokaudit ") and word.count("`") == 2) or word.startswith("python -m pip ")
            *full, line = [word] if command else [part for part in chop_cells(word.strip(), room) if part] or [""]
            lines += [" " * hang + part for part in full]
            line = " " * hang + line
        return [*lines, line] if line.strip() else lines


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _head(text: str, width: int) -> str:
    """The longest beginning of at most ``width`` cells."""
    size = min(len(text), width // 2)  # no character is wider than two cells
    while size < min(len(text), 2 * width) and _cells(text[: size + 1]) <= width:
        size += 1
    return text[:size]


def _tail(text: str, width: int) -> str:
    """The longest end of at most ``width`` cells that does not begin with a combining mark."""
    size = min(len(text), width // 2)
    while size < min(len(text), 2 * width) and _cells(text[len(text) - size - 1 :]) <= width:
        size += 1
    while size and not _cells(text[len(text) - size]):
        size -= 1
    return text[len(text) - size :]


def _table(table: Table, page: _Page, colon: str) -> list[str]:
    lines = [page.paint(line, "title") for line in page.wrapped(table.title)]
    if table.columns:
        lines += _body(table, page)
    for note in table.notes:
        lines += page.wrapped(note)
    for advice in table.advice:
        lines += _advice(advice, page, colon)
    return lines


def _body(table: Table, page: _Page) -> list[str]:
    """The widest form of a table that fits as a grid; where none does, the narrowest in several grids or in blocks."""
    forms = (table, *table.narrower)
    for number, form in enumerate(forms, 1):
        shaped = _for_width(form, page.width)
        numeric = figures(shaped)
        rows = [
            [_cell(cell, column, right, page) for cell, column, right in zip(row, shaped.columns, numeric, strict=True)]
            for row in shaped.rows
        ]
        if lines := _grid(shaped, rows, numeric, page, whole=number < len(forms)):
            return lines
    return _bands(shaped, rows, numeric, page) or list(_stack(shaped, rows, numeric, page))


def _bands(table: Table, rows: list[list[str]], numeric: list[bool], page: _Page) -> list[str]:
    """The figures in as few grids as fit, each with the labels of the rows; nothing where blocks are no longer."""
    if False not in numeric or True not in numeric[numeric.index(False) :]:
        return []
    labels = numeric.index(True, numeric.index(False))
    others = range(labels, len(numeric))
    for number in range(2, len(others) + 1):
        if number * (len(rows) + 3) >= len(rows) * (len(others) + 1):
            break
        lines: list[str] = []
        for band in range(number):
            part = others[band * len(others) // number : (band + 1) * len(others) // number]
            at = [*range(labels), *part]
            shaped = replace(
                table,
                columns=[table.columns[column] for column in at],
                marks={(row, at.index(column)): mark for (row, column), mark in table.marks.items() if column in at},
            )
            cells = [[row[column] for column in at] for row in rows]
            grid = _grid(shaped, cells, [numeric[column] for column in at], page, whole=False)
            firm = [place for place, column in enumerate(shaped.columns) if column.firm]
            if not grid or any(
                row[place] not in line for row, line in zip(cells, grid[-len(cells) :], strict=True) for place in firm
            ):
                break
            lines += ["", *grid] if lines else grid
        else:
            return lines
    return []


def _for_width(table: Table, width: int) -> Table:
    """The table without the columns that are for wider terminals, and with texts cut where their column says so."""
    kept = [at for at, column in enumerate(table.columns) if column.wide <= width]
    if len(kept) == len(table.columns) and not any(column.cut for column in table.columns):
        return table
    columns = [table.columns[at] for at in kept]
    rows: list[list[Cell]] = []
    for row in table.rows:
        cells = [row[at] for at in kept]
        rows.append([
            cell[: column.cut] if column.cut and isinstance(cell, str) else cell
            for cell, column in zip(cells, columns, strict=True)
        ])  # fmt: skip
    marks = {(row, kept.index(at)): mark for (row, at), mark in table.marks.items() if at in kept}
    return replace(table, columns=columns, rows=rows, marks=marks)


def _advice(advice: Advice, page: _Page, colon: str) -> list[str]:
    """A command on the line of its text where it fits there, else on a line of its own, which is never broken."""
    command = page.plain(f"{advice.command} {' '.join(advice.arguments)}")
    line = page.plain(f"{advice.text}{colon}") + command
    return [line] if _cells(line) <= page.width else [*page.wrapped(f"{advice.text}{colon}", hang=2), f"  {command}"]


def _cell(cell: Cell, column: Column, right: bool, page: _Page) -> str:
    text = shown(cell, column.format, figure=right, ascii_only=page.ascii_only)
    # A figure is never cut, but a text that strayed into its column may be.
    return page.shortened(text, _LEAST_WIDTH - 2) if right and isinstance(cell, str) else text


def _grid(table: Table, rows: list[list[str]], numeric: list[bool], page: _Page, *, whole: bool) -> list[str]:
    """Header, rule and rows; nothing where the figures do not fit, with ``whole`` nor where texts would be cut much."""
    bodies = [max((_cells(row[index]) for row in rows), default=0) for index in range(len(numeric))]
    for broken, headers in enumerate(_headers(table, bodies, numeric, page)):
        heads = [max(map(_cells, header)) for header in headers]
        wanted = [max(pair) for pair in zip(bodies, heads, strict=True)]
        firm = [column.firm for column in table.columns]
        widths = _widths(
            wanted, numeric, firm, page.width, least=_WHOLE if broken and whole else _LABEL if whole else 0
        )
        if widths:
            break
    else:
        return []
    gap = " " * _GAP
    height = max(map(len, headers))
    raised = [[""] * (height - len(header)) + list(header) for header in headers]
    lines = [
        gap.join(page.fitted(text, w, right=right) for text, w, right in zip(line, widths, numeric, strict=True))
        for line in zip(*raised, strict=True)
    ]
    lines.append(("-" if page.ascii_only else "─") * (sum(widths) + _GAP * (len(widths) - 1)))
    for number, row in enumerate(rows):
        cells = [
            page.fitted(text, widths[index], right=numeric[index], mark=table.marks.get((number, index)))
            for index, text in enumerate(row)
        ]
        lines.append(gap.join(cells))
    return lines


def _headers(
    table: Table, bodies: Sequence[int], numeric: Sequence[bool], page: _Page
) -> Iterator[list[Sequence[str]]]:
    """Headers as lines of each column: first whole, then those of figures broken more and more narrowly."""
    titles = [page.plain(column.title) for column in table.columns]
    yield [[title] for title in titles]
    for least in (14, 10, 6):
        yield [
            _broken(title, max(body, least)) if right else [title]
            for title, body, right in zip(titles, bodies, numeric, strict=True)
        ]


def _broken(title: str, width: int) -> list[str]:
    """A header in lines of about ``width`` cells, broken after spaces and hyphens only."""
    lines = [""]
    for part in re.split(r"(?<=[\s/_-])(?=[^\s/_-])", title):
        if lines[-1] and _cells(lines[-1] + part.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += part
    return lines


def _widths(wanted: list[int], numeric: list[bool], firm: list[bool], width: int, *, least: int) -> list[int]:
    """Widths of the columns with text shrunk to fit; empty where it cannot be.

    The first text column, often a path, names the row: others give first what is more than they need to be read.
    Where it must keep ``least`` cells, they give nothing.
    """
    excess = sum(wanted) + _GAP * (len(wanted) - 1) - width
    widths = list(wanted)
    texts = [index for index, right in enumerate(numeric) if not right]
    if least and excess > 0:
        if not texts or widths[texts[0]] - excess < least:
            return []
        widths[texts[0]] -= excess
        return widths
    others = texts[:0:-1]
    # Below the last of these widths, a label says nothing.
    for index, floor in [
        *((other, 20) for other in others if not firm[other]),
        *((at, 16) for at in texts[:1]),
        *((at, 10) for at in sorted(others, key=lambda other: firm[other])),
    ]:
        cut = max(0, min(excess, widths[index] - floor))
        widths[index] -= cut
        excess -= cut
    return widths if excess <= 0 else []


def _stack(table: Table, rows: list[list[str]], numeric: list[bool], page: _Page) -> Iterator[str]:
    """Every row as a block: its first text, then a line for each other column."""
    lead = numeric.index(False) if False in numeric else -1
    others = [index for index in range(len(numeric)) if index != lead]
    titles = [page.plain(column.title) for column in table.columns]
    value_width = max((_cells(row[index]) for row in rows for index in others if numeric[index]), default=0)
    reserved = value_width if all(numeric[index] for index in others) else max(value_width, 8)
    wanted = max((_cells(titles[index]) for index in others), default=0)
    title_width = min(wanted, page.width - reserved - 2 - _GAP)
    parted = title_width < min(wanted, 6)  # too little for a title beside its value
    for number, row in enumerate(rows):
        if lead >= 0:
            yield page.paint(page.shortened(row[lead], page.width), table.marks.get((number, lead)))
        elif number:
            yield ""
        for index in others:
            if not row[index]:
                continue
            mark = table.marks.get((number, index))
            if parted:
                yield f"  {page.shortened(titles[index], page.width - 2)}"
                yield f"  {page.fitted(row[index], page.width - 2, right=numeric[index], mark=mark)}"
                continue
            room = value_width if numeric[index] else page.width - title_width - 2 - _GAP
            value = page.fitted(row[index], room, right=numeric[index], mark=mark)
            yield f"  {page.fitted(titles[index], title_width)}{' ' * _GAP}{value}"


def _noted(title: Message, items: Sequence[Skipped], report: Report, page: _Page) -> list[str]:
    lines = [page.paint(translated(title, report.words), "title")]
    for item, after in zip_longest(items[:_LISTED], items[1:_LISTED]):
        lines += page.wrapped(f"  {item.what}: {item.reason}", hang=4)
        if item.hint and (after is None or after.hint != item.hint):  # the same for several is said once
            lines += page.wrapped(f"    {item.hint}", hang=4)
    more = len(items) - _LISTED
    rest = translated(Message("and {n:,} more", n=more), report.words)
    return [*lines, f"  {rest}"] if more > 0 else lines
