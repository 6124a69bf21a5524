"""The report of ``tokaudit models --prices``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from tokaudit.features.costs.document import rate_data
from tokaudit.features.costs.money import number
from tokaudit.features.documents import json_document
from tokaudit.model import Cell, Column, Report, Table
from tokaudit.model.message import Message
from tokaudit.model.prices import OLD_AFTER, STANDARD, Price, Rate

_WIDE, _WIDER = 120, 180
_RATES = ("fresh", "read", "write_5m", "write_1h", "out")


def prices_report(prices: Sequence[Price], day: date, version: str, *, people: bool, filtered: bool = False) -> Report:
    """The price table: for people one row a model and day, with its standard rates; for programs one row for each rate.

    Args:
        prices: In the order of the table.
        day: Against which prices are old.
        version: Of tokaudit.
        people: Whether the table is to be read rather than parsed.
        filtered: These are not all prices.
    """
    table = _people_table(prices, day, filtered=filtered) if people else _parsed_table(prices, day)
    data = json_document("models", version, {"prices": [_data(price, day) for price in prices]})
    return Report("models", [table], data, bare="\n".join(dict.fromkeys(price.model for price in prices)))


def _people_table(prices: Sequence[Price], day: date, *, filtered: bool) -> Table:
    columns = [
        Column("model", "Model"),
        Column("currency", "Currency"),
        Column("fresh", "Fresh", "right"),
        Column("read", "Cached", "right"),
        Column("out", "Output price", "right"),
        Column("more", "Also"),
        Column("checked_on", "Price of"),
        Column("valid_from", "Valid from", wide=_WIDE),
        Column("source", "Source", wide=_WIDE),
        Column("aliases", "Aliases", wide=_WIDER),
    ]
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    for at, price in enumerate(prices):
        first, old = price.rates[0].rates, price.is_old(day)
        shown = [None if rate is None else number(rate * 1_000_000) for rate in (first.fresh, first.read, first.out)]
        checked = Message("{day} (old)", day=price.checked_on) if old else price.checked_on
        row: list[Cell] = [price.model, price.currency, *shown, _more(price), checked, price.valid_from or None]
        rows.append([*row, price.source, " ".join(price.aliases)])
        if old:
            marks[at, 6] = "dear"
    notes: list[str] = [Message("{n} prices of a million tokens", n=len(prices))]
    if any(price.is_old(day) for price in prices):
        notes.append(Message("old: checked more than {days} days ago", days=OLD_AFTER))
    if not filtered:
        notes.append(Message("tokaudit models --prices NAME lists those with NAME in their name or provider"))
    notes.append(Message("all rates, tiers and sources: --format csv or json"))
    short = Table("", *_narrow(columns, rows))
    return Table("Prices", columns, rows, marks, notes, narrower=[short], key="prices")


def _narrow(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> tuple[list[Column], list[list[Cell]]]:
    kept = [at for at, column in enumerate(columns) if column.key != "more"]
    return [columns[at] for at in kept], [[row[at] for at in kept] for row in rows]


def _more(price: Price) -> str:
    """What other rates there are, in short: tiers, services, peak hours."""
    contexts = [rate.context for rate in price.rates if rate.context != STANDARD]
    tiers = len({rate.tier_from_input for rate in price.rates if rate.tier_from_input})
    words = [*(["tiers"] if tiers else []), *(["peak"] if price.window else []), *dict.fromkeys(contexts)]
    return " ".join(words)


def _parsed_table(prices: Sequence[Price], day: date) -> Table:
    names = ("provider", "model", "currency", "valid_from", "context", "peak", "tier_from_input", *_RATES)
    columns = [Column(name, name.capitalize()) for name in (*names, "checked_on", "old", "source", "note", "aliases")]
    return Table("Prices", columns, [_row(price, rate, day) for price in prices for rate in price.rates], key="prices")


def _row(price: Price, rate: Rate, day: date) -> list[Cell]:
    data = rate_data(rate)
    return [
        *(price.provider or None, price.model, price.currency, price.valid_from or None),
        *(rate.context, "peak" if rate.peak else None, rate.tier_from_input, *(data[name] for name in _RATES)),
        *(price.checked_on, "old" if price.is_old(day) else None, price.source, price.note or None),
        " ".join(price.aliases),
    ]


def _data(price: Price, day: date) -> dict[str, Any]:
    return {
        "provider": price.provider or None,
        "model": price.model,
        "aliases": list(price.aliases),
        "currency": price.currency,
        "valid_from": price.valid_from or None,
        "peak_hours": None if price.window is None else price.window.text,
        "rates": [rate_data(rate) for rate in price.rates],
        "note": price.note or None,
        "source": price.source,
        "checked_on": price.checked_on,
        "old": price.is_old(day),
    }
