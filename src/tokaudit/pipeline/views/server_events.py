"""Server-sent events of a log: their lines, and the JSON of their data with numbers as they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tokaudit.pipeline.patterns import lazy

_data = lazy(r"data: ?(?=\{)")
_header = lazy(r"(?:event|id|retry): ?\S|:")


class Number(str):
    """A number of JSON as it is written."""

    __slots__ = ()


class Event(NamedTuple):
    """An event whose data is an object of JSON; places are in code points of the text."""

    header: tuple[str, ...]
    """Its lines before the data."""
    start: int
    """Of the JSON."""
    end: int
    raw: str
    """The JSON."""
    value: dict[str, Any]
    follows: bool
    """True if nothing but blank lines is between it and the event before."""


def events_of(text: str) -> Iterator[Event]:
    """The events of a text, in order; data that is no plain object of JSON is none."""
    if "data:" not in text:
        return
    start, follows = 0, False
    header: list[str] = []
    for whole in text.split("\n"):
        line = whole.removesuffix("\r")
        data = _data().match(line)
        value = _object(line[data.end() :]) if data else None
        if data and value is not None:
            begun = start + data.end()
            yield Event(tuple(header), begun, start + len(line), line[data.end() :], value, follows)
            header, follows = [], True
        elif _header().match(line):
            header.append(line)
        elif line.strip():
            header, follows = [], False
        start += len(whole) + 1


def _object(raw: str) -> dict[str, Any] | None:
    try:
        value = json.loads(raw, parse_int=Number, parse_float=Number, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(pairs)
    return found


def written(value: Any) -> str:
    """A value as JSON without blanks, numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{written(key)}:{written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    text = json.dumps(value, ensure_ascii=False)
    # Half a character, which a stream may have cut, can stand as an escape only.
    return text if text.isprintable() or not any("\ud800" <= one <= "\udfff" for one in text) else json.dumps(value)
