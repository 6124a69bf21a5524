"""The scalar values of TOML with their places. That the document is valid is for ``tomllib`` to say."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from tokaudit.pipeline.spans.keyed_values import BrokenError, Value

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_TOKEN = re.compile(
    r"#[^\n]*"
    r'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"{3,5}|\'\'\'[^\']*(?:\'(?!\'\')[^\']*)*\'{3,5}'
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\'[^\'\n]*\''
    r"|\n|[\[\]{},=.]|[^\s\[\]{},=.#\"']+",
    re.DOTALL,
)
_NUMBER = re.compile(r"[-+]?\d")
_ESCAPE = re.compile(r"\\(?:[ \t]*\r?\n\s*|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "e": "\x1b"}


def read(text: str) -> Iterator[Value]:
    """The values in order, with their keys. Raises ``BrokenError``."""
    _check(text)
    return _Reader(text).values()


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


class _Reader:
    """Reads a valid document token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tables: dict[str, int] = {}
        """Number of tables so far of each list of tables."""

    def values(self) -> Iterator[Value]:
        """The values in order."""
        text = self._text
        table = ""
        keys: list[str] = []  # of the line so far
        begun = -1  # where its key begins
        header = 0  # brackets of a header that are open
        around: list[tuple[str, int]] = []  # lists and inline tables: path, and index of the next item or -1
        pending = False  # a value comes
        for match in _TOKEN.finditer(text):
            part, at = match[0], match.start()
            if part[0] == "#":
                continue
            if part == "\n":
                if not around and not pending:
                    keys, begun, header = [], -1, 0
                continue
            if header < 0:  # the second bracket that closes it
                header = 0
                continue
            if header or (part == "[" and not around and not pending and not keys):
                if part == "[":
                    header += 1
                elif part == "]":
                    table = self._table(keys, many=header > 1)
                    keys, header = [], -1 if header > 1 else 0
                elif part != ".":
                    keys.append(_key(part))
                continue
            if (pending or (around and around[-1][1] >= 0)) and part not in "[]{},=":
                path = self._path(table, keys, around)
                yield _value(text, begun if begun >= 0 else at, match, path)
                pending, begun = False, -1
                if not around or around[-1][1] < 0:
                    keys = []
                continue
            if part in {"[", "{"}:
                around.append((self._path(table, keys, around), 0 if part == "[" else -1))
                keys, pending = [], False
            elif part in {"]", "}"}:
                around.pop()
                keys, pending, begun = [], False, -1
            elif part == ",":
                if around and around[-1][1] >= 0:
                    around[-1] = (around[-1][0], around[-1][1] + 1)
                keys, pending, begun = [], False, -1
            elif part == "=":
                pending = True
            elif part != ".":
                keys.append(_key(part))
                begun = at if begun < 0 else begun

    def _table(self, keys: list[str], *, many: bool) -> str:
        parts = []
        for index, key in enumerate(keys):
            parts.append(key)
            name = ".".join(parts)
            if many and index == len(keys) - 1:
                self._tables[name] = self._tables.get(name, -1) + 1
            if name in self._tables:
                parts[-1] = f"{key}[{self._tables[name]}]"
        return ".".join(parts)

    def _path(self, table: str, keys: list[str], around: list[tuple[str, int]]) -> str:
        if not around:
            return ".".join([table, *keys] if table else keys)
        path, index = around[-1]
        if index >= 0:
            path = f"{path}[{index}]"
        return ".".join([path, *keys])


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
