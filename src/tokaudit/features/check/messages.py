"""The sentences of limits that are broken, or nearly: figure and limit, where it came from, what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.check.costs import cost_text
from tokaudit.features.check.figures import (
    change_of,
    counted,
    growth_text,
    percent,
    quoted,
    shell,
    shortened,
    signed,
    unit,
)
from tokaudit.features.check.parts import within
from tokaudit.features.check.types import Cause, FileRow, Gate, Settings
from tokaudit.model import ModelColumn
from tokaudit.model.gates import Before, Growth
from tokaudit.model.message import Message, joined

_ALL = Growth(millionths=1_000_000)


def needs_causes(gate: Gate) -> bool:
    """True for a gate whose message names the lines that its file grew by, where they are known."""
    row = gate.target.row
    if gate.level == "passed" or gate.rule not in {"max-tokens", "max-growth"} or _delta(gate) <= 0:
        return False
    if row.before is None:
        return False
    now, was = row.file.tokens[gate.model.column], row.before.tokens[gate.model.column]
    return now is not None and was is not None and (now > was or bool(gate.target.parts))


def worded(gate: Gate, causes: Sequence[Cause], before: Before | None, settings: Settings) -> Gate:
    """A gate that did not pass with its message, and with the line that it stands at.

    Args:
        gate: As it was judged.
        causes: The lines that changed in its file, as far as they are known.
        before: The reference.
        settings: For notes and prices.
    """
    note = settings.budgets[gate.budget].note if gate.budget is not None else ""
    if gate.rule == "slim":
        return replace(gate, message=_over_slim(gate))
    if gate.rule == "max-density":
        return replace(gate, message=_over_density(gate, note))
    if gate.rule == "window":
        share = settings.budgets[gate.budget].window if gate.budget is not None else None
        return replace(gate, message=_over_window(gate, share or 0.0, note))
    sentence, since = _over_growth(gate, note), ""
    if gate.rule == "max-tokens":
        sentence, since = (
            _over_tokens(gate, note),
            Message(" since {name}", name=before.name) if before is not None else "",
        )
    if _delta(gate) <= 0:
        return replace(gate, message=sentence, line=gate.target.line)
    # A warning is allowed, whatever it costs; a group has no number of requests.
    requests = None if gate.is_total or gate.level == "warning" else gate.target.row.requests
    cost = cost_text(_delta(gate), requests, gate.model, settings, since=since)
    where, line = _where(gate, causes) if needs_causes(gate) else ("", None)
    message = joined("; ", sentence, cost, where)
    return replace(gate, message=message, line=gate.target.line if line is None else line)


def _delta(gate: Gate) -> int:
    return 0 if gate.before is None else int(gate.measured) - gate.before


def _where(gate: Gate, causes: Sequence[Cause]) -> tuple[str, int | None]:
    """The place of most of a file's growth, in words, and its line."""
    target, row = gate.target, gate.target.row
    if target.parts:
        inside = within(causes, row.file, {part.line for part in target.parts})
        return _most(replace(row, parts=()), inside, _delta(gate), gate.model)
    now, was = row.file.tokens[gate.model.column], None if row.before is None else row.before.tokens[gate.model.column]
    growth = (now or 0) - (was or 0)
    where, line = _most(row, causes, growth, gate.model)
    if target.group:
        largest = Message("most in {path} ({change})", path=row.file.path, change=signed(growth, gate.model))
        where = joined(", ", largest, where)
    return where, line


def _most(row: FileRow, causes: Sequence[Cause], delta: int, model: ModelColumn) -> tuple[str, int | None]:
    """The part or line with most of a file's growth, in words, and its line; empty where neither is known."""
    column = model.column
    parts = [part for part in row.parts if (part.delta(column) or 0) > 0]
    part = max(parts, key=lambda part: part.delta(column) or 0, default=None)
    grown = [cause for cause in causes if cause.deltas[column] > 0]
    if part is not None:
        inside = within(grown, row.file, {part.line})
        cause = max(inside, key=lambda cause: cause.deltas[column], default=None)
        line = cause.line if cause is not None else part.line
        share = part.delta(column) or 0
        where = Message(" at line {line}", line=line) if line is not None else ""
        if share == delta and len(parts) == 1:
            return Message("all in {label}{where}", label=quoted(part.label), where=where), line
        return Message(
            "most in {label} ({change}){where}", label=quoted(part.label), change=signed(share, model), where=where
        ), line
    cause = max(grown, key=lambda cause: cause.deltas[column], default=None)
    if cause is None:
        return "", None
    share = cause.deltas[column]
    amount = (
        Message("all")
        if share == delta and len(grown) == 1
        else Message("most ({change})", change=signed(share, model))
    )
    return Message(
        "{amount} at line {line}: {text}", amount=amount, line=cause.line, text=shortened(cause.text)
    ), cause.line


def _has(gate: Gate, figure: str) -> str:
    """``"## Rules" has 300 tokens for gpt-4o``; without a subject the figure alone."""
    have = Message("{figure} for {model}", figure=figure, model=gate.model.name)
    subject = gate.target.subject
    if not subject:
        return have
    template = "{subject} have {have}" if gate.files > 1 else "{subject} has {have}"
    return Message(template, subject=subject, have=have)


def _over_tokens(gate: Gate, note: str) -> str:
    now, limit = int(gate.measured), int(gate.limit)
    have = _has(gate, Message("{count} {unit}", count=counted(now, gate.model), unit=unit(now)))
    suffix = Message(" ({note})", note=note) if note else ""
    if gate.level == "warning":
        share = percent(now, limit, _ALL) if limit else "100%"
        rest = (
            Message("{rest:,} {unit} left", rest=limit - now, unit=unit(limit - now))
            if now < limit
            else Message("nothing left")
        )
        return Message(
            "{have}, {share} of the budget of {limit:,}, {rest}{suffix}",
            have=have,
            share=share,
            limit=limit,
            rest=rest,
            suffix=suffix,
        )
    return Message(
        "{have}, over the budget of {limit:,} by {more:,}{suffix}",
        have=have,
        limit=limit,
        more=now - limit,
        suffix=suffix,
    )


def _over_growth(gate: Gate, note: str) -> str:
    before, now, model = gate.before or 0, int(gate.measured), gate.model
    subject = gate.target.subject
    grew = Message("{subject} grew", subject=subject) if subject else Message("grew")
    change = change_of(before, now, model, gate.allowed)
    counts = Message(
        "from {before} to {now} {unit} for {model}",
        before=counted(before, model),
        now=counted(now, model),
        unit=unit(now),
        model=model.name,
    )
    return Message(
        "{grew} {counts}: {change}, allowed {allowed}{note}",
        grew=grew,
        counts=counts,
        change=change,
        allowed=growth_text(gate.allowed),
        note=Message(" ({note})", note=note) if note else "",
    )


def _over_density(gate: Gate, note: str) -> str:
    measured, limit = gate.exact
    have = _has(gate, Message("{density} tokens a character", density=gate.model.marked(str(measured))))
    return Message(
        "{have}, over the density of {limit}{note}",
        have=have,
        limit=limit,
        note=Message(" ({note})", note=note) if note else "",
    )


def _over_window(gate: Gate, share: float, note: str) -> str:
    window, reserve = gate.exact
    now = int(gate.measured)
    limit = Message("{share} of the window of {window}", share=f"{share * 100:.6g}%", window=window)
    return Message(
        "{count} {unit} for {model}{reserved}, over {limit} by {more:,}{note}",
        count=counted(now, gate.model),
        unit=unit(now),
        model=gate.model.name,
        reserved=Message(", {reserve} of them for the answer", reserve=reserve) if reserve else "",
        limit=limit if share <= 1 else Message("the limit of {limit:,}", limit=int(share)),
        more=now - int(gate.limit),
        note=Message(" ({note})", note=note) if note else "",
    )


def _over_slim(gate: Gate) -> str:
    tokens, saved = gate.target.tokens[gate.model.column] or 0, int(gate.measured)
    share = f" ({percent(saved, tokens, gate.allowed)})" if tokens else ""
    count = Message(
        "{saved} of {tokens} {unit} for {model}",
        saved=counted(saved, gate.model),
        tokens=counted(tokens, gate.model),
        unit=unit(tokens),
        model=gate.model.name,
    )
    remedy = f"`tokaudit slim --rules {gate.what} --write {shell(gate.path)}`"
    return Message(
        "the pack {pack} would save {count}{share}, allowed {allowed}; {remedy} does it",
        pack=gate.what,
        count=count,
        share=share,
        allowed=growth_text(gate.allowed),
        remedy=remedy,
    )
