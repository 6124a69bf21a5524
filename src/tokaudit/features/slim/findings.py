"""The findings of a run of ``slim``: rules that ran out of time, remarks, facts that differ, and missed goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tokaudit.features.slim.document import SlimRun, share
from tokaudit.features.slim.types import Goal, Slimmed
from tokaudit.model import Finding, Place
from tokaudit.model.edits import Delta
from tokaudit.model.message import Message, counted

LISTED = 5
"""Rules and undone edits that are named one by one."""


def findings_of(run: SlimRun, *, thorough: bool) -> Sequence[Finding]:
    """All findings; those for people (not ``thorough``) are fewer, and say the same of several rules at once."""
    found = [finding for document in run.documents for finding in _timeouts(document, thorough=thorough)]
    found += [remark for document in run.documents for remark in _remarks(document, thorough=thorough)]
    found += [
        Finding(
            "ledger",
            "error",
            Message("facts before and after differ: please report it"),
            document.path,
            Place(),
            fingerprint=f"ledger#{document.path}",
        )
        for document in run.documents
        if thorough and not document.result.ledger.whole
    ]
    found += [
        Finding("goal", "error", *_missed(document, run), fingerprint=f"goal#{document.path}")
        for document in run.documents
        if document.met is False
    ]
    return found


def _timeouts(document: Slimmed, *, thorough: bool) -> Iterable[Finding]:
    """Findings on rules that were stopped: each slow one, and those for which no time remained."""
    out = [delta for delta in document.result.deltas if delta.timed_out]
    slow = [delta.rule for delta in out if not delta.late]
    for delta in out:
        if not delta.late:
            message = Message(
                "the rule {rule} ran out of time, so its {edits} left out; the text is whole, and all other rules "
                "count: make its pattern cheaper, raise its timeout_ms, or give --ignore {rule}",
                rule=delta.rule,
                edits=_edits(delta),
            )
            yield _timeout(delta.rule, message, document)
    late = [delta for delta in out if delta.late]
    took = Message(" ({rules} took much of it)", rules=tuple(slow[:LISTED])) if slow else ""
    do = Message("give --ignore {rule}, or divide the text", rule=slow[0] if slow else Message("for slow rules"))
    if thorough:
        for delta in late:
            message = Message(
                "the rule {rule} found the time for all rules of a text spent{took}, so its {edits} left out; the text "
                "is whole: {do}",
                rule=delta.rule,
                took=took,
                edits=_edits(delta),
                do=do,
            )
            yield _timeout(delta.rule, message, document)
    elif len(late) == 1:
        message = Message(
            "the rule {rule} found the time for all rules of a text spent{took}, so its edits are left out; the text "
            "is whole; {do}",
            rule=late[0].rule,
            took=took,
            do=do,
        )
        yield _timeout(late[0].rule, message, document)
    elif late:
        message = Message(
            "{n} rules found the time for all rules of a text spent{took}, so their edits are left out: {rules}; the "
            "text is whole; {do}",
            n=len(late),
            took=took,
            rules=tuple(delta.rule for delta in late),
            do=do,
        )
        yield _timeout(late[0].rule, message, document)


def _edits(delta: Delta) -> Message:
    return Message("further edits are") if delta.applied else Message("edits are")


def _timeout(rule: str, message: str, document: Slimmed) -> Finding:
    return Finding(rule, "warning", message, document.path, Place(), fingerprint=f"{rule}#{document.path}")


def _remarks(document: Slimmed, *, thorough: bool) -> Iterable[Finding]:
    """Remarks of rules on a document; people are shown the first few of each rule."""
    totals = Counter(remark.rule for remark in document.remarks)
    seen: Counter[str] = Counter()
    for remark in document.remarks:
        seen[remark.rule] += 1
        if thorough or seen[remark.rule] <= LISTED:
            yield remark
        elif seen[remark.rule] == LISTED + 1:
            more = totals[remark.rule] - LISTED
            message = Message("{rule}: and {n:,} more; --format json has all", rule=remark.rule, n=more)
            yield Finding(remark.rule, remark.level, message, document.path, Place())


def missed(document: Slimmed, goal: Goal) -> Message:
    """The distance from a goal that is not met, for the model that is farthest from it."""
    before, after = document.result.tokens_before, document.result.tokens_after
    if goal.budget is not None and max(after) > goal.budget:
        return Message("over budget by {tokens} after all rules", tokens=tokens_text(max(after) - goal.budget))
    reached = min(share(old, new) for old, new in zip(before, after, strict=True))
    return Message(
        "saves {reached:.1%} of the tokens, not the {wanted:.4g}% wanted after all rules",
        reached=reached,
        wanted=(goal.target or 0) * 100,
    )


def _missed(document: Slimmed, run: SlimRun) -> tuple[Message, str, Place]:
    """The message, path and place of a goal that is not met."""
    what = "" if run.goal is None else missed(document, run.goal)
    reached = tuple(f"{document.result.tokens_after[model.column]:,} ({model.name})" for model in run.models)
    return Message("{what}: {reached}", what=what, reached=reached), document.path, Place()


def tokens_text(count: int) -> Message:
    """A number of tokens in words."""
    return counted(count, "1 token", "{n:,} tokens")
