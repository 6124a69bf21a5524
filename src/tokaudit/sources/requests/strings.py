"""The texts of requests as they stand in their file: string literals of JSON, editable character by character."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tokaudit.model.edits import Edit
from tokaudit.model.request import Content, Request
from tokaudit.sources.json_reader import Invalid
from tokaudit.sources.requests.places import places_of
from tokaudit.sources.requests.records import as_number, request_of

_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_EDITABLE = frozenset(("text", "result", "passage"))
"""Kinds of contents that are texts: what a model thought or called stays as it was."""


@dataclass(slots=True)
class Literal:
    """One string of a request: its text, and the literal that says it."""

    start: int
    """Code point of the file's text at which the literal's inside begins."""
    units: list[str]
    """Each character of the text as the literal has it: itself, or its escape."""
    role: str
    kind: str
    """That of its content: text, result or passage."""
    line: int
    ascii_only: bool = field(init=False)
    """Whether new characters are escaped, as the literal's own are."""

    def __post_init__(self) -> None:
        self.ascii_only = any(unit[:2] == "\\u" for unit in self.units)

    @property
    def text(self) -> str:
        """The characters that the literal stands for."""
        return json.loads(f'"{"".join(self.units)}"', strict=False)  # type: ignore[no-any-return]

    @property
    def length(self) -> int:
        """Code points of the literal's inside."""
        return sum(map(len, self.units))

    def edited(self, edits: Sequence[Edit], base: int) -> list[Edit]:
        """Take edits of the text over into the literal.

        Args:
            edits: Of the text as it is now, ascending and apart.
            base: Where the literal's inside begins now.

        Returns:
            The same edits in code points of the file's text, with replacements escaped as the literal's others are.
        """
        offsets = [0]
        for unit in self.units:
            offsets.append(offsets[-1] + len(unit))
        found, units, at = [], [], 0
        for start, end, text in edits:
            escaped = [json.dumps(char, ensure_ascii=self.ascii_only)[1:-1] for char in text]
            found.append(Edit(base + offsets[start], base + offsets[end], "".join(escaped)))
            units += [*self.units[at:start], *escaped]
            at = end
        self.units = [*units, *self.units[at:]]
        return found


def literals_of(text: str, kind: str) -> list[Literal] | None:
    """The strings of the requests of a text that are meant for a model, in order; None where it holds no requests.

    Args:
        text: JSON, or JSON Lines where ``kind`` is jsonl; lines that are broken have no strings.
        kind: json or jsonl.
    """
    found: list[Literal] = []
    requests = others = 0
    for start, line, number in _records(text, kind):
        try:
            value = json.loads(line, parse_int=as_number, parse_constant=str)
        except (ValueError, RecursionError):
            others += 1
            continue
        several = value if isinstance(value, list) and request_of(value) is None else [value]
        for at, one in enumerate(several):
            path = f"$[{at}]" if several is value else "$"
            request = request_of(one, path)
            requests += request is not None
            others += request is None
            if request is not None:
                found += _literals(line, start, request, number)
    if not requests or others > requests:
        return None
    return sorted(found, key=lambda literal: literal.start)


def _records(text: str, kind: str) -> Iterator[tuple[int, str, int]]:
    """Each record: its offset, its text and its line."""
    if kind != "jsonl":
        yield 0, text, 1
        return
    at = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.isspace():
            yield at, line, number
        at += len(line) + 1


def _literals(record: str, start: int, request: Request, line: int) -> Iterator[Literal]:
    wanted: dict[str, tuple[str, Content]] = {}
    for message in request.messages:
        for content in message.contents:
            if content.kind in _EDITABLE:
                wanted[content.path] = (message.role, content)
    try:
        places = places_of(record, wanted)
        lists = {path for path, (at, _) in places.items() if record[at] == "["}
        inner = {f"{path}[{at}].text": wanted[path] for path in lists for at in range(_length(record, places[path]))}
        places |= places_of(record, inner) if inner else {}
    except (Invalid, RecursionError):
        return
    for path, (at, end) in places.items():
        if record[at] == '"':
            role, content = (wanted | inner)[path]
            units = _UNIT.findall(record, at + 1, end - 1)
            number = line + record.count("\n", 0, at)
            literal = Literal(start + at + 1, units, role, content.kind, number)
            if len(literal.text) == len(units) and not any("\ud800" <= char <= "\udfff" for char in literal.text):
                yield literal


def _length(record: str, place: tuple[int, int]) -> int:
    return len(json.loads(record[place[0] : place[1]], parse_int=as_number, parse_constant=str))
