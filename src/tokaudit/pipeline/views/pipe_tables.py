"""Pipe tables of Markdown: their rows, and where their cells end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokaudit.model.text import line_end
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import View

_marks = lazy(r"[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*)*")
_pipe_or_ticks = lazy(r"\||`+")
_delimiter = lazy(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\Z")


class Row(NamedTuple):
    """One line of a table, without its line end."""

    start: int
    """Start of the first cell or of the pipe before it: after indentation, and the marks of lists and quotes."""
    end: int
    """After the last character that is no blank."""
    pipes: Sequence[int]
    """Offsets of the pipes that end cells, in any reading."""
    certain: bool
    """No pipe is escaped or may stand in inline code."""
    cells: int
    """Number of cells; as in most readers, inline code does not hide pipes."""


class Table(NamedTuple):
    """A table: its head, its delimiter row, its other rows."""

    start: int
    end: int
    rows: Sequence[Row]
    nested: bool
    """It stands in a list or quote, or is indented."""


def tables(view: View) -> Iterator[Table]:
    """The pipe tables of a text."""
    text = view.text
    for start, end, _ in view.spans.of("table"):
        rows = list(_rows(text, start, end))
        if len(rows) < 2 or not _delimiter().match(text[rows[1].start : rows[1].end]) or rows[0].cells != rows[1].cells:
            continue
        head = _before(text, rows[0])
        beside = [_stands_beside(head, _before(text, row)) for row in rows]
        if beside[1]:
            # A row that is indented further is code, and the table ends before it.
            rows = rows[: beside.index(False)] if False in beside else rows
            nested = any(_before(text, row) for row in rows)
            yield Table(start, rows[-1].end, rows, nested)


def _before(text: str, row: Row) -> str:
    return text[text.rfind("\n", 0, row.start) + 1 : row.start]


def _stands_beside(head: str, row: str) -> bool:
    """True if a row can be of the table whose head has other marks or blanks before it."""
    marks = head.rstrip(" ")
    if marks and len(head) - len(marks) > 4:
        return False  # code in a list or quote
    if row == head:
        return True
    if row.strip() or ">" in head or "\t" in head + row:
        return False
    return len(row) <= 3 if not head.strip() and len(head) <= 3 else len(row) == len(head)


def _rows(text: str, start: int, end: int) -> Iterator[Row]:
    while start < end:
        stop = line_end(text, start, end)
        opening = _marks().match(text, start, stop)
        first = opening.end() if opening else start
        last = start + len(text[start:stop].rstrip(" \t\r"))
        if last > first:
            pipes = []
            in_code, certain = False, True
            cells = (
                1
                - (text[first] == "|")
                - (text[last - 1] == "|" and text[last - 2 : last - 1] != "\\" and last - first > 1)
            )
            for match in _pipe_or_ticks().finditer(text, first, last):
                at = match.start()
                if text[at] == "`":
                    in_code = not in_code
                elif text[at - 1 : at] == "\\":
                    certain = False
                else:
                    cells += 1
                    certain = certain and not in_code
                    if not in_code:
                        pipes.append(at)
            yield Row(first, last, pipes, certain, cells)
        start = stop + 1
