"""Prices: the row, the tier and the hours of a request, and exact amounts that are never of two currencies."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokaudit.model.prices import (
    PLACES,
    Cost,
    Costing,
    Part,
    Price,
    Rate,
    Rates,
    Usage,
    Window,
    cost_of,
    decimal_of,
    price_on,
    priced,
)

WEEK = frozenset(range(5))
PEAK = Window(WEEK, ((540, 720), (840, 1080)), 480, frozenset({"2026-10-01"}))
BEIJING = timezone(timedelta(hours=8))


def dollars(price):
    """The price of a token, of so much a million."""
    return int(Decimal(price).scaleb(PLACES - 6))


def price(*rates, **more):
    fields = {"provider": "p", "model": "m", "currency": "USD", "source": "s", "checked_on": "2026-10-26"}
    return Price(**{**fields, "rates": rates, **more})


BASE = Rate(Rates(dollars("2.5"), dollars("0.25"), dollars("3.125"), out=dollars(10)))
LONG = Rate(Rates(dollars(5), out=dollars(15)), tier_from_input=200_001)
BATCH = Rate(Rates(dollars("1.25"), out=dollars(5)), context="batch")
DEAR = Rate(Rates(dollars(5), out=dollars(20)), peak=True)


@pytest.mark.parametrize(("tokens", "rate"), [(0, BASE), (200_000, BASE), (200_001, LONG), (10**9, LONG)])
def test_the_whole_input_decides_the_tier_of_the_whole_request(tokens, rate):
    assert price(BASE, LONG, BATCH).rate(tokens) == rate


def test_a_service_without_a_price_has_none():
    assert price(BASE, BATCH).rate(300_000, "batch") == BATCH
    assert price(BASE).rate(5, "batch") is None


@pytest.mark.parametrize(
    ("at", "peak"),
    [
        (datetime(2026, 11, 30, 9, 0, tzinfo=BEIJING), True),
        (datetime(2026, 11, 30, 11, 59, tzinfo=BEIJING), True),
        (datetime(2026, 11, 30, 12, 0, tzinfo=BEIJING), False),
        (datetime(2026, 11, 30, 3, 59, tzinfo=UTC), True),
        (datetime(2026, 11, 29, 10, 0, tzinfo=BEIJING), False),  # a Sunday
        (datetime(2026, 10, 1, 10, 0, tzinfo=BEIJING), False),  # a holiday
        (datetime(2026, 11, 30, 10, 0), True),  # noqa: DTZ001 - without a zone it is the vendor's own time
    ],
)
def test_peak_hours_are_those_of_the_vendors_week(at, peak):
    assert PEAK.holds(at) == peak
    assert price(BASE, DEAR, window=PEAK).rate(5, at=at) == (DEAR if peak else BASE)


def test_without_a_time_it_is_no_peak_hour():
    assert price(BASE, DEAR, window=PEAK).rate(5) == BASE
    assert PEAK.text == "mon-fri 09:00-12:00, 14:00-18:00 (UTC+08:00)"


def test_the_price_of_a_day_is_the_last_that_has_begun():
    first, second = price(BASE), price(LONG, valid_from="2026-08-21")
    rows = [second, first]
    assert price_on(rows, date(2026, 8, 20)) is first
    assert price_on(rows, date(2026, 8, 21)) is second
    assert price_on([second], date(2026, 8, 20)) is None


def test_a_price_is_old_after_180_days():
    assert not price(BASE).is_old(date(2027, 4, 24))
    assert price(BASE).is_old(date(2027, 4, 25))


def test_parts_of_a_request():
    usage = Usage(1000, read=600, written=300, output=50)
    cost = cost_of(usage, BASE.rates, "USD")
    parts = [str(decimal_of(part).normalize()) for part in (cost.fresh, cost.cached, cost.written, cost.output)]
    assert parts == ["0.00025", "0.00015", "0.0009375", "0.0005"]
    assert str(decimal_of(cost.total).normalize()) == "0.0018375"


def test_what_has_no_price_is_fresh_input_or_no_cost():
    rates = Rates(dollars(2))
    assert cost_of(Usage(10, read=4, written=3, written_1h=2), rates, "USD").total == 10 * dollars(2)
    assert cost_of(Usage(10, output=1), rates, "USD") is None


@pytest.mark.parametrize("usage", [{"input": -1}, {"input": 3, "read": 4}, {"input": 3, "output": -1}])
def test_impossible_tokens_are_refused(usage):
    with pytest.raises(ValueError, match="Usage"):
        Usage(**usage)


def test_currencies_are_never_added():
    with pytest.raises(ValueError, match="USD"):
        Cost("USD", 1) + Cost("CNY", 1)
    with pytest.raises(ValueError, match="USD"):
        Cost("USD", 1) - Cost("CNY", 1)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"prices": {}}, "no-price"),
        ({"day": date(2020, 1, 1)}, "not-yet"),
        ({"context": "flex"}, "no-context"),
        ({"currency": "CNY"}, "no-rate"),
        ({"currency": "CNY", "exchange": {("CNY", "USD"): Fraction(71, 10)}}, None),
    ],
)
def test_the_reason_that_there_is_no_cost(asked, reason):
    listed = {"m": [price(BASE, valid_from="2026-01-01")]}
    costing = Costing(**{"prices": listed, "day": date(2026, 12, 1), **asked})
    found = priced("m", Usage(10), costing)
    assert (found.reason, found.cost is None) == (reason, reason is not None)
    if reason is None:
        assert found.cost == Cost("CNY", 10 * dollars("2.5") * 71 // 10)


def test_shares_of_the_input_are_rounded_down_and_never_more_than_it():
    assert [Part(share=Fraction(1, 3)).of(n) for n in (0, 2, 3, 100)] == [0, 0, 1, 33]
    assert [Part(tokens=50).of(n) for n in (0, 49, 51)] == [0, 49, 50]
    costing = Costing(prices={}, day=date.min, cached=Part(tokens=8), written=Part(share=Fraction(1)))
    assert costing.usage(10) == Usage(10, read=8, written=2)
    assert costing.usage(10, allowed=7).output == 7
    assert Costing(prices={}, day=date.min, output=3).usage(10, allowed=7).output == 3


TOKENS = st.integers(0, 10**12)
AMOUNTS = st.integers(0, 10**18)


@given(st.lists(TOKENS, min_size=4, max_size=4), st.lists(AMOUNTS, min_size=5, max_size=5))
def test_the_total_is_the_sum_of_the_parts(tokens, rates):
    fresh, read, written, output = tokens
    usage = Usage(fresh + read + written, read=read, written=written, output=output)
    cost = cost_of(usage, Rates(*rates), "CNY")
    assert cost.total == cost.fresh + cost.cached + cost.written + cost.output
    assert cost.total == fresh * rates[0] + read * rates[1] + written * rates[2] + output * rates[4]
    assert cost.times(3) == cost + cost + cost
    assert (cost - cost).total == 0


@given(st.lists(st.integers(1, 10**6), unique=True, max_size=5), st.integers(0, 2 * 10**6))
def test_the_tier_is_the_highest_that_the_input_reaches(froms, tokens):
    rates = [Rate(Rates(at), tier_from_input=at) for at in (0, *froms)]
    found = price(*rates).rate(tokens)
    assert found.tier_from_input == max(at for at in (0, *froms) if at <= tokens)


@given(AMOUNTS, st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_conversion_is_off_by_half_an_amount_at_most(amount, rate):
    there = Cost("USD", amount).converted("CNY", rate)
    assert there.currency == "CNY"
    assert abs(there.total - amount * rate) <= Fraction(1, 2)
