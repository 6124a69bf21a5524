"""The price table of the package, and those that users give: read only when a cost is asked for.

``prices.yaml`` is written by hand; the build makes ``prices.json`` of it, which loads in a fraction of the time. One
that is not of this very file is not used, and the YAML is read with the same outcome.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tokaudit.model.errors import ConfigError
from tokaudit.model.message import Message, reason_of
from tokaudit.model.prices import Price, Rate, Rates, Window

TABLE = Path(__file__).with_name("prices.yaml")
COMPILED = TABLE.with_suffix(".json")
FORMAT = b"1"
"""Of the built table: to be changed with ``packed`` and with what ``price_file.py`` reads."""
LARGEST = 4_000_000
"""Bytes of a table; ours has a fiftieth of that."""


def own_prices() -> list[Price]:
    """The list prices of the package, in the order of the file."""
    data = TABLE.read_bytes()
    try:
        content: Any = json.loads(COMPILED.read_bytes())
    except (OSError, ValueError):
        content = {}
    if content.get("sha256") == _digest(data):
        return [unpacked(price) for price in content["prices"]]
    from tokaudit.store.price_file import parse_prices

    return parse_prices(data.decode("utf-8"), TABLE.name)


def compile_prices(folder: Path = TABLE.parent) -> None:
    """Write the table as JSON into a folder. Raises ``ConfigError`` if it cannot be read."""
    from tokaudit.store.price_file import parse_prices

    data = TABLE.read_bytes()
    prices = [packed(price) for price in parse_prices(data.decode("utf-8"), TABLE.name)]
    part = folder / f"{COMPILED.name}.part"
    part.write_text(json.dumps({"sha256": _digest(data), "prices": prices}, ensure_ascii=False), encoding="utf-8")
    part.replace(folder / COMPILED.name)


def _digest(data: bytes) -> str:
    return hashlib.sha256(FORMAT + data).hexdigest()


def packed(price: Price) -> dict[str, Any]:
    """A price as JSON types."""
    from dataclasses import asdict

    data = asdict(price)
    if price.window is not None:
        data["window"] |= {"days": sorted(price.window.days), "excluded": sorted(price.window.excluded)}
    return data


def unpacked(data: Mapping[str, Any]) -> Price:
    """The price that ``packed`` made them of."""
    window = data["window"]
    if window is not None:
        hours = tuple((begin, end) for begin, end in window["hours"])
        days, excluded = frozenset(window["days"]), frozenset(window["excluded"])
        window = Window(days, hours, window["utc_offset"], excluded)
    rates = tuple(Rate(**{**rate, "rates": Rates(**rate["rates"])}) for rate in data["rates"])
    return Price(**{**data, "rates": rates, "aliases": tuple(data["aliases"]), "window": window})


def read_prices(path: str) -> list[Price]:
    """The prices of a user's file.

    Raises:
        ConfigError: It cannot be read, or is no price table.
    """
    from tokaudit.store.price_file import parse_prices

    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - the name is shown as it was given
            data = stream.read(LARGEST + 1)
    except OSError as error:
        reason = Message("the prices cannot be read: {reason}", reason=reason_of(error))
        raise ConfigError(reason, path=path, hint="give a file as in docs/costs.md") from error
    if len(data) > LARGEST:
        raise ConfigError(Message("too large for a price table"), path=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(Message("the prices are not in UTF-8"), path=path) from error
    return parse_prices(text, path)


def by_name(prices: Iterable[Price]) -> Mapping[str, Sequence[Price]]:
    """Each name of a model, in lower case, to its prices."""
    found: dict[str, list[Price]] = {}
    for price in prices:
        for name in dict.fromkeys(name.lower() for name in (price.model, *price.aliases)):
            found.setdefault(name, []).append(price)
    return found
