"""The costs of a run: of each request and of all, for every model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tokaudit.model import ModelColumn
from tokaudit.model.prices import Cost, Costing, Price, Priced, Rate, Reason, priced
from tokaudit.model.record import record


@record
class Request:
    """A text that is sent as one request, with its tokens in the order of the tokenizers."""

    path: str
    now: Sequence[int] | None
    """None where it is gone."""
    before: Sequence[int] | None = None
    """None where it is new, or nothing is compared."""
    allowed: int | None = None
    """Tokens of output that it allows (``max_tokens``)."""


@record
class ModelCost:
    """What all requests of a run cost for a model."""

    model: ModelColumn
    now: Cost | None
    before: Cost | None
    """None where nothing is compared."""
    reason: Reason | None
    """The reason that there is no cost."""
    price: Price | None
    rate: Rate | None
    """That of the longest request."""
    requests: Sequence[Priced | None] = ()
    """Of each request as it is now; None where it is gone."""

    @property
    def saved(self) -> Cost | None:
        """Before minus now."""
        return None if self.now is None or self.before is None else self.before - self.now


@record
class RunCosts:
    """The costs of a run."""

    models: Sequence[ModelCost]
    requests: Sequence[Request]
    costing: Costing
    compared: bool
    """True where there are costs before too."""

    @property
    def sent(self) -> int:
        """Requests that there are now."""
        return sum(request.now is not None for request in self.requests)


def run_costs(
    requests: Sequence[Request],
    models: Sequence[ModelColumn],
    costing: Costing,
    *,
    compared: bool = False,
    incomparable: Collection[int] = (),
) -> RunCosts:
    """Price all requests of a run for all models.

    Args:
        requests: Each text, now and before.
        models: The columns of their tokens.
        costing: Prices, and tokens besides the input.
        compared: Price the texts before, too.
        incomparable: Columns whose tokens before are of another vocabulary.
    """
    found = [
        _of_model(model, requests, costing, compared=compared and model.column not in incomparable) for model in models
    ]
    return RunCosts(found, requests, costing, compared)


def _of_model(model: ModelColumn, requests: Sequence[Request], costing: Costing, *, compared: bool) -> ModelCost:
    sides: dict[str, list[Priced | None]] = {
        "now": [_priced(model, request.now, request, costing) for request in requests],
        "before": [_priced(model, request.before, request, costing) for request in requests] if compared else [],
    }
    found = [one for side in sides.values() for one in side if one is not None]
    reason = next((one.reason for one in found if one.reason is not None), None)
    longest = max(found, key=lambda one: one.usage.input, default=None)
    totals = {name: _sum(side) if reason is None else None for name, side in sides.items()}
    price = longest.price if longest else None
    nothing = Cost(costing.currency or price.currency) if price is not None and reason is None else None
    return ModelCost(
        model,
        totals["now"] or nothing,
        (totals["before"] or nothing) if compared else None,
        reason,
        price,
        longest.rate if longest else None,
        sides["now"],
    )


def _priced(model: ModelColumn, tokens: Sequence[int] | None, request: Request, costing: Costing) -> Priced | None:
    if tokens is None:
        return None
    return priced(model.name, costing.usage(tokens[model.column], request.allowed), costing)


def _sum(side: Sequence[Priced | None]) -> Cost | None:
    total: Cost | None = None
    for one in side:
        if one is not None and one.cost is not None:
            total = one.cost if total is None else total + one.cost
    return total


@record
class Place:
    """A model in the order of costs."""

    model: str
    cost: Cost
    ratio: float | None
    """To the cheapest one of the same currency; None where that costs nothing."""


def ranking(costs: RunCosts) -> list[list[Place]]:
    """The models from the cheapest on, apart for each currency; one list where all can be converted into one."""
    known = [(one.model.name, one.now) for one in costs.models if one.now is not None]
    for currency in dict.fromkeys(cost.currency for _, cost in known):
        same = [(name, costs.costing.in_one(cost, currency)) for name, cost in known]
        together = [(name, cost) for name, cost in same if cost is not None]
        if len(together) == len(known):
            return [_placed(together)]
    groups: dict[str, list[tuple[str, Cost]]] = {}
    for name, cost in known:
        groups.setdefault(cost.currency, []).append((name, cost))
    return [_placed(group) for group in groups.values()]


def _placed(group: Sequence[tuple[str, Cost]]) -> list[Place]:
    ordered = sorted(group, key=lambda item: item[1].total)
    least = ordered[0][1].total
    return [Place(name, cost, cost.total / least if least else None) for name, cost in ordered]
