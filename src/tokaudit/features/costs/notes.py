"""The lines below a table of costs: the ranking, what has no price, and what the figures rest on."""

from __future__ import annotations

from collections.abc import Iterator

from tokaudit.features.costs.evaluate import ModelCost, RunCosts, ranking
from tokaudit.model.message import Message
from tokaudit.model.prices import MONTH_DAYS, OLD_AFTER, STANDARD, Reason

_SHOWN_FROM = 1.05
"""Ratio from which on a difference of costs is worth a number."""


def cost_notes(costs: RunCosts) -> list[str]:
    """All notes, the answer first."""
    return [*_ranks(costs), *_unpriced(costs), *_terms(costs), *_prices(costs)]


def _ranks(costs: RunCosts) -> Iterator[str]:
    groups = [] if costs.compared else [group for group in ranking(costs) if group]
    for group in groups:
        least, most = group[0], group[-1]
        if len(group) < 2 or most.ratio is None:
            continue
        if most.ratio < _SHOWN_FROM:
            yield Message("{names}: about the same cost", names=tuple(place.model for place in group))
            continue
        ratio = f"{most.ratio:.1f}" if most.ratio < 100 else f"{most.ratio:,.0f}"
        yield Message(
            "the same prompt is {ratio} times dearer on {most} than on {least}",
            ratio=ratio, most=most.model, least=least.model,
        )  # fmt: skip
    if len(groups) > 1:
        names = tuple(group[0].cost.currency for group in groups)
        pair = f"{names[1]}/{names[0]}"
        yield Message("{currencies} are not compared without a rate: --rate {pair}=N", currencies=names, pair=pair)


_REASONS: dict[Reason, Message] = {
    "no-price": Message("no price known; --prices FILE gives one"),
    "not-yet": Message("no price known for that day"),
    "no-context": Message("no price known for this service"),
    "no-output": Message("no price known for its output"),
    "no-rate": Message("no exchange rate into the currency; --rate gives one"),
}


def _unpriced(costs: RunCosts) -> Iterator[str]:
    for reason, why in _REASONS.items():
        names = tuple(one.model.name for one in costs.models if one.reason == reason)
        if names:
            yield Message("unpriced: {names}: {reason}", names=names, reason=why)


def _terms(costs: RunCosts) -> Iterator[str]:
    """What was priced besides the input, in which service, how often."""
    costing = costs.costing
    known = [one for one in costs.models if one.now is not None]
    if not known:
        return
    if costing.context != STANDARD:
        yield Message("prices of the service {context}", context=costing.context)
    if all(one.now is not None and not one.now.output for one in known):
        yield Message("input alone; --output-tokens N adds the answer")
    if costing.per_day:
        yield Message(
            "{n} days: {requests:,} requests a day", n=MONTH_DAYS, requests=costing.per_day * max(1, costs.sent)
        )
    used = {one.price.currency for one in known if one.price} | {one.now.currency for one in known if one.now}
    for (currency, other), rate in costing.exchange.items():
        if rate >= 1 and {currency, other} <= used | {costing.currency}:
            yield Message("1 {other} = {rate:g} {currency}", other=other, rate=float(rate), currency=currency)


def _prices(costs: RunCosts) -> Iterator[str]:
    """What to know about single prices."""
    costing = costs.costing
    for one in costs.models:
        if one.now is None or one.price is None or one.rate is None:
            continue
        if one.rate.tier_from_input:
            tier = one.rate.tier_from_input
            yield Message("{model}: price of inputs from {tier:,} tokens on", model=one.model.name, tier=tier)
        yield from _hours(one, costs)
        if costing.cached.of(100) and one.rate.rates.read is None:
            yield Message("{model}: no price of cached input known; it costs as fresh one", model=one.model.name)
        if one.price.note:
            yield Message("{model}: {note}", model=one.model.name, note=one.price.note)
    old = tuple(one.model.name for one in costs.models if one.now and one.price and one.price.is_old(costing.day))
    if old:
        yield Message("prices checked more than {days} days before: {names}", days=OLD_AFTER, names=old)


def _hours(one: ModelCost, costs: RunCosts) -> Iterator[str]:
    price, rate, costing = one.price, one.rate, costs.costing
    if price is None or rate is None or price.window is None:
        return
    if rate.peak:
        yield Message("{model}: peak hours, {hours}", model=one.model.name, hours=price.window.text)
        return
    peak = next((other for other in price.rates if other.peak and other.context == rate.context), None)
    if peak is not None and costing.at is None:
        times = f"{peak.rates.fresh / rate.rates.fresh:g}" if rate.rates.fresh else "?"
        yield Message(
            "{model}: outside peak hours; {hours} costs {times} times as much (--at TIME)",
            model=one.model.name, hours=price.window.text, times=times,
        )  # fmt: skip
