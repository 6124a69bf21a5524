"""Filters proposed edits: none in protected spans, and the longer one of two that overlap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from tokaudit.model.edits import Edit


def outside(edits: Iterable[Edit], text: str, starts: Sequence[int], ends: Sequence[int]) -> Iterable[Edit]:
    """The edits that change something and touch nothing of the stretches, which ascend; each after the one before."""
    done = 0
    for edit in edits:
        start, end, replacement = edit
        if start < done or text[start:end] == replacement:
            continue
        index = bisect_left(starts, max(end, start + 1)) - 1
        if index >= 0 and ends[index] > start and not (start == end and starts[index] == start):
            continue
        done = max(end, start + 1)
        yield edit


def without_shorter(edits: Sequence[Edit], others: Sequence[Edit]) -> list[Edit]:
    """The edits without those that overlap a longer one of other rules."""
    longest = sorted(others)
    starts = [edit.start for edit in longest]
    reach = 0
    reaches = []
    for edit in longest:
        reach = max(reach, edit.end)
        reaches.append(reach)
    remaining = []
    for edit in edits:
        index = bisect_left(starts, edit.end) - 1
        while index >= 0 and reaches[index] > edit.start:
            other = longest[index]
            if other.end > edit.start and other.end - other.start > edit.end - edit.start:
                break
            index -= 1
        else:
            remaining.append(edit)
            continue
        if reaches[index] <= edit.start:
            remaining.append(edit)
    return remaining
