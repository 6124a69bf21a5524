"""The way to make a request fit: which turns and passages go, in the order in which they are missed least."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tokaudit.features.fit.types import Dropped, Goal, Measure, Measured, Plan
from tokaudit.features.passages import Choice, Removal
from tokaudit.features.turns import cuts_of, slot_of, turns_of, with_slots
from tokaudit.model import InputError
from tokaudit.model.message import Message, joined
from tokaudit.model.request import Content, Request, RequestMessage

_HEAD = 80
"""Characters of the first words of what is dropped."""
_TAG = re.compile(r"</?[\w-]+[^<>]*>")


def plan_of(
    request: Request, measure: Measure, goal: Goal, slots: Mapping[str, str], *, what: str, role: str = ""
) -> Plan:
    """The plan by which a request has at most ``goal.budget`` tokens.

    Near-duplicate passages go first, and those beyond ``goal.top_k``; then whole turns from the oldest one on, as few
    as will do. The system prompt, examples, slots and the last ``goal.keep_last`` turns stay. The plan of what
    remains drops nothing: fitting twice is fitting once.

    Args:
        request: As it was read.
        measure: Counts a request.
        goal: The budget, and what stays.
        slots: Texts of ``summary`` and ``facts``.
        role: Of new slots; empty for the one of the form.
        what: Path, and line where there are several requests, for errors.

    Raises:
        InputError: Without all turns that may go it is still over the budget; the hint says what would have to go.
    """
    filled = with_slots(request, slots, role)
    turns = turns_of(filled)
    before = measure(request)
    whole = measure(filled) if slots else before
    fitter = _Fitter(filled, turns, measure, goal)
    cuts = cuts_of(filled, turns)
    allowed = [cut for cut in cuts if cut <= max(turns, default=0) - goal.keep_last or cut == 0]
    found = fitter.least(allowed, whole)
    if found is None:
        raise _too_large(fitter, allowed[-1], cuts, what)
    gone, removals, fitted, after = found
    dropped = _dropped(filled, turns, gone, removals, whole, measure)
    return Plan(
        request,
        filled,
        gone,
        removals,
        turns,
        before,
        after=after,
        fitted=fitted,
        dropped=dropped,
    )


_Found = tuple[frozenset[int], Sequence[Removal], Request, Measured]


class _Fitter:
    """Tries cuts of one request."""

    def __init__(self, request: Request, turns: Sequence[int], measure: Measure, goal: Goal) -> None:
        self.request = request
        self.turns = turns
        self.measure = measure
        self.goal = goal
        self.choice = Choice(request, goal.top_k)

    def cut(self, oldest: int) -> _Found:
        """The request without its ``oldest`` turns, and without passages that need not stand in the rest."""
        gone = frozenset(at for at, turn in enumerate(self.turns) if 0 < turn <= oldest)
        removals = self.choice.removals(gone)
        fitted = without(self.request, gone, removals) if gone or removals else self.request
        return gone, removals, fitted, self.measure(fitted)

    def least(self, cuts: Sequence[int], whole: Measured) -> _Found | None:
        """The first of some cuts, in their order, that fits; None where none does.

        Only a few are counted: the figures of the messages tell about where it is.
        """
        sums = dict.fromkeys(cuts, whole.total)
        for cut in cuts:
            sums[cut] -= sum(tokens for turn, tokens in zip(self.turns, whole.messages, strict=True) if 0 < turn <= cut)
        at = next((index for index, cut in enumerate(cuts) if sums[cut] <= self.goal.budget), len(cuts) - 1)
        found = self.cut(cuts[at])
        if found[3].total > self.goal.budget:
            while found[3].total > self.goal.budget and at + 1 < len(cuts):
                at += 1
                found = self.cut(cuts[at])
            return found if found[3].total <= self.goal.budget else None
        while at:  # passages that go may spare a turn
            earlier = self.cut(cuts[at - 1])
            if earlier[3].total > self.goal.budget:
                break
            at, found = at - 1, earlier
        return found


def without(request: Request, gone: frozenset[int], removals: Sequence[Removal]) -> Request:
    """The request without some messages and passages."""
    by_message: dict[int, list[Removal]] = {}
    for removal in removals:
        by_message.setdefault(removal.message, []).append(removal)
    messages = [
        replace(message, contents=_thinned(message, by_message[at])) if at in by_message else message
        for at, message in enumerate(request.messages)
        if at not in gone
    ]
    return replace(request, messages=messages)


def _thinned(message: RequestMessage, removals: Sequence[Removal]) -> list[Content]:
    contents = []
    for number, content in enumerate(message.contents):
        mine = [removal for removal in removals if removal.content == number]
        if any(removal.whole for removal in mine):
            continue
        text = content.text
        for removal in reversed(mine):
            text = text[: removal.start] + text[removal.end :]
        contents.append(replace(content, text=text))
    return contents


def _dropped(
    request: Request,
    turns: Sequence[int],
    gone: frozenset[int],
    removals: Sequence[Removal],
    whole: Measured,
    measure: Measure,
) -> list[Dropped]:
    """The list of what goes, in the order of the conversation. A passage has the tokens of a message of its own."""
    rows = []
    for at in sorted(gone):
        message = request.messages[at]
        rows.append(
            (at, Dropped(turns[at], message.role, whole.messages[at], _head(message), "old-turn", message.path))
        )
    for removal in removals:
        message = request.messages[removal.message]
        content = message.contents[removal.content]
        text = content.text[removal.start : removal.end]
        alone = replace(request, messages=[replace(message, contents=[Content("text", text, content.path)])])
        tokens = measure(alone).messages[0]
        turn = turns[removal.message]
        rows.append(
            (
                removal.message,
                Dropped(turn, message.role, tokens, _short(_TAG.sub(" ", text)), removal.reason, content.path),
            )
        )
    return [row for _, row in sorted(rows, key=lambda item: item[0])]


def _head(message: RequestMessage) -> str:
    """The first words of a message; of calls the names of the tools."""
    said = " ".join(
        f"{content.name}({content.text})" if content.kind == "call" else content.text for content in message.contents
    )
    return _short(said)


def _short(text: str) -> str:
    words = " ".join(text[: _HEAD * 4].split())
    return words if len(words) <= _HEAD else words[: _HEAD - 1] + "…"


def _too_large(fitter: _Fitter, oldest: int, cuts: Sequence[int], what: str) -> InputError:
    """The error for a request that does not fit, and what would have to go."""
    *_, fitted, after = fitter.cut(oldest)
    over = after.total - fitter.goal.budget
    last = max(fitter.turns, default=0)
    kept = last - oldest
    reason = Message(
        "{tokens:,} tokens are left with {turns}, {over:,} over the budget of {budget:,}",
        tokens=after.total,
        turns=Message("the last turn") if kept == 1 else Message("the last {n:,} turns", n=kept),
        over=over,
        budget=fitter.goal.budget,
    )
    for cut in cuts:
        if oldest < cut < last and (found := fitter.cut(cut))[3].total <= fitter.goal.budget:
            hint = Message("--keep-last {n} fits: {tokens:,} tokens", n=last - cut, tokens=found[3].total)
            return InputError(reason, what=what, code="too-large", hint=hint)
    return InputError(reason, what=what, code="too-large", hint=_parts(fitted, after))


def _parts(fitted: Request, after: Measured) -> str:
    """What the tokens of a request that is still too large are of, the largest part first."""
    kept = turns_of(fitted)
    parts: dict[str, int] = {"tools and framing": after.rest}
    for turn, message, tokens in zip(kept, fitted.messages, after.messages, strict=True):
        slot = slot_of(message)
        if not turn:
            name = slot or "system prompt and examples"
        else:
            name = "the last turn" if turn == max(kept) else "earlier turns"
        parts[name] = parts.get(name, 0) + tokens
    listed = [
        Message("{what} {tokens:,}", what=Message(name), tokens=tokens)
        for name, tokens in sorted(parts.items(), key=lambda item: -item[1])
        if tokens > 0
    ]
    return Message("shorten one of its parts: {parts}", parts=joined(", ", *listed))
