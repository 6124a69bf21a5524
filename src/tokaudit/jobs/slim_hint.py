"""Looks for what rules would save that are off by default."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tokaudit.features.slim.choose import chosen_rules, is_named
from tokaudit.features.slim.types import SelectHint, Slimmed
from tokaudit.jobs.slim_plan import SlimPlan
from tokaudit.model import Tokenizer
from tokaudit.model.rules import Rule

MOST = 50_000
"""Characters of all texts up to which it is looked for: the texts are slimmed once or twice more."""
_OPTIONAL = {"convert"}
"""Ops that need a library which may not be installed."""
_LEAST = 0.01
"""Share of the tokens that it must save beyond what is saved now, to be worth a line."""


def select_hint(documents: Sequence[Slimmed], plan: SlimPlan, tokenizers: Sequence[Tokenizer]) -> SelectHint | None:
    """The patterns that would save more, of rules of the documents' packs, and the share that they reach together.

    None where the texts are too long for it to be looked for, there is a goal (which takes the rules that it needs),
    only lossless rules are wanted, or little would be saved.
    """
    if plan.goal is not None or "near" not in plan.choice.classes:
        return None
    if sum(len(document.result.before) for document in documents) > MOST:
        return None
    off = [rule for document in documents for rule in _off(plan, document)]
    without = list(dict.fromkeys(rule.id for rule in off if rule.op in _OPTIONAL))
    plan = replace(plan, choice=replace(plan.choice, ignore=(*plan.choice.ignore, *without)))
    off = [rule for rule in off if rule.op not in _OPTIONAL]
    patterns = list(dict.fromkeys(_pattern(rule) for rule in off))
    if not patterns:
        return None
    added = {rule.id for rule in off}
    found = _slimmed(documents, plan, tokenizers, patterns)
    helpful = _helpful(found, added)
    useful = [pattern for pattern in patterns if any(_pattern(rule) == pattern and rule.id in helpful for rule in off)]
    if useful != patterns and useful:
        found = _slimmed(documents, plan, tokenizers, useful)
        helpful = _helpful(found, added)
    now, then = _share(documents), _share(found)
    if not useful or then - now < _LEAST:
        return None
    deletes = any(rule.rule_class == "lossy" and rule.id in helpful for rule in off)
    ignored = [name for name in without if f"{name.partition('.')[0]}.*" in useful]
    return SelectHint(useful, ignored, then, deletes)


def _off(plan: SlimPlan, document: Slimmed) -> Sequence[Rule]:
    rules = plan.rules(document.source.packs)
    applied = {rule.id for rule in chosen_rules(rules, plan.choice)}
    return [
        rule for rule in rules if not rule.default and rule.id not in applied and not is_named(rule, plan.choice.ignore)
    ]


def _pattern(rule: Rule) -> str:
    return f"{rule.id.partition('.')[0]}.*"


def _slimmed(
    documents: Sequence[Slimmed], plan: SlimPlan, tokenizers: Sequence[Tokenizer], patterns: Sequence[str]
) -> list[Slimmed]:
    selecting = replace(plan, choice=replace(plan.choice, select=(*plan.choice.select, *patterns)))
    return [selecting.slimmed(document.source, tokenizers) for document in documents]


def _helpful(documents: Sequence[Slimmed], ids: Collection[str]) -> set[str]:
    """Of some rules those that save tokens."""
    deltas = [delta for document in documents for delta in document.result.deltas]
    return {delta.rule for delta in deltas if delta.rule in ids and delta.saved[0] > 0}


def _share(documents: Sequence[Slimmed]) -> float:
    before = sum(document.result.tokens_before[0] for document in documents)
    return sum(document.saved[0] for document in documents) / before if before else 0.0
