"""The keys and values of TOML with their places. That the document is valid is for ``tomllib`` to say."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from tokaudit.pipeline.spans.keyed_values import BrokenError, Value

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_TOKEN = re.compile(
    r"#[^\n]*"
    r'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"{3,5}|\'\'\'[^\']*(?:\'(?!\'\')[^\']*)*\'{3,5}'
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\'[^\'\n]*\''
    r"|\n|[\[\]{},=.]|[^\s\[\]{},=.#\"']+",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:[ \t]*\r?\n\s*|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
Path = tuple[str | int, ...]
"""Keys as they are written, with their quotes, and indexes from 0."""
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "e": "\x1b"}


class Part(NamedTuple):
    """A table header, a key, an element of a list, or a scalar value."""

    path: Path
    start: int
    """Where the header, key or element begins."""
    around: int
    """The same, but of the first one in a list or inline table the place of the key before it."""
    scalar: re.Match[str] | None = None
    """The token of a scalar value; a date with a blank, or a number with a point, has several."""


def read(text: str) -> Iterator[Value]:
    """The values in order, with their keys. Raises ``BrokenError``."""
    _check(text)
    for part in parts_of(text):
        if part.scalar is not None:
            yield _value(text, part.around, part.scalar, _shown(part.path))


def _check(text: str) -> None:
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        toml.loads(text)
    except toml.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (text.count("\n") + 1, 1)
        raise BrokenError(_PLACE.sub("", message), line, column) from None
    except RecursionError:
        raise BrokenError("nested too deeply", 1, 1) from None


def parts_of(text: str) -> Iterator[Part]:  # noqa: PLR0915 - a scanner is a chain of cases
    """The parts of a valid document in order, token by token; of another one some may be missing."""
    arrays: dict[Path, int] = {}  # lists of tables: the index of the last one so far
    table: Path = ()
    keys: Path = ()  # of the line so far
    start = -1  # where its key begins
    begun = -1  # the same, or that of the key around of what comes first in it
    header = 0  # brackets of a header that are open
    around: list[tuple[Path, int]] = []  # lists and inline tables: path, and index of the next item or -1
    pending = False  # a value comes
    for match in _TOKEN.finditer(text):
        part, at = match[0], match.start()
        if part[0] == "#":
            continue
        if part == "\n":
            if not around and not pending:
                keys, start, begun, header = (), -1, -1, 0
            continue
        if header < 0:  # the second bracket that closes it
            header = 0
            continue
        if header or (part == "[" and not around and not pending and not keys):
            if part == "[":
                header += 1
                start = at if start < 0 else start
            elif part == "]":
                table = _table(keys, arrays, many=header > 1)
                yield Part(table, start, start)
                keys, start, header = (), -1, -1 if header > 1 else 0
            elif part != ".":
                keys = (*keys, part)
            continue
        listed = bool(around) and around[-1][1] >= 0
        outer = around[-1][0] if around else table
        path = (*outer, around[-1][1]) if listed else (*outer, *keys)
        if (pending or listed) and part not in "[]{},=":
            yield Part(path, at if start < 0 else start, at if begun < 0 else begun, match)
            pending, start, begun = False, -1, -1
            if not listed:
                keys = ()
        elif part in {"[", "{"}:
            yield Part(path, at if start < 0 else start, begun)
            around.append((path, 0 if part == "[" else -1))
            keys, start, pending = (), -1, False
        elif part in {"]", "}", ","}:
            if part == "," and listed:
                around[-1] = (around[-1][0], around[-1][1] + 1)
            elif part != "," and around:
                around.pop()
            keys, start, begun, pending = (), -1, -1, False
        elif part == "=":
            pending = True
        elif part != ".":
            keys = (*keys, part)
            start = at if start < 0 else start
            begun = at if begun < 0 else begun


def _table(keys: Path, arrays: dict[Path, int], *, many: bool) -> Path:
    """The path of a header: in a list of tables, its last one so far is meant, or a new one where ``many``."""
    path: Path = ()
    for number, key in enumerate(keys, 1):
        path = (*path, key)
        if many and number == len(keys):
            arrays[path] = arrays.get(path, -1) + 1
        if path in arrays:
            path = (*path, arrays[path])
    return path


def _shown(path: Path) -> str:
    """A path as people write it: ``prompts[0].content``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_key(part)}" for part in path).removeprefix(".")


def _key(part: str) -> str:
    return part if part[0] not in "\"'" else f'"{" ".join(part[1:-1].split())[:80]}"'


def _value(text: str, begun: int, match: re.Match[str], path: str) -> Value:
    part, (start, end) = match[0], match.span()
    for style in ('"""', "'''", '"', "'"):
        if part.startswith(style):
            inner = part[len(style) : -len(style)]
            if len(style) > 1:
                inner = inner.removeprefix("\r").removeprefix("\n")
            return Value(begun, start, end, path, _unescaped(inner) if style[0] == '"' else inner, style, string=True)
    return Value(begun, start, end, path, text[start:end], "", string=False)


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code:
            return chr(int(code, 16))
        return _PLAIN.get(match[3], match[3]) if match[3] else ""

    return _ESCAPE.sub(plain, text) if "\\" in text else text
