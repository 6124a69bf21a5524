"""Columns that spaces make in plain text: which runs of spaces hold a table, a tree or a drawing together."""

from __future__ import annotations

import re
from collections.abc import Sequence

WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]"
)
"""Characters that take two columns."""
_CELL = re.compile("(?<=[ \u3000])[^ \u3000]")
_DRAWN = re.compile("[\t|¦\u2500-\u257f\u2580-\u259f]|\\+--")
_SENTENCE_ENDS = frozenset(".!?:;,。！？：；，")
_OPENING, _CLOSING = frozenset("[(（【"), frozenset("])）】")
_FIELD = re.compile("\\w{1,20}[:：]")
"""The name of the next field, which parts it from the one before as well as spaces do."""
_QUOTED = re.compile("(?<![^\\s(=\\[,:{])'[^'\n]*'(?![^\\s)\\],;:.}])")
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CLAUSE_ENDS = re.compile("[，。！？；]")
_LEAST_SPACES, _SPACES_FOR_A_GAP, _LEAST_IDEOGRAPHS = 4, 3, 15
"""Limits from which a line is prose in spite of its gaps: single spaces, also for each gap; ideographs."""


def width(text: str) -> int:
    """Columns that a text takes, where ideographs take two."""
    return len(text) if text.isascii() else len(text) + len(WIDE.findall(text))


def aligned(text: str, runs: Sequence[tuple[int, int]], *, drop: bool) -> list[tuple[int, int]]:
    """The runs of spaces that may be shortened: those in lines that are prose and not laid out.

    Args:
        text: The text.
        runs: Runs of spaces inside of lines, ascending.
        drop: Whether to leave out the runs of lines with columns: several wide gaps, one that ends where a word of
            the line above or below begins, or gaps that part words in what is no prose.
    """
    free: list[tuple[int, int]] = []
    cells: dict[int, tuple[set[int], set[int]]] = {}
    index = 0
    while index < len(runs):
        start = text.rfind("\n", 0, runs[index][0]) + 1
        end = text.find("\n", runs[index][1])
        end = len(text) if end < 0 else end
        own = []
        while index < len(runs) and runs[index][0] < end:
            own.append(runs[index])
            index += 1
        line = text[start:end]
        if line.startswith(("    ", "\t")) or _DRAWN.search(line):
            continue
        if drop and (
            _many_wide(own) or not _is_prose(text, start, end, own) or _has_columns(text, start, end, own, cells)
        ):
            continue
        if "'" in line and (quoted := [match.span() for match in _QUOTED.finditer(line)]):
            own = _outside(own, [(start + low, start + high) for low, high in quoted])
        free += own
    return free


def _many_wide(runs: Sequence[tuple[int, int]]) -> bool:
    """True if a line has two gaps of three spaces or more: the head of a table, a line of three parts."""
    return sum(high - low > 2 for low, high in runs) > 1


def _is_prose(text: str, start: int, end: int, runs: Sequence[tuple[int, int]]) -> bool:
    """True if the gaps of a line part nothing: they follow a mark, stand before a field's name, or within prose.

    Two words with nothing but a gap between them may be two values (New York  Los Angeles), and a wide gap in a
    sentence is one that is to be filled in.
    """
    loose = [run for run in runs if _parts(text, *run, end)]
    if not loose:
        return True
    if any(high - low > 2 for low, high in loose):
        return False
    singles = text.count(" ", start, end) - sum(text.count(" ", low, high) for low, high in runs)
    if singles >= max(_LEAST_SPACES, _SPACES_FOR_A_GAP * len(loose)):
        return True
    line = text[start:end]
    return (
        len(loose) == 1 and _CLAUSE_ENDS.search(line) is not None and len(_IDEOGRAPH.findall(line)) >= _LEAST_IDEOGRAPHS
    )


def _parts(text: str, low: int, high: int, end: int) -> bool:
    """True if a gap parts what nothing else does: no mark or bracket, or a field's name whose value is missing."""
    mark = text[low - 1]
    if (text[high] in _OPENING and text[high + 1 : high + 2].isalnum()) or (
        mark in _CLOSING and text[low - 2 : low - 1].isalnum()
    ):
        return False
    field = _FIELD.match(text, high, min(end, high + 24)) is not None
    if mark in ":：":
        return field
    if mark in _SENTENCE_ENDS and (low < 2 or text[low - 2] not in ".-"):  # no code of dots and dashes
        return False
    return not field


def _outside(runs: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The runs that are in none of some spans; both ascend."""
    found, index = [], 0
    for low, high in runs:
        while index < len(spans) and spans[index][1] <= low:
            index += 1
        if index == len(spans) or spans[index][0] >= high:
            found.append((low, high))
    return found


def _has_columns(
    text: str, start: int, end: int, runs: Sequence[tuple[int, int]], cells: dict[int, tuple[set[int], set[int]]]
) -> bool:
    """True if a run of a line ends where a word of a neighbour begins.

    Two spaces after the end of a sentence are prose, and need a neighbour with a gap of two or more there.
    """
    gaps: set[int] = set()
    prose: set[int] = set()
    column, at = 0, start
    for low, high in runs:
        column += width(text[at:high])
        at = high
        (prose if high - low == 2 and text[low - 1] in _SENTENCE_ENDS else gaps).add(column)
    for low, high in _neighbours(text, start, end):
        if low not in cells:
            if len(cells) > 3:
                cells.clear()
            cells[low] = _cells(text[low:high])
        words, after_gaps = cells[low]
        if not gaps.isdisjoint(words) or not prose.isdisjoint(after_gaps):
            return True
    return False


def _neighbours(text: str, start: int, end: int) -> list[tuple[int, int]]:
    found = []
    if start:
        found.append((text.rfind("\n", 0, start - 1) + 1, start - 1))
    if end < len(text):
        last = text.find("\n", end + 1)
        found.append((end + 1, len(text) if last < 0 else last))
    return found


def _cells(line: str) -> tuple[set[int], set[int]]:
    """The columns in which words begin after a space, and after two or more."""
    words: set[int] = set()
    after_gaps: set[int] = set()
    column = at = 0
    for match in _CELL.finditer(line):
        column += width(line[at : match.start()])
        at = match.start()
        words.add(column)
        if at > 1 and line[at - 2] in " \u3000":
            after_gaps.add(column)
    return words, after_gaps
