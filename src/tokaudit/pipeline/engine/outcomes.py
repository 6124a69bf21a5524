"""Outcomes of each rule on a text: edits applied, refused and undone, tokens saved, rules that ran out of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokaudit.model.edits import Delta, Lost, Silenced
from tokaudit.model.rules import STAGES, Rule
from tokaudit.pipeline.engine.ranges import Range, meets
from tokaudit.pipeline.engine.windows import Accepted, Window


@dataclass(slots=True)
class _Tally:
    """Sums of one rule."""

    saved: list[int]
    applied: int = 0
    timed_out: bool = False
    late: bool = False
    """The time of all rules together was spent before its turn came."""
    silenced: Sequence[Silenced] = ()
    """Edits of the first pass that were left out, since the text speaks of what they change."""


@dataclass(slots=True)
class _LeftAlone:
    """Edits of a window that were refused or undone; the bounds follow the text as it changes."""

    rule: str
    start: int
    end: int
    refused: int = 0
    undone: int = 0
    cost: Sequence[int] = ()
    lost: Sequence[Lost] = ()


class Outcomes:
    """Outcomes of all rules. Tokens are in the order of the guard's tokenizers."""

    def __init__(self, rules: Sequence[Rule], tokenizers: int) -> None:
        self._rules = rules
        self._tallies = {rule.id: _Tally([0] * tokenizers) for rule in rules}
        self._left_alone: list[_LeftAlone] = []

    def has_stopped(self, rule: Rule) -> bool:
        """True once a rule ran out of time; it is left out from then on."""
        return self._tallies[rule.id].timed_out

    def stop(self, rule: Rule, *, late: bool = False) -> None:
        """Leave a rule out from now on; ``late``: the time of all rules together is spent."""
        tally = self._tallies[rule.id]
        tally.timed_out, tally.late = True, late

    def add_saving(self, rule: Rule, cost: Sequence[int]) -> None:
        """Add the tokens that edits of a rule save, which is what they cost below zero."""
        tally = self._tallies[rule.id]
        tally.saved = [saved - more for saved, more in zip(tally.saved, cost, strict=True)]

    def add_applied(self, rule: Rule, edits: int) -> None:
        """Count edits that were applied."""
        self._tallies[rule.id].applied += edits

    def add_refused(self, rule: Rule, window: Window, edits: int, cost: Sequence[int]) -> None:
        """Count edits of a window that the guard refused, with the tokens that the window would have cost."""
        self._left_alone.append(_LeftAlone(rule.id, window.start, window.end, refused=edits, cost=cost))

    def add_undone(self, rule: Rule, window: Window, edits: int, lost: Sequence[Lost]) -> None:
        """Count edits of a window that the ledger undid because of some facts."""
        self._left_alone.append(_LeftAlone(rule.id, window.start, window.end, undone=edits, lost=lost))

    def add_silenced(self, rule: Rule, silenced: Sequence[Silenced]) -> None:
        """Note edits that were left out since the text speaks of what they change."""
        self._tallies[rule.id].silenced = silenced

    def is_silenced(self, rule: Rule) -> bool:
        """True if edits of a rule were left out in the first pass, since the text spoke of what they change."""
        return bool(self._tallies[rule.id].silenced)

    def forget(self, rule: Rule, ranges: Sequence[Range]) -> None:
        """Forget what a rule left alone in ranges that it looks at again."""
        self._left_alone = [
            item for item in self._left_alone if item.rule != rule.id or not meets(ranges, item.start, item.end)
        ]

    def move(self, accepted: Accepted) -> None:
        """Follow the edits of a stage."""
        for item in self._left_alone:
            item.start, item.end = accepted.place(item.start), accepted.place(item.end)

    @property
    def saved(self) -> list[int]:
        """Tokens that all rules saved, for each tokenizer."""
        return [sum(column) for column in zip(*(tally.saved for tally in self._tallies.values()), strict=True)]

    @property
    def lost(self) -> list[Lost]:
        """Facts because of which edits were undone."""
        return [fact for item in self._left_alone for fact in item.lost]

    def deltas(self) -> Iterable[Delta]:
        """One delta for each rule that found something or ran out of time, in the order in which rules are applied."""
        for rule in sorted(self._rules, key=lambda rule: STAGES.index(rule.stage)):
            tally = self._tallies[rule.id]
            left_alone = [item for item in self._left_alone if item.rule == rule.id]
            refused, undone = sum(item.refused for item in left_alone), sum(item.undone for item in left_alone)
            costs = [item.cost for item in left_alone if item.cost] or [(0,) * len(tally.saved)]
            matches = tally.applied + refused + undone
            if matches or tally.timed_out or tally.silenced:
                yield Delta(
                    rule=rule.id,
                    matches=matches,
                    applied=tally.applied,
                    refused=refused,
                    undone=undone,
                    saved=tuple(tally.saved),
                    refused_cost=tuple(map(sum, zip(*costs, strict=True))),
                    timed_out=tally.timed_out,
                    late=tally.late,
                    silenced=tally.silenced,
                )
