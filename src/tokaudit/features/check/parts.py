"""Parts of measured files: those that a budget selects, and each paired with itself before."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence

from tokaudit.features.check.types import Cause, PartGrowth
from tokaudit.model.gates import Budget, MeasuredFile, MeasuredPart
from tokaudit.model.markdown import heading_of
from tokaudit.model.message import Message

_MARKUP = re.compile(r"[*_`~]+")
_NAMED = {"section", "field"}
"""Kinds whose id is a name of their own, and no ordinal."""
_Pair = tuple[MeasuredPart | None, MeasuredPart | None]


def selected(file: MeasuredFile, budget: Budget) -> list[MeasuredPart]:
    """The parts of a file that a budget with a segment or a role is of, in order; empty where there is none."""
    if budget.role:
        return [part for part in file.parts if part.kind == "message" and _is_of_role(part, budget.role)]
    chosen = dict.fromkeys(at for first in _named(file, budget.segment) for at in _with_deeper(file.parts, first))
    return [file.parts[at] for at in sorted(chosen)]


def measured(file: MeasuredFile, budget: Budget) -> list[MeasuredPart]:
    """The parts that have the tokens of what a budget selects: of a role the content of its messages."""
    if budget.role:
        return [part for part in file.roles if _is_of_role(part, budget.role)]
    return selected(file, budget)


def _is_of_role(part: MeasuredPart, role: str) -> bool:
    named, asked = _folded(part.label), _folded(role)
    return named == asked or (asked == "system" and named == "developer")  # the later name of the same prompt


def is_chat(file: MeasuredFile) -> bool:
    """True for a file in which messages were recognised."""
    return any(part.kind == "message" for part in file.parts)


def segment_key(segment: str) -> str:
    """A segment's name for comparisons, without case, spaces and markup: the same for all that select the same."""
    heading = heading_of(segment)
    return f"{'#' * heading[0]} {_folded(heading[1])}" if heading else _folded(segment)


def _named(file: MeasuredFile, segment: str) -> Iterator[int]:
    level, title = heading_of(segment) or (None, segment)
    name = _folded(title)
    field = segment.strip()
    for at, part in enumerate(file.parts):
        if part.kind == "field":
            if part.label == field or part.label.startswith((f"{field}.", f"{field}[")):
                yield at
        elif part.kind == "section" and level in {None, part.level} and _folded(part.label) == name:
            yield at


def _with_deeper(parts: Sequence[MeasuredPart], first: int) -> Iterator[int]:
    """A section and those under it; a part without level is by itself."""
    yield first
    level = parts[first].level
    for at in range(first + 1, len(parts)):
        if not level or parts[at].kind != "section" or parts[at].level <= level:
            return
        yield at


def _folded(text: str) -> str:
    """A text without case, runs of spaces, and marks of emphasis and code."""
    return " ".join(_MARKUP.sub("", text).casefold().split())


def part_labels(parts: Sequence[MeasuredPart]) -> list[str]:
    """The parts as people write them: ``## Rules``, ``$.tools``, ``user (message 2)``."""
    labels: list[str] = []
    messages = 0
    for part in parts:
        messages += part.kind == "message"
        if part.kind == "message":
            labels.append(Message("{label} (message {number})", label=part.label, number=messages))
        else:
            labels.append(f"{'#' * part.level} {part.label}" if part.level else part.label)
    return labels


def totals(rows: Sequence[Sequence[int | None]], width: int) -> tuple[int | None, ...]:
    """The sums of counts for each tokenizer; None where one of them was not measured."""
    columns: list[int | None] = []
    for column in range(width):
        counts = [row[column] for row in rows]
        known = [count for count in counts if count is not None]
        columns.append(sum(known) if len(known) == len(counts) else None)
    return tuple(columns)


def within(causes: Iterable[Cause], file: MeasuredFile, first: Collection[int | None]) -> list[Cause]:
    """The causes that are in one of the parts of a file that begin on these lines, and not in later ones."""
    starts = sorted({part.line for part in file.parts if part.line is not None})
    found = []
    for cause in causes:
        at = bisect_right(starts, cause.line)
        if at and starts[at - 1] in first:
            found.append(cause)
    return found


def growth_of(before: MeasuredFile, now: MeasuredFile) -> list[PartGrowth]:
    """Each part now and before: those of the file now, in order, then those that are gone.

    Their deltas sum to that of the file. Empty where one of the two is not divided, and the other is.
    """
    if bool(before.parts) != bool(now.parts):
        return []
    labels = {id(part): label for file in (before, now) for part, label in zip(file.parts, part_labels(file.parts))}  # noqa: B905 - one label a part
    width = len(now.tokens)
    grown = []
    for old, new in _paired(before, now):
        part = new or old
        if part is not None:
            grown.append(
                PartGrowth(
                    labels[id(part)],
                    part.id,
                    new.line if new else None,
                    old.tokens if old else (0,) * width,
                    new.tokens if new else (0,) * width,
                )
            )
    return grown


def _paired(before: MeasuredFile, now: MeasuredFile) -> list[_Pair]:
    """Each part now with the same part before.

    Equal parts at both ends are paired first, so that a message before all others does not shift their ordinals; then
    parts of the same name, and at last what lies in order between pairs.
    """
    old, new = before.parts, now.parts
    head = 0
    while head < min(len(old), len(new)) and _equal_key(old[head]) == _equal_key(new[head]):
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and _equal_key(old[-1 - tail]) == _equal_key(new[-1 - tail]):
        tail += 1
    became: dict[int, int] = {at: at for at in range(head)}
    became |= {len(new) - 1 - at: len(old) - 1 - at for at in range(tail)}
    rest_old, rest_new = range(head, len(old) - tail), range(head, len(new) - tail)
    names = {_id_in_file(old[at], before): at for at in rest_old if old[at].kind in _NAMED}
    for at in rest_new:
        named = names.pop(_id_in_file(new[at], now), None) if new[at].kind in _NAMED else None
        if named is not None:
            became[at] = named
    _pair_in_order(old, new, rest_old, rest_new, became)
    taken = set(became.values())
    pairs: list[_Pair] = [(old[became[at]] if at in became else None, new[at]) for at in range(len(new))]
    return pairs + [(old[at], None) for at in range(len(old)) if at not in taken]


def _pair_in_order(
    old: Sequence[MeasuredPart],
    new: Sequence[MeasuredPart],
    rest_old: Sequence[int],
    rest_new: Sequence[int],
    became: dict[int, int],
) -> None:
    """Pair the rest behind the same neighbour, in order: a heading that was reworded, a message rewritten."""
    now_of = {was: at for at, was in became.items()}
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    anchor = -1
    for at in rest_old:
        if at in now_of:
            anchor = now_of[at]
        else:
            waiting[anchor, _reworded_key(old[at])].append(at)
    for queue in waiting.values():
        queue.reverse()
    anchor = -1
    for at in rest_new:
        if at in became:
            anchor = at
        elif waiting.get((anchor, _reworded_key(new[at]))):
            became[at] = waiting[anchor, _reworded_key(new[at])].pop()


def _equal_key(part: MeasuredPart) -> Hashable:
    return part.kind, part.level, part.label, part.chars, part.tokens


def _reworded_key(part: MeasuredPart) -> Hashable:
    """The properties that a reworded part keeps."""
    return part.kind, part.level, part.label if part.kind == "message" else ""


def _id_in_file(part: MeasuredPart, file: MeasuredFile) -> str:
    """The id without the path, which may be another one now."""
    for path in (file.path, file.renamed_from):
        if path and part.id.startswith(f"{path}#"):
            return part.id[len(path) + 1 :]
    return part.id.rpartition("#")[2]
