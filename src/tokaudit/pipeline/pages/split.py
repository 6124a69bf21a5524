"""Pages of a text, which form feeds end, and the lines at their edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Line(NamedTuple):
    """A line with something on it, without its line end and the white space around."""

    start: int
    end: int
    text: str


def pages(text: str) -> list[tuple[int, int]]:
    """Start and end of each page, without its form feed; one page where there are no form feeds."""
    found = []
    start = 0
    while True:
        end = text.find("\f", start)
        found.append((start, len(text) if end < 0 else end))
        if end < 0:
            return found
        start = end + 1


def top_lines(text: str, start: int, end: int) -> Iterator[Line]:
    """The lines of a page that have something on them, from the top."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        body = text[start:stop].strip()
        if body:
            yield Line(start, stop, body)
        start = stop + 1


def bottom_lines(text: str, start: int, end: int) -> Iterator[Line]:
    """The lines of a page that have something on them, from the bottom."""
    while start < end:
        line = text.rfind("\n", start, end) + 1 or start
        body = text[line:end].strip()
        if body:
            yield Line(line, end, body)
        end = line - 1


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of whole lines with the line end after it; at the end of a page, with that before it."""
    if text[end : end + 1] == "\n":
        return start, end + 1
    if start and text[start - 1] == "\n":
        return start - 1, end
    return start, end
