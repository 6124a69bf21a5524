"""Pair the segments of two texts: equal, changed, moved, added, removed.

The text difference says which characters are the same; segments that share most of them belong together. So the
segments agree with the changes, and the work grows with the number of segments, not with its square.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import itemgetter
from typing import Literal

from tokaudit.features.diff.text_diff import Change, equal_stretches
from tokaudit.model import Segments

Status = Literal["equal", "changed", "moved", "added", "removed"]
Pair = tuple[Status, int | None, int | None]
"""Status of a segment, its index before, and its index after."""

_MOVED = 4
"""Code points from which on an equal segment elsewhere is the same one, moved: a lone brace is not."""
_NAMED = {"class", "field", "function", "method", "prompt", "section"}
"""Kinds whose id is a name of their own, and no ordinal."""


def paired(before: Segments, after: Segments, changes: Sequence[Change]) -> list[Pair]:
    """All segments of both sides, in the order of ``after``, with what is gone where it stood."""
    pairing = _Pairing(before, after)
    chain = list(_shared(before, after, changes))
    pairing.take_equal(chain)
    pairing.take_moved()
    pairing.tell_swapped()
    pairing.take_alike(chain)
    pairing.take_named()
    pairing.take_rewritten()
    return list(pairing.in_order())


def _shared(before: Segments, after: Segments, changes: Sequence[Change]) -> Iterator[tuple[int, int, int]]:
    """Pairs of segments that have characters in common, ascending on both sides, with how many."""
    i = j = total = 0
    for start, other, length in equal_stretches(changes, len(before.text)):
        done = 0
        while done < length:
            first, second = before.bounds(i), after.bounds(j)
            step = min(length - done, first.end - start - done, second.end - other - done)
            if step > 0:
                total += step
                done += step
                continue
            if total:
                yield i, j, total
            total = 0
            i, j = i + (first.end <= start + done), j + (second.end <= other + done)
    if total:
        yield i, j, total


def _tells(text: str) -> bool:
    """True for a text that is long enough to be recognised elsewhere."""
    return len(text) >= _MOVED or (text.startswith("#") and text[-1:].isalnum())


@dataclass
class _Pairing:
    """The pairs so far."""

    before: Segments
    after: Segments
    became: dict[int, tuple[Status, int]] = field(default_factory=dict)
    """Index before, to what became of it and its index after."""
    taken: set[int] = field(default_factory=set)
    """Indices after that belong to one before."""

    def take(self, i: int, j: int, status: Status) -> None:
        if i not in self.became and j not in self.taken:
            self.became[i] = (status, j)
            self.taken.add(j)

    def text(self, segments: Segments, index: int) -> str:
        span = segments.bounds(index)
        return segments.text[span.start : span.end].strip()

    def take_equal(self, chain: Sequence[tuple[int, int, int]]) -> None:
        """Those that stand where they stood, with at most other white space around them."""
        for i, j, shared in chain:
            if shared == len(self.before.bounds(i)) == len(self.after.bounds(j)):
                self.take(i, j, "equal")
            elif self.text(self.before, i) == self.text(self.after, j):
                self.take(i, j, "changed")

    def take_moved(self) -> None:
        """Those that stand elsewhere, in the order in which they occur."""
        places: dict[str, deque[int]] = defaultdict(deque)
        for j in range(len(self.after)):
            if j not in self.taken and _tells(text := self.text(self.after, j)):
                places[text].append(j)
        for i in range(len(self.before)) if places else ():
            if i not in self.became and (found := places.get(self.text(self.before, i))):
                self.take(i, found.popleft(), "moved")

    def tell_swapped(self) -> None:
        """Of those that seem to stay where they stood, what has moved as much as those that passed it.

        The text difference keeps the longer part in its place. Where one paragraph went past one other, both have
        moved: it cannot be known which of them somebody took. Where it went past several, they stay.
        """
        stayed = sorted((i, j) for i, (status, j) in self.became.items() if status != "moved")
        passed = [
            sorted((bisect_left(stayed, (i,)), bisect_left(stayed, j, key=itemgetter(1))))
            for i, (status, j) in self.became.items()
            if status == "moved"
        ]
        events = sorted((low, high) for low, high in passed if low < high)
        longest: list[tuple[int, int]] = []  # (- how many it passed, where that ends) of those that pass this one
        open_ends: list[int] = []
        at = 0
        for position, (i, j) in enumerate(stayed):
            while at < len(events) and events[at][0] <= position:
                low, high = events[at]
                heappush(longest, (low - high, high))
                heappush(open_ends, high)
                at += 1
            while open_ends and open_ends[0] <= position:
                heappop(open_ends)
            while longest and longest[0][1] <= position:
                heappop(longest)
            if longest and len(open_ends) >= -longest[0][0] and _tells(self.text(self.before, i)):
                self.became[i] = ("moved", j)

    def take_alike(self, chain: Sequence[tuple[int, int, int]]) -> None:
        """Those that share at least half of the shorter one's characters, the most first."""
        for at in sorted(range(len(chain)), key=lambda at: -chain[at][2]):
            i, j, shared = chain[at]
            if 2 * shared >= min(len(self.before.bounds(i)), len(self.after.bounds(j))):
                self.take(i, j, "changed")

    def take_named(self) -> None:
        """Those of the same name, such as a JSON field with another value."""
        if not self.before.ids or not self.after.ids:
            return
        names = {
            self.after.ids[j]: j for j in range(len(self.after)) if j not in self.taken and self.after.kind(j) in _NAMED
        }
        for i in range(len(self.before)) if names else ():
            if i not in self.became and self.before.kind(i) in _NAMED and self.before.ids[i] in names:
                self.take(i, names[self.before.ids[i]], "changed")

    def take_rewritten(self) -> None:
        """One of a kind between two neighbours that stayed, where there is just one of the same kind on both sides."""
        for removed, added in self._gaps():
            if len(removed) == len(added) == 1 and self.before.kind(removed[0]) == self.after.kind(added[0]):
                self.take(removed[0], added[0], "changed")

    def _gaps(self) -> list[tuple[list[int], list[int]]]:
        """The unpaired stretches between pairs that kept their order."""
        gaps: list[tuple[list[int], list[int]]] = []
        i = j = 0
        for first, (status, second) in [*sorted(self.became.items()), (len(self.before), ("equal", len(self.after)))]:
            if status == "moved" or second < j:
                continue
            removed = [at for at in range(i, first) if at not in self.became]
            gaps.append((removed, [at for at in range(j, second) if at not in self.taken]))
            i, j = first + 1, second + 1
        return gaps

    def in_order(self) -> Iterator[Pair]:
        origin = {j: (status, i) for i, (status, j) in self.became.items()}
        gone = deque(i for i in range(len(self.before)) if i not in self.became)
        for j in range(len(self.after)):
            if j not in origin:
                yield "added", None, j
                continue
            status, i = origin[j]
            while status != "moved" and gone and gone[0] < i:
                yield "removed", gone.popleft(), None
            yield status, i, j
        for i in gone:
            yield "removed", i, None
