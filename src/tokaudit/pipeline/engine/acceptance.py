"""Acceptance of edits: by the guard, which counts tokens, and by the ledger, which compares facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokaudit.model.edits import Edit, Ledger, Lost, apply_edits
from tokaudit.model.measure import Tokenizer
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.guard import Counts, WindowCounter, keeps, saving_alone
from tokaudit.pipeline.engine.ledger import FactCheck, untouched
from tokaudit.pipeline.engine.outcomes import Outcomes
from tokaudit.pipeline.engine.rule_scope import TOGETHER_OPS
from tokaudit.pipeline.engine.structures import may_change, span_meets, windows_changed
from tokaudit.pipeline.engine.text_state import TextState
from tokaudit.pipeline.engine.windows import Accepted, Window, apply_window, windows
from tokaudit.pipeline.facts.find import Fact

WHOLE_KINDS = frozenset(("json", "jsonl", "code"))
"""Kinds of documents whose lines mean something as a whole only."""


class _Trial(NamedTuple):
    """A window without and with its edits."""

    window: Window
    old: str
    new: str
    tokens_old: Counts
    tokens_new: Counts

    @property
    def cost(self) -> Counts:
        """Tokens that the edits add."""
        return _difference(self.tokens_old, self.tokens_new)


class Acceptance:
    """Accepts edits that save tokens and keep facts, and reports the others to the outcomes."""

    def __init__(self, text: str, kind: str, tokenizers: Sequence[Tokenizer], outcomes: Outcomes) -> None:
        self._outcomes = outcomes
        self._counter = WindowCounter(tokenizers)
        self._facts = FactCheck(kind)
        self._divisible = all(tokenizer.divisible for tokenizer in tokenizers)
        self.tokens_before = self._tokens = self._counted(text)
        """Tokens of the text before all edits, for each tokenizer."""

    def accepted_of(self, rule: Rule, edits: list[Edit], state: TextState, accepted: Accepted) -> list[Edit]:
        """The edits of a rule that are accepted beside those of other rules in the stage, ascending.

        Edits of a window that fail together are tried again without those that fail.
        """
        passed: list[Edit] = []
        may_cut = None if state.kind in WHOLE_KINDS else state.is_outside_code
        candidates = windows(state.text, edits, accepted, may_cut)
        if rule.op in TOGETHER_OPS:
            candidates = [Window(candidates[0].start, candidates[-1].end, edits, chosen=True)]
        while candidates:
            trials, again = self._guarded(rule, self._trials(candidates, state, accepted), state, accepted)
            trials, rest = self._with_same_facts(rule, trials, state, accepted)
            again += rest
            if may_change(rule):
                trials, rest = self._with_same_structures(rule, trials, passed, state, accepted)
                again += rest
            for trial in trials:
                passed += trial.window.edits
                if self._divisible:
                    self._outcomes.add_saving(rule, trial.cost)
                if rule.removes:
                    self._facts.note_removed(rule, trial.old, trial.new)
            candidates = again
        passed.sort()
        if not passed or not (self._divisible or self._whole_saves(rule, passed, state, accepted)):
            return []
        self._outcomes.add_applied(rule, len(passed))
        return passed

    def ledger(self, before: str, after: str) -> Ledger:
        """The ledger of the whole text."""
        return self._facts.ledger(before, after, self._outcomes.lost)

    def _counted(self, text: str) -> Counts:
        return tuple(tokenizer.count(text) for tokenizer in self._counter.tokenizers)

    def _trials(self, candidates: Sequence[Window], state: TextState, accepted: Accepted) -> list[_Trial]:
        old, new = [], []
        for window in candidates:
            others = accepted.within(window.start, window.end)
            old.append(apply_window(state.text, window, others))
            new.append(apply_window(state.text, window, sorted([*others, *window.edits])))
        counts = self._counter.counts(old), self._counter.counts(new)
        return [_Trial(*parts) for parts in zip(candidates, old, new, *counts, strict=True)]

    def _guarded(
        self, rule: Rule, trials: Sequence[_Trial], state: TextState, accepted: Accepted
    ) -> tuple[list[_Trial], list[Window]]:
        """The trials that the guard keeps; and of the others those edits that save by themselves."""
        passing: list[_Trial] = []
        failing: list[_Trial] = []
        for trial in trials:
            (passing if keeps(rule.guard, trial.tokens_old, trial.tokens_new) else failing).append(trial)
        pairs = [(trial.window, trial.tokens_old) for trial in failing]
        again = []
        for trial, saving in zip(
            failing, saving_alone(state.text, rule.guard, pairs, accepted, self._counter), strict=True
        ):
            window = trial.window
            if saving:
                again.append(Window(window.start, window.end, saving, chosen=True))
            self._outcomes.add_refused(rule, window, len(window.edits) - len(saving), trial.cost)
        return passing, again

    def _with_same_facts(
        self, rule: Rule, trials: Sequence[_Trial], state: TextState, accepted: Accepted
    ) -> tuple[list[_Trial], list[Window]]:
        """The trials that keep all facts; and of the others the edits that touch none of the facts."""
        passing, again = [], []
        for trial in trials:
            losses = self._facts.losses(rule, trial.old, trial.new)
            if losses:
                rest = untouched(trial.window, losses, accepted)
                again += self._undone(rule, trial.window, [fact for fact, _ in losses], rest, state)
            else:
                passing.append(trial)
        return passing, again

    def _with_same_structures(
        self, rule: Rule, trials: Sequence[_Trial], passed: Sequence[Edit], state: TextState, accepted: Accepted
    ) -> tuple[list[_Trial], list[Window]]:
        """The same for JSON and code of several lines, which windows show in part only."""
        candidates = [trial.window for trial in trials]
        broken = windows_changed(rule, state.text, state.spans, candidates, passed, accepted)
        passing, again = [], []
        for trial in trials:
            if changes := broken.get(trial.window.start):
                edits = trial.window.edits
                rest = [edit for edit in edits if not any(span_meets(fact, edit) for fact in changes)]
                again += self._undone(rule, trial.window, changes, rest, state)
            else:
                passing.append(trial)
        return passing, again

    def _undone(
        self, rule: Rule, window: Window, facts: Sequence[Fact], rest: list[Edit], state: TextState
    ) -> list[Window]:
        """Report the edits of a window that are undone; the window with the rest, if there is any."""
        rest = [] if rule.op in TOGETHER_OPS else rest
        line = state.line_of(window.start)
        lost = [Lost(rule.id, fact.kind, fact.value, line) for fact in facts]
        self._outcomes.add_undone(rule, window, len(window.edits) - len(rest), lost)
        return [Window(window.start, window.end, rest)] if rest else []

    def _whole_saves(self, rule: Rule, edits: Sequence[Edit], state: TextState, accepted: Accepted) -> bool:
        """Guard by the whole text, for a tokenizer whose counts of windows do not add up."""
        after = self._counted(apply_edits(state.text, sorted([*accepted.edits, *edits])))
        cost = _difference(self._tokens, after)
        if not keeps(rule.guard, self._tokens, after):
            self._outcomes.add_refused(rule, Window(edits[0].start, edits[-1].end, []), len(edits), cost)
            return False
        self._tokens = after
        self._outcomes.add_saving(rule, cost)
        return True


def _difference(before: Counts, after: Counts) -> Counts:
    return tuple(new - old for old, new in zip(before, after, strict=True))
