"""Rows of values among text: lines with equally many commas, tabs, semicolons or bars, as of CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

Stretch = tuple[int, int, str]

_QUOTED_CELL = re.compile(r"\"(?<![^,;\t|\n]\")[^\"\n]*(?:\"\"[^\"\n]*)*\"(?=[,;\t|\n]|\Z)")
_SENTENCE_ENDS = frozenset("。！？.!?：:")
_FEW_ROWS = {"\t": 2, ",": 3, ";": 3, "|": 3}
"""Lines with equally many of a separator from which on they are rows of values."""
_FEW_CELLS = {"\t": 1, ",": 2, ";": 2, "|": 2}
"""Separators of a row, at least."""


def rows(source: str, start: int, end: int) -> Iterator[Stretch]:
    """Lines one after another with equally many separators, none of them followed by a blank: rows of values."""
    for mark, few in _FEW_ROWS.items():
        if source.find(mark, start, end) < 0:
            continue
        run = (-1, -1, 0)  # start of the first line, end of the last, lines
        shared = 0
        position = start
        find = _separator(mark).search
        while (found := find(source, position, end)) is not None:
            first = source.rfind("\n", start, found.start()) + 1
            last = source.find("\n", found.start(), end)
            last = last if last >= 0 else end
            count = _separators(source[first:last], mark)
            if count and count == shared and run[1] == first - 1:
                run = (run[0], last, run[2] + 1)
            else:
                if shared and run[2] >= few:
                    yield (run[0], run[1], "indented")
                run, shared = (first, last, 1), count
            position = last
        if shared and run[2] >= few:
            yield (run[0], run[1], "indented")


@cache
def _separator(mark: str) -> re.Pattern[str]:
    return re.compile({"\t": r"\t(?<=[^\s]\t)", "|": r"\|(?<=[^\s]\|)"}.get(mark, rf"{mark}(?![ \t])"))


def _separators(line: str, mark: str) -> int:
    """How many separators of a kind a line has; 0 where it is no row."""
    line = line.rstrip(" ")
    if line.count(mark) < _FEW_CELLS[mark]:
        return 0
    if '"' in line:
        line = _QUOTED_CELL.sub("", line)
    count = line.count(mark)
    if count < _FEW_CELLS[mark]:
        return 0
    if mark in ",;":
        # A cell may be nothing but a mark; a sentence ends with one.
        ends = line[-1:] in _SENTENCE_ENDS and line.rpartition(mark)[2].strip("。！？.!?：:") != ""
        if ends or f"{mark} " in line:
            return 0
    return 0 if mark == "|" and line.lstrip()[0] == "|" else count
