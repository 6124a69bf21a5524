"""Chat messages in JSON and JSON Lines.

Only what is surely a chat is divided: a record in which there may be messages that are not understood makes the whole
document none. The text is left as it stands: messages are found at their places in it, and no
value is read more than a few times, whatever its size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tokaudit.model import Document, Segments
from tokaudit.model.record import record
from tokaudit.sources.chat_list import ChatList
from tokaudit.sources.chat_records import NotChatError, RecordReader
from tokaudit.sources.chat_shapes import KEYS, Shapes
from tokaudit.sources.json_reader import Invalid, Reader, after_space
from tokaudit.sources.native import SHAPES, LineScanner, scan_document

_CONTENT = ("content", "parts", "text", "value", "output")
"""The keys under which a message, or a part of one, has its text."""
_HALF = re.compile("[\ud800-\udfff]")


@record
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
    if document.kind not in {"json", "jsonl"} or not document.text or document.text.isspace():
        return None
    found = ChatList()
    try:
        if document.kind == "jsonl":
            _lines(document, found)
        else:
            _document(document.text, found)
    except (NotChatError, Invalid):
        return None
    segments = found.segments(document)
    return None if segments is None else Chat(segments, found.places)


def _document(text: str, found: ChatList) -> None:
    """The parts of a JSON document: of an object, of a list of messages, or of a list of records."""
    reading = RecordReader(text)
    at = after_space(text, 0)
    if text[at] not in "[{":
        raise NotChatError
    scanned = scan_document(text, SHAPES, KEYS)
    if scanned is not None:
        Shapes(reading, found).add(scanned, scanned.column(1), ())
    elif text[at] == "{":
        found.add(at, reading.record(at))
    else:
        for element in reading.items(at):
            found.add(element, reading.record(element))


def _lines(document: Document, found: ChatList) -> None:
    """The parts of JSON Lines. Lines of the file that are not in the text count for the numbers of later ones."""
    text = document.text
    reading = RecordReader(text)
    shaped = Shapes(reading, found)
    gone = _Gone(document)
    scanner = LineScanner(text, SHAPES, KEYS, first_line=document.first_line)
    while True:
        scanned = scanner.scan()
        if scanned is not None:
            starts, lines = scanned.column(0), scanned.column(2)
            shaped.add(scanned, starts, gone.numbers(starts, lines) if document.gaps else lines)
        line = scanner.next_line()
        if line is None:
            return
        start, end = line
        first = after_space(text, start)
        if first < end:
            [number] = gone.numbers([start], [scanner.line - 1])
            found.add(start, reading.record(first), number)


class _Gone:
    """Numbers of lines in the file, of which some are not in the text."""

    def __init__(self, document: Document) -> None:
        self._gaps = iter([*document.gaps, (len(document.text) + 1, 0)])
        self._next = next(self._gaps)
        self._missing = 0

    def numbers(self, starts: Sequence[int], lines: Sequence[int]) -> list[int]:
        """The numbers of lines by where they start, in ascending order from call to call, and by those in the text."""
        found = []
        for start, line in zip(starts, lines, strict=True):
            while self._next[0] <= start:
                self._missing += self._next[1]
                self._next = next(self._gaps)
            found.append(line + self._missing)
        return found
