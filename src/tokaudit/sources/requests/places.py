"""Where the values of a JSON text stand, by their paths: for edits that leave all other bytes as they are."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from tokaudit.sources.json_reader import DELIMITER, Invalid, Reader, after_space

_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]")


@dataclass(slots=True)
class _Wanted:
    """A node of the paths that are looked for."""

    path: str = ""
    """The path that ends here; empty where none does."""
    keys: dict[str, _Wanted] = field(default_factory=dict)
    items: dict[int, _Wanted] = field(default_factory=dict)


def _tree(paths: Collection[str]) -> _Wanted:
    root = _Wanted()
    for path in paths:
        node = root
        for key, index in _STEP.findall(path):
            node = node.items.setdefault(int(index), _Wanted()) if index else node.keys.setdefault(key, _Wanted())
        node.path = path
    return root


def places_of(text: str, paths: Collection[str], start: int = 0) -> dict[str, tuple[int, int]]:
    """Start and end, in code points of ``text``, of the values with these paths (``$.messages[3].content``).

    What lies beside the paths is passed over at the speed of the ``json`` module. A path that is not there is left
    out; of a key that stands twice it is the last, as readers of JSON have it.

    Args:
        text: Valid JSON from ``start`` on.
        paths: Keys without dots or brackets, and indexes.
        start: Where the value begins that ``$`` stands for, or the white space before it.

    Raises:
        Invalid: The text is no JSON.
    """
    found: dict[str, tuple[int, int]] = {}
    _Walk(text, found).value(after_space(text, start), _tree(paths))
    return found


class _Walk:
    """Walks down the wanted paths."""

    def __init__(self, text: str, found: dict[str, tuple[int, int]]) -> None:
        self.text = text
        self.found = found
        self.reader = Reader()

    def value(self, at: int, wanted: _Wanted) -> int:
        """Walk through the value at ``at`` and give its end."""
        first = self.text[at : at + 1]
        if wanted.keys and first == "{":
            end = self._object(at, wanted)
        elif wanted.items and first == "[":
            end = self._list(at, wanted)
        else:
            end = self.reader.value(self.text, at)
        if wanted.path:
            self.found[wanted.path] = at, end
        return end

    def _object(self, at: int, wanted: _Wanted) -> int:
        text, reader = self.text, self.reader
        at = after_space(text, at + 1)
        if text[at : at + 1] == "}":
            return at + 1
        while True:
            key, value = reader.key(text, at)
            node = wanted.keys.get(key)
            end = reader.value(text, value) if node is None else self.value(value, node)
            at, closed = self._delimited(end, "}")
            if closed:
                return at

    def _list(self, at: int, wanted: _Wanted) -> int:
        text = self.text
        at = after_space(text, at + 1)
        if text[at : at + 1] == "]":
            return at + 1
        index = 0
        while True:
            node = wanted.items.get(index)
            end = self.reader.value(text, at) if node is None else self.value(at, node)
            index += 1
            at, closed = self._delimited(end, "]")
            if closed:
                return at

    def _delimited(self, at: int, close: str) -> tuple[int, bool]:
        """Where the next element begins; or the end of the container, and true."""
        match = DELIMITER(self.text, at)
        if match is None or match[1] not in (",", close):
            raise Invalid("',' is expected", at)
        return (match.end(1), True) if match[1] == close else (match.end(), False)
