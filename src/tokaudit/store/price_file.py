"""Price tables: YAML or JSON of one form, ours and those with contract prices (docs/costs.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal, DecimalException
from typing import NoReturn

from tokaudit.model.errors import ConfigError
from tokaudit.model.message import Message
from tokaudit.model.prices import CONTEXTS, DAYS, PLACES, Price, Rate, Rates, Window
from tokaudit.store.key_kinds import known_keys, unknown_key
from tokaudit.store.yaml_places import Node, YamlError, parse

SCHEMA = "tokaudit-prices/1"
_FILE = ("schema", "prices")
_PRICE = (
    *("provider", "model", "aliases", "currency", "unit", "valid_from", "window", "rates", "note", "source"),
    "checked_on",
)
_NEEDED = ("model", "currency", "rates", "source", "checked_on")
_AMOUNTS = ("fresh", "read", "write_5m", "write_1h", "out")
_RATE = ("tier_from_input", "context", "window", *_AMOUNTS)
_WINDOW = ("days", "hours", "utc_offset", "except")
_UNITS = {"1000": 1000, "1000000": 1}
"""Tokens that a price is of, to what brings it to a million."""
_MOST = Decimal(10) ** 9
"""A price of a million tokens that is no price."""
_CLOCK = re.compile(r"([01]\d|2[0-4]):([0-5]\d)")


def parse_prices(text: str, path: str) -> list[Price]:
    """The prices of a table.

    Args:
        text: Of the file.
        path: As it is named in messages.

    Raises:
        ConfigError: It is no such table; the message has the line and column.
    """
    try:
        root = parse(text)
    except YamlError as error:
        raise ConfigError(error.message, path=path, line=error.line, column=error.column) from error
    return _Table(path).prices(root)


class _Table:
    """The reader of one file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def wrong(self, node: Node, message: str) -> NoReturn:
        raise ConfigError(message, path=self.path, line=node.line, column=node.column)

    def prices(self, root: Node) -> list[Price]:
        parts = self._mapping(root, _FILE, Message("a price table"), needed=_FILE)
        if parts["schema"].value != SCHEMA:
            self.wrong(parts["schema"], Message("the schema must be {schema}", schema=SCHEMA))
        found: list[Price] = []
        seen: dict[tuple[str, str], int] = {}
        for node in self._list(parts["prices"], "prices"):
            price = self._price(node)
            for name in dict.fromkeys(name.lower() for name in (price.model, *price.aliases)):
                key = name, price.valid_from
                if key in seen:
                    again = Message("a second price of {name}; the first is in line {line}", name=name, line=seen[key])
                    self.wrong(node, again)
                seen[key] = node.line
            found.append(price)
        return found

    def _price(self, node: Node) -> Price:
        parts = self._mapping(node, _PRICE, Message("a price"), needed=_NEEDED)
        texts = {key: self._text(parts[key], key) for key in ("provider", "model", "source", "note") if key in parts}
        currency = self._text(parts["currency"], "currency")
        if not re.fullmatch("[A-Z]{3}", currency):
            self.wrong(parts["currency"], Message("'currency' is three capital letters, such as USD or CNY"))
        unit = parts.get("unit")
        if unit is not None and unit.value not in _UNITS:
            self.wrong(unit, Message("'unit' is the tokens that prices are of: 1000 or 1000000"))
        window = self._window(parts["window"]) if "window" in parts else None
        rates = [
            self._rate(part, _UNITS[unit.value if unit else "1000000"]) for part in self._list(parts["rates"], "rates")
        ]
        if not rates or rates[0] != Rate(rates[0].rates):
            self.wrong(parts["rates"], Message("'rates' begins with the standard price of any input: prices alone"))
        if window is None and any(rate.peak for rate in rates):
            self.wrong(parts["rates"], Message("'window: peak' needs the hours in 'window' of the price"))
        places = [(rate.context, rate.peak, rate.tier_from_input) for rate in rates]
        if len(set(places)) < len(places):
            self.wrong(parts["rates"], Message("two rates for the same input, context and hours"))
        return Price(
            provider=texts.get("provider", ""),
            model=texts["model"],
            currency=currency,
            rates=tuple(rates),
            source=texts["source"],
            checked_on=self._day(parts["checked_on"], "checked_on"),
            aliases=tuple(self._texts(parts["aliases"], "aliases")) if "aliases" in parts else (),
            valid_from=self._day(parts["valid_from"], "valid_from") if "valid_from" in parts else "",
            window=window,
            note=texts.get("note", ""),
        )

    def _rate(self, node: Node, factor: int) -> Rate:
        parts = self._mapping(node, _RATE, Message("a rate"), needed=("fresh",))
        amounts = {key: self._amount(parts[key], key, factor) for key in _AMOUNTS if key in parts}
        context = self._text(parts["context"], "context") if "context" in parts else CONTEXTS[0]
        if context not in CONTEXTS:
            self.wrong(parts["context"], Message("'context' is one of {choices}", choices=CONTEXTS))
        if "window" in parts and parts["window"].value != "peak":
            self.wrong(parts["window"], Message("'window' of a rate can only be peak"))
        tier = parts.get("tier_from_input")
        if tier is not None and not re.fullmatch(r"[1-9]\d{0,11}", str(tier.value)):
            self.wrong(tier, Message("'tier_from_input' is a number of tokens above 0"))
        return Rate(Rates(**amounts), int(tier.value) if tier is not None else 0, context, "window" in parts)

    def _amount(self, node: Node, key: str, factor: int) -> int:
        """The price of a token, as an amount."""
        try:
            price = Decimal(str(node.value)) * factor
        except DecimalException:
            price = Decimal(-1)
        if node.kind != "number" or not 0 <= price < _MOST:  # also what is not a number
            self.wrong(node, Message("'{key}' must be a price, such as 2.5", key=key))
        scaled = price.scaleb(PLACES - 6)
        if scaled != scaled.to_integral_value():
            self.wrong(
                node, Message("'{key}' has more than {n} decimal places for a million tokens", key=key, n=PLACES - 6)
            )
        return int(scaled)

    def _window(self, node: Node) -> Window:
        parts = self._mapping(node, _WINDOW, Message("a window"), needed=("hours", "utc_offset"))
        days = self._texts(parts["days"], "days") if "days" in parts else DAYS
        if not days or any(day not in DAYS for day in days):
            self.wrong(parts["days"], Message("'days' are among {choices}", choices=DAYS))
        hours = []
        for part in self._list(parts["hours"], "hours"):
            begin, _, end = str(part.value).partition("-")
            times = [_CLOCK.fullmatch(text) for text in (begin, end)]
            minutes = [int(time[1]) * 60 + int(time[2]) for time in times if time is not None]
            if len(minutes) < len(times) or not minutes[0] < minutes[1] <= 24 * 60:
                self.wrong(part, Message("'hours' are such as 09:00-12:00, within a day"))
            hours.append((minutes[0], minutes[1]))
        offset = re.fullmatch(r"([+-])(\d\d):(\d\d)", str(parts["utc_offset"].value))
        if offset is None or int(offset[2]) > 14 or int(offset[3]) > 59:
            self.wrong(parts["utc_offset"], Message("'utc_offset' is such as \"+08:00\""))
        east = (int(offset[2]) * 60 + int(offset[3])) * (1 if offset[1] == "+" else -1)
        closed = (
            [self._day(part, "except") for part in self._list(parts["except"], "except")] if "except" in parts else []
        )
        return Window(frozenset(map(DAYS.index, days)), tuple(hours), east, frozenset(closed))

    def _mapping(self, node: Node, known: Iterable[str], of: str, *, needed: Iterable[str]) -> Mapping[str, Node]:
        if node.kind != "mapping":
            self.wrong(node, Message("{of} is a mapping of keys to values", of=of))
        found: dict[str, Node] = {}
        for key, value in node.value:
            if key.value not in known:
                self.wrong(key, unknown_key(str(key.value), known) + known_keys(of, known))
            if key.value in found:
                self.wrong(key, Message("the key '{key}' is given twice", key=key.value))
            found[key.value] = value
        missing = [key for key in needed if key not in found]
        if missing:
            self.wrong(node, Message("{of} lacks {missing}", of=of, missing=tuple(map(repr, missing))))
        return found

    def _list(self, node: Node, key: str) -> list[Node]:
        if node.kind != "list":
            self.wrong(node, Message("'{key}' must be a list", key=key))
        nodes: list[Node] = node.value
        return nodes

    def _texts(self, node: Node, key: str) -> list[str]:
        return [self._text(part, key) for part in self._list(node, key)]

    def _text(self, node: Node, key: str) -> str:
        if node.kind not in {"text", "number", "date"} or not str(node.value).strip():
            self.wrong(node, Message("'{key}' must be a text", key=key))
        return str(node.value)

    def _day(self, node: Node, key: str) -> str:
        try:
            day = date.fromisoformat(str(node.value)).isoformat()
        except ValueError:
            day = ""
        if day != node.value:
            self.wrong(node, Message("'{key}' must be a day, such as 2026-11-30", key=key))
        return day
