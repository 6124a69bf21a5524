"""Prices of models and exact amounts of money; amounts of two currencies are never added.

An amount is a whole number of the smallest fraction of a currency that is kept (``PLACES`` decimal places). A price of
a million tokens with up to twelve decimal places is a whole number of them for one token, so prices and any number of
tokens are multiplied and added without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from tokaudit.model.gates import ANY_MODEL
from tokaudit.model.record import record

PLACES = 18
"""Decimal places of an amount."""
CONTEXTS = ("standard", "batch", "flex", "priority", "thinking")
"""Services of vendors that have prices of their own; ``thinking`` is for models that price its output apart."""
STANDARD = CONTEXTS[0]
OLD_AFTER = 180
"""Days after which a price is marked as old."""
MONTH_DAYS = 30
"""Days of a month in ``--per-day``."""
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Reason = Literal["no-price", "not-yet", "no-context", "no-output", "no-rate"]


@record
class Rates:
    """Prices of one token, as amounts."""

    fresh: int
    """Of input that is neither read from the cache nor written to it."""
    read: int | None = None
    """Of input read from the cache; None where no price is known, and it costs what fresh input does."""
    write_5m: int | None = None
    """Of input written to the cache; None as for ``read``: most vendors bill it as fresh input."""
    write_1h: int | None = None
    """The same, to be kept for an hour."""
    out: int | None = None
    """Of output; None where no price is known."""


@record
class Rate:
    """The rates of a model under certain conditions."""

    rates: Rates
    tier_from_input: int = 0
    """Tokens of the whole input, cached ones included, from which on the whole request has these rates."""
    context: str = STANDARD
    peak: bool = False
    """Only within the ``Window`` of the price."""


@record
class Window:
    """Hours of the week with other prices, in the vendor's own time."""

    days: frozenset[int]
    """0 for Monday."""
    hours: tuple[tuple[int, int], ...]
    """Begin and end, in minutes of the day; half-open."""
    utc_offset: int
    """Minutes east of UTC."""
    excluded: frozenset[str] = frozenset()
    """Days without such hours, as ``YYYY-MM-DD``."""

    def holds(self, at: datetime) -> bool:
        """True if a time is within these hours; one without a zone is the vendor's own."""
        zone = timezone(timedelta(minutes=self.utc_offset))
        try:
            there = at.astimezone(zone) if at.tzinfo is not None else at
        except OverflowError:  # there is no such day there
            return False
        minute = there.hour * 60 + there.minute
        of_day = there.weekday() in self.days and there.date().isoformat() not in self.excluded
        return of_day and any(begin <= minute < end for begin, end in self.hours)

    @property
    def text(self) -> str:
        """``mon-fri 09:00-12:00, 14:00-18:00 (UTC+08:00)``."""
        days = [DAYS[day] for day in sorted(self.days)]
        row = sorted(self.days) == list(range(min(self.days), max(self.days) + 1))
        named = f"{days[0]}-{days[-1]}" if row and len(days) > 2 else ", ".join(days)
        hours = ", ".join(f"{_clock(begin)}-{_clock(end)}" for begin, end in self.hours)
        sign = "-" if self.utc_offset < 0 else "+"
        return f"{named} {hours} (UTC{sign}{_clock(abs(self.utc_offset))})"


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


@record
class Price:
    """What a model costs from one day on."""

    provider: str
    model: str
    currency: str
    """Of the vendor's bill."""
    rates: tuple[Rate, ...]
    source: str
    checked_on: str
    """``YYYY-MM-DD``, as all dates here."""
    aliases: tuple[str, ...] = ()
    valid_from: str = ""
    """Empty for as far back as is known."""
    window: Window | None = None
    note: str = ""

    def is_old(self, day: date) -> bool:
        """True if it was checked too long before a day (``OLD_AFTER``)."""
        return (day - date.fromisoformat(self.checked_on)).days > OLD_AFTER

    def rate(self, tokens: int, context: str = STANDARD, at: datetime | None = None) -> Rate | None:
        """The rates of a request.

        Args:
            tokens: Its whole input; that alone decides the tier, and for all of the request.
            context: The service.
            at: Its time; None for one outside the peak hours.

        Returns:
            None where the service has no known price.
        """
        peak = self.window is not None and at is not None and self.window.holds(at)
        found = [rate for rate in self.rates if rate.context == context and rate.tier_from_input <= tokens]
        found = [rate for rate in found if rate.peak == peak] or [rate for rate in found if not rate.peak]
        return max(found, key=lambda rate: rate.tier_from_input, default=None)


def price_on(prices: Sequence[Price], day: date) -> Price | None:
    """The price of a model that holds on a day; of two that begin together, the later one in the list."""
    begun = [price for price in prices if not price.valid_from or price.valid_from <= day.isoformat()]
    return max(reversed(begun), key=lambda price: price.valid_from, default=None)


@record
class Usage:
    """Tokens of one request. The parts of the input are disjoint; what is left of it is fresh.

    Raises:
        ValueError: A number is negative, or the parts are more than the input.
    """

    input: int
    read: int = 0
    written: int = 0
    written_1h: int = 0
    output: int = 0

    def __post_init__(self) -> None:
        if min(self.fresh, self.read, self.written, self.written_1h, self.output) < 0:
            raise ValueError(self)

    @property
    def fresh(self) -> int:
        """Input that is billed in full."""
        return self.input - self.read - self.written - self.written_1h


@record
class Cost:
    """Amounts of one currency, exact and by what they are for."""

    currency: str
    fresh: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """The sum of the parts."""
        return sum(self._parts)

    @property
    def _parts(self) -> tuple[int, ...]:
        return self.fresh, self.cached, self.written, self.output

    def __add__(self, other: Cost) -> Cost:
        """The sum of two costs. Raises ``ValueError`` for those of two currencies."""
        if self.currency != other.currency:
            raise ValueError(self.currency, other.currency)
        return Cost(self.currency, *map(sum, zip(self._parts, other._parts, strict=True)))

    def times(self, number: int) -> Cost:
        """So many of it; -1 for its negative."""
        return Cost(self.currency, *(part * number for part in self._parts))

    def __sub__(self, other: Cost) -> Cost:
        """The difference. Raises ``ValueError`` for those of two currencies."""
        return self + other.times(-1)

    def converted(self, currency: str, rate: Fraction) -> Cost:
        """The same in another currency, of which ``rate`` is paid for one unit; each part is rounded half to even."""
        return Cost(currency, *(round(part * rate) for part in self._parts))


def cost_of(usage: Usage, rates: Rates, currency: str) -> Cost | None:
    """The exact cost of a request; None where it has output and that has no known price."""
    if usage.output and rates.out is None:
        return None
    read = rates.fresh if rates.read is None else rates.read
    write = rates.fresh if rates.write_5m is None else rates.write_5m
    write_1h = write if rates.write_1h is None else rates.write_1h
    return Cost(
        currency,
        fresh=usage.fresh * rates.fresh,
        cached=usage.read * read,
        written=usage.written * write + usage.written_1h * write_1h,
        output=usage.output * (rates.out or 0),
    )


def decimal_of(amount: int) -> Decimal:
    """An amount in units of its currency, exactly."""
    sign, digits, _ = Decimal(amount).as_tuple()
    return Decimal((sign, digits, -PLACES))


@record
class Part:
    """Tokens of a kind, as a number or as a share of the input."""

    tokens: int | None = None
    share: Fraction | None = None

    def of(self, tokens: int) -> int:
        """The tokens of an input; never more than that has. A share is rounded down."""
        if self.share is not None:
            return int(tokens * self.share)
        return min(tokens, self.tokens or 0)


@record(kw_only=True)
class Costing:
    """How requests are priced: whose prices, which service, when, and with which tokens besides the input."""

    prices: Mapping[str, Sequence[Price]]
    """Column of a table to the dated prices of its model; a column without prices is named as unpriced."""
    day: date
    """The day whose prices hold, and against which they are old."""
    at: datetime | None = None
    context: str = STANDARD
    cached: Part = field(default=Part())
    written: Part = field(default=Part())
    output: int | None = None
    """Tokens of the answer; None for those that the request allows, if it says."""
    per_day: int | None = None
    currency: str = ""
    """To convert into; empty for each vendor's own."""
    exchange: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)
    """(currency, of one unit of another): ``("CNY", "USD")`` to 7.1, and the reverse."""

    def usage(self, tokens: int, allowed: int | None = None) -> Usage:
        """The tokens of a request with such an input, which allows so many of output (``max_tokens``)."""
        read = self.cached.of(tokens)
        written = min(tokens - read, self.written.of(tokens))
        return Usage(tokens, read=read, written=written, output=(allowed or 0) if self.output is None else self.output)

    def in_one(self, cost: Cost, currency: str) -> Cost | None:
        """A cost in a currency; None where no exchange rate is given."""
        if not currency or cost.currency == currency:
            return cost
        rate = self.exchange.get((currency, cost.currency))
        return None if rate is None else cost.converted(currency, rate)


@record
class Priced:
    """The cost of a request, with the rates that were taken; or the reason that there is none."""

    usage: Usage
    cost: Cost | None
    price: Price | None = None
    rate: Rate | None = None
    reason: Reason | None = None


def priced(model: str, usage: Usage, costing: Costing) -> Priced:
    """What a request costs for a column of a table."""
    prices = costing.prices.get(model, ())
    if not prices:
        return Priced(usage, None, reason="no-price")
    price = price_on(prices, costing.day)
    if price is None:
        return Priced(usage, None, reason="not-yet")
    rate = price.rate(usage.input, costing.context, costing.at)
    if rate is None:
        return Priced(usage, None, price, reason="no-context")
    cost = cost_of(usage, rate.rates, price.currency)
    if cost is None:
        return Priced(usage, None, price, rate, "no-output")
    own = costing.in_one(cost, costing.currency)
    return Priced(usage, own, price, rate, None if own is not None else "no-rate")


def contract(name: str, price: float, currency: str, day: date, source: str) -> Price:
    """A price of a million tokens of input as a configuration has it; of its output nothing is known."""
    amount = round(Fraction(repr(price)) * 10 ** (PLACES - 6))
    return Price("", name, currency, (Rate(Rates(amount)),), source, day.isoformat())


def price_key(names: Sequence[str], prices: Mapping[str, float]) -> str | None:
    """The key of a configured price: one of the names of a model, or that of any model."""
    return next((key for key in (*names, ANY_MODEL) if key in prices), None)
