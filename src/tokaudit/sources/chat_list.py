"""The messages and other parts of a chat as columns, and their names, which are made when asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

from tokaudit.model import Document, Segments
from tokaudit.model.text import LazyColumn
from tokaudit.sources.chat_records import KNOWN_ROLES, Part
from tokaudit.sources.columns import LineNumbers


class ChatList:
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

    def add_messages(self, start: int, places: Sequence[int], labels: Sequence[str], line: int | None) -> None:
        """Add the parts of a record that are all messages, one of a known role."""
        self.chats += 1
        self.known = True
        self.starts.append(start)
        self.starts += places[1:]
        self.places += places
        self.labels += labels
        if line is not None:
            self.lines += repeat(line, len(places))

    def segments(self, document: Document) -> Segments | None:
        """The segments of the document, if there are messages among them."""
        if not self.known or self.met.get("record", 0) > self.chats:
            return None
        self.starts[0] = 0
        lines = self.lines or LineNumbers(document.text, self.places, document.first_line)
        kinds: Sequence[str] = ("message",)
        ids: Sequence[str] = ()  # message-1 and so on
        if self.others:
            kinds = ["message"] * len(self.starts)
            for at, (kind, _) in self.others.items():
                kinds[at] = kind
            ids = _Ids(len(kinds), self.others)
        return Segments(document.path, document.text, self.starts, kinds, labels=self.labels, ids=ids, lines=lines)


class _Numbers:
    """The numbers of messages, among which other parts stand."""

    def __init__(self, others: Iterable[int]) -> None:
        self._others = list(others)

    def of(self, index: int) -> int:
        """The number of the message at ``index``."""
        return index + 1 - bisect_left(self._others, index)


class _Ids(LazyColumn[str]):
    """``message-1`` and so on, and the names of other parts."""

    def __init__(self, size: int, others: Mapping[int, tuple[str, str]]) -> None:
        self._size = size
        self._others = others
        self._numbers = _Numbers(others)

    def __len__(self) -> int:
        return self._size

    def item(self, index: int) -> str:
        other = self._others.get(index)
        return other[1] if other else f"message-{self._numbers.of(index)}"
