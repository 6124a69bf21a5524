"""The common elements of two sequences, in order, in time that grows with their length.

Elements that are unique on both sides are matched first (the longest ascending run of them: patience), then what lies
between them; where nothing is unique the shortest edit script (Myers) is looked for, with a limit on its work. Beyond
that limit a stretch counts as replaced, which is never wrong, only longer than it had to be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Run = tuple[int, int, int]
"""Start of an equal stretch in the one and in the other sequence, and its length."""

_DEPTH = 24
"""Maximum number of divisions of a stretch at its unique elements: each costs its length."""
_SHORT = 2_000
"""Elements of both sides up to which the shortest edit script is looked for first."""
_STEPS, _STEPS_EACH, _STEPS_MOST = 200_000, 2, 3_000_000
"""Steps for all shortest edit scripts of one comparison, as many more for each element, and most of all."""


def equal_runs(before: Sequence[int], after: Sequence[int], *, shortest: bool = False) -> list[Run]:
    """The equal stretches of two sequences, ascending, none adjacent to the next on both sides.

    ``shortest`` prefers the shortest edit script to unique elements where it is cheap: for words, of which many are
    unique by chance.
    """
    return list(_joined(sorted(_Comparison(before, after, shortest).runs())))


def _joined(runs: Sequence[Run]) -> Iterator[Run]:
    start, other, length = 0, 0, 0
    for first, second, size in runs:
        if first == start + length and second == other + length:
            length += size
        else:
            if length:
                yield start, other, length
            start, other, length = first, second, size
    if length:
        yield start, other, length


class _Comparison:
    """One comparison with the steps that are left for it."""

    def __init__(self, before: Sequence[int], after: Sequence[int], shortest: bool) -> None:
        self._before = before
        self._after = after
        self._shortest = shortest
        self._left = min(_STEPS + _STEPS_EACH * (len(before) + len(after)), _STEPS_MOST)

    def runs(self) -> Iterator[Run]:
        """Equal stretches, in no order."""
        stack = [(0, len(self._before), 0, len(self._after), 0)]
        while stack:
            low, high, other, end, depth = stack.pop()
            head = self._equal(low, high, other, end)
            tail = self._equal(low + head, high, other + head, end, at_end=True)
            if head:
                yield low, other, head
                low, other = low + head, other + head
            if tail:
                high, end = high - tail, end - tail
                yield high, end, tail
            if low == high or other == end:
                continue
            found: Sequence[Run] | None = None
            if self._shortest and high - low + end - other <= _SHORT:
                found = self._script(low, high, other, end)
            if found is None and depth < _DEPTH:
                anchors = self._anchors(low, high, other, end)
                if anchors:
                    yield from anchors
                    stack.extend(_between(anchors, low, high, other, end, depth + 1))
                    continue
            if found is None and not (self._shortest and high - low + end - other <= _SHORT):
                found = self._script(low, high, other, end)
            yield from found or ()

    def _equal(self, low: int, high: int, other: int, end: int, *, at_end: bool = False) -> int:
        """Number of equal elements at the beginning, or the end; slices compare faster than elements one by one."""
        before, after = self._before, self._after
        length, step, most = 0, 1, min(high - low, end - other)
        while length < most:
            step = min(step, most - length)
            done = length + step
            first, second = (high - done, end - done) if at_end else (low + length, other + length)
            if before[first : first + step] == after[second : second + step]:
                length, step = done, 2 * step
            elif step == 1:
                break
            else:
                step = max(1, step // 4)
        return length

    def _anchors(self, low: int, high: int, other: int, end: int) -> list[Run]:
        """Elements that occur once on each side, as many of them as keep their order."""
        counts = Counter(self._before[low:high])
        places: dict[int, int] = {}
        for at, item in enumerate(self._after[other:end], other):
            places[item] = -1 if item in places else at
        pairs = [
            (at, places[item])
            for at, item in enumerate(self._before[low:high], low)
            if counts[item] == 1 and places.get(item, -1) >= 0
        ]
        return [(first, second, 1) for first, second in _ascending(pairs)]

    def _script(self, low: int, high: int, other: int, end: int) -> list[Run] | None:
        """The equal stretches of the shortest edit script; None where it would take too long."""
        before, after = self._before[low:high], self._after[other:end]
        width, height = len(before), len(after)
        most = int((64 * (width + height)) ** 0.5) + 48
        furthest = {1: 0}
        trace: list[dict[int, int]] = []
        for edits in range(min(width + height, most) + 1):
            self._left -= edits + 1
            if self._left < 0:
                return None
            trace.append(furthest)
            now: dict[int, int] = {}
            for diagonal in range(-edits, edits + 1, 2):
                down = diagonal == -edits or (
                    diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
                )
                x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
                y = x - diagonal
                start = x
                while x < width and y < height and before[x] == after[y]:
                    x += 1
                    y += 1
                self._left -= (x - start) >> 3
                now[diagonal] = x
                if x >= width and y >= height:
                    return _walked(trace, width, height, low, other)
            furthest = now
        return None


def _between(
    anchors: Sequence[Run], low: int, high: int, other: int, end: int, depth: int
) -> Iterator[tuple[int, int, int, int, int]]:
    """The stretches between matched elements that are on both sides."""
    for first, second, size in (*anchors, (high, end, 0)):
        if first > low and second > other:
            yield low, first, other, second, depth
        low, other = first + size, second + size


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest selection of pairs, which ascend in the first, that ascends in the second too."""
    ends: list[int] = []
    at_end: list[int] = []
    previous: list[int] = []
    for index, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        previous.append(at_end[place - 1] if place else -1)
        if place == len(ends):
            ends.append(second)
            at_end.append(index)
        else:
            ends[place], at_end[place] = second, index
    chosen = []
    index = at_end[-1] if at_end else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = previous[index]
    return chosen[::-1]


def _walked(trace: Sequence[dict[int, int]], x: int, y: int, low: int, other: int) -> list[Run]:
    """The equal stretches on the way back from the end of both sequences."""
    runs = []
    for edits in range(len(trace) - 1, -1, -1):
        furthest = trace[edits]
        diagonal = x - y
        down = diagonal == -edits or (
            diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
        )
        start = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
        if x > start:
            runs.append((low + start, other + start - diagonal, x - start))
        x, y = (start, start - diagonal - 1) if down else (start - 1, start - diagonal)
    return runs
