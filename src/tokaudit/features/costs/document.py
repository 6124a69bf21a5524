"""Costs in the document of ``--format json``; the numbers are those nearest to the exact amounts."""

from __future__ import annotations

from typing import Any

from tokaudit.features.costs.evaluate import ModelCost, RunCosts, ranking
from tokaudit.model.prices import MONTH_DAYS, Cost, Costing, Part, Price, Priced, Rate, decimal_of


def cost_data(costs: RunCosts) -> dict[str, Any]:
    """The field ``costs`` of a document."""
    costing = costs.costing
    return {
        "day": costing.day.isoformat(),
        "at": None if costing.at is None else costing.at.isoformat(),
        "context": costing.context,
        "cached_tokens": _part(costing.cached),
        "written_tokens": _part(costing.written),
        "output_tokens": costing.output,
        "requests_per_day": costing.per_day,
        "days_per_month": MONTH_DAYS,
        "currency": costing.currency or None,
        "exchange": {f"{pair[0]}/{pair[1]}": float(rate) for pair, rate in costing.exchange.items()},
        "models": {one.model.name: _model(one, costing) for one in costs.models},
        "ranking": [
            [{"model": place.model, **amounts(place.cost), "ratio": place.ratio} for place in group]
            for group in ranking(costs)
        ],
        "unpriced": [one.model.name for one in costs.models if one.reason is not None],
        "documents": [
            {"path": request.path, "costs": {one.model.name: _request(one.requests[at]) for one in costs.models}}
            for at, request in enumerate(costs.requests)
        ],
    }


def _part(part: Part) -> int | float | None:
    return part.tokens if part.share is None else float(part.share)


def amounts(cost: Cost | None) -> dict[str, Any]:
    """A cost by what it is for."""
    names = ("fresh", "cached", "written", "output", "total")
    if cost is None:
        return {"currency": None, **dict.fromkeys(names)}
    return {"currency": cost.currency, **{name: _number(getattr(cost, name)) for name in names}}


def _number(amount: int) -> float:
    return float(decimal_of(amount))


def _model(one: ModelCost, costing: Costing) -> dict[str, Any]:
    saved, per_day = one.saved, costing.per_day
    month = one.now.times(per_day * MONTH_DAYS) if one.now is not None and per_day else None
    return {
        **amounts(one.now),
        "month": None if month is None else _number(month.total),
        "before": None if one.before is None else _number(one.before.total),
        "saved": None if saved is None else _number(saved.total),
        "saved_month": _number(saved.times(per_day * MONTH_DAYS).total) if saved is not None and per_day else None,
        "reason": one.reason,
        "price": None if one.price is None else price_data(one.price, costing, one.rate),
    }


def price_data(price: Price, costing: Costing, rate: Rate | None) -> dict[str, Any]:
    """A price with where it comes from, and the rates that were taken, of a million tokens."""
    return {
        "provider": price.provider or None,
        "model": price.model,
        "currency": price.currency,
        "valid_from": price.valid_from or None,
        "checked_on": price.checked_on,
        "old": price.is_old(costing.day),
        "source": price.source,
        "note": price.note or None,
        "rates": None if rate is None else rate_data(rate),
    }


def rate_data(rate: Rate) -> dict[str, Any]:
    """Rates of a million tokens, and when they hold."""
    rates = {name: getattr(rate.rates, name) for name in ("fresh", "read", "write_5m", "write_1h", "out")}
    million = {name: None if value is None else _number(value * 1_000_000) for name, value in rates.items()}
    return {"context": rate.context, "tier_from_input": rate.tier_from_input, "peak": rate.peak, **million}


def _request(one: Priced | None) -> dict[str, Any] | None:
    if one is None:
        return None
    usage = one.usage
    tokens = {"input": usage.input, "read": usage.read, "written": usage.written, "output": usage.output}
    return {**amounts(one.cost), "tokens": tokens}
