"""Amounts of money as people read them."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from tokaudit.model.prices import decimal_of

_LARGEST = 20
"""Digits of an amount of money from which on it is no real one, and is shown by its size."""


def number(amount: int, *, digits: int = 4, signed: bool = False) -> str:
    """An amount in hundredths; below one unit, with so many digits that count."""
    value = decimal_of(amount)
    sign = "+" if signed else ""
    if value.adjusted() >= _LARGEST:
        return format(value, f"{sign}.2e")
    cents = value.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    if value and abs(value) < 1 and (digits > 2 or not cents):
        fine = value.quantize(Decimal(1).scaleb(value.adjusted() + 1 - digits), ROUND_HALF_EVEN)
        fine = fine.normalize() if digits > 2 else fine
        text = format(fine, f"{sign}f")
        return text if len(text.partition(".")[2]) > 1 else format(fine, f"{sign}.2f")
    return format(cents, f"{sign},.2f") if cents else format(abs(cents), ",.2f")


def money(amount: int, currency: str) -> str:
    """A signed amount with its currency: in hundredths, or with two digits that count where that says nothing."""
    return f"{number(amount, digits=2, signed=True)} {currency}"
