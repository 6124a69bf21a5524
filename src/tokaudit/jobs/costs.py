"""The prices of the models of a run: the package's table, a file of contract prices, and those of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from fractions import Fraction

from tokaudit.model import ModelColumn, UsageError
from tokaudit.model.message import Message
from tokaudit.model.prices import CONTEXTS, STANDARD, Costing, Part, Price, contract, price_key
from tokaudit.model.record import record

_RATE = re.compile(r"([A-Z]{3})/([A-Z]{3})=(\d+(?:\.\d+)?)")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)%")


@record(kw_only=True)
class CostOptions:
    """What is asked for about costs, as given on the command line."""

    day: date
    """Today."""
    at: datetime | None = None
    context: str = STANDARD
    cached: Part = field(default=Part())
    written: Part = field(default=Part())
    output: int | None = None
    per_day: int | None = None
    currency: str = ""
    exchange: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)
    contracts: Sequence[Price] = ()
    """Prices of a file, which go before all others."""


def cost_options(
    *,
    today: date,
    at: str = "",
    context: str = "",
    cached: str = "",
    written: str = "",
    output: int | None = None,
    per_day: int | None = None,
    currency: str = "",
    exchange: Sequence[str] = (),
    file: str = "",
) -> CostOptions:
    """Check options about costs, and read the file of contract prices.

    Raises:
        ConfigError: The file cannot be read or is wrong.
        UsageError: One of them means nothing; the hint has what would.
    """
    if context and context not in CONTEXTS:
        raise UsageError(
            Message("unknown service '{context}'", context=context), hint=Message("one of {choices}", choices=CONTEXTS)
        )
    for option, number in (("--output-tokens", output), ("--per-day", per_day)):
        if number is not None and number < 0:
            raise UsageError(Message("{option} {number} is negative", option=option, number=number))
    if currency and not re.fullmatch("[A-Za-z]{3}", currency):
        raise UsageError(
            Message("invalid --currency '{currency}'", currency=currency), hint="give three letters, such as CNY"
        )
    from tokaudit.store.prices import read_prices

    time = _time(at)
    return CostOptions(
        day=today if time is None else time.date(),
        at=None if time is None or len(at.strip()) <= len("2026-12-01") else time,
        context=context or STANDARD,
        cached=_part("--cached-tokens", cached),
        written=_part("--written-tokens", written),
        output=output,
        per_day=per_day,
        currency=currency.upper(),
        exchange=_exchange(exchange),
        contracts=read_prices(file) if file else (),
    )


def _time(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            Message("invalid --at '{text}'", text=text),
            hint="give a day or a time, such as 2026-12-01 or 2026-12-01T10:00+08:00",
        ) from None


def _part(option: str, text: str) -> Part:
    if not text:
        return Part()
    plain = text.replace(",", "").strip()
    share = _SHARE.fullmatch(plain)
    if share is not None and Fraction(share[1]) <= 100:
        return Part(share=Fraction(share[1]) / 100)
    if re.fullmatch(r"\d{1,15}", plain):
        return Part(tokens=int(plain))
    raise UsageError(
        Message("invalid {option} '{text}'", option=option, text=text),
        hint="give a number of tokens, or a share of the input such as 80%",
    )


def _exchange(rates: Sequence[str]) -> dict[tuple[str, str], Fraction]:
    """Each pair with its reverse."""
    found: dict[tuple[str, str], Fraction] = {}
    for text in rates:
        match = _RATE.fullmatch(text.strip().upper())
        if match is None or not Fraction(match[3]) or match[1] == match[2]:
            raise UsageError(
                Message("invalid --rate '{text}'", text=text), hint="CNY/USD=7.1 says that 1 USD costs 7.1 CNY"
            )
        pair = match[1], match[2]
        rate = Fraction(match[3])
        if found.get(pair, rate) != rate:
            raise UsageError(Message("--rate {text} contradicts another one", text=text), hint="give one of them")
        found[pair] = rate
        found[pair[::-1]] = 1 / rate
    return found


def costing_of(
    models: Sequence[ModelColumn],
    options: CostOptions,
    *,
    configured: Mapping[str, float] | None = None,
    currency: str = "",
) -> Costing:
    """The prices of the models of a run.

    Args:
        models: Columns, whose names are those of models.
        options: What is asked for.
        configured: Prices of a million tokens of input by the configuration: of a model, of its tokenizer, or of all.
        currency: Of these; empty for USD.
    """
    from tokaudit.store.prices import by_name, own_prices

    contracts = by_name(options.contracts)
    listed = by_name(own_prices())
    prices: dict[str, Sequence[Price]] = {}
    for model in models:
        key = price_key((model.name, model.ref.name), configured or {})
        own = [contract(key, (configured or {})[key], currency or "USD", options.day, "configuration")] if key else ()
        prices[model.name] = _found(model.name, contracts) or own or _found(model.name, listed)
    return Costing(
        prices=prices,
        day=options.day,
        at=options.at,
        context=options.context,
        cached=options.cached,
        written=options.written,
        output=options.output,
        per_day=options.per_day,
        currency=options.currency,
        exchange=options.exchange,
    )


def _found(name: str, prices: Mapping[str, Sequence[Price]]) -> Sequence[Price]:
    """The prices of a model by the names that its vendor has for it; never those of a name that is only similar."""
    from tokaudit.tokenizers.catalog import vendor_names

    exact = prices.get(name.strip().lower())
    if exact is not None:
        return exact
    provider, names = vendor_names(name)
    for known in names:
        found = [price for price in prices.get(known, ()) if provider in ("", price.provider)]
        if found:
            return found
    return ()
