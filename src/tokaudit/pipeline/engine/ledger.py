"""The ledger: what edits would lose or make up of a text's facts, and what rules removed that declare it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from tokaudit.model.edits import Edit, Ledger, Lost
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.windows import Accepted, Window
from tokaudit.pipeline.facts.find import Fact, compare, different_parts, find_facts


class FactCheck:
    """Compares the facts of windows before and after, and keeps account of what rules remove."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._removed: Counter[str] = Counter()

    def losses(self, rule: Rule, old: str, new: str) -> list[tuple[Fact, bool]]:
        """The facts that a window would lose, or (True) make up, in code points of the window."""
        if old == new:
            return []
        lost, made = self._compared(old, new, rule.removes)
        if lost or made:  # where they stand in the window
            lost, made = compare(find_facts(old, self._kind), find_facts(new, self._kind), rule.removes)
        return [*((fact, False) for fact in lost), *((fact, True) for fact in made)]

    def _compared(self, old: str, new: str, removes: frozenset[str]) -> tuple[list[Fact], list[Fact]]:
        """The facts lost and made up between two texts, without their places."""
        old, new = different_parts(old, new, self._kind)
        if not old and not new:
            return [], []
        return compare(find_facts(old, self._kind), find_facts(new, self._kind), removes)

    def note_removed(self, rule: Rule, old: str, new: str) -> None:
        """Facts that a rule removed and may, so that the ledger of the whole text balances."""
        lost, made = self._compared(old, new, frozenset())
        self._removed.update(fact.kind for fact in lost if fact.kind in rule.removes)
        self._removed.subtract(fact.kind for fact in made if fact.kind in rule.removes)

    def ledger(self, before: str, after: str, lost: Sequence[Lost]) -> Ledger:
        """The ledger of the whole text."""
        removed = {kind: count for kind, count in sorted(self._removed.items()) if count}
        return Ledger(partial(count_facts, kind=self._kind), before, after, lost, removed)


def count_facts(text: str, kind: str) -> dict[str, int]:
    """Number of facts of each kind in a text."""
    return dict(sorted(Counter(fact.kind for fact in find_facts(text, kind)).items()))


def untouched(window: Window, losses: Sequence[tuple[Fact, bool]], accepted: Accepted) -> list[Edit]:
    """The edits of a window that touch none of the facts lost (in its text before) or made up (in that after).

    Empty if no edit can be found to be the cause.
    """
    if not losses:
        return window.edits
    base = accepted.shift(window.start)
    rest = []
    own = 0
    for edit in window.edits:
        start = edit.start - window.start + accepted.shift(edit.start) - base
        end = start + edit.end - edit.start
        touched = any(
            fact.start <= (start + own + len(edit.text) if made else end)
            and fact.end >= (start + own if made else start)
            for fact, made in losses
        )
        own += len(edit.text) - (edit.end - edit.start)
        if not touched:
            rest.append(edit)
    return rest if len(rest) < len(window.edits) else []
