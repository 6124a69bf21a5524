"""Which characters of a pattern may follow which, and whether a text can be matched in several ways.

The automaton has one position for each character that the pattern takes. An edge that is there twice, or two ways
apart and together again over the same text, within a loop, is what makes a backtracking matcher try all combinations.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tokaudit.pipeline.patterns.tree import Node

COPIES = 3
"""Repetitions of what is repeated a few times that are told apart."""
LOOP_FROM = 17
"""A repeat of as many times and more is taken for a loop."""
_LARGEST = 400
"""Positions from which an automaton is not searched any more."""
_MOST_PAIRS = 40_000
_SAMPLE = (
    "".join(map(chr, range(256)))
    + "，。！？、；：“”‘’（）《》【】「」…—～·〇一二三十不的了啊呢哦呀吧们订单号年月日时分第页中人"
    + "あアー가Ａ０ａ１\u3000\u200b\u200d\ufeff\u2028\ufffdéßЯя😀\u0301"
)
"""Characters that sets of characters are compared by."""


class FoundPattern(NamedTuple):
    """What a part of a pattern begins and ends with, as positions."""

    first: list[int]
    last: list[int]
    nullable: bool


@lru_cache(maxsize=4096)
def members(text: str, more: str) -> frozenset[str]:
    """The sample's characters (and ``more``) that a set matches, as it is written."""
    import regex

    sample = frozenset((*_SAMPLE, *more))
    try:
        expression: Any = regex.compile(text, regex.VERSION1 if text.startswith("(?V1") else regex.VERSION0)
    except regex.error:  # something that is no set, which the parser does not know: anything
        return sample
    return frozenset(one for one in sample if expression.match(one))


def named_characters(pattern: str) -> str:
    """The characters beyond the sample that a pattern names, as they are or by their number."""
    numbers = re.findall(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))", pattern)
    codes = [int(short or long, 16) for short, long in numbers]
    return "".join(
        sorted({*(one for one in pattern if ord(one) > 255), *(chr(code) for code in codes if code < 0x110000)})
    )


class Automaton:
    """The positions of a part of a pattern."""

    def __init__(self, more: str) -> None:
        self.more = more
        self.sets: list[frozenset[str]] = []
        self.nodes: list[Node] = []
        self.follow: Mapping[int, Counter[int]] = defaultdict(Counter)
        self.loops: set[int] = set()
        """Positions that an unlimited repeat of just one character gave."""
        self.whole = True
        """Whether it was not too large to be built."""

    def position(self, node: Node, chars: frozenset[str]) -> FoundPattern:
        self.sets.append(chars)
        self.nodes.append(node)
        one = [len(self.sets) - 1]
        return FoundPattern(one, one, False)

    def connect(self, before: Iterable[int], after: Sequence[int]) -> None:
        for one in before:
            self.follow[one].update(after)

    def add(self, node: Node) -> FoundPattern:
        """Adds a part of a pattern."""
        if len(self.sets) > _LARGEST:
            self.whole = False
            return FoundPattern([], [], True)
        if node.type == "set":
            return self.position(node, members(node.text, self.more))
        if node.type in ("back", "call"):
            return self.position(node, frozenset((*_SAMPLE, *self.more)))
        if node.type in ("empty", "ahead", "behind"):
            return FoundPattern([], [], True)
        if node.type == "atomic" or (node.type == "repeat" and node.possessive):
            return self.atomic(node)
        if node.type == "repeat":
            return self.repeat(node)
        found = [self.add(part) for part in node.parts]
        if node.type == "either":
            firsts = [one for each in found for one in each.first]
            return FoundPattern(
                firsts, [one for each in found for one in each.last], any(each.nullable for each in found)
            )
        return self.chain(found)

    def chain(self, parts: Sequence[FoundPattern]) -> FoundPattern:
        whole = FoundPattern([], [], True)
        for part in parts:
            self.connect(whole.last, part.first)
            first = [*whole.first, *part.first] if whole.nullable else whole.first
            last = [*whole.last, *part.last] if part.nullable else part.last
            whole = FoundPattern(first, last, whole.nullable and part.nullable)
        return whole

    def atomic(self, node: Node) -> FoundPattern:
        """One position for what is matched in one way only."""
        inner = Automaton(self.more)
        found = inner.chain([inner.add(part) for part in node.parts])
        nullable = found.nullable or (node.type == "repeat" and node.low == 0)
        if not found.first:
            return FoundPattern([], [], True)
        chars = frozenset[str]().union(*(inner.sets[one] for one in found.first))
        return self.position(node, chars)._replace(nullable=nullable)

    def repeat(self, node: Node) -> FoundPattern:
        low, high = node.low, node.high
        if high is not None and high < LOOP_FROM:
            copies = [self.add(node.parts[0]) for _ in range(min(high, COPIES))]
            return self.few(copies, min(low, len(copies)))
        before = len(self.sets)
        body = self.add(node.parts[0])
        self.connect(body.last, body.first)
        if high is None and len(self.sets) == before + 1:
            self.loops.add(before)
        return body._replace(nullable=body.nullable or low == 0)

    def few(self, copies: Sequence[FoundPattern], low: int) -> FoundPattern:
        """What is repeated between ``low`` times and the number of copies, one way for each number of times."""
        first: list[int] = []
        last: list[int] = []
        ends: list[int] = []
        reached = True
        for number, copy in enumerate(copies, 1):
            self.connect(ends, copy.first)
            if reached:
                first += copy.first
            ends = [*ends, *copy.last] if copy.nullable else copy.last
            reached = reached and copy.nullable
            if number >= low:
                last += [one for one in ends if one not in last]
        return FoundPattern(first, last, low == 0 or reached)

    def doubled(self) -> int | None:
        """A position that is followed by the same one in two ways, or None."""
        for one, after in self.follow.items():
            if any(times > 1 for times in after.values()):
                return one
        return None

    def ambiguous(self) -> int | None:
        """A position from which one text leads over two ways to the same position; all must be in one loop."""
        seen: set[tuple[int, int]] = set()
        todo: list[tuple[int, int, int]] = []

        def spread(one: int, other: int, origin: int) -> bool:
            for left in self.follow.get(one, ()):
                for right in self.follow.get(other, ()):
                    if left == right and one != other and self.sets[left]:
                        return True
                    pair = (min(left, right), max(left, right))
                    if left != right and pair not in seen and self.sets[left] & self.sets[right]:
                        seen.add(pair)
                        todo.append((*pair, origin))
            return False

        for one in list(self.follow):
            spread(one, one, one)
        while todo and len(seen) < _MOST_PAIRS:
            left, right, origin = todo.pop()
            if spread(left, right, origin):
                return origin
        return None
