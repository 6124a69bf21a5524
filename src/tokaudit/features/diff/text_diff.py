r"""The changes between two texts, by word.

Lines are compared first and words only inside lines that changed, so that time grows with the size of the texts. A
word is a run of letters and digits; of scripts written without spaces (Han, kana) every character is one, and so is
every other sign, every run of blanks and every line end. Which words there are depends on no tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Literal
from unicodedata import category

from tokaudit.features.diff.alignment import Run, equal_runs
from tokaudit.model import Span
from tokaudit.model.record import record

Kind = Literal["added", "removed", "changed", "space"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ALIKE = 0.2
"""Below this equal part of the shorter side, lines count as replaced: what they share is chance."""
_ISLAND = 5
"""Code points up to which an equal stretch between two larger changes counts as changed with them."""
_LONG = 1 << 12
"""Code points from which on equal ends are looked for before there are words."""
_BACK = 80
"""Code points in which the beginning of a word is looked for."""
_MARKS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    r"\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
)
"""Combining marks and variation selectors, as ranges of a character class."""


@record
class Change:
    """A span of the one text, and the span of the other that stands in its place; one of them may be empty."""

    before: Span
    after: Span

    def kind(self, before: str, after: str) -> Kind:
        """``space`` where nothing but white space differs."""
        old, new = before[self.before.start : self.before.end], after[self.after.start : self.after.end]
        if "".join(old.split()) == "".join(new.split()):
            return "space"
        return "changed" if old and new else "removed" if old else "added"


def changes_of(before: str, after: str) -> list[Change]:
    """The changes, ascending. Between two changes, before the first and after the last the texts are equal.

    The changes from ``after`` to ``before`` are the same with their sides exchanged.
    """
    if before == after:
        return []
    # Ties are broken by the order of the two: comparing always from the same one makes both directions agree.
    if (len(before), before) > (len(after), after):
        return [Change(change.after, change.before) for change in _changes(after, before)]
    return list(_changes(before, after))


def equal_stretches(changes: Sequence[Change], size: int) -> Iterator[tuple[int, int, int]]:
    """The equal stretches between changes, none empty: offsets in both texts, and length; ``size`` is of the first."""
    at = other = 0
    for change in changes:
        if change.before.start > at:
            yield at, other, change.before.start - at
        at, other = change.before.end, change.after.end
    if size > at:
        yield at, other, size - at


def _changes(before: str, after: str) -> Iterator[Change]:
    old, new = _LINE.findall(before), _LINE.findall(after)
    old_at, new_at = _offsets(old), _offsets(new)
    first = second = 0
    for start, other, length in _slid(old, new, equal_runs(*_numbered(old, new))):
        if start > first or other > second:
            hunk = Change(Span(old_at[first], old_at[start]), Span(new_at[second], new_at[other]))
            yield from _inside(before, after, hunk)
        first, second = start + length, other + length


def _slid(old: Sequence[str], new: Sequence[str], runs: Sequence[Run]) -> Iterator[Run]:
    """Equal runs of lines, so that what came or went is as far down as it can be.

    A paragraph that goes takes the blank line after it along, not the one before it.
    """
    first = second = 0
    for start, other, length in runs:
        slid = 0
        if start == first or other == second:  # only one side has lines here, which may begin like what follows
            lines, at, until = (new, second, other) if start == first else (old, first, start)
            while slid < length - 1 and until > at and lines[at + slid] == lines[until + slid]:
                slid += 1
            if slid:
                yield first, second, slid
        yield start + slid, other + slid, length - slid
        first, second = start + length, other + length
    yield len(old), len(new), 0


def _inside(before: str, after: str, hunk: Change) -> Sequence[Change]:
    """The changes inside lines that differ."""
    if not hunk.before or not hunk.after:
        return [hunk]
    old, new = before[hunk.before.start : hunk.before.end], after[hunk.after.start : hunk.after.end]
    head, tail = _shared_ends(old, new) if len(old) + len(new) > _LONG else (0, 0)
    words, others = _words(old[head : len(old) - tail]), _words(new[head : len(new) - tail])
    old_at = _offsets(words, hunk.before.start + head)
    new_at = _offsets(others, hunk.after.start + head)
    runs = equal_runs(*_numbered(words, others), shortest=True)
    found: list[Change] = []
    first = second = 0
    for at, other, length in [*runs, (len(words), len(others), 0)]:
        if at > first or other > second:
            found.append(Change(Span(old_at[first], old_at[at]), Span(new_at[second], new_at[other])))
        first, second = at + length, other + length
    merged = _without_islands(before, after, found)
    equal = len(old) - sum(len(change.before) for change in merged)
    return [hunk] if equal < _ALIKE * min(len(old), len(new)) else merged


def _without_islands(before: str, after: str, changes: Sequence[Change]) -> list[Change]:
    """Changes joined where a few characters between two larger ones are equal, as by chance; never over a line end."""
    joined: list[Change] = []
    open_ended = False
    for change in changes:
        old, new = change.before, change.after
        lines = "\n" in before[old.start : old.end] or "\n" in after[new.start : new.end]
        if open_ended and not lines:
            last = joined[-1]
            between = before[last.before.end : old.start]
            least = min(max(len(last.before), len(last.after)), max(len(old), len(new)))
            if len(between) < least and len(between) <= _ISLAND and "\n" not in between:
                joined[-1] = Change(Span(last.before.start, old.end), Span(last.after.start, new.end))
                continue
        joined.append(change)
        open_ended = not lines
    return joined


def _shared_ends(old: str, new: str) -> tuple[int, int]:
    """Number of equal code points at the beginning and at the end of two long texts, up to a word's beginning."""
    most = min(len(old), len(new))
    head = _largest(most, lambda size: old[:size] == new[:size])
    for _ in range(_BACK):
        if not (head and (_joins(old, head) or _joins(new, head))):
            break
        head -= 1
    tail = _largest(most - head, lambda size: old[len(old) - size :] == new[len(new) - size :])
    for _ in range(_BACK):
        if not (tail and (_joins(old, len(old) - tail) or _joins(new, len(new) - tail))):
            break
        tail -= 1
    return head, tail


def _largest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest size up to ``most`` for which something holds that holds for every smaller one."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if holds(middle):
            low = middle
        else:
            most = middle - 1
    return low


def _joins(text: str, at: int) -> bool:
    """True where a word, or a sign with its marks, may reach over this place."""
    around = text[max(0, at - 1) : at + 1]
    if len(around) < 2:
        return False
    return around.isspace() or (around.isalnum() and max(around) < "\u2e80") or category(around[1])[0] == "M"


@cache
def _word_pattern() -> re.Pattern[str]:
    # Scripts without spaces: Han with its extensions and compatibility forms, kana, bopomofo.
    single = r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    single += r"\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af"
    # Signs that change the one before them stay with it, as do the parts of a joined emoji.
    marks = rf"(?:[{_MARKS}]|\u200d[^\s])*"
    return re.compile(rf"(?:[^\W{single}][{_MARKS}]*)+|\r?\n|[^\S\n]+|[^\s]{marks}|\s")


def _words(text: str) -> list[str]:
    return _word_pattern().findall(text)


def _numbered(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """The same number for the same text: numbers compare faster than texts, and are held once."""
    numbers: dict[str, int] = {}
    count = numbers.setdefault
    return [count(item, len(numbers)) for item in before], [count(item, len(numbers)) for item in after]


def _offsets(parts: Sequence[str], start: int = 0) -> list[int]:
    return list(accumulate(map(len, parts), initial=start))
