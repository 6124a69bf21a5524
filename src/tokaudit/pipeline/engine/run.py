"""Apply rules to a text: stage by stage, guarded by token counts and by a ledger of facts.

In a stage all rules look at the same text. Their edits are taken rule by rule, and each time the lines around them are
counted before and after (the guard) and compared in their facts (the ledger); what is left is applied together. Stages
are repeated until nothing changes, so that slimming a slimmed text changes nothing.
"""

from __future__ import annotations

import gc
import time
from bisect import bisect_left
from collections.abc import Sequence

from tokaudit.model.edits import Edit, Lost, SlimResult, Step, apply_edits
from tokaudit.model.measure import Tokenizer
from tokaudit.model.pages import Mark
from tokaudit.model.rules import PROTECTED, STAGES, Rule
from tokaudit.pipeline.engine.guard import Counts, WindowCounter, keeps, saving_alone
from tokaudit.pipeline.engine.languages import languages_of
from tokaudit.pipeline.engine.ledger import FactCheck, untouched
from tokaudit.pipeline.engine.outcomes import LeftAlone, Tally, deltas_of
from tokaudit.pipeline.engine.proposals import outside, without_shorter
from tokaudit.pipeline.engine.ranges import Places, Range, meets, neighbourhoods
from tokaudit.pipeline.engine.rule_scope import LOCAL_OPS, suits
from tokaudit.pipeline.engine.structures import may_change, span_meets, windows_changed
from tokaudit.pipeline.engine.windows import Accepted, Window, apply_window, windows
from tokaudit.pipeline.facts.find import Fact, code_places
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.spans.find import Spans, find_spans
from tokaudit.pipeline.spans.template_tags import is_changed
from tokaudit.pipeline.views.keep import Mentions
from tokaudit.pipeline.views.parameters import Find
from tokaudit.pipeline.views.view import View

WHOLE_KINDS = frozenset(("json", "jsonl", "code"))
"""Kinds of documents whose lines mean something as a whole only."""
BUDGET_SECONDS, BUDGET_PER_MB = 20.0, 20.0
"""Seconds that all rules together may take for a text, and for each million characters of it more: ten times what the
slowest of our packs takes, so that only patterns that do not end are stopped."""
LARGE_TEXT = 200_000
"""Code points from which on the collector of garbage is paused."""
_ALL_PROTECTED = frozenset(PROTECTED)
NO_SPANS = Spans(())


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
        text: What to slim.
        rules: In the order in which they are applied within their stages. Those for other kinds or languages do
            nothing.
        kind: text, markdown, json, jsonl, code, log, chat, pdf or template.
        langs: What the text is written in (zh, ja, en); told from the text where None.
        counters: The guard's tokenizers, the most important first; without any there is no guard.
        marks: What is known not to be body of the text's pages; None where nothing is known of them.
        passes: How often the stages are repeated at most, while something changes.

    Returns:
        The text with all that led to it. Its tokens are those of ``counters``.
    """
    langs = languages_of(text) if langs is None else langs
    chosen = [rule for rule in rules if suits(rule, kind) and (not rule.langs or not langs.isdisjoint(rule.langs))]
    run = _Run(text, chosen, kind, langs, counters)
    run.marks = marks
    # Of a large text there are hundreds of thousands of edits and spans, all of them in use and none in a circle:
    # looking through them again and again would take its time.
    paused = len(text) > LARGE_TEXT and gc.isenabled()
    if paused:
        gc.disable()
    try:
        result = run.result(passes)
    finally:
        if paused:
            gc.enable()
    if kind == "template" and is_changed(text, result.text):  # what stood beside an edit became a tag with it
        return slim_text(text, (), kind=kind, langs=langs, counters=counters)
    return result


class _Run:
    """One text on its way through the stages."""

    def __init__(
        self, text: str, rules: Sequence[Rule], kind: str, langs: frozenset[str], tokenizers: Sequence[Tokenizer]
    ) -> None:
        self.before = self.text = text
        self.rules = rules
        self.kind = kind
        self.langs = langs
        self.counter = WindowCounter(tokenizers)
        self.tokens = self.now = tuple(tokenizer.count(text) for tokenizer in tokenizers)
        self.exact = all(tokenizer.divisible for tokenizer in tokenizers)
        self.steps: list[Step] = []
        self.left: list[LeftAlone] = []
        self.changed: list[Range] = [(0, len(text))]
        self.changed_before: list[Range] = []
        self.facts = FactCheck(kind)
        self.tallies = {rule.id: Tally(saved=[0] * len(tokenizers)) for rule in rules}
        self.marks: Sequence[Mark] | None = None
        self.finds: dict[str, Find] = {}
        self.spans: tuple[str, Spans] | None = None
        self.places: tuple[str, Places | None] | None = None
        self.code: tuple[str, list[int], list[int]] | None = None
        self.ends = time.monotonic() + BUDGET_SECONDS + BUDGET_PER_MB * len(text) / 1e6

    def result(self, passes: int) -> SlimResult:
        for number in range(passes):
            self.changed_before, self.changed, self.places = self.changed, [], None
            for stage in STAGES:
                of_stage = [rule for rule in self.rules if rule.stage == stage]
                if of_stage:
                    self._stage(of_stage, first=number == 0)
            if not self.changed:
                break
        saved = [sum(tally.saved[column] for tally in self.tallies.values()) for column in range(len(self.tokens))]
        after = tuple(before - less for before, less in zip(self.tokens, saved, strict=True))
        deltas = list(deltas_of(self.rules, self.tallies, self.left))
        ledger = self.facts.ledger(self.before, self.text, [item for left in self.left for item in left.lost])
        return SlimResult(self.before, self.text, self.steps, deltas, ledger, self.tokens, after)

    def _stage(self, rules: Sequence[Rule], *, first: bool) -> None:
        text = self.text
        places = None if first else self._changed_places()
        proposed: list[tuple[Rule, list[Edit]]] = []
        for rule in rules:
            tally = self.tallies[rule.id]
            if tally.timed_out or time.monotonic() > self.ends:
                tally.late = tally.late or not tally.timed_out
                tally.timed_out = True
                continue
            of_rule = places if rule.op in LOCAL_OPS else None
            if not first and self.left:
                ranges = of_rule.ranges if of_rule else [(0, len(text))]
                self.left = [
                    item for item in self.left if item.rule != rule.id or not meets(ranges, item.start, item.end)
                ]
            try:
                edits = self._proposed(rule, of_rule)
            except TimeoutError:
                tally.timed_out = True
                continue
            if edits:
                proposed.append((rule, edits))
        accepted = Accepted()
        for index, (rule, edits) in enumerate(proposed):
            free = [edit for edit in edits if not accepted.overlaps(edit)] if accepted.edits else edits
            if first and index + 1 < len(proposed):
                free = without_shorter(free, [edit for _, later in proposed[index + 1 :] for edit in later])
            if free:
                self._apply(rule, free, accepted)
        if accepted.edits:
            self.text = apply_edits(text, accepted.edits)
            self._move(accepted)

    def _changed_places(self) -> Places | None:
        """Where the text has changed in this pass and the one before; None for everywhere."""
        if self.places is None or self.places[0] is not self.text:
            ranges = neighbourhoods(self.text, [*self.changed_before, *self.changed])
            self.places = (self.text, None if ranges == [(0, len(self.text))] else Places(self.text, ranges))
        return self.places[1]

    def _proposed(self, rule: Rule, places: Places | None) -> list[Edit]:
        """The edits of a rule in some places of the text or in all of it, outside of what is protected."""
        text, spans = self.text, self._spans()
        seconds = rule.timeout_ms / 1000 * max(1.0, len(text) / 1e6)
        deadline = min(self.ends, time.monotonic() + seconds)
        find = self._find(rule)
        if places is None:
            edits = iter(find(View(text, self.kind, self.langs, spans, deadline, self.marks)))
        else:
            edits = iter(places.placed(find(View(places.text, self.kind, self.langs, NO_SPANS, deadline))))
        mentions = Mentions(rule.values)
        first = next(edits, None)
        if first is None or mentions.speak_all(text):
            return []
        found = [first, *edits]
        if mentions:
            found = [edit for edit in found if not mentions.speak(text, edit.start, edit.end)]
        if not found:
            return found
        return list(outside(found, text, *spans.merged((_ALL_PROTECTED - rule.enters) | rule.avoids)))

    def _move(self, accepted: Accepted) -> None:
        """Places in the text before a stage to those in the text after it."""
        for item in self.left:
            item.start, item.end = accepted.place(item.start), accepted.place(item.end)
        if self.marks is not None:
            moved_marks = (
                mark._replace(start=accepted.place(mark.start), end=accepted.place(mark.end)) for mark in self.marks
            )
            self.marks = [mark for mark in moved_marks if mark.end > mark.start]
        for places in (self.changed, self.changed_before):
            places[:] = accepted.placed(places)
        shift = 0
        for start, end, new in accepted.edits:
            self.changed.append((start + shift, start + shift + len(new)))
            shift += len(new) - (end - start)

    def _spans(self) -> Spans:
        """The spans of the text as it stands; the same for all stages that change nothing."""
        if self.spans is None or self.spans[0] is not self.text:
            self.spans = (self.text, find_spans(self.text, self.kind))
        return self.spans[1]

    def _find(self, rule: Rule) -> Find:
        if rule.id not in self.finds:
            self.finds[rule.id] = op(rule.op).prepare(rule.values)
        return self.finds[rule.id]

    def _apply(self, rule: Rule, edits: list[Edit], accepted: Accepted) -> None:
        """Accept those edits of a rule that pass the guard and the ledger."""
        text, tally = self.text, self.tallies[rule.id]
        kept: list[Edit] = []
        candidates = windows(text, edits, accepted, None if self.kind in WHOLE_KINDS else self._may_cut)
        while candidates:
            old = [apply_window(text, window, accepted.within(window.start, window.end)) for window in candidates]
            new = [
                apply_window(text, window, sorted([*accepted.within(window.start, window.end), *window.edits]))
                for window in candidates
            ]
            counts = list(zip(self.counter.counts(old), self.counter.counts(new), strict=True))
            passing = [index for index, (low, high) in enumerate(counts) if keeps(rule.guard, low, high)]
            again: list[Window] = []
            failing = sorted({*range(len(candidates))}.difference(passing))
            alone = saving_alone(
                text, rule.guard, [(candidates[index], counts[index][0]) for index in failing], accepted, self.counter
            )
            for index, saving in zip(failing, alone, strict=True):
                window = candidates[index]
                if saving:
                    again.append(Window(window.start, window.end, saving, chosen=True))
                cost = _difference(*counts[index])
                self._leave(rule, window, refused=len(window.edits) - len(saving), cost=cost)
            whole: list[int] = []
            for index, losses in self.facts.losses(rule, passing, old, new):
                if losses:
                    rest = untouched(candidates[index], losses, accepted)
                    again += self._undone(rule, candidates[index], [fact for fact, _ in losses], rest)
                else:
                    whole.append(index)
            broken: dict[int, list[Fact]] = {}
            if may_change(rule):
                found = windows_changed(
                    rule, text, self._spans(), [candidates[index] for index in whole], kept, accepted
                )
                broken.update(found)
            for index in whole:
                window = candidates[index]
                if changes := broken.get(window.start):
                    rest = [edit for edit in window.edits if not any(span_meets(fact, edit) for fact in changes)]
                    again += self._undone(rule, window, changes, rest)
                    continue
                kept += window.edits
                if self.exact:
                    tally.saved = [
                        saved - cost for saved, cost in zip(tally.saved, _difference(*counts[index]), strict=True)
                    ]
                if rule.removes:
                    self.facts.note_removed(rule, old[index], new[index])
            candidates = again
        if kept:
            kept.sort()
            if self.exact or self._whole_saves(rule, kept, accepted):
                tally.applied += len(kept)
                moved_edits = [_moved(edit, accepted.shift(edit.start)) for edit in kept] if accepted.edits else kept
                self.steps.append(Step(rule.id, moved_edits))
                accepted.add(kept)

    def _undone(self, rule: Rule, window: Window, losses: Sequence[Fact], rest: list[Edit]) -> Sequence[Window]:
        """Notes what the ledger undid in a window, and gives the window with the edits that are left."""
        line = self.text.count("\n", 0, window.start) + 1
        lost = [Lost(rule.id, fact.kind, fact.value, line) for fact in losses]
        self._leave(rule, window, undone=len(window.edits) - len(rest), lost=lost)
        return [Window(window.start, window.end, rest)] if rest else []

    def _may_cut(self, place: int) -> bool:
        """Whether no code is cut at a place in a line, whose fact nobody would see then."""
        if self.code is None or self.code[0] is not self.text:
            self.code = (self.text, *code_places(self.text, self.kind))
        index = bisect_left(self.code[1], place) - 1
        return index < 0 or self.code[2][index] <= place

    def _leave(
        self,
        rule: Rule,
        window: Window,
        *,
        refused: int = 0,
        undone: int = 0,
        cost: tuple[int, ...] = (),
        lost: Sequence[Lost] = (),
    ) -> None:
        self.left.append(LeftAlone(rule.id, window.start, window.end, refused, undone, cost, list(lost)))

    def _whole_saves(self, rule: Rule, kept: Sequence[Edit], accepted: Accepted) -> bool:
        """Where a tokenizer cannot be cut into windows: whether the whole text says that edits save, and how much."""
        tally = self.tallies[rule.id]
        text = apply_edits(self.text, sorted([*accepted.edits, *kept]))
        after = tuple(tokenizer.count(text) for tokenizer in self.counter.tokenizers)
        cost = _difference(self.now, after)
        saves = keeps(rule.guard, self.now, after)
        if saves:
            self.now = after
            tally.saved = [saved - more for saved, more in zip(tally.saved, cost, strict=True)]
        else:
            window = Window(kept[0].start, kept[-1].end, list(kept))
            self._leave(rule, window, refused=len(kept), cost=cost)
        return saves


def _difference(before: Counts, after: Counts) -> tuple[int, ...]:
    """Tokens more, for each tokenizer."""
    return tuple(new - old for old, new in zip(before, after, strict=True))


def _moved(edit: Edit, shift: int) -> Edit:
    return Edit(edit.start + shift, edit.end + shift, edit.text)
