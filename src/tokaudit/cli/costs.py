"""Options about costs, which every command that counts has, and the costs of its texts."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import TYPE_CHECKING

from tokaudit.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokaudit.jobs.costs import CostOptions


def asked_costs(
    *,
    cost: bool,
    prices: str | None,
    output_tokens: int | None,
    cached_tokens: str | None,
    written_tokens: str | None,
    service: str | None,
    per_day: int | None,
    currency: str | None,
    rate: "Sequence[str] | None",
    at: str | None,
) -> "CostOptions | None":
    """The options about costs; None where no cost is asked for. Any of them asks for it.

    Raises:
        ConfigError: The file of contract prices cannot be read or is wrong.
        UsageError: One of them means nothing.
    """
    given = (prices, output_tokens, cached_tokens, written_tokens, service, per_day, currency, rate or None, at)
    if not cost and all(option is None for option in given):
        return None
    from datetime import date

    from tokaudit.jobs.costs import cost_options

    if prices == "":
        raise UsageError("--prices names no file", hint="give a file as in docs/costs.md")
    return cost_options(
        today=date.today(),  # noqa: DTZ011 - the user's own day
        at=at or "",
        context=service or "",
        cached=cached_tokens or "",
        written=written_tokens or "",
        output=output_tokens,
        per_day=per_day,
        currency=currency or "",
        exchange=rate or (),
        file=prices or "",
    )


def options_of_prices(at: "str | None") -> "CostOptions":
    """The day of a list of prices. Raises ``UsageError`` for what is none."""
    from datetime import date

    from tokaudit.jobs.costs import cost_options

    return cost_options(today=date.today(), at=at or "")  # noqa: DTZ011 - the user's own day
