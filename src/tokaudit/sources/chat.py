"""Chat messages in JSON and JSON Lines.

Only what is surely a chat is divided: a record in which there may be messages that are not understood makes the whole
document none. The text is left as it stands: messages are found at their places in it, and no
value is read more than a few times, whatever its size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tokaudit.model import Document, Segments
from tokaudit.model.message import Message
from tokaudit.sources.chat_records import KNOWN_ROLES, NotChatError, Part, RecordReader
from tokaudit.sources.columns import LineNumbers
from tokaudit.sources.json_reader import Invalid, Reader, after_space

_CONTENT = ("content", "parts", "text", "value", "output")
"""The keys under which a message, or a part of one, has its text."""
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages of a document."""

    segments: Segments
    """They cover the text; the label of a message is its role."""
    places: Sequence[int]
    """Offset at which each message itself begins: its object, or the key of its text."""

    def contents(self, index: int) -> Iterator[str]:
        """The texts that the content of a message has, without JSON around them; none of images, calls and tools."""
        text, at = self.segments.text, self.places[index]
        reader = Reader()
        if text[at] == '"':
            at = reader.key(text, at)[1]
        try:
            value = reader.scan(text, at)[0]
            yield from _texts(value)
        except RecursionError:  # nested a thousand levels deep: what cannot be told apart counts as content
            yield text[at : reader.value(text, at)]

    def named(self) -> Segments:
        """The segments with labels that tell messages of a role apart: ``user (message 2)``."""
        labels: list[str] = []
        number = 0
        for index, label in enumerate(self.segments.labels):
            is_message = self.segments.kind(index) == "message"
            number += is_message
            labels.append(Message("{label} (message {number})", label=label, number=number) if is_message else label)
        return replace(self.segments, labels=labels)


def _texts(value: Any) -> Iterator[str]:
    """The texts of a content: a text, a list of parts, or an object that has one of them."""
    if isinstance(value, str):
        yield _HALF.sub("\ufffd", value)  # an escape of half a character, which no tokenizer takes
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key in _CONTENT:
            if key in value:
                yield from _texts(value[key])


def by_message(document: Document) -> Document:
    """A document with its messages as segments; the same document where it is no chat."""
    found = chat(document)
    return document if found is None else replace(document, segments=found.named())


def chat(document: Document) -> Chat | None:
    """The messages of a document of kind json or jsonl.

    Known are a list of messages with ``role`` and ``content``, by itself or under ``messages`` (OpenAI, Anthropic with
    ``system``, data for fine-tuning), ``input`` with ``instructions`` (OpenAI Responses), ``contents`` with
    ``systemInstruction`` (Gemini), ``conversations`` (ShareGPT), pairs of preferences (``prompt``, ``chosen``,
    ``rejected``), ``prompt`` with ``completion``, and ``instruction`` with ``output`` (Alpaca); one of them, or several
    as lines or in an array. Each may be the request of a line of a batch: ``body`` (OpenAI) or ``params`` (Anthropic)
    beside a ``custom_id``, or ``request`` (Gemini). A message may have ``parts``, or no content.

    The label of a message is its role. ``tools`` and ``functions`` are segments of kind ``field``. Records of another
    kind, as far as they have no roles in them and are not most of all, are segments of kind ``record``.

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
    except (NotChatError, Invalid):
        return None
    segments = found.segments(document)
    return None if segments is None else Chat(segments, found.places)


def _document(text: str, found: _ChatList) -> None:
    """The parts of a JSON document: of an object, of a list of messages, or of a list of records."""
    reading = RecordReader(text)
    at = after_space(text, 0)
    if text[at] == "{":
        found.add(at, reading.record(at))
    elif text[at] == "[":
        for element in reading.items(at):
            found.add(element, reading.record(element))
    else:
        raise NotChatError


def _lines(document: Document, found: _ChatList) -> None:
    """The parts of JSON Lines. Lines of the file that are not in the text count for the numbers of later ones."""
    text = document.text
    reading = RecordReader(text)
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
        self.others: dict[int, tuple[str, str]] = {}
        """Kind and local id of each part that is no message, by its index."""
        self.met: dict[str, int] = {}
        """Times that a field of a name was met, or another record."""
        self.chats = 0
        """Records with messages."""
        self.known = False
        """A role is known."""

    def add(self, start: int, parts: Sequence[Part], line: int | None = None) -> None:
        """Add the parts of a record, whose first segment begins at ``start``."""
        self.chats += any(part.kind == "message" for part in parts)
        for index, part in enumerate(parts):
            if part.kind != "message":
                name = part.kind if part.kind == "record" else part.label.removeprefix("$.")
                self.met[name] = met = self.met.get(name, 0) + 1
                named = f"{name}-{met}" if met > 1 or part.kind == "record" else name
                self.others[len(self.starts)] = part.kind, named
            elif part.label in KNOWN_ROLES:
                self.known = True
            self.starts.append(part.at if index else start)
            self.places.append(part.at)
            self.labels.append(part.label)
            if line is not None:
                self.lines.append(line)

    def segments(self, document: Document) -> Segments | None:
        """The segments of the document, if there are messages among them."""
        if not self.known or self.met.get("record", 0) > self.chats:
            return None
        self.starts[0] = 0
        lines = self.lines or LineNumbers(document.text, self.places, document.first_line)
        kinds: Sequence[str] = ("message",)
        ids: Sequence[str] = ()  # message-1 and so on
        if self.others:
            kinds = [self.others.get(at, ("message",))[0] for at in range(len(self.starts))]
            ids = list(self._ids())
        return Segments(document.path, document.text, self.starts, kinds, labels=self.labels, ids=ids, lines=lines)

    def _ids(self) -> Iterator[str]:
        number = 0
        for at in range(len(self.starts)):
            if at in self.others:
                yield self.others[at][1]
            else:
                number += 1
                yield f"message-{number}"
