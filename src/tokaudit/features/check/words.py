"""Figures and sentences of ``tokaudit check``: exact, and never two that look alike and differ."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from tokaudit.features.check.parts import within
from tokaudit.features.check.types import Cause, FileRow, Gate, Settings
from tokaudit.model import ModelColumn
from tokaudit.model.gates import ANY_MODEL, NO_GROWTH, Growth

_DIGITS = 40
"""More than it takes to tell two densities apart."""
_SHOWN = 48
_LARGEST = 20
"""Digits of an amount of money from which on it is no real one, and is told by its size."""
_ALL = Growth(millionths=1_000_000)


def exact(number: float) -> Fraction:
    """A number as it was written: 0.9 is nine tenths, not the binary fraction nearest to it."""
    return Fraction(repr(number))


def counted(tokens: int, model: ModelColumn) -> str:
    """A count with the sign of approximation where it is one."""
    return f"{tokens:,}" if model.ref.exact else f"≈{tokens:,}"


def signed(tokens: int, model: ModelColumn) -> str:
    """A difference of counts, with its sign."""
    text = f"{tokens:+,}" if tokens else "0"
    return text if model.ref.exact else f"≈{text}"


def tokens_of(number: int) -> str:
    return "1 token" if abs(number) == 1 else f"{number:,} tokens"


def growth_text(growth: Growth | None) -> str:
    """What is allowed: ``5%``, ``50 tokens``, ``1 token``."""
    return str(growth or NO_GROWTH) if growth is None or growth.tokens is None else tokens_of(growth.tokens)


def files_of(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


def decimal_text(value: Fraction, digits: int) -> str:
    """Rounded to so many digits after the point, half to even, with thousands separators."""
    scaled = round(value * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole:,}.{part:0{digits}}" if digits else f"{sign}{whole:,}"


def apart(value: Fraction, limit: Fraction, digits: int) -> tuple[str, str]:
    """A figure and its limit, in at least so many digits and as many as tell them apart where they differ."""
    for places in range(digits, _DIGITS):
        first, second = decimal_text(value, places), decimal_text(limit, places)
        if value == limit or first != second:
            return first, _stripped(second) if exact_at(limit, places) else second
    return str(value), str(limit)


def exact_at(value: Fraction, digits: int) -> bool:
    """Whether so many digits after the point are all there are."""
    return bool(10**digits % value.denominator == 0)


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


def money(amount: Decimal, currency: str) -> str:
    """A signed amount: in hundredths, or with two digits that count where there are no hundredths in it."""
    if amount.adjusted() >= _LARGEST:
        return f"{amount:+.2e} {currency}"
    cents = amount.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    if amount and not cents:
        fine = amount.quantize(Decimal(1).scaleb(amount.adjusted() - 1), ROUND_HALF_EVEN)
        return f"{fine:+f} {currency}"
    return f"{cents:+,.2f} {currency}" if cents else f"{abs(cents):,.2f} {currency}"


def price_of(settings: Settings, model: ModelColumn) -> Decimal | None:
    """Of a million prompt tokens, exactly as written: of the model, of its tokenizer, or of any model."""
    for key in (model.name, model.ref.name, ANY_MODEL):
        if key in settings.prices:
            return Decimal(repr(settings.prices[key]))
    return None


def cost_text(delta: int, requests: int | None, model: ModelColumn, settings: Settings, *, since: str = "") -> str:
    """What a difference means a month; where the traffic is not known, only since when it is, or nothing."""
    change = signed(delta, model) + (" token" if abs(delta) == 1 else " tokens") + since
    if not requests or not delta:
        return change if since else ""
    at = f"at {requests:,} request{'' if requests == 1 else 's'}"
    price = price_of(settings, model)
    if price is None:
        return f"{change} = {signed(delta * requests, model)} tokens a month {at}"
    return f"{change} = about {money(delta * requests * price / 1_000_000, settings.currency)} a month {at}"


def quoted(text: str) -> str:
    """A label in quotes, shortened."""
    return f'"{_short(text)}"'


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def most(row: FileRow, causes: Sequence[Cause], delta: int, model: ModelColumn) -> tuple[str, int | None]:
    """Where most of a file's growth is, in words, and the line of it; empty where nothing is known of that."""
    column = model.column
    parts = [part for part in row.parts if (part.delta(column) or 0) > 0]
    part = max(parts, key=lambda part: part.delta(column) or 0, default=None)
    grown = [cause for cause in causes if cause.deltas[column] > 0]
    if part is not None:
        inside = within(grown, row.file, {part.line})
        cause = max(inside, key=lambda cause: cause.deltas[column], default=None)
        line = cause.line if cause is not None else part.line
        share = part.delta(column) or 0
        where = f" at line {line}" if line is not None else ""
        if share == delta and len(parts) == 1:
            return f"all in {quoted(part.label)}{where}", line
        return f"most in {quoted(part.label)} ({signed(share, model)}){where}", line
    cause = max(grown, key=lambda cause: cause.deltas[column], default=None)
    if cause is None:
        return "", None
    share = cause.deltas[column]
    amount = "all" if share == delta and len(grown) == 1 else f"most ({signed(share, model)})"
    return f"{amount} at line {cause.line}: {_short(cause.text)}", cause.line


def over_tokens(gate: Gate, what: str, note: str) -> str:
    """The sentence of a budget that does not hold."""
    now, limit = int(gate.measured), int(gate.limit)
    have = f"{counted(now, gate.model)} token{'' if now == 1 else 's'} for {gate.model.name}"
    have = f"{what} {'have' if gate.files > 1 else 'has'} {have}" if what else have
    told = f" ({note})" if note else ""
    if gate.level == "warning":
        share = percent(now, limit, _ALL) if limit else "100%"
        left = f"{tokens_of(limit - now)} left" if now < limit else "nothing left"
        return f"{have}, {share} of the budget of {limit:,}, {left}{told}"
    return f"{have}, over the budget of {limit:,} by {now - limit:,}{told}"


def over_growth(gate: Gate, what: str, note: str) -> str:
    """The sentence of growth that is too much, without its causes."""
    before, now = gate.before or 0, int(gate.measured)
    subject = f"{what} grew" if what else "grew"
    change = change_of(before, now, gate.model, gate.allowed)
    told = f" ({note})" if note else ""
    old, new = counted(before, gate.model), counted(now, gate.model)
    allowed = growth_text(gate.allowed)
    unit = "token" if now == 1 else "tokens"
    return f"{subject} from {old} to {new} {unit} for {gate.model.name}: {change}, allowed {allowed}{told}"


def over_density(gate: Gate, what: str, note: str) -> str:
    """The sentence of a text that is too dense."""
    measured, limit = gate.exact
    have = f"{measured if gate.model.ref.exact else f'≈{measured}'} tokens a character for {gate.model.name}"
    have = f"{what} {'have' if gate.files > 1 else 'has'} {have}" if what else have
    return f"{have}, over the density of {limit}{f' ({note})' if note else ''}"


def over_slim(gate: Gate, tokens: int, hint: str) -> str:
    """The sentence of a pack that would save more than it may."""
    saved = int(gate.measured)
    share = f" ({percent(saved, tokens, gate.allowed)})" if tokens else ""
    unit = "token" if tokens == 1 else "tokens"
    count = f"{counted(saved, gate.model)} of {counted(tokens, gate.model)} {unit} for {gate.model.name}"
    return f"the pack {gate.what} would save {count}{share}, allowed {growth_text(gate.allowed)}; {hint} does it"
