"""Join the deltas of server-sent events that bring one text piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.server_events import Event, Number, events_of, written
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Join server-sent events in a row that differ in the text of their delta alone into the first of them, with the "
    "whole text, or of events with the whole text so far keep the last, and say how many they were. Numbers that count "
    "the events may differ too."
)
PARAMETERS: Parameters = {}
_part = lazy(
    r"text|content|think|reasoning|json|argument|refusal|transcript|input|output|code$|summary|signature|message"
)
"""Keys of a delta whose texts are pieces of one: another value, such as a state, is replaced by the next."""
_COUNTS = ("sequence_number", "seq")
_PADDING = "obfuscation"
"""Random characters that hide the length of a delta."""
_string = lazy(r'"((?:[^"\\]|\\.)*)"(?:\s*:\s*"((?:[^"\\]|\\.)*)")?')
"""A text of JSON; with the text after it, if it is a key of one (2)."""


class _Piece(NamedTuple):
    """An event that brings a piece of a text."""

    event: Event
    skeleton: str
    """All that must be the same in the events of one text."""
    number: int | None
    start: int
    """Of the piece, without its quotes, in the event's JSON."""
    end: int

    @property
    def text(self) -> str:
        return self.event.raw[self.start : self.end]


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        pieces: list[_Piece] = []
        states: list[Event] = []
        for event in events_of(view.text):
            piece = _piece(event)
            if pieces and not (piece and event.follows and _belongs(piece, pieces[-1])):
                yield from _joined(pieces, view.text)
                pieces = []
            if states and (piece or not event.follows or not _grows(states[-1], event)):
                yield from _last(states, view.text)
                states = []
            if piece:
                pieces.append(piece)
            else:
                states.append(event)
        yield from _joined(pieces, view.text)
        yield from _last(states, view.text)

    return find


def _belongs(piece: _Piece, before: _Piece) -> bool:
    if piece.skeleton != before.skeleton:
        return False
    return piece.number is None or before.number is None or piece.number == before.number + 1


def _grows(before: Event, event: Event) -> bool:
    """True if an event is the one before with more at the end of one text."""
    return before.header == event.header and _growth(before.value, event.value) == 1


def _growth(old: Any, new: Any) -> int:
    """Number of texts that have grown; two for any other difference."""
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        return sum(_growth(old[key], new[key]) for key in new)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return sum(map(_growth, old, new))
    if type(old) is str and type(new) is str and old and old != new:
        return 1 if new.startswith(old) else 2
    return 0 if written(old) == written(new) else 2


def _joined(run: Sequence[_Piece], text: str) -> Edits:
    """The first of some events with the pieces of all."""
    if len(run) > 1:
        first = run[0]
        whole = "".join(piece.text for piece in run) + first.event.raw[first.end :]
        yield Edit(first.event.start + first.start, run[-1].event.end, whole + _said(len(run), first.event, text))


def _last(run: Sequence[Event], text: str) -> Edits:
    """The last of some events, each of which says what those before said."""
    if len(run) > 1:
        yield Edit(run[0].start, run[-1].end, run[-1].raw + _said(len(run), run[0], text))


def _said(count: int, first: Event, text: str) -> str:
    line_end = "\r\n" if text[first.end : first.end + 1] == "\r" else "\n"
    return f"{line_end}… ×{count} joined"


def _piece(event: Event) -> _Piece | None:
    texts = list(_texts(event.value, within=False))
    if len(texts) != 1:
        return None
    holder, key = texts[0]
    if key == "delta" and not _is_of_text(event):
        return None
    piece = holder[key]
    places = [
        match.span(2)
        for match in _string().finditer(event.raw)
        if match[1] == key and match[2] is not None and _loaded(match[2]) == piece
    ]
    if len(places) != 1:
        return None
    counts = [event.value[name] for name in _COUNTS if isinstance(event.value.get(name), Number)]
    count = int(counts[0]) if counts and counts[0].isdigit() else None
    holder[key] = None
    same = {name: value for name, value in event.value.items() if name not in _COUNTS and name != _PADDING}
    skeleton = written([list(event.header), same])
    holder[key] = piece
    return _Piece(event, skeleton, count, *places[0])


def _texts(value: Any, *, within: bool) -> Iterator[tuple[dict[str, Any], str]]:
    """The texts of deltas: the objects that they are in, and their keys there."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item, within=within)
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str) and not isinstance(item, Number):
                if key == "delta" or (within and _is_part(key)):
                    yield value, key
            else:
                yield from _texts(item, within=within or key == "delta")


def _is_of_text(event: Event) -> bool:
    """True for an event that calls itself a delta or is nothing else: "delta" is also the difference of a price."""
    if "delta" in f"{event.value.get('type')} {event.header}".lower():
        return True
    return set(event.value) - {*_COUNTS, _PADDING} == {"delta"}


def _is_part(key: str) -> bool:
    return not key.endswith(("_reason", "_id", "_type")) and _part().search(key.lower()) is not None


def _loaded(inner: str) -> str:
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return ""
