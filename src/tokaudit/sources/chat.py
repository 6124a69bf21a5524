"""Chat messages in JSON and JSON Lines: which request formats there are, and where each message begins.

Only what is surely a chat is divided. The text is left as it stands: messages are found at their places in it, and no
value is read more than a few times, whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tokaudit.model import Document, Segments
from tokaudit.sources.columns import LineNumbers
from tokaudit.sources.json_reader import DELIMITER, Invalid, Reader, after_space

_LISTS = {"messages": "system", "conversations": "system", "contents": "systemInstruction", "input": "instructions"}
"""The keys of lists of messages, each with the system prompt that may stand beside it."""
_SYSTEM = {
    "system": ("system", '"['),
    "instructions": ("instructions", '"'),
    "systemInstruction": ("systemInstruction", '"{'),
    "system_instruction": ("systemInstruction", '"{'),
}
"""The keys of system prompts: the name that ``_LISTS`` has for each, and what its value begins with."""
_TOOLS = frozenset(("tools", "functions"))
_REQUESTS = ("body", "params")
"""The keys of the request in a line of a batch, of OpenAI and of Anthropic; beside it is a ``custom_id``."""
_TELLING = frozenset(("role", "from", "type"))
"""The keys of a message whose values say who speaks."""
_CALLS = frozenset(("tool_calls", "function_call", "refusal", "audio", "reasoning_content"))
"""Keys that a message may have in the place of its content."""
_RENAMED = {"human": "user", "gpt": "assistant", "model": "assistant"}
"""Roles of ShareGPT and Gemini to those of the other formats."""
_KNOWN = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
"""Roles of which a chat has at least one: a list of people has roles too."""
_LONGEST_ROLE = 64


class _NotChatError(Exception):
    """The text is no chat, or not surely one."""


class _Part(NamedTuple):
    """A message, or a field with tools, and where it begins."""

    at: int
    kind: str
    label: str


def messages(document: Document) -> Segments | None:
    """The messages of a document of kind json or jsonl, as segments that cover its text.

    Known are a list of messages with ``role`` and ``content``, by itself or under ``messages`` (OpenAI, Anthropic with
    ``system``, data for fine-tuning), ``input`` with ``instructions`` (OpenAI Responses), ``contents`` with
    ``systemInstruction`` (Gemini), and ``conversations`` (ShareGPT); one of them, or several as lines or in an array.
    Each may be the request of a line of a batch: ``body`` (OpenAI) or ``params`` (Anthropic) beside a ``custom_id``.
    The label of a message is its role. ``tools`` and ``functions`` are segments of kind ``field``.

    What stands before the first message of a record belongs to it; what stands after a message, to that message.

    Returns:
        None where the document holds no messages, or not surely.
    """
    if document.kind not in {"json", "jsonl"} or not document.text.strip():
        return None
    found = _ChatList()
    try:
        if document.kind == "jsonl":
            _lines(document, found)
        else:
            _document(document.text, found)
    except (_NotChatError, Invalid, RecursionError):
        return None
    return found.segments(document)


def _document(text: str, found: _ChatList) -> None:
    """The parts of a JSON document: of an object, of a list of messages, or of a list of records."""
    reading = _Reading(text)
    at = after_space(text, 0)
    if text[at] == "{":
        found.add(at, reading.record(at))
    elif text[at] == "[":
        for element in reading.items(at):
            found.add(element, reading.record(element))
    else:
        raise _NotChatError


def _lines(document: Document, found: _ChatList) -> None:
    """The parts of JSON Lines. Lines of the file that are not in the text count for the numbers of later ones."""
    text = document.text
    reading = _Reading(text)
    gaps = iter([*document.gaps, (len(text) + 1, 0)])
    gap, gone = next(gaps)
    number = document.first_line
    start = 0
    while start < len(text):
        while gap <= start:
            number += gone
            gap, gone = next(gaps)
        end = text.find("\n", start) + 1 or len(text)
        first = after_space(text, start)
        if first < end:
            found.add(start, reading.record(first), number)
        number += 1
        start = end


class _ChatList:
    """The parts found so far, as columns."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.places: list[int] = []
        """Offsets at which the parts themselves begin."""
        self.labels: list[str] = []
        self.lines: list[int] = []
        """Of each part; only of JSON Lines."""
        self.fields: dict[int, str] = {}
        """Local id of each part that is no message, by its index."""
        self.met: dict[str, int] = {}
        """Times that a field of a name was met."""
        self.known = self.single = self.several = False
        """A role is known, a record was one message, and one was more than that."""

    def add(self, start: int, parts: Sequence[_Part] | _Part, line: int | None = None) -> None:
        """Adds the parts of a record, whose first segment begins at ``start``."""
        if isinstance(parts, _Part):
            self.single, parts = True, [parts]
        else:
            self.several = True
        if self.single and self.several:
            raise _NotChatError
        for index, part in enumerate(parts):
            if part.kind == "field":
                name = part.label.removeprefix("$.")
                self.met[name] = met = self.met.get(name, 0) + 1
                self.fields[len(self.starts)] = name if met == 1 else f"{name}-{met}"
            elif part.label in _KNOWN:
                self.known = True
            self.starts.append(part.at if index else start)
            self.places.append(part.at)
            self.labels.append(part.label)
            if line is not None:
                self.lines.append(line)

    def segments(self, document: Document) -> Segments | None:
        """The segments of the document, if there are messages among them."""
        if not self.known:
            return None
        self.starts[0] = 0
        lines = self.lines or LineNumbers(document.text, self.places, document.first_line)
        kinds: Sequence[str] = ("message",)
        ids: Sequence[str] = ()  # message-1 and so on
        if self.fields:
            kinds = ["field" if at in self.fields else "message" for at in range(len(self.starts))]
            ids = list(self._ids())
        return Segments(document.path, document.text, self.starts, kinds, labels=self.labels, ids=ids, lines=lines)

    def _ids(self) -> Iterator[str]:
        number = 0
        for at in range(len(self.starts)):
            if at not in self.fields:
                number += 1
            yield self.fields.get(at) or f"message-{number}"


@dataclass(slots=True)
class _Object:
    """Fields of an object that may say that it is a message, or that it holds some."""

    begins: dict[str, str] = field(default_factory=dict)
    """Key to the first character of its value."""
    values: dict[str, str | None] = field(default_factory=dict)
    """The texts of ``_TELLING``; None where they are none."""
    lists: dict[str, list[_Part]] = field(default_factory=dict)
    """Key of a list of messages to those."""
    places: dict[str, int] = field(default_factory=dict)
    """Offsets at which the fields of ``_LISTS``, ``_SYSTEM`` and ``_TOOLS`` begin."""
    requests: list[int] = field(default_factory=list)
    """Offsets of the values of the ``_REQUESTS`` that are objects."""

    def message(self, at: int, key: str) -> _Part | None:
        """The message that this object at ``at`` is in a list that stands under ``key``; None where it is none."""
        begins, values = self.begins, self.values
        if key == "contents":
            role = values.get("role", "user")
            whole = begins.get("parts", "") in ("[", "{")
        elif "role" in values:
            role = values["role"]
            whole = begins.get("content", "") in ('"', "[", "n") or not _CALLS.isdisjoint(begins)
        elif key == "conversations":
            role = values.get("from")
            whole = begins.get("value") == '"'
        else:
            # A call of a tool and what came of it have types, but no roles.
            role = values.get("type")
            whole = key == "input"
        if role is None or not whole or not 0 < len(role.strip()) <= len(role) <= _LONGEST_ROLE:
            return None
        if not role.isprintable():
            return None
        renamed = key == "contents" or (key == "conversations" and "role" not in values)
        return _Part(at, "message", _RENAMED.get(role, role) if renamed else role)

    def parts(self) -> list[_Part]:
        """The messages and tools that this object holds, in order. Raises ``_NotChatError`` where that is not sure."""
        if not self.lists and self.begins.get("input") == self.begins.get("instructions") == '"':
            # Data for fine-tuning may have these two as well, but no model.
            found = [_Part(self.places["input"], "message", "user")] if "model" in self.begins else []
            system = "instructions"
        else:
            found = next(iter(self.lists.values()), [])
            system = _LISTS[next(iter(self.lists), "messages")]
        if len(self.lists) > 1 or not (found or self.lists):
            raise _NotChatError
        beside = []
        for key, place in self.places.items():
            if key in _SYSTEM and _SYSTEM[key][0] == system and self.begins[key] in _SYSTEM[key][1]:
                beside.append(_Part(place, "message", "system"))
            elif key in _TOOLS and self.begins[key] == "[":
                beside.append(_Part(place, "field", f"$.{key}"))
        return sorted([*found, *beside]) if beside else found


class _Reading:
    """Reads a text that is valid JSON, from one place to the next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.reader = Reader()
        self.at = 0
        """The end of what was read last."""

    def pairs(self, at: int) -> Iterator[tuple[str, int, int]]:
        """Each field of the object at ``at``: its key, where it begins, and where its value does.

        Whoever gets a field moves ``self.at`` to the end of its value, or leaves that to be found here.
        """
        text, reader = self.text, self.reader
        at = after_space(text, at + 1)
        self.at = at + 1
        closed = text[at] == "}"
        while not closed:
            key, value = reader.key(text, at)
            self.at = value
            yield key, at, value
            if self.at == value:
                self.at = reader.value(text, value)
            at, closed = self._delimited("}")

    def items(self, at: int) -> Iterator[int]:
        """Offsets of the elements of the list at ``at``; the rest is as in ``pairs``."""
        at = after_space(self.text, at + 1)
        self.at = at + 1
        closed = self.text[at] == "]"
        while not closed:
            self.at = at
            yield at
            if self.at == at:
                self.at = self.reader.value(self.text, at)
            at, closed = self._delimited("]")

    def _delimited(self, close: str) -> tuple[int, bool]:
        """Offset of what follows a value; true where the value was the last."""
        found = DELIMITER(self.text, self.at)
        if found is None or found[1] not in (",", close):
            raise Invalid(f"',' or '{close}' is expected", self.at)
        self.at = found.end(1)
        return found.end(), found[1] == close

    def record(self, at: int) -> list[_Part] | _Part:
        """The message that a record is, or the parts that it has, which may be none."""
        if self.text[at] == "[":
            found = self._messages(at, "messages")
            if found is None:
                raise _NotChatError
            return found
        if self.text[at] != "{":
            raise _NotChatError
        fields = self._object(at, lists=True)
        one = None if fields.lists else fields.message(at, "messages")
        if one is None and "custom_id" in fields.begins and len(fields.requests) == 1 and not fields.lists:
            end = self.at
            fields = self._object(fields.requests[0], lists=True)
            self.at = end
        return fields.parts() if one is None else one

    def _messages(self, at: int, key: str) -> list[_Part] | None:
        """The messages of the list at ``at``; None where not all of its elements are some."""
        found = []
        for element in self.items(at):
            one = self._object(element).message(element, key) if self.text[element] == "{" else None
            if one is None:
                return None
            found.append(one)
        return found

    def _object(self, at: int, *, lists: bool = False) -> _Object:
        """Read the fields of the object at ``at``; of the lists among them only where ``lists``."""
        found = _Object()
        for key, place, value in self.pairs(at):
            found.begins[key] = first = self.text[value]
            if key in _TELLING:
                if key in found.values:
                    raise _NotChatError  # which of the two counts is not said
                found.values[key] = None
                if first == '"':
                    found.values[key], self.at = self.reader.string(self.text, value + 1)
            elif lists and key in _REQUESTS and first == "{":
                found.requests.append(value)
            elif lists and (key in _LISTS or key in _SYSTEM or key in _TOOLS):
                if key in found.places:
                    raise _NotChatError
                found.places[key] = place
                if key in _LISTS and first == "[":
                    inner = self._messages(value, key)
                    if inner is None:
                        self.at = value
                    else:
                        found.lists[key] = inner
        return found
