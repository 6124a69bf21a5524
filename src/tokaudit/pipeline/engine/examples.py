"""Runs the examples of rules, which are their tests."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.model.edits import SlimResult
from tokaudit.model.message import Message, joined
from tokaudit.model.record import record
from tokaudit.model.rules import Example, Rule
from tokaudit.pipeline.engine.run import slim_text


@record
class Failure:
    """An example whose result is not the expected one."""

    rule: str
    line: int
    """Of the pack's file, 1-based."""
    before: str
    wanted: str
    got: str
    reason: str
    """One line: the difference, and its cause if known."""


def check_rule(rule: Rule) -> list[Failure]:
    """Run a rule's examples, each with this rule alone and without a guard.

    An example is run as the kind of document that it names; one that names none, as a text, or as the first kind that
    the rule is for where it is not for texts. One marked ``todo`` must fail.

    Raises:
        RuleError: The rule cannot run because a library is missing.
    """
    return [failure for example in rule.examples if (failure := _check(rule, example)) is not None]


def _check(rule: Rule, example: Example) -> Failure | None:
    kind = example.kind or (rule.kinds[0] if rule.kinds and "text" not in rule.kinds else "text")
    langs = frozenset(rule.langs) if rule.langs else None
    result = slim_text(example.before, [rule], kind=kind, langs=langs)
    passes = result.text == example.after
    if passes != example.todo:
        return None
    if passes:
        reason = Message("it is marked todo, but it comes out as it should: take the mark off")
    elif example.before == example.after:
        reason = Message("it must not change")
    elif result.text == example.before:
        reason = Message("nothing changed")
    else:
        reason = Message("it came out otherwise")
    cause = joined("; ", *_causes(result))
    return Failure(
        rule.id,
        example.line,
        example.before,
        example.after,
        result.text,
        Message("{reason} ({cause})", reason=reason, cause=cause) if cause else reason,
    )


def _causes(result: SlimResult) -> Sequence[str]:
    causes: list[str] = []
    if any(delta.timed_out for delta in result.deltas):
        causes.append(Message("the rule ran out of time"))
    if lost := dict.fromkeys(f"{item.kind} '{item.fact}'" for item in result.ledger.lost):
        causes.append(Message("the ledger undid edits because of the {lost}", lost=tuple(lost)))
    return causes
