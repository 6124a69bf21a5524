"""Slim the requests of a file: only the strings meant for the model, each by the rules of its role and kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Protocol

from tokaudit.features.slim.choose import chosen_rules
from tokaudit.features.slim.document import added_deltas
from tokaudit.features.slim.types import Choice, Goal, Slimmed, SlimText
from tokaudit.model import Tokenizer
from tokaudit.model.edits import Delta, Edit, Ledger, SlimResult, Step, apply_edits
from tokaudit.model.rules import RULE_CLASSES, Rule, RuleClass
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.sources.requests.strings import Literal, literals_of
from tokaudit.sources.text_kinds import text_evidence

_SYSTEM = frozenset(("system", "developer"))


class Plan(Protocol):
    """What is asked of the plan (``SlimPlan``)."""

    @property
    def choice(self) -> Choice:
        """The rules that are applied."""
        ...

    @property
    def goal(self) -> Goal | None:
        """The length to reach."""
        ...

    def text(self, path: str, text: str, kind: str | None = None) -> SlimText:
        """A text with its packs resolved."""
        ...

    def rules(self, names: Sequence[str]) -> Sequence[Rule]:
        """The rules of packs."""
        ...


def slimmed_requests(source: SlimText, plan: Plan, tokenizers: Sequence[Tokenizer]) -> Slimmed | None:
    """Slim the strings of a file of requests; None where it holds none.

    Tokens are those of the strings, each by itself: framing, tools and calls stay as they are. System prompts get
    lossless rules only, unless the choice says ``system``.
    """
    literals = literals_of(source.text, source.kind)
    if literals is None:
        return None
    texts = [plan.text(source.path, literal.text, _kind_of(literal)) for literal in literals]
    levels = [plan.choice.classes] if plan.goal is None else [RULE_CLASSES[:n] for n in range(len(RULE_CLASSES) + 1)]
    for classes in levels:
        results = [
            _slimmed(literal, text, plan, classes, tokenizers) for literal, text in zip(literals, texts, strict=True)
        ]
        before, after = (_sums(results, side, len(tokenizers)) for side in ("tokens_before", "tokens_after"))
        met = None if plan.goal is None else plan.goal.met(before, after)
        if met:
            break
    packs = tuple(dict.fromkeys(pack for text in texts for pack in text.packs)) or source.packs
    return Slimmed(
        source=replace(source, packs=packs, langs=frozenset().union(*(text.langs for text in texts))),
        result=_joined(source.text, literals, results, before, after),
        classes=classes,
        met=met,
        skipped=source.skipped,
        of_requests=True,
    )


def _kind_of(literal: Literal) -> str:
    """The kind of a string: JSON or a log as its lines say; else of what people say it is a chat."""
    if literal.kind == "result" and literal.text.lstrip()[:1] in ("{", "["):
        return "json"
    kind = text_evidence(literal.text)[0].kind
    return "chat" if kind == "text" and literal.kind == "text" and literal.role not in _SYSTEM else kind


def _slimmed(
    literal: Literal, text: SlimText, plan: Plan, classes: Sequence[RuleClass], tokenizers: Sequence[Tokenizer]
) -> SlimResult:
    if literal.role in _SYSTEM and not plan.choice.system:
        classes = [name for name in classes if name == "lossless"]
    choice = replace(plan.choice, classes=tuple(classes))
    chosen = chosen_rules(plan.rules(text.packs), choice) if plan.goal is None or classes else []
    return slim_text(text.text, chosen, kind=text.kind, langs=text.langs, counters=tokenizers)


def _sums(results: Sequence[SlimResult], side: str, columns: int) -> tuple[int, ...]:
    return tuple(sum(getattr(result, side)[column] for result in results) for column in range(columns))


def _joined(
    text: str,
    literals: Sequence[Literal],
    results: Sequence[SlimResult],
    before: tuple[int, ...],
    after: tuple[int, ...],
) -> SlimResult:
    """The results of all strings as one of the file, whose steps are edits of the literals."""
    steps = list(_steps(literals, results))
    after_text = text
    for step in steps:
        after_text = apply_edits(after_text, step.edits)
    deltas: dict[str, Delta] = {}
    for delta in (delta for result in results for delta in result.deltas):
        deltas[delta.rule] = added_deltas(deltas[delta.rule], delta) if delta.rule in deltas else delta
    removed: dict[str, int] = {}
    for result in results:
        for kind, number in result.ledger.removed.items():
            removed[kind] = removed.get(kind, 0) + number
    ledgers = [result.ledger for result in results]
    ledger = Ledger(
        _Facts(ledgers, text),
        text,
        after_text,
        [lost for ledger in ledgers for lost in ledger.lost],
        removed,
    )
    return SlimResult(text, after_text, steps, list(deltas.values()), ledger, before, after)


@dataclass(frozen=True, slots=True)
class _Facts:
    """Counts the facts of the strings of a file, before or after."""

    ledgers: Sequence[Ledger]
    before: str

    def __call__(self, text: str) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for ledger in self.ledgers:
            for kind, number in (ledger.before if text is self.before else ledger.after).items():
                found[kind] = found.get(kind, 0) + number
        return found


def _steps(literals: Sequence[Literal], results: Sequence[SlimResult]) -> list[Step]:
    """The steps of all strings, those of the same rule and turn together, in code points of the file's text."""
    steps = []
    originals = [literal.length for literal in literals]
    for turn in zip_longest(*(result.steps for result in results)):
        for rule in dict.fromkeys(step.rule for step in turn if step is not None):
            edits: list[Edit] = []
            moved = 0
            for literal, step, original in zip(literals, turn, originals, strict=True):
                base, length = literal.start + moved, literal.length
                if step is not None and step.rule == rule:
                    edits += literal.edited(step.edits, base)
                moved += length - original
            steps.append(Step(rule, edits))
    return steps
