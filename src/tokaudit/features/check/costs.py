"""Tokens and money a month: of all files, and of a change."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

from tokaudit.features.check.figures import signed, unit
from tokaudit.features.check.types import FileRow, Monthly, Settings
from tokaudit.model import ModelColumn
from tokaudit.model.gates import ANY_MODEL, Before
from tokaudit.model.message import Message
from tokaudit.model.message import counted as message_of

_LARGEST = 20
"""Digits of an amount of money from which on it is no real one, and is shown by its size."""


def requests_of(path: str, settings: Settings) -> int | None:
    """Requests a month with a file: of the first budget that says so, else of the setting for all files."""
    for budget, scope in zip(settings.budgets, settings.scopes, strict=True):
        if budget.requests_per_month is not None and path in scope.paths:
            return budget.requests_per_month
    return settings.requests_per_month


def monthly_of(
    rows: Sequence[FileRow], before: Before | None, models: Sequence[ModelColumn], settings: Settings
) -> dict[str, Monthly]:
    """Tokens a month of each model, over all files whose requests are known; empty where there is none."""
    sent = [(row, row.requests) for row in rows if row.requests is not None]
    gone = [] if before is None else [path for path in before.gone if path not in settings.unasked]
    if not sent:
        return {}
    found = {}
    for model in models:
        column = model.column
        now = sum((row.file.tokens[column] or 0) * requests for row, requests in sent)
        delta: int | None = None
        if before is not None and column not in before.incomparable:
            was = sum(requests * (row.before.tokens[column] or 0) for row, requests in sent if row.before is not None)
            removed = [(path, before.files[path]) for path in gone if path in before.files]
            was += sum((file.tokens[column] or 0) * (requests_of(path, settings) or 0) for path, file in removed)
            delta = now - was
        found[model.name] = Monthly(now, delta, price_of(settings, model))
    return found


def price_of(settings: Settings, model: ModelColumn) -> Decimal | None:
    """The price of a million prompt tokens, exactly as written: of the model, of its tokenizer, or of any model."""
    for key in (model.name, model.ref.name, ANY_MODEL):
        if key in settings.prices:
            return Decimal(repr(settings.prices[key]))
    return None


def money(amount: Decimal, currency: str) -> str:
    """A signed amount: in hundredths, or with two digits that count where there are no hundredths in it."""
    if amount.adjusted() >= _LARGEST:
        return f"{amount:+.2e} {currency}"
    cents = amount.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    if amount and not cents:
        fine = amount.quantize(Decimal(1).scaleb(amount.adjusted() - 1), ROUND_HALF_EVEN)
        return f"{fine:+f} {currency}"
    return f"{cents:+,.2f} {currency}" if cents else f"{abs(cents):,.2f} {currency}"


def cost_text(delta: int, requests: int | None, model: ModelColumn, settings: Settings, *, since: str = "") -> str:
    """A difference with its cost a month; without known traffic only with ``since``, or nothing."""
    change = Message("{change} {unit}{since}", change=signed(delta, model), unit=unit(delta), since=since)
    if not requests or not delta:
        return change if since else ""
    at = message_of(requests, "at 1 request", "at {n:,} requests")
    price = price_of(settings, model)
    if price is None:
        return Message(
            "{change} = {tokens} tokens a month {at}", change=change, tokens=signed(delta * requests, model), at=at
        )
    return Message(
        "{change} = about {money} a month {at}",
        change=change,
        money=money(delta * requests * price / 1000000, settings.currency),
        at=at,
    )
