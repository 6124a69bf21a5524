"""What came of each rule on a text: what was applied, what was left alone and why, and the deltas of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tokaudit.model.edits import Delta, Lost
from tokaudit.model.rules import STAGES, Rule


@dataclass(slots=True)
class Tally:
    """What came of a rule so far."""

    applied: int = 0
    saved: list[int] = field(default_factory=list)
    timed_out: bool = False
    late: bool = False
    """Whether the time of all rules together was spent when its turn came."""


@dataclass(slots=True)
class LeftAlone:
    """Edits of a window that were refused or undone, where they stand in the text as it is."""

    rule: str
    start: int
    end: int
    refused: int
    undone: int
    cost: tuple[int, ...]
    lost: list[Lost]


def deltas_of(rules: Iterable[Rule], tallies: Mapping[str, Tally], left_alone: Sequence[LeftAlone]) -> Iterable[Delta]:
    """One delta for each rule that proposed an edit or ran out of time, in the order in which rules are applied."""
    for rule in sorted(rules, key=lambda rule: STAGES.index(rule.stage)):
        tally = tallies[rule.id]
        left = [item for item in left_alone if item.rule == rule.id]
        refused, undone = sum(item.refused for item in left), sum(item.undone for item in left)
        costs = [item.cost for item in left if item.cost] or [(0,) * len(tally.saved)]
        matches = tally.applied + refused + undone
        if matches or tally.timed_out:
            yield Delta(
                rule.id, matches, tally.applied, refused, undone, tuple(tally.saved),
                tuple(map(sum, zip(*costs, strict=True))), tally.timed_out, tally.late,
            )  # fmt: skip
