"""Kinds of configuration keys: check of a value, in a file and in an environment variable alike, and its schema."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from tokaudit.model import UsageError
from tokaudit.model.message import Message, as_message, joined
from tokaudit.model.record import record

_UNITS = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}
_SIZE = r"([0-9]+(?:\.[0-9]+)?)\s*([kKmMgG]?i?[bB])?"
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


Inside = tuple[str | int, ...]
"""The path of a part of a value: keys of tables and indexes of lists, from the outside in."""
Problem = tuple[Inside, str]
"""A wrong part of a value, and a message that is complete by itself."""


class BadValueError(ValueError):
    """A value that a key cannot have; the message goes on from the key's name."""


class BadPartsError(BadValueError):
    """A value with wrong parts."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(joined("; ", *(message for _, message in self.problems)))


@record
class Key(ABC):
    """One key: the check of its value, and its part of the published schema."""

    summary: str

    @property
    def in_file_only(self) -> str:
        """The way to write it in the file, for a key that no environment variable can set; else empty."""
        return ""

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value in a file."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """The value as the configuration holds it.

        Raises:
            BadValueError: The value is of another type or out of range; the message begins with ``must``.
        """

    def parse(self, text: str) -> Any:
        """The value of an environment variable; raises like ``check``."""
        return self.check(text)


@record
class Text(Key):
    """A text, of a fixed set where ``choices`` names one."""

    choices: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", **({"enum": list(self.choices)} if self.choices else {"minLength": 1})}

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise BadValueError(Message("must be a text, not {value}", value=described(value)))
        if self.choices and value not in self.choices:
            raise BadValueError(
                Message(
                    "must be one of {choices}, not '{value}'{nearest}",
                    choices=tuple(self.choices),
                    value=value,
                    nearest=nearest(value, self.choices),
                )
            )
        return value


@record
class Texts(Key):
    """A list of texts; in a variable they are separated by commas."""

    least: int = 0

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            **({"minItems": self.least} if self.least else {}),
        }

    def check(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise BadValueError(Message("must be a list of texts, not {value}", value=described(value)))
        for item in value:
            if not isinstance(item, str) or not item:
                raise BadValueError(Message("must be a list of texts, but holds {item}", item=described(item)))
        if len(value) < self.least:
            raise BadValueError("must name at least one")
        return tuple(value)

    def parse(self, text: str) -> tuple[str, ...]:
        return self.check([part.strip() for part in text.split(",") if part.strip()])


class Flag(Key):
    """True or false."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise BadValueError(Message("must be true or false, not {value}", value=described(value)))
        return value

    def parse(self, text: str) -> bool:
        if text.lower() in _TRUE:
            return True
        if text.lower() in _FALSE:
            return False
        raise BadValueError(Message("must be one of {choices}, not '{text}'", choices=(*_TRUE, *_FALSE), text=text))


@record
class Whole(Key):
    """A whole number of at least ``least``."""

    least: int = 1

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least}

    def check(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadValueError(Message("must be a whole number, not {value}", value=described(value)))
        if value < self.least:
            raise BadValueError(Message("must be at least {least}, not {value}", least=self.least, value=value))
        return value

    def parse(self, text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            raise BadValueError(Message("must be a whole number, not '{text}'", text=text))
        return self.check(int(text))


@record
class Number(Key):
    """A number above zero, or also zero; not necessarily whole."""

    zero: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum" if self.zero else "exclusiveMinimum": 0}

    def check(self, value: Any) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise BadValueError(Message("must be a number, not {value}", value=described(value)))
        if not (value >= 0 if self.zero else value > 0) or value >= float("inf"):
            raise BadValueError(
                Message(
                    "must be a number of at least 0, not {value}"
                    if self.zero
                    else "must be a number above 0, not {value}",
                    value=value,
                )
            )
        return float(value)

    def parse(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise BadValueError(Message("must be a number, not '{text}'", text=text)) from None
        return self.check(value)


class Size(Key):
    """A number of bytes, or a text with a unit such as ``10MB``."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": f"^{_SIZE}$"}]}

    def check(self, value: Any) -> int:
        if isinstance(value, str):
            value = _bytes(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadValueError(
                Message("must be a number of bytes or a text such as '10MB', not {value}", value=described(value))
            )
        if value < 1:
            raise BadValueError("must be at least 1 byte")
        return value


@record
class LazyKey(Key):
    """A key of ``tokaudit check``, imported on first use: most configurations and commands have none."""

    module: str
    kind: str

    @property
    def _key(self) -> Key:
        key: Key = getattr(import_module(self.module), self.kind)(self.summary)
        return key

    @property
    def in_file_only(self) -> str:
        return self._key.in_file_only

    @property
    def schema(self) -> dict[str, Any]:
        return self._key.schema

    def check(self, value: Any) -> Any:
        return self._key.check(value)

    def parse(self, text: str) -> Any:
        return self._key.parse(text)


def parse_size(text: str) -> int:
    """Bytes that a text such as ``10MB``, ``1.5 GiB`` or ``4096`` names. Raises ``UsageError`` for any other."""
    try:
        return _bytes(text)
    except BadValueError as error:
        raise UsageError(Message("a size {error}", error=error)) from error


def _bytes(text: str) -> int:
    match = re.fullmatch(_SIZE, text.strip())
    if not match:
        raise BadValueError(Message("must be a number of bytes or a text such as '10MB', not '{text}'", text=text))
    unit = _UNITS[(match[2] or "B").lower()]
    # Not by way of float, which loses bytes in large whole numbers.
    return int(float(match[1]) * unit) if "." in match[1] else int(match[1]) * unit


def described(value: object) -> str:
    """A value in the words of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return Message("the text '{value}'", value=value) if value else Message("an empty text")
    if isinstance(value, (int, float)):
        return Message("the number {value}", value=value)
    return (
        Message("a list")
        if isinstance(value, list)
        else Message("a table")
        if isinstance(value, Mapping)
        else Message("a date or time")
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean '...'?`` where a known name is near, else nothing."""
    from difflib import get_close_matches

    spelled = {text.lower().replace("_", "-"): text for text in known}
    near = get_close_matches(name.lower().replace("_", "-"), spelled, n=1, cutoff=0.6)
    return Message("; did you mean '{near}'?", near=spelled[near[0]]) if near else ""


def unknown_key(name: str, known: Iterable[str], *, of: str = "") -> str:
    """The message for a key that there is not, with the nearest one; ``of`` names the kind of table."""
    if of:
        return Message(
            "unknown key '{name}'{of}{nearest}",
            name=name,
            of=of and Message(" of {table}", table=as_message(of)),
            nearest=nearest(name, known),
        )
    return Message("unknown key '{name}'{nearest}", name=name, nearest=nearest(name, known))


def known_keys(of: str, known: Iterable[str]) -> str:
    """`` (a rule has: id, title, ...)``, to go on from ``unknown_key``."""
    return Message(" ({of} has: {known})", of=as_message(of), known=tuple(known))


def checked_table(
    table: Mapping[str, Any], keys: Mapping[str, Key], *, of: str = ""
) -> tuple[dict[str, Any], list[Problem]]:
    """The values of a table that are right, and all problems; ``of`` names the kind of table in messages."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in table.items():
        if name not in keys:
            problems.append(((name,), unknown_key(name, keys, of=of)))
            continue
        try:
            values[name] = keys[name].check(value)
        except BadPartsError as error:
            problems += [((name, *inside), message) for inside, message in error.problems]
        except BadValueError as error:
            problems.append(((name,), Message("'{key}' {error}", key=name, error=error)))
    return values, problems
