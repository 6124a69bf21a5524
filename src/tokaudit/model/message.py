"""A sentence for people that can be said in another language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.model.record import record

_PROSE = frozenset(("reason", "hint", "why", "error", "note"))
"""Fields whose values are sentences of ours, or of a library, also where they are plain texts."""


class Message(str):
    """A text in English that keeps the template it was made of, by which a catalogue has it in another language.

    ``Message("over budget by {tokens}", tokens=...)`` is the text itself wherever a text is wanted; values may be
    messages too, and a tuple of texts is a list of them. Where it goes through string operations, only the text is
    left, in English.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Message:  # noqa: PYI034 - Self needs Python 3.11
        """The text, made of a template as ``str.format`` takes it; without values it is the text as it stands."""
        self = super().__new__(cls, _formatted(template, values, {}))
        self.template = template
        self.values = values
        return self

    def __add__(self, other: str) -> Message:
        """Both texts; each stays what it is."""
        return joined("", self, other)

    def __radd__(self, other: str) -> Message:
        return joined("", other, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.template, dict(self.values))


def _made(template: str, values: Mapping[str, Any]) -> Message:
    return Message(template, **values)


@record
class _Parts:
    between: str
    parts: tuple[str, ...]


def joined(between: str, *parts: str) -> Message:
    """Parts of a text, each of which is translated by itself; empty ones are left out."""
    return Message("{parts}", parts=_Parts(between, tuple(part for part in parts if part)))


def separator(between: str, words: Mapping[str, str]) -> str:
    """A colon or semicolon, with its space, in the language of a catalogue."""
    return words.get(between.strip(), between)


def as_message(text: str) -> Message:
    """A text that is a message of its own, also within another one."""
    return text if isinstance(text, Message) else Message(text)


def translated(text: str, words: Mapping[str, str]) -> str:
    """A text in the language of a catalogue (template to template); as it is where the catalogue lacks it."""
    if not words:
        return text
    if isinstance(text, Message):
        return _formatted(words.get(text.template, text.template), text.values, words)
    return words.get(text, text)


def _formatted(template: str, values: Mapping[str, Any], words: Mapping[str, str]) -> str:
    if not values:
        return template
    return template.format(**{key: _value(value, words, prose=key in _PROSE) for key, value in values.items()})


def _value(value: Any, words: Mapping[str, str], *, prose: bool = False) -> Any:
    if isinstance(value, BaseException) and value.args and isinstance(value.args[0], Message):
        value = value.args[0]
    if isinstance(value, _Parts):
        return separator(value.between, words).join(str(_value(part, words)) for part in value.parts)
    if isinstance(value, tuple):
        return words.get(", ", ", ").join(str(_value(item, words)) for item in value)
    return translated(value, words) if isinstance(value, Message) or (prose and type(value) is str) else value


def reason_of(error: OSError) -> Message:
    """The system's reason."""
    return Message(error.strerror or str(error))


def counted(number: int, one: str, several: str) -> Message:
    """``counted(2, "1 file", "{n:,} files")``: one of two templates by the number."""
    return Message(one) if number == 1 else Message(several, n=number)
