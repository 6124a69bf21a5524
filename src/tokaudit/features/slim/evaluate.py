"""Slim one text with the rules of its packs, as far as a goal takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.slim.choose import chosen_rules
from tokaudit.features.slim.left_alone import left_alone
from tokaudit.features.slim.types import Choice, Goal, RuleSaving, Slimmed, SlimText
from tokaudit.model import Finding, Place, Skipped, Tokenizer
from tokaudit.model.message import Message, joined
from tokaudit.model.rules import RULE_CLASSES, Rule
from tokaudit.pipeline.engine.remarks import REMARKING, remarks
from tokaudit.pipeline.engine.run import slim_text


def evaluate(
    source: SlimText, rules: Sequence[Rule], choice: Choice, tokenizers: Sequence[Tokenizer], goal: Goal | None = None
) -> Slimmed:
    """Slim one text.

    Args:
        source: The text.
        rules: Rules of its packs, in order.
        choice: The rules to apply of these. A goal takes the classes that it needs instead.
        tokenizers: The guard's; the results keep their order.
        goal: The length to reach; None to apply all rules of the choice.
    """
    # With a goal the text as it is comes first: if it is short enough, nothing is done.
    levels = [choice.classes] if goal is None else [RULE_CLASSES[:most] for most in range(len(RULE_CLASSES) + 1)]
    for classes in levels:
        chosen = chosen_rules(rules, replace(choice, classes=classes)) if goal is None or classes else []
        result = slim_text(
            source.text, chosen, kind=source.kind, langs=source.langs, counters=tokenizers, marks=source.marks
        )
        met = None if goal is None else goal.met(result.tokens_before, result.tokens_after)
        if met:
            break
    return Slimmed(
        source=source,
        result=result,
        classes=classes,
        met=met,
        skipped=[*source.skipped, *_left_alone(source, chosen, edited=bool(result.deltas))],
        remarks=_remarks(source, rules, chosen),
    )


def _left_alone(source: SlimText, chosen: Sequence[Rule], *, edited: bool) -> Sequence[Skipped]:
    """Parts that no rule can touch: of JSON if nothing was edited, of lines of JSON each, of templates always."""
    kind = source.kind
    concerned = any(kind in rule.kinds for rule in chosen)
    if kind in {"template", "yaml", "toml"} or (concerned and (kind == "jsonl" or (kind == "json" and not edited))):
        return left_alone(source.path, source.text, kind)
    return ()


def _remarks(source: SlimText, rules: Sequence[Rule], chosen: Sequence[Rule]) -> list[Finding]:
    """Remarks of the rules that are applied, and for pages of all rules of the packs."""
    kind = source.kind
    applied = {rule.id for rule in chosen}
    asked = [rule for rule in rules if rule.op in REMARKING and (kind == "pdf" or rule.id in applied)]
    if not asked:
        return []
    known = {item.what for item in source.skipped}
    found = []
    for rule in asked:
        for remark in remarks(source.text, kind, rule, applied=rule.id in applied):
            page = source.text.count("\f", 0, remark.start) + 1 if kind == "pdf" else None
            if remark.page and f"{source.path}:page {page}" in known:  # said where the file was read
                continue
            line = None if source.from_pdf else source.text.count("\n", 0, remark.start) + 1
            fingerprint = f"{rule.id}#{source.path}#{page or line}"
            where = Message("page {page}: ", page=page) if page and line is None else ""
            found.append(
                Finding(
                    rule.id,
                    remark.level,
                    joined(": ", rule.id, joined("", where, remark.message)),
                    source.path,
                    Place(line, page=page),
                    remark.measured,
                    remark.limit,
                    fingerprint,
                )
            )
    return found


def helpful_rules(slimmed: Slimmed, rules: Sequence[Rule]) -> list[RuleSaving]:
    """The rules that save tokens of a text for at least one tokenizer, in the order in which they are applied."""
    known = {rule.id: rule for rule in rules}
    return [
        RuleSaving(known[delta.rule], delta.saved)
        for delta in slimmed.result.deltas
        if any(saved > 0 for saved in delta.saved)
    ]
