"""Apply rules to a text: stage by stage, guarded by token counts and by a ledger of facts.

In a stage all rules look at the same text. Their edits are taken rule by rule, and each time the lines around them are
counted before and after (the guard) and compared in their facts (the ledger); what is left is applied together. Stages
are repeated until nothing changes, so that slimming a slimmed text changes nothing.
"""

from __future__ import annotations

import gc
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tokaudit.model.edits import Delta, Edit, Ledger, Lost, SlimResult, Step, apply_edits
from tokaudit.model.measure import Tokenizer
from tokaudit.model.pages import Mark
from tokaudit.model.rules import PROTECTED, STAGES, Rule
from tokaudit.pipeline.facts import Fact, code_places, compare, different_parts, find_facts
from tokaudit.pipeline.guard import Counts, WindowCounter, keeps
from tokaudit.pipeline.kept_spans import spans_after
from tokaudit.pipeline.languages import languages_of
from tokaudit.pipeline.ops import Find, op
from tokaudit.pipeline.ranges import Places, Range, meets, neighbourhoods
from tokaudit.pipeline.spans import Spans, find_spans
from tokaudit.pipeline.template_tags import is_changed
from tokaudit.pipeline.view import View
from tokaudit.pipeline.windows import Accepted, Window, windows

PROSE_KINDS = ("text", "markdown", "log", "chat", "pdf")
"""Kinds of documents that a rule without ``kinds`` is for."""
WHOLE_KINDS = frozenset(("json", "jsonl", "code"))
"""Kinds of documents whose lines mean something as a whole only."""
BUDGET_SECONDS, BUDGET_PER_MB = 20.0, 20.0
"""Seconds that all rules together may take for a text, and for each million characters of it more: ten times what the
slowest of our packs takes, so that only patterns that do not end are stopped."""
LARGE_TEXT = 200_000
"""Code points from which on the collector of garbage is paused."""
MOST_TRIED = 100_000
"""Characters, times edits, up to which the edits of a line are tried one by one where all together do not save."""
_ALL_PROTECTED = frozenset(PROTECTED)
NO_SPANS = Spans(())


LOCAL_OPS = frozenset(
    (
        *(
            "amounts",
            "collapse",
            "convert",
            "dates",
            "delete",
            "doubled",
            "emoji-runs",
            "entities",
            "fields",
            "phrases",
        ),
        *("replace", "translate", "url-percent", "url-query"),
    )
)
"""Ops whose edits depend on nothing beyond some lines: after the first pass they look only where something changed."""
TEMPLATE_OPS = LOCAL_OPS | {"trim-lines"}
"""Ops whose rules are for templates, if they are for text and Markdown: none moves, joins or drops lines."""


@dataclass(slots=True)
class _Tally:
    """What came of a rule so far."""

    applied: int = 0
    saved: list[int] = field(default_factory=list)
    timed_out: bool = False


@dataclass(slots=True)
class _Left:
    """Edits of a window that were refused or undone, where they stand in the text as it is."""

    rule: str
    start: int
    end: int
    refused: int
    undone: int
    cost: tuple[int, ...]
    lost: list[Lost]


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
    chosen = [rule for rule in rules if _suits(rule, kind) and (not rule.langs or not langs.isdisjoint(rule.langs))]
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


def _suits(rule: Rule, kind: str) -> bool:
    """Whether a rule is for a kind of document.

    Of a template it is not known which lines will be, and of what: so the rules are for it that are for text of any
    markup and change some words where they stand, beside those that name it.
    """
    kinds = rule.kinds or PROSE_KINDS
    if kind == "template" and kind not in kinds:
        return rule.op in TEMPLATE_OPS and "text" in kinds and "markdown" in kinds
    return kind in kinds


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
        self.left: list[_Left] = []
        self.changed: list[Range] = [(0, len(text))]
        self.changed_before: list[Range] = []
        self.removed: Counter[str] = Counter()
        self.tallies = {rule.id: _Tally(saved=[0] * len(tokenizers)) for rule in rules}
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
        return SlimResult(self.before, self.text, self.steps, list(self._deltas()), self._ledger(), self.tokens, after)

    def _stage(self, rules: Sequence[Rule], *, first: bool) -> None:
        text = self.text
        places = None if first else self._changed_places()
        proposed: list[tuple[Rule, list[Edit]]] = []
        for rule in rules:
            if self.tallies[rule.id].timed_out or time.monotonic() > self.ends:
                self.tallies[rule.id].timed_out = True
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
                self.tallies[rule.id].timed_out = True
                continue
            if edits:
                proposed.append((rule, edits))
        accepted = Accepted()
        for index, (rule, edits) in enumerate(proposed):
            free = [edit for edit in edits if not accepted.overlaps(edit)] if accepted.edits else edits
            if first and index + 1 < len(proposed):
                free = _without_shorter(free, [edit for _, later in proposed[index + 1 :] for edit in later])
            if free:
                self._apply(rule, free, accepted)
        if accepted.edits:
            self.text = apply_edits(text, accepted.edits)
            self._move(accepted)
            if self.spans is not None and self.spans[0] is text:
                kept = spans_after(text, accepted, self.spans[1], self.kind)
                self.spans = None if kept is None else (self.text, kept)

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
            found = list(find(View(text, self.kind, self.langs, spans, deadline, self.marks)))
        else:
            found = list(places.placed(find(View(places.text, self.kind, self.langs, NO_SPANS, deadline))))
        if not found:
            return found
        return list(_outside(found, text, *spans.merged((_ALL_PROTECTED - rule.enters) | rule.avoids)))

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
            alone = self._saving_alone(rule, [(candidates[index], counts[index][0]) for index in failing], accepted)
            for index, saving in zip(failing, alone, strict=True):
                window = candidates[index]
                if saving:
                    again.append(Window(window.start, window.end, saving, chosen=True))
                cost = _difference(*counts[index])
                self._leave(rule, window, refused=len(window.edits) - len(saving), cost=cost)
            for index, losses in self._losses(rule, passing, old, new):
                window = candidates[index]
                rest = _untouched(window, losses, accepted)
                if losses:
                    line = text.count("\n", 0, window.start) + 1
                    lost = [Lost(rule.id, fact.kind, fact.value, line) for fact, _ in losses]
                    self._leave(rule, window, undone=len(window.edits) - len(rest), lost=lost)
                    if rest:
                        again.append(Window(window.start, window.end, rest))
                    continue
                kept += window.edits
                if self.exact:
                    tally.saved = [
                        saved - cost for saved, cost in zip(tally.saved, _difference(*counts[index]), strict=True)
                    ]
                if rule.removes:
                    self._note_removed(rule, old[index], new[index])
            candidates = again
        if kept:
            kept.sort()
            if self.exact or self._whole_saves(rule, kept, accepted):
                tally.applied += len(kept)
                moved_edits = [_moved(edit, accepted.shift(edit.start)) for edit in kept] if accepted.edits else kept
                self.steps.append(Step(rule.id, moved_edits))
                accepted.add(kept)

    def _may_cut(self, place: int) -> bool:
        """Whether no code is cut at a place in a line, whose fact nobody would see then."""
        if self.code is None or self.code[0] is not self.text:
            self.code = (self.text, *code_places(self.text, self.kind))
        index = bisect_left(self.code[1], place) - 1
        return index < 0 or self.code[2][index] <= place

    def _saving_alone(
        self, rule: Rule, failing: Sequence[tuple[Window, Counts]], accepted: Accepted
    ) -> Iterable[list[Edit]]:
        """Of windows that do not save as a whole those edits that save by themselves; a long line has many."""
        batch: list[tuple[Window, Counts]] = []
        size = 0
        for window, counts in failing:
            batch.append((window, counts))
            size += (window.end - window.start) * len(window.edits)
            if size > MOST_TRIED:
                yield from self._saving(rule, batch, accepted)
                batch, size = [], 0
        yield from self._saving(rule, batch, accepted)

    def _saving(self, rule: Rule, batch: Sequence[tuple[Window, Counts]], accepted: Accepted) -> Iterable[list[Edit]]:
        tried: list[Sequence[Edit]] = []
        texts: list[str] = []
        for window, _ in batch:
            size = (window.end - window.start) * len(window.edits)
            few = len(window.edits) < 2 or window.chosen or size > MOST_TRIED or not self.counter.tokenizers
            tried.append(() if few else window.edits)
            there = [] if few else accepted.within(window.start, window.end)
            texts += [apply_window(self.text, window, sorted([*there, edit])) for edit in tried[-1]]
        after = iter(self.counter.counts(texts))
        for (_, before), edits in zip(batch, tried, strict=True):
            # The edits come first, so that none of the counts is taken in vain.
            yield [edit for edit, counts in zip(edits, after, strict=False) if keeps(rule.guard, before, counts)]

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
        self.left.append(_Left(rule.id, window.start, window.end, refused, undone, cost, list(lost)))

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

    def _losses(
        self, rule: Rule, passing: Sequence[int], old: Sequence[str], new: Sequence[str]
    ) -> Iterable[tuple[int, list[tuple[Fact, bool]]]]:
        """For each window the facts that it would lose, or (True) make up, in code points of the window."""
        for index in passing:
            if old[index] == new[index]:
                yield index, []
                continue
            lost, made = self._compared(old[index], new[index], rule.removes)
            if lost or made:  # where they stand in the window
                facts = find_facts(old[index], self.kind), find_facts(new[index], self.kind)
                lost, made = compare(*facts, rule.removes)
            yield index, [*((fact, False) for fact in lost), *((fact, True) for fact in made)]

    def _compared(self, old: str, new: str, removes: frozenset[str]) -> tuple[list[Fact], list[Fact]]:
        """The facts lost and made up between two texts; where they stand is not told."""
        old, new = different_parts(old, new, self.kind)
        if not old and not new:
            return [], []
        return compare(find_facts(old, self.kind), find_facts(new, self.kind), removes)

    def _note_removed(self, rule: Rule, old: str, new: str) -> None:
        """Facts that a rule removed and may, so that the ledger of the whole text balances."""
        lost, made = self._compared(old, new, frozenset())
        self.removed.update(fact.kind for fact in lost if fact.kind in rule.removes)
        self.removed.subtract(fact.kind for fact in made if fact.kind in rule.removes)

    def _deltas(self) -> Iterable[Delta]:
        for rule in sorted(self.rules, key=lambda rule: STAGES.index(rule.stage)):
            tally = self.tallies[rule.id]
            left = [item for item in self.left if item.rule == rule.id]
            refused, undone = sum(item.refused for item in left), sum(item.undone for item in left)
            costs = [item.cost for item in left if item.cost] or [(0,) * len(tally.saved)]
            matches = tally.applied + refused + undone
            if matches or tally.timed_out:
                yield Delta(
                    rule.id, matches, tally.applied, refused, undone, tuple(tally.saved),
                    tuple(map(sum, zip(*costs, strict=True))), tally.timed_out,
                )  # fmt: skip

    def _ledger(self) -> Ledger:
        removed = {kind: count for kind, count in sorted(self.removed.items()) if count}
        lost = [item for left in self.left for item in left.lost]
        return Ledger(partial(count_facts, kind=self.kind), self.before, self.text, lost, removed)


def count_facts(text: str, kind: str) -> dict[str, int]:
    """How many facts of each kind a text has."""
    return dict(sorted(Counter(fact.kind for fact in find_facts(text, kind)).items()))


def _outside(edits: Iterable[Edit], text: str, starts: Sequence[int], ends: Sequence[int]) -> Iterable[Edit]:
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


def _without_shorter(edits: Sequence[Edit], others: Sequence[Edit]) -> list[Edit]:
    """The edits without those that overlap a longer one of other rules."""
    longest = sorted(others)
    starts = [edit.start for edit in longest]
    reach = 0
    reaches = []
    for edit in longest:
        reach = max(reach, edit.end)
        reaches.append(reach)
    kept = []
    for edit in edits:
        index = bisect_left(starts, edit.end) - 1
        while index >= 0 and reaches[index] > edit.start:
            other = longest[index]
            if other.end > edit.start and other.end - other.start > edit.end - edit.start:
                break
            index -= 1
        else:
            kept.append(edit)
            continue
        if reaches[index] <= edit.start:
            kept.append(edit)
    return kept


def apply_window(text: str, window: Window, edits: Sequence[Edit]) -> str:
    """The text of a window with edits applied, which lie in it."""
    if not edits:
        return text[window.start : window.end]
    parts = []
    at = window.start
    for start, end, replacement in edits:
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at : window.end]])


def _difference(before: Counts, after: Counts) -> tuple[int, ...]:
    """Tokens more, for each tokenizer."""
    return tuple(new - old for old, new in zip(before, after, strict=True))


def _moved(edit: Edit, shift: int) -> Edit:
    return Edit(edit.start + shift, edit.end + shift, edit.text)


def _untouched(window: Window, losses: Sequence[tuple[Fact, bool]], accepted: Accepted) -> list[Edit]:
    """The edits of a window that touch none of the facts lost (in its text before) or made up (in that after).

    None, where no edit can be told to be the cause.
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
