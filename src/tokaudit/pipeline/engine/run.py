"""Apply rules to a text: stage by stage, guarded by token counts and by a ledger of facts.

In a stage all rules look at the same text. Their edits are accepted rule by rule, each time by the tokens (the guard)
and the facts (the ledger) of the lines around them, and applied together. Stages are repeated until nothing changes, so
that slimming a slimmed text changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.model.edits import Edit, SlimResult, Step
from tokaudit.model.measure import Tokenizer
from tokaudit.model.pages import Mark
from tokaudit.model.rules import STAGES, Rule
from tokaudit.pipeline.engine.acceptance import Acceptance
from tokaudit.pipeline.engine.languages import languages_of
from tokaudit.pipeline.engine.outcomes import Outcomes
from tokaudit.pipeline.engine.proposals import without_shorter
from tokaudit.pipeline.engine.ranges import ChangedRanges
from tokaudit.pipeline.engine.rule_scope import LOCAL_OPS, TOGETHER_OPS, suits
from tokaudit.pipeline.engine.search import Search
from tokaudit.pipeline.engine.text_state import TextState
from tokaudit.pipeline.engine.windows import Accepted
from tokaudit.pipeline.spans.template_tags import is_changed


def slim_text(
    text: str,
    rules: Sequence[Rule],
    *,
    kind: str = "text",
    langs: frozenset[str] | None = None,
    counters: Sequence[Tokenizer] = (),
    marks: Sequence[Mark] | None = None,
    passes: int = 200,
) -> SlimResult:
    """Slim a text.

    Args:
        text: The text before.
        rules: In the order in which they are applied within their stages. Those for other kinds or languages do
            nothing.
        kind: text, markdown, json, jsonl, code, yaml, toml, log, chat, pdf or template.
        langs: Languages of the text (zh, ja, en); detected if None.
        counters: The guard's tokenizers, the most important first; without any there is no guard.
        marks: Parts of the text's pages that are known not to be body; None if nothing is known of them.
        passes: Maximum number of passes through the stages.

    Returns:
        The text with the steps that led to it. Its tokens are those of ``counters``.
    """
    langs = languages_of(text) if langs is None else langs
    chosen = [rule for rule in rules if suits(rule, kind) and (not rule.langs or not langs.isdisjoint(rule.langs))]
    result = _Run(TextState(text, kind, langs, marks), chosen, counters).result(passes)
    if kind in {"yaml", "toml"} and result.text != text:
        from tokaudit.pipeline.spans.keyed_text import is_broken

        if is_broken(text, result.text, kind):
            return slim_text(text, (), kind=kind, langs=langs, counters=counters)
    if kind == "template" and is_changed(text, result.text):  # an edit made a tag of what stood beside it
        return slim_text(text, (), kind=kind, langs=langs, counters=counters)
    return result


class _Run:
    """One text on its way through the stages."""

    def __init__(self, state: TextState, rules: Sequence[Rule], tokenizers: Sequence[Tokenizer]) -> None:
        self._before = state.text
        self._state = state
        self._rules = rules
        self._search = Search(len(state.text))
        self._outcomes = Outcomes(rules, len(tokenizers))
        self._acceptance = Acceptance(state.text, state.kind, tokenizers, self._outcomes)
        self._changed = ChangedRanges(len(state.text))
        self._steps: list[Step] = []

    def result(self, passes: int) -> SlimResult:
        for number in range(passes):
            self._changed.begin_pass()
            for stage in STAGES:
                of_stage = [rule for rule in self._rules if rule.stage == stage]
                if of_stage:
                    self._stage(of_stage, first=number == 0)
            if not self._changed:
                break
        before, after = self._before, self._state.text
        tokens = self._acceptance.tokens_before
        saved = self._outcomes.saved or [0] * len(tokens)
        return SlimResult(
            before=before,
            text=after,
            steps=self._steps,
            deltas=list(self._outcomes.deltas()),
            ledger=self._acceptance.ledger(before, after),
            tokens_before=tokens,
            tokens_after=tuple(old - less for old, less in zip(tokens, saved, strict=True)),
        )

    def _stage(self, rules: Sequence[Rule], *, first: bool) -> None:
        state = self._state
        proposed = list(self._proposed(rules, first=first))
        accepted = Accepted()
        for index, (rule, edits) in enumerate(proposed):
            free = [edit for edit in edits if not accepted.overlaps(edit)] if accepted.edits else edits
            if first and index + 1 < len(proposed):
                free = without_shorter(free, [edit for _, later in proposed[index + 1 :] for edit in later])
            if rule.op in TOGETHER_OPS and len(free) < len(edits):
                continue  # in the next pass, when the others are done
            passed = self._acceptance.accepted_of(rule, free, state, accepted) if free else []
            if passed:
                self._steps.append(Step(rule.id, [_moved(edit, accepted.shift(edit.start)) for edit in passed]))
                accepted.add(passed)
        if accepted.edits:
            self._outcomes.move(accepted)
            self._changed.move(accepted)
            self._state = state.after(accepted)

    def _proposed(self, rules: Sequence[Rule], *, first: bool) -> list[tuple[Rule, list[Edit]]]:
        """Rules with the edits that they propose; after the first pass local ones look only where the text changed."""
        state, outcomes = self._state, self._outcomes
        changed = None if first else self._changed.places(state.text)
        found: list[tuple[Rule, list[Edit]]] = []
        for rule in rules:
            if outcomes.has_stopped(rule):
                continue
            if self._search.is_over:
                outcomes.stop(rule, late=True)
                continue
            # What silenced a rule may be gone, wherever it stood.
            places = changed if rule.op in LOCAL_OPS and not outcomes.is_silenced(rule) else None
            if not first:
                outcomes.forget(rule, places.ranges if places else [(0, len(state.text))])
            try:
                edits, silenced = self._search.edits(rule, state, places, again=not first)
            except (TimeoutError, MemoryError):  # of a pattern that backtracks without end
                outcomes.stop(rule)
                continue
            if first:
                outcomes.add_silenced(rule, silenced)
            if edits:
                found.append((rule, edits))
        return found


def _moved(edit: Edit, shift: int) -> Edit:
    return Edit(edit.start + shift, edit.end + shift, edit.text) if shift else edit
