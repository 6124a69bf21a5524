"""Counts, shares and changes as text. Different values never render the same."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from fractions import Fraction

from tokaudit.model import ModelColumn, plural
from tokaudit.model.gates import NO_GROWTH, Growth
from tokaudit.model.message import Message

_DIGITS = 40
"""More than it takes to tell two densities apart."""
_SHOWN = 48
_NAMED = 3
"""Names that a line lists before it only counts them."""


def by_path(path: str) -> list[str]:
    """Sort key of paths: a folder's files together, the same on every platform."""
    return path.split("/")


def shell(path: str) -> str:
    """A path as it is written in a command."""
    return shlex.quote(path)


def exact(number: float) -> Fraction:
    """A number as it was written: 0.9 is nine tenths, not the binary fraction nearest to it."""
    return Fraction(repr(number))


def counted(tokens: int, model: ModelColumn) -> str:
    """A count with the sign of approximation where it is one."""
    return model.counted(tokens)


def signed(tokens: int, model: ModelColumn) -> str:
    """A difference of counts, with its sign."""
    return model.signed(tokens)


def difference(before: int | None, now: int | None) -> int | None:
    """Now minus before; None where one of them is not known."""
    return None if before is None or now is None else now - before


def unit(tokens: int) -> str:
    """``token`` or ``tokens``."""
    return Message("token" if abs(tokens) == 1 else "tokens")


def growth_text(growth: Growth | None) -> str:
    """An allowance: ``5%``, ``50 tokens``, ``1 token``."""
    growth = growth or NO_GROWTH
    return str(growth) if growth.tokens is None else plural(growth.tokens, "token")


def files_of(number: int) -> Message:
    """``1 file``, ``2 files``."""
    return plural(number, "file")


def some(names: Sequence[str]) -> str:
    """The first few of some names, and the number of the others."""
    more = len(names) - _NAMED
    shown = tuple(names[:_NAMED])
    if more > 0:
        return Message("{names} and {more:,} more", names=shown, more=more)
    return Message("{names}", names=shown)


def decimal_text(value: Fraction, digits: int) -> str:
    """A value rounded to so many digits after the point, half to even, with thousands separators."""
    scaled = round(value * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole:,}.{part:0{digits}}" if digits else f"{sign}{whole:,}"


def apart(value: Fraction, limit: Fraction, digits: int) -> tuple[str, str]:
    """A figure and its limit, in at least so many digits and as many as tell them apart where they differ."""
    for places in range(digits, _DIGITS):
        first, second = decimal_text(value, places), decimal_text(limit, places)
        if value == limit or first != second:
            return first, _stripped(second) if 10**places % limit.denominator == 0 else second
    return str(value), str(limit)


def _stripped(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(part: int, whole: int, allowed: Growth | None = None) -> str:
    """A share such as ``40%``, with as many digits as tell it from what is allowed."""
    value = Fraction(100 * part, whole)
    digits = 0 if abs(value) >= 10 else 1
    if allowed is not None and allowed.millionths is not None:
        return _stripped(apart(value, Fraction(allowed.millionths, 10_000), digits)[0]) + "%"
    return _stripped(decimal_text(value, digits)) + "%"


def change_of(before: int, now: int, model: ModelColumn, allowed: Growth | None = None) -> str:
    """``+400 (40%)``."""
    delta = signed(now - before, model)
    if not before or now == before:
        return delta
    return f"{delta} ({percent(now - before, before, allowed)})"


def shortened(text: str) -> str:
    """A label of at most 48 characters."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def quoted(text: str) -> str:
    """A label in quotes, shortened."""
    return f'"{shortened(text)}"'
