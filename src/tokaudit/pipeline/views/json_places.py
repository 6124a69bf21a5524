"""Texts within JSON with the place that a reader would call theirs: message 3, the second of the results."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from tokaudit.model.record import record
from tokaudit.pipeline.views.json_values import tokens

_LISTS = frozenset(("messages", "contents", "conversations", "input"))
"""Keys of the messages of a request, each of which is sent by itself."""
QUESTIONS = frozenset(("prompt", "question", "query", "instruction", "instructions", "task"))
"""Keys of texts that ask for something."""
_SAID = frozenset(("content", "text", "value", "parts")) | QUESTIONS
"""Keys of texts that a message may consist of."""
_CALLS = frozenset(("tool_use_id", "tool_call_id", "call_id"))
"""Keys by which a result names the call that it is of."""
_ROLES = frozenset(("role", "from", "type", "event", "tool", "tool_name", "action", "speaker", "author"))


@dataclass(slots=True)
class Place:
    """A message, or another element of a list, that texts stand in."""

    name: str
    role: str = ""
    signed: bool = False
    """Something in it is signed, so that its texts must stay."""

    def __str__(self) -> str:
        return f"{self.name}, {self.role}" if self.role else self.name


@dataclass(slots=True)
class _Object:
    """An object of JSON, and the one that it is in."""

    around: _Object | None = None
    is_result: bool = False
    """It is what a tool gave back, by the call that it names."""


@record
class Text:
    """A text of JSON: half-open, with its quotes."""

    start: int
    end: int
    place: Place
    key: str
    """The nearest key, in small letters."""
    fixed: bool
    """It is, or is in, the value of a key whose texts stay."""
    record: int
    """The element of the outermost list, or the line, that it is in."""
    within: _Object

    @property
    def is_result(self) -> bool:
        """True for what a tool gave back, whoever the message is from."""
        within: _Object | None = self.within
        while within is not None and not within.is_result:
            within = within.around
        return within is not None


@dataclass(slots=True)
class Places:
    """The texts of a document or of lines, and which records are requests by themselves."""

    texts: list[Text] = field(default_factory=list)
    requests: dict[int, int] = field(default_factory=dict)
    """Record to the number of lists of messages in it."""

    def add(self, text: str, start: int, end: int, fixed: Collection[str], shortest: int, line: int = 0) -> None:
        """Add the texts of a value; ``line`` is its number where it is a line.

        Those of less than ``shortest`` characters, with quotes and escapes, are added only if a message may be them.
        """
        place = Place(f"message {line}" if line else "above")
        around = [_Open(place, is_object=False, record=line, within=_Object(), outermost=True)]
        for part, first, last in tokens(text, start, end):
            top = around[-1]
            if part in "{[":
                if top.is_object and top.key in _LISTS and part == "[" and not top.fixed:
                    self.requests[top.record] = self.requests.get(top.record, 0) + 1
                around.append(_opened(top, part == "{", fixed, in_line=bool(line)))
            elif part in "}]":
                around.pop()
                around[-1].has_key = False
            elif part in ",:":
                continue
            elif top.is_object and not top.has_key:
                top.key, top.has_key = part[1:-1].lower(), True
                top.place.signed = top.place.signed or top.key == "signature"
                top.within.is_result = top.within.is_result or top.key in _CALLS
            else:
                if top.is_element and top.key in _ROLES and not top.place.role and last - first < 32:
                    top.place.role = part.strip('"')
                if part[0] == '"' and (last - first >= shortest or top.key in _SAID):
                    stays = top.fixed or top.key in fixed
                    self.texts.append(Text(first, last, top.place, top.key, stays, top.record, top.within))
                top.has_key = False


@dataclass(slots=True)
class _Open:
    """An object or array that is not closed yet."""

    place: Place
    is_object: bool
    record: int
    within: _Object
    key: str = ""
    """In an object the last key, in an array that of the array."""
    has_key: bool = False
    """In an object: the value of the key comes next."""
    fixed: bool = False
    is_element: bool = False
    """It is what the place names."""
    outermost: bool = False
    names: bool = False
    """An array whose elements are places of their own."""
    count: int = 0


def _opened(top: _Open, is_object: bool, fixed: Collection[str], *, in_line: bool) -> _Open:
    """What opens within ``top``."""
    stays = top.fixed or (top.is_object and top.key in fixed and (is_object or top.key not in _LISTS))
    within = _Object(top.within) if is_object else top.within
    opened = _Open(top.place, is_object, top.record, within, "" if is_object else top.key, fixed=stays)
    if not is_object:
        unnamed = top.place.name == "above" and not in_line
        opened.names = unnamed or (top.is_object and top.key in _LISTS)
        opened.outermost = top.outermost and not in_line
    elif top.names:
        top.count += 1
        opened.place = Place(f"{'message' if top.key in _LISTS or not top.key else top.key} {top.count}")
        opened.is_element = True
        if top.outermost:
            opened.record = top.count
    else:
        opened.is_element = in_line and top.outermost
    return opened
