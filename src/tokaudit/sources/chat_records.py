"""The messages of one record of JSON: which request formats there are, and where each message begins in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tokaudit.model.message import Message
from tokaudit.sources.json_reader import DELIMITER, Invalid, Reader, after_space

LISTS = {
    "messages": "system",
    "conversations": "system",
    "contents": "systemInstruction",
    "input": "instructions",
    "prompt": "system",
    "completion": "system",
    "chosen": "system",
    "rejected": "system",
    "preferred_output": "system",
    "non_preferred_output": "system",
}
"""The keys of lists of messages, each with the system prompt that may stand beside it."""
_ANSWERS = frozenset(("completion", "chosen", "rejected", "preferred_output", "non_preferred_output"))
"""Keys of lists, or of one message, that stand beside a list of messages or a ``prompt``."""
TEXTS = {
    "prompt": "user",
    "instruction": "user",
    "input": "user",
    "completion": "assistant",
    "output": "assistant",
    "chosen": "assistant",
    "rejected": "assistant",
}
"""The keys of texts that are messages by themselves, and their roles."""
_TEXT_FORMS = (
    ("prompt", "completion"),
    ("prompt", "chosen", "rejected"),
    ("instruction", "output"),
    ("system", "prompt"),
)
"""Keys of texts that together are surely a chat: data for fine-tuning, Alpaca, and requests without a list."""
SYSTEM = {
    "system": ("system", '"['),
    "instructions": ("instructions", '"'),
    "systemInstruction": ("systemInstruction", '"{'),
    "system_instruction": ("systemInstruction", '"{'),
}
"""The keys of system prompts: the name that ``LISTS`` has for each, and what its value begins with."""
TOOLS = frozenset(("tools", "functions"))
REQUESTS = {"body": "custom_id", "params": "custom_id", "request": ""}
"""The keys of the request in a line of a batch, of OpenAI, Anthropic and Gemini, and what must stand beside it."""
TELLING = frozenset(("role", "from", "type"))
"""The keys of a message whose values say who speaks."""
CALLS = frozenset(("tool_calls", "function_call", "refusal", "audio", "reasoning_content"))
"""Keys that a message may have in the place of its content."""
_RENAMED = {"human": "user", "gpt": "assistant", "model": "assistant"}
"""Roles of ShareGPT and Gemini to those of the other formats."""
KNOWN_ROLES = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
"""Roles of which a chat has at least one: a list of people has roles too."""
_LONGEST_ROLE = 64
SPEAKS = re.compile(r'\\*"(?:role|systemInstruction|system_instruction)\\*"').search
"""A key of a message or a system prompt, also in JSON that is the text of a value."""


class NotChatError(Exception):
    """The text is no chat, or not surely one."""


class Part(NamedTuple):
    """A message, a field with tools, or a record without messages, and where it begins."""

    at: int
    kind: str
    label: str


@dataclass(slots=True)
class _Object:
    """Fields of an object that may say that it is a message, or that it holds some."""

    begins: dict[str, str] = field(default_factory=dict)
    """Key to the first character of its value."""
    values: dict[str, str | None] = field(default_factory=dict)
    """The texts of ``TELLING``; None where they are none."""
    lists: dict[str, list[Part]] = field(default_factory=dict)
    """Key of a list of messages to those."""
    places: dict[str, int] = field(default_factory=dict)
    """Offsets at which the fields of ``LISTS``, ``SYSTEM``, ``TOOLS`` and ``TEXTS`` begin."""
    requests: dict[str, int] = field(default_factory=dict)
    """Those of the ``REQUESTS`` that are objects, and where these begin."""
    is_doubtful: bool = False
    """There is a list of what may be messages, and is not understood."""

    def message(self, at: int, key: str) -> Part | None:
        """The message that this object at ``at`` is; None where it is none.

        Args:
            at: Where it begins.
            key: That of the list that it is in; empty for a record by itself, which must have a content.
        """
        begins, values = self.begins, self.values
        if key == "contents":
            role = values.get("role", "user")
            whole = begins.get("parts", "") in ("[", "{")
        elif "role" in values:
            role = values["role"]
            whole = begins.get("content", "") in ('"', "[", "n", "{") or begins.get("parts") == "["
            whole = whole or not CALLS.isdisjoint(begins)
            whole = whole or bool(key and role in KNOWN_ROLES and "content" not in begins and "parts" not in begins)
        elif key in {"conversations", "chosen", "rejected"}:
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
        renamed = key == "contents" or "role" not in values or begins.get("parts") == "["
        return Part(at, "message", _RENAMED.get(role, role) if renamed else role)

    def parts(self) -> list[Part] | None:
        """The messages and tools that this object holds, in order; None where it holds none.

        Raises:
            NotChatError: It may hold some, which are not understood.
        """
        if self.is_doubtful:
            raise NotChatError
        if not self.lists:
            texts = {key for key in self.places if self.begins[key] == '"'}
            if any(texts.issuperset(form) for form in _TEXT_FORMS):
                roles = {"system": "system", **TEXTS}
                return sorted(Part(self.places[key], "message", roles[key]) for key in texts if key in roles)
        if not self.lists and self.begins.get("input") == self.begins.get("instructions") == '"':
            # Data for fine-tuning may have these two as well, but no model.
            found = [Part(self.places["input"], "message", "user")] if "model" in self.begins else []
            system = "instructions"
        else:
            found = [part for parts in self.lists.values() for part in parts]
            leading = [key for key in self.lists if key not in _ANSWERS]
            if len(leading) > 1:
                raise NotChatError
            system = LISTS[next(iter(leading), "messages")]
            if self.lists and not leading and "prompt" in self.places and self.begins["prompt"] == '"':
                found = [*found, Part(self.places["prompt"], "message", "user")]
        if not (found or self.lists):
            return None
        beside = []
        for key, place in self.places.items():
            if key in SYSTEM and SYSTEM[key][0] == system and self.begins[key] in SYSTEM[key][1]:
                beside.append(Part(place, "message", "system"))
            elif key in TOOLS and self.begins[key] == "[":
                beside.append(Part(place, "field", f"$.{key}"))
        return sorted([*found, *beside])


class RecordReader:
    """Reads a text that is valid JSON, from one place to the next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.reader = Reader()
        self.at = 0
        """The end of what was read last."""
        self.searched = False
        """A text was searched for keys of messages."""

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
            raise Invalid(Message("',' or '{close}' is expected", close=close), self.at)
        self.at = found.end(1)
        return found.end(), found[1] == close

    def record(self, at: int) -> list[Part]:
        """The parts of a record, which may be none; one of kind ``record`` where it holds no messages."""
        found: list[Part] | None = None
        if self.text[at] == "[":
            found = self._messages(at, "messages")
        elif self.text[at] == "{":
            fields = self._object(at, lists=True)
            one = None if fields.lists else fields.message(at, "")
            found = fields.parts() if one is None else [one]
            if found is None and len(fields.requests) == 1:
                [(key, request)] = fields.requests.items()
                if not REQUESTS[key] or REQUESTS[key] in fields.begins:
                    end = self.at
                    found = self._object(request, lists=True).parts()
                    self.at = end
        return self._other(at) if found is None else found

    def _other(self, at: int) -> list[Part]:
        """A record without messages. Raises ``NotChatError`` where there may be some in it."""
        self.at = self.reader.value(self.text, at)
        if self._speaks(at):
            raise NotChatError
        return [Part(at, "record", "$")]

    def _speaks(self, at: int) -> bool:
        """Search the value that was read last, and begins at ``at``, for keys of messages."""
        self.searched = True
        return SPEAKS(self.text, at, self.at) is not None

    def _messages(self, at: int, key: str) -> list[Part] | None:
        """The messages of the list at ``at``; None where not all of its elements are some."""
        found = []
        for element in self.items(at):
            one = self._object(element).message(element, key) if self.text[element] == "{" else None
            if one is None:
                return None
            found.append(one)
        return found

    def _object(self, at: int, *, lists: bool = False, inside: bool = False) -> _Object:
        """Read the fields of the object at ``at``; of the lists among them only where ``lists``.

        An object with messages may be in another one, and ``inside`` of that is none.
        """
        found = _Object()
        for key, place, value in self.pairs(at):
            found.begins[key] = first = self.text[value]
            if key in TELLING:
                if key in found.values:
                    raise NotChatError  # which of the two counts is not said
                found.values[key] = None
                if first == '"':
                    found.values[key], self.at = self.reader.string(self.text, value + 1)
            elif lists and key in REQUESTS and first == "{":
                found.requests[key] = value
            elif lists and not inside and key == "config" and first == "{":
                self._system_in(found, value)
            elif lists and (key in LISTS or key in SYSTEM or key in TOOLS or key in TEXTS):
                if key in found.places:
                    raise NotChatError
                found.places[key] = place
                if key in LISTS and first in '[{"':
                    self._list(found, key, value, inside=inside)
        return found

    def _list(self, found: _Object, key: str, at: int, *, inside: bool) -> None:
        """Read the value at ``at`` of a key of ``LISTS`` into ``found``: messages, one message, or a request."""
        inner: list[Part] | None = None
        if self.text[at] == "[":
            inner = self._messages(at, key)
        elif self.text[at] == "{":
            is_request = key == "input" and not inside
            fields = self._object(at, lists=is_request, inside=True)
            one = fields.message(at, key) if key == "contents" or key in _ANSWERS else None
            inner = [one] if one is not None else fields.parts() if is_request else None
        self.at = self.reader.value(self.text, at)
        if inner is not None:
            found.lists[key] = inner
        elif self._speaks(at):
            found.is_doubtful = True

    def _system_in(self, found: _Object, at: int) -> None:
        """Add the system prompt that the object at ``at`` has, as that of Gemini's ``config``."""
        inner = self._object(at, lists=True, inside=True)
        for key in ("systemInstruction", "system_instruction"):
            if key in inner.places and key not in found.places:
                found.places[key] = inner.places[key]
                found.begins[key] = inner.begins[key]
