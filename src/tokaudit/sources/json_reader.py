"""Offsets of the fields of a JSON object, without making anything of their values.

The values are read by the C functions of the ``json`` module, only to learn where they end; numbers stay text, so that
no integer is too long and no float is rounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokaudit.sources.native import Scan

_SPACES = re.compile(r"[ \t\n\r]*").match
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*").match
DELIMITER = re.compile(r"[ \t\n\r]*([,}\]])[ \t\n\r]*").match
# The brace or comma, a key without escapes, the colon: all that stands between two values, in one step.
_FIRST_KEY = re.compile(r'{[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*').match
# With it a value that is a number, a word or a text without escapes, if that is all before the next comma or brace.
_NEXT_KEY = re.compile(
    r'[ \t\n\r]*,[ \t\n\r]*("([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*)'
    r'(?:("[^"\\\x00-\x1f]*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?=[ \t\n\r]*[,}]))?'
).match
_PLAIN_KEY = re.compile(r"[^\W\d][\w-]{0,79}\Z").match


def after_space(text: str, at: int) -> int:
    """The offset at or after ``at`` that is no JSON white space."""
    match = _SPACES(text, at)
    return match.end() if match else at


class Invalid(Exception):  # noqa: N818 - a signal, not an error of the user's run
    """Not valid JSON: why, and the code-point offset in the text that was read."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class _Paths(dict[str, str]):
    """Label of each key met: a corpus has few of them, many times over."""

    def __missing__(self, key: str) -> str:
        label = self[key] = _label(key)
        return label


class Columns:
    """The fields found so far, as columns."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.labels: list[str] = []
        self.records: list[int] = []
        """Index of each record's first field."""
        self.lines: list[int] = []
        """Line of each record."""
        self.plain: list[int] = []
        """Index of each record that has no fields and is one segment."""
        self.paths = _Paths()

    def kinds(self) -> Sequence[str]:
        """Kind of each field."""
        if not self.plain:
            return ("field",)
        kinds = ["field"] * len(self.starts)
        for index in self.plain:
            kinds[index] = "record"
        return kinds

    def record_starts(self) -> list[int]:
        """Offset of each record."""
        return [self.starts[index] for index in self.records]

    def add_plain(self, start: int) -> None:
        """A record that is one segment."""
        self.records.append(len(self.starts))
        self.plain.append(len(self.starts))
        self.starts.append(start)
        self.labels.append("$")

    def add(self, scanned: Scan) -> None:
        """Add records with the fields that they have, or with no more than their lines."""
        before = len(self.starts)
        self.lines += scanned.column(2)
        numbers = scanned.others[1::2]
        if not numbers:
            return
        self.starts += scanned.others[::2]
        self.records += map(before.__add__, scanned.column(4)) if before else scanned.column(4)
        labels = [*map(self.paths.__getitem__, scanned.names), "$"]  # the last of a record without fields
        self.labels += map(labels.__getitem__, numbers)
        if -1 in numbers:
            self.plain += [before + at for at, number in enumerate(numbers) if number < 0]

    def undo(self, fields: int) -> None:
        """Takes a record back of which a part had been read; ``fields`` were there before."""
        del self.starts[fields:], self.labels[fields:]
        for indexes in (self.records, self.plain):
            while indexes and indexes[-1] >= fields:
                indexes.pop()


class Reader:
    """Finds the ends of values. ``scan`` and ``string`` are C functions."""

    def __init__(self) -> None:
        from json import JSONDecodeError, JSONDecoder
        from json import decoder as c_functions

        # Numbers to themselves: int() refuses more than 4,300 digits, and no value is needed.
        decoder: Any = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
        module: Any = c_functions
        self.scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once
        self.string: Callable[[str, int], tuple[str, int]] = module.scanstring
        self.error = JSONDecodeError

    def value(self, text: str, at: int) -> int:
        """End of the value that begins at ``at``."""
        try:
            return self.scan(text, at)[1]
        except StopIteration as stop:
            raise Invalid("expecting value", int(stop.value)) from None
        except self.error as error:
            raise Invalid(_reason(error.msg), error.pos) from None
        except RecursionError:
            return self.deep_value(text, at)

    def deep_value(self, text: str, at: int) -> int:
        """The same for a value of any depth: ``scan`` goes about a thousand levels deep, and this is much slower."""
        closers: list[str] = []
        while True:
            opened = text[at : at + 1]
            if opened in ("[", "{"):
                close = "]" if opened == "[" else "}"
                inner = after_space(text, at + 1)
                if text[inner : inner + 1] != close:
                    closers.append(close)
                    at = inner if opened == "[" else self.key(text, inner)[1]
                    continue
                end = inner + 1
            else:
                end = self.value(text, at)
            while closers:
                end = after_space(text, end)
                found = text[end : end + 1]
                end += 1
                if found == ",":
                    at = after_space(text, end)
                    at = at if closers[-1] == "]" else self.key(text, at)[1]
                    break
                if found != closers.pop():
                    raise Invalid("expecting ',' delimiter", end - 1)
            else:
                return end

    def record(self, text: str, at: int, columns: Columns, *, origin: int, start: int) -> int:
        """End of the record at ``at``, whose fields are added to ``columns``.

        ``origin`` is what offsets in ``text`` are shifted by, ``start`` where the record's first segment begins.
        """
        if text[at : at + 1] == "{":
            inner = after_space(text, at + 1)
            if text[inner : inner + 1] != "}":
                columns.records.append(len(columns.starts))
                return self.fields(text, at, columns, origin, start)
        end = self.value(text, at)
        columns.add_plain(start)
        return end

    def fields(self, text: str, at: int, columns: Columns, origin: int, start: int) -> int:
        """End of the object at ``at``, which has fields."""
        scan, paths, next_key = self.scan, columns.paths, _NEXT_KEY
        add_start, add_label = columns.starts.append, columns.labels.append
        try:
            found = _FIRST_KEY(text, at)
            if found:
                key, at = found[1], found.end()
            else:
                key, at = self.key(text, after_space(text, at + 1))
            read = False
            while True:
                if not read:
                    try:
                        at = scan(text, at)[1]
                    except RecursionError:
                        at = self.deep_value(text, at)
                add_start(start)
                add_label(paths[key])
                found = next_key(text, at)
                if found:
                    start = found.start(1) + origin
                    key, value = found.group(2, 3)
                    at = found.end()
                    read = value is not None
                    continue
                read = False
                delimiter = DELIMITER(text, at)
                if delimiter is None or delimiter[1] == "]":
                    raise Invalid("',' or '}' is expected", at)
                if delimiter[1] == "}":
                    return delimiter.end(1)
                start = delimiter.end() + origin
                key, at = self.key(text, delimiter.end())
        except StopIteration as stop:
            raise Invalid("expecting value", int(stop.value)) from None
        except self.error as error:
            raise Invalid(_reason(error.msg), error.pos) from None

    def key(self, text: str, at: int) -> tuple[str, int]:
        """The key at ``at``, whatever escapes it has, and where its value begins."""
        if text[at : at + 1] != '"':
            raise Invalid("a key in double quotes is expected", at)
        key, end = self.string(text, at + 1)
        colon = _COLON(text, end)
        if colon is None:
            raise Invalid("':' is expected", end)
        return key, colon.end()


def _reason(message: str) -> str:
    return (message[:1].lower() + message[1:]).removesuffix(" at").removesuffix(" starting")


def refuse_rest(at: int) -> None:
    """Raises for what stands after a value."""
    raise Invalid("extra data", at)


def fault(reader: Reader, text: str, at: int) -> Invalid | None:
    """The fault of the value at ``at`` in the words of ``json``: the same with and without fields."""
    try:
        rest = after_space(text, reader.value(text, at))
    except Invalid as broken:
        return broken
    return Invalid("extra data", rest) if rest < len(text) else None


def _label(key: str) -> str:
    """The path of a key: ``$.name``, or ``$["any text"]`` with what cannot be printed as escapes."""
    if _PLAIN_KEY(key):
        return f"$.{key}"
    from tokaudit.sources.discover import printable

    return f'$["{printable(key if len(key) <= 80 else key[:79] + "…")}"]'
