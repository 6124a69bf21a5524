"""Tokens and money a month: of all files, and of a change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from tokaudit.features.check.figures import signed, unit
from tokaudit.features.check.types import FileRow, Monthly, Settings
from tokaudit.features.costs.money import money
from tokaudit.model import ModelColumn
from tokaudit.model.gates import Before
from tokaudit.model.message import Message
from tokaudit.model.message import counted as message_of
from tokaudit.model.prices import Cost, Costing, contract, price_key, price_on, priced


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
    if not sent:
        return {}
    gone = [] if before is None else [path for path in before.gone if path not in settings.unasked]
    found = {}
    for model in models:
        column = model.column
        now = [(row.file.tokens[column] or 0, requests) for row, requests in sent]
        was: list[tuple[int, int]] | None = None
        if before is not None and column not in before.incomparable:
            was = [(row.before.tokens[column] or 0, requests) for row, requests in sent if row.before is not None]
            removed = [(path, before.files[path]) for path in gone if path in before.files]
            was += [(file.tokens[column] or 0, requests_of(path, settings) or 0) for path, file in removed]
        found[model.name] = _monthly(model, now, was, settings)
    return found


def _monthly(
    model: ModelColumn, now: Sequence[tuple[int, int]], was: Sequence[tuple[int, int]] | None, settings: Settings
) -> Monthly:
    """What texts of so many tokens cost a month, with their requests, and the change."""
    tokens = sum(size * requests for size, requests in now)
    delta = None if was is None else tokens - sum(size * requests for size, requests in was)
    costing = costing_of(settings, [model])
    cost = _total(model, now, costing)
    before = None if was is None else _total(model, was, costing) or (cost and Cost(cost.currency))
    more = None if cost is None or before is None else cost - before
    return Monthly(tokens, delta, price_of(settings, model), cost, more)


def _total(model: ModelColumn, sent: Sequence[tuple[int, int]], costing: Costing) -> Cost | None:
    total: Cost | None = None
    for size, requests in sent:
        cost = priced(model.name, costing.usage(size), costing).cost
        if cost is None:
            return None
        total = cost.times(requests) if total is None else total + cost.times(requests)
    return total


def costing_of(settings: Settings, models: Sequence[ModelColumn]) -> Costing:
    """The prices that were asked for, or else those of the configuration alone, of input."""
    asked = settings.costing
    if asked is not None:
        return asked
    return Costing(
        prices={
            model.name: [contract(key, settings.prices[key], settings.currency, date.min, "configuration")]
            for model in models
            if (key := price_key((model.name, model.ref.name), settings.prices)) is not None
        },
        day=date.min,
    )


def price_of(settings: Settings, model: ModelColumn) -> Cost | None:
    """The price of a million tokens of input."""
    costing = costing_of(settings, [model])
    price = price_on(costing.prices.get(model.name, ()), costing.day)
    rate = None if price is None else price.rate(0, costing.context, costing.at)
    if price is None or rate is None:
        return None
    return costing.in_one(Cost(price.currency, fresh=rate.rates.fresh * 1_000_000), costing.currency)


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
        money=money(round(Fraction(delta * requests * price.total, 1_000_000)), price.currency),
        at=at,
    )
