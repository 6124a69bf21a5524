"""JSON values within a text: where they are, and their tokens. Nothing is made of numbers, so that none is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tokaudit.model.markdown import FENCE
from tokaudit.model.message import Message
from tokaudit.model.text import line_end
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import View

SPACE = " \t\n\r"
STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKENS = STRING + r'|[{}\[\],:]|[^\s{}\[\],:"]+'
_fence = lazy(rf"[ \t]*({FENCE})[ \t]*(?:json|jsonl|ndjson|geojson)[ \t]*\r?\n", re.IGNORECASE)
_token_pattern = lazy(_TOKENS)


class _NotPlainError(Exception):
    """Raised for texts that the ``json`` module reads though they are no JSON, or that lose something when read."""


def _object(pairs: list[tuple[str, Any]]) -> None:
    # Of two equal keys most readers drop one: which of them is not for us to say.
    if len(dict(pairs)) != len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            if key in seen:
                shown = key if len(key) <= 40 else key[:39] + "…"
                raise _NotPlainError(Message("the key {shown!r} stands twice", shown=shown))
            seen.add(key)


def _constant(name: str) -> None:
    raise _NotPlainError(Message("{name} is no value of JSON", name=name))


@lru_cache(maxsize=1)
def _decoder() -> Any:
    from json import JSONDecoder

    # Numbers stay text: int() refuses more than 4,300 digits, and no value is needed.
    return JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=_constant)


def not_plain(text: str, line: int = 1) -> str:
    """The reason why a text is no plain JSON; empty if it is one value by the standard, without a key twice.

    Places in it count lines from ``line`` on. What is nested deeper than the ``json`` module follows is not plain.
    """
    from json import JSONDecodeError

    try:
        _decoder().decode(text)
    except JSONDecodeError as error:
        place = f"{line + error.lineno - 1}:{error.colno}"
        return (
            Message("a second value at {place}", place=place)
            if error.msg == "Extra data"
            else Message("not valid JSON at {place}", place=place)
        )
    except _NotPlainError as error:
        return str(error)
    except RecursionError:
        return Message("nested too deeply")
    return ""


def values(view: View, where: str) -> Iterator[tuple[int, int]]:
    """Start and end of each plain JSON value, without white space around it.

    ``where``: ``json`` for documents and lines of JSON, ``fence`` for fenced blocks that say that they are JSON.
    """
    text = view.text
    for start, end, _ in view.spans.of(where):
        inner = (start, end) if where == "json" else _inside_fence(text, start, end)
        if inner is not None:
            yield from _values_between(text, *inner)


def _values_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The value between two offsets; where it is not one, that of each line that is."""
    start, end = _trim(text, start, end)
    if text[start : start + 1] in ("{", "[", '"') and not not_plain(text[start:end]):
        yield start, end
        return
    while start < end:
        stop = line_end(text, start, end)
        first, last = _trim(text, start, stop)
        # Most lines of a document that is broken somewhere differ from values by their ends.
        if text[first : first + 1] + text[max(first, last - 1) : last] in ("{}", "[]") and not not_plain(
            text[first:last]
        ):
            yield first, last
        start = stop + 1


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without white space at its ends."""
    body = text[start:end]
    lead = len(body) - len(body.lstrip(SPACE))
    return start + lead, start + max(lead, len(body.rstrip(SPACE)))


def _inside_fence(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The content of a fenced block of JSON, or None for another."""
    opening = _fence().match(text, start, end)
    if opening is None:
        return None
    body = text[opening.end() : end]
    last = body.rstrip().rpartition("\n")[2].strip()
    if not last.startswith(opening[1]):
        return None  # not closed
    return opening.end(), opening.end() + max(body.rstrip().rfind("\n"), 0)


def tokens(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The tokens of a JSON value: text, start, end."""
    for match in _token_pattern().finditer(text, start, end):
        yield match[0], match.start(), match.end()
