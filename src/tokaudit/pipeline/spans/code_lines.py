"""Code that stands among prose without a fence, recognised by the shapes of its lines.

As in ``blocks``, texts are padded. What a line is depends on nothing but the line, and more lines of code never
make a run of them less of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokaudit.pipeline.spans.code_shapes import KEYED, OPENS, POINTS, REMARK, group_of

Stretch = tuple[int, int, str]

_ENOUGH = 3
"""Points from which on lines that belong together are code."""
_GOES_ON = frozenset(":{([,\\")
_INDENTED = re.compile(r"(?:\n[ \t]+[^\s][^\n]*)*")
_INDENTED_OR_BLANK = re.compile(r"(?:\n[ \t]+[^\s][^\n]*|\n[ \t]*(?=\n|\Z))*")
_BLANK = re.compile(r"(?:\n[ \t]*(?=\n|\Z))*")
_PROSE = re.compile(r"\n[^\s][^\n]*")
_AROUND = 4
"""Lines before and after one with a character of code in which there may be more of it."""
_SEEDS = ("=", "{", "}", "$", ";", ":\n", " -", "* * ", "SELECT ", ">>> ", "Traceback")
"""Texts of which every few lines of code have one. Each is searched for by itself, which is fast."""


class _Line:
    """A line with the shape of code."""

    __slots__ = ("end", "group", "indent", "start")

    def __init__(self, start: int, end: int, indent: int, group: int) -> None:
        self.start = start
        self.end = end
        self.indent = indent
        self.group = group


def code_runs(source: str, start: int, end: int) -> Iterator[Stretch]:
    """Runs of lines of code in a stretch of a padded text that is free of blocks."""
    groups: dict[int, int] = {}
    for low, high in _zones(source, start, end, groups):
        lines = _lines(source, low, high, groups)
        index = 0
        while index < len(lines):
            if lines[index].group in {REMARK, KEYED}:
                index += 1
                continue
            first = lines[index].start
            index, last, points = _run(source, end, lines, index, first)
            if points >= _ENOUGH:
                yield (first, last, "indented")


def _zones(source: str, start: int, end: int, groups: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Stretches of some lines around those that have a mark of code, and the shape of it.

    ``groups`` takes what the lines are, by their starts.
    """
    low = high = position = start
    for place in _seeds(source, start, end):
        if place < position:
            continue
        first = source.rfind("\n", start, place)
        position = source.find("\n", place, end)
        position = position if position >= 0 else end
        if first < 0:
            continue
        groups[first + 1] = group = group_of(source[first + 1 : position])
        if not POINTS[group] and group != OPENS:
            continue
        back = first
        for _ in range(_AROUND):
            if back <= high:
                break
            back = max(source.rfind("\n", high, back), high)
        if back > high:
            if high > low:
                yield low, high
            low = back
        high = position
        for _ in range(_AROUND):
            if high == end:
                break
            further = source.find("\n", high + 1, end)
            high = further if further >= 0 else end
    if high > low:
        yield low, high


def _seeds(source: str, start: int, end: int) -> list[int]:
    places = []
    for seed in _SEEDS:
        place = source.find(seed, start, end)
        while place >= 0:
            places.append(place)
            # Another one in the same line tells nothing more.
            line = source.find("\n", place, end)
            place = source.find(seed, line, end) if line >= 0 else -1
    places.sort()
    return places


def _lines(source: str, start: int, end: int, groups: dict[int, int]) -> list[_Line]:
    """The lines that have the shape of code, of those that begin behind ``start``."""
    found = []
    at = start
    while at < end:
        first = at + 1
        at = source.find("\n", first, end)
        at = at if at >= 0 else end
        line = source[first:at]
        group = groups.get(first, -1)
        if group < 0:
            group = group_of(line)
        if group:
            found.append(_Line(first, at, len(line) - len(line.lstrip(" \t")), group))
    return found


def _run(source: str, end: int, lines: list[_Line], index: int, first: int) -> tuple[int, int, int]:
    """The run that begins with a line: the index of the first line behind it, where it ends, and its points."""
    reach = last = first
    points = 0
    line: _Line | None = None
    while index < len(lines):
        following = lines[index]
        if line is not None and not _joined(source, reach, following):
            break
        points += _points(lines, index, line)
        line = following
        reach = max(reach, line.end)
        further = _INDENTED_OR_BLANK if line.indent or source[line.end - 1] in _GOES_ON else _INDENTED
        more = further.match(source, reach, end)
        reach = more.end() if more else reach
        if line.group != REMARK:
            last = reach
        index += 1
    while source[last - 1] in " \t\n" and last > first:
        last -= 1
    return index, last, points


def _joined(source: str, reach: int, following: _Line) -> bool:
    """True if a line belongs to the run that reaches up to a place: at most a line of something else stands between."""
    target = following.start - 1
    if target <= reach:
        return True
    blank = _BLANK.match(source, reach, target)
    if blank and blank.end() == target:
        return True
    prose = _PROSE.match(source, reach, target)
    return prose is not None and prose.end() == target and POINTS[following.group] > 0


def _points(lines: list[_Line], index: int, before: _Line | None) -> int:
    line = lines[index]
    if line.group == OPENS:
        if index + 1 == len(lines):
            return 0
        child = lines[index + 1]
        return 2 if child.start == line.end + 1 and child.indent > line.indent and child.group in {OPENS, KEYED} else 0
    if line.group == KEYED:
        return int(before is not None and before.end + 1 == line.start and before.group in {OPENS, KEYED})
    return POINTS[line.group]
