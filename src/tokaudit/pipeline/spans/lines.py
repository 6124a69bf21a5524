"""Lines by how they begin (headings, lists, block quotes, tables, verse), and rows of values as of CSV.

As in ``blocks``, texts are padded. Every pattern starts with a line feed, and most lines of prose are refused by
their first character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from tokaudit.model.markdown import HEADING
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.spans.blocks import Stretch

_NUMERALS = "一二三四五六七八九十百"
_BOX = "│┃║┌┏╔├┣╠└┗╚"
_ITEM = (
    r"(?:[-*+•●▪‣·][ \t]+|\d{1,9}(?:[.)][ \t]+|[、．）])"
    rf"|[（(](?:\d{{1,3}}|[{_NUMERALS}]{{1,4}})[)）]|[{_NUMERALS}]{{1,4}}[、．]|[①-⒇]|[A-Za-z][.)][ \t]+)"
)
_ROW = rf"(?:\||\+[-=]{{2}}|[{_BOX}])[^\n]*"
_LINE = re.compile(
    r"\n[ \t>]*(?:"
    rf"{HEADING}(?:[ \t]|(?=[\u4e00-\u9fff]))[^\n]*()"  # 1: heading
    rf"|{_ITEM}[^\n]*()"  # 2: item of a list
    r"|(?:={2,}|-{2,})[ \t]*(?=\n|\Z)()"  # 3: what may underline a heading
    rf"|{_ROW}(?:\n[ \t>]*{_ROW})*()"  # 4: lines of a table
    r"|:?-+:?[ \t]*\|[-:| \t]*(?=\n|\Z)()"  # 5: the second line of a table without bars at the edges
    r")"
)
_DELIMITER = re.compile(r"[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?")
# GFM takes whatever follows a table for rows of it, up to a blank line or another block.
_MORE_ROWS = re.compile(r"(?:\n(?![ \t]*(?:\n|\Z|#|>|```|~~~|[-*+][ \t]|\d{1,9}[.)][ \t]))[^\n]+)*")
_QUOTE = re.compile(r"\n[ \t]*>[^\n]*(?:\n[ \t]*>[^\n]*)*")
_QUOTED_CODE = re.compile(r"\n {0,3}>[ >]* {5}[^\n]*|\n {0,3}>[ >]*\t[^\n]*")
_QUOTED_CELL = re.compile(r"\"(?<![^,;\t|\n]\")[^\"\n]*(?:\"\"[^\"\n]*)*\"(?=[,;\t|\n]|\Z)")
_VERSE_LINE = r"[ \t\u3000]*[\u4e00-\u9fff][\u4e00-\u9fff\u3000 ，。！？、；…—·]{1,19}+(?=\n|\Z)"
_verses = lazy(rf"\n{_VERSE_LINE}(?:\n{_VERSE_LINE}){{2,}}")
_gap = lazy(r"  (?<! {3}) *(?=[^\s])")
_wide = lazy(r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uffe6]")
"""A character that is two columns wide."""
_opening = lazy(r"[ \t]*(?:[-*+•·#>]{1,6}|\d{1,9}[.)、]?)?")
"""The part of a line before its text."""
_SENTENCE_ENDS = frozenset("。！？.!?：:")
_FEW_ROWS = {"\t": 2, ",": 3, ";": 3, "|": 3}
"""Lines with equally many of a separator from which on they are rows of values."""
_FEW_CELLS = {"\t": 1, ",": 2, ";": 2, "|": 2}
"""Separators of a row, at least."""


def find_lines(source: str, kind: str, start: int, end: int) -> Iterator[Stretch]:
    """Spans that begin with a line, in a stretch of a padded text that is free of blocks."""
    covered = start
    tables: list[Stretch] = []
    for line in _LINE.finditer(source, start, end):
        if line.start() < covered:
            continue
        what = line.lastindex
        if what == 1:
            yield (line.start() + 1, line.end(), "heading")
        elif what == 2:
            yield (line.start() + 1, line.end(), "list")
        elif what == 3:
            above = source.rfind("\n", start, line.start())
            title = source[above + 1 : line.start()].strip() if above >= 0 else ""
            if title and title[0] != "|":
                yield (above + 1, line.end(), "heading")
        else:
            table = _table(source, line, covered, end)
            if table:
                tables.append(table)
                yield table
                covered = table[1]
    for quote in _QUOTE.finditer(source, start, end):
        yield (quote.start() + 1, quote.end(), "block-quote")
        if kind == "markdown":
            for code in _QUOTED_CODE.finditer(source, quote.start(), quote.end()):
                yield (code.start() + 1, code.end(), "indented")
    if not source.isascii():
        yield from _verse(source, start, end)
    if kind in {"text", "chat", "markdown"}:
        ends = [table[1] for table in tables]
        for row in rows(source, start, end):
            index = bisect_right(ends, row[0])  # a table has rules of its own
            if index == len(tables) or tables[index][0] >= row[1]:
                yield row
    # Not in logs, whose levels are padded (INFO, ERROR): all of a log would be a table, which no rule may enter.
    if kind in {"text", "chat"} and source.find("  ", start, end) >= 0:
        yield from _aligned(source, start, end)


def _table(source: str, lines: re.Match[str], start: int, end: int) -> Stretch | None:
    """The table that lines with bars belong to."""
    first, last = lines.start() + 1, lines.end()
    newline = source.find("\n", first, last)
    top = source[first : newline if newline >= 0 else last].rstrip()
    if lines.lastindex == 5 or _DELIMITER.fullmatch(top):  # the line above is the header
        above = source.rfind("\n", start, first - 1)
        if above >= 0 and source.find("|", above, first - 1) >= 0:
            first = above + 1
        elif lines.lastindex == 5:
            return None
        delimited = True
    elif newline < 0:
        return (first, last, "table") if top.endswith(("|", *_BOX)) else None
    else:
        second = source.find("\n", newline + 1, last)
        delimited = _DELIMITER.fullmatch(source, newline + 1, second if second >= 0 else last) is not None
    if delimited:
        more = _MORE_ROWS.match(source, last, end)
        last = more.end() if more else last
    return (first, last, "table")


def _verse(source: str, start: int, end: int) -> Iterator[Stretch]:
    """Three or more short Chinese lines of about one length, as in a poem.

    Longer ones must end in punctuation, or they may be prose in a narrow column.
    """
    for verse in _verses().finditer(source, start, end):
        lines = [line.strip() for line in verse[0].split("\n")[1:]]
        lengths = [len(line) for line in lines]
        if max(lengths) - min(lengths) > max(2, min(lengths) // 2):
            continue
        closed = sum(line[-1] in "，。！？；…" for line in lines)
        if max(lengths) <= 10 or 2 * closed >= len(lines):
            yield (verse.start() + 1, verse.end(), "verse")


def _aligned(source: str, start: int, end: int) -> Iterator[Stretch]:
    """Three or more lines one after another with a gap that begins or ends in the same column."""
    run = (-1, -1, 0)  # start of the first line, end of the last, lines
    shared: set[int] = set()
    position = start
    while True:
        found = _gap().search(source, position, end)
        if found is None:
            break
        first = source.rfind("\n", start, found.start()) + 1
        last = source.find("\n", found.end(), end)
        last = last if last >= 0 else end
        edges = _edges(source, first, last)
        common = shared & edges if run[1] == first - 1 else set()
        if common:
            run, shared = (run[0], last, run[2] + 1), common
        else:
            if run[2] >= 3:
                yield (run[0], run[1], "table")
            run, shared = (first, last, 1 if edges else 0), edges
        position = last
    if run[2] >= 3:
        yield (run[0], run[1], "table")


def _edges(source: str, first: int, last: int) -> set[int]:
    """Columns where gaps of a line begin (odd numbers) and end (even ones), as wide as a terminal shows them."""
    edges: set[int] = set()
    marker = _opening().match(source, first, last)
    column, position = 0, first
    for gap in _gap().finditer(source, first, last):
        column += gap.start() - position
        if not source.isascii():
            column += len(_wide().findall(source, position, gap.start()))
        if marker is None or gap.start() > marker.end():  # an indent, or what follows the marker of a list, is no gap
            edges.add(2 * column + 1)
            edges.add(2 * (column + len(gap[0])))
        column += len(gap[0])
        position = gap.end()
    return edges


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
    """Number of separators of a kind in a line; 0 where it is no row."""
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
