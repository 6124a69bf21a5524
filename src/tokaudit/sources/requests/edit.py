"""Edits of a request in its own text: messages, parts and passages taken out, messages put in, all else as it was."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tokaudit.model import InputError
from tokaudit.model.message import Message
from tokaudit.sources.columns import line_starts
from tokaudit.sources.requests.places import places_of

Edit = tuple[int, int, str]
"""Start, end and replacement."""
_LAST = re.compile(r"(.*)\[([0-9]+)\]\Z", re.DOTALL)
_LINE = re.compile(r"L([0-9]+)\Z")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_HIGH = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_LOW = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_SAMPLE = 1 << 16
"""Code points by which it is told how a record writes other characters than those of ASCII."""
_OPENING = 80
"""Code points of a message in which its first key stands."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be put in."""

    before: str
    """Path of the element, or the line, before which it comes."""
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class RequestEdits:
    """The edits of one request; paths are those of its record."""

    form: str
    drop: Sequence[str] = ()
    """Elements of lists, or the first lines of messages of a transcript, that go."""
    cuts: Sequence[tuple[str, int, int]] = ()
    """Spans, in code points, to be taken out of texts: path of the text, start and end in it."""
    texts: Sequence[tuple[str, str]] = ()
    """Texts that become others: path and new text."""
    new: Sequence[NewMessage] = ()
    lines: Sequence[int] = ()
    """Of a transcript the first line of each message."""


def edits_of(text: str, request: RequestEdits, start: int = 0) -> list[Edit]:
    """The edits of the text that make those of a request.

    Args:
        text: The whole file.
        request: What is to become of it.
        start: Where the record begins that its paths are of.

    Raises:
        InputError: A message cannot be put in, since the request has no list of messages.
    """
    if request.form == "transcript":
        return _line_edits(text, request)
    listed = {path for path in request.drop if _LAST.match(path)}
    around = {sibling for path in [*listed, *(one.before for one in request.new)] for sibling in _siblings(path)}
    paths = {*around, *(path for path, _, _ in request.cuts), *(path for path, _ in request.texts)}
    places = places_of(text, paths, start)
    edits = _deletions(listed, places)
    for path, first, last in request.cuts:
        begin, end = places[path]
        offsets = _offsets(text, begin, end)
        edits.append((offsets[first], offsets[last], ""))
    ascii_only = bool(request.texts or request.new) and _has_escapes_only(text, start)
    for path, new in request.texts:
        edits.append((*places[path], json.dumps(new, ensure_ascii=ascii_only)))
    for message in request.new:
        edits.append(_insertion(text, message, request.form, places, ascii_only=ascii_only))
    return edits


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with its edits; insertions come before a deletion that begins at the same place."""
    out = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        out += [text[at:start], new]
        at = max(at, end)
    return "".join([*out, text[at:]])


def _siblings(path: str) -> list[str]:
    """The paths of the elements up to the one after this one."""
    found = _LAST.match(path)
    return [f"{found[1]}[{index}]" for index in range(int(found[2]) + 2)] if found else []


def _deletions(paths: Iterable[str], places: dict[str, tuple[int, int]]) -> list[Edit]:
    """Deletions of elements with a comma each, so that their lists stay valid."""
    lists: dict[str, set[int]] = defaultdict(set)
    for path in paths:
        found = _LAST.match(path)
        if found:
            lists[found[1]].add(int(found[2]))
    edits = []
    for path, gone in lists.items():
        for first, last in _runs(sorted(gone)):
            begin, (_, end) = places[f"{path}[{first}]"][0], places[f"{path}[{last}]"]
            after = places.get(f"{path}[{last + 1}]")
            if after is not None:
                edits.append((begin, after[0], ""))
            else:
                edits.append((places[f"{path}[{first - 1}]"][1] if first else begin, end, ""))
    return edits


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def _offsets(text: str, start: int, end: int) -> list[int]:
    """The offset in the text of each code point of the JSON string at ``[start, end)``, and of its end."""
    offsets: list[int] = []
    at = start + 1
    while at < end - 1:
        offsets.append(at)
        found = _ESCAPE.match(text, at) if text[at] == "\\" else None
        if found is None:
            at += 1
        elif _HIGH.fullmatch(found[0]) and (low := _LOW.match(text, found.end())):
            at = low.end()
        else:
            at = found.end()
    return [*offsets, end - 1]


def _insertion(
    text: str, message: NewMessage, form: str, places: dict[str, tuple[int, int]], *, ascii_only: bool
) -> Edit:
    found = _LAST.match(message.before)
    if found is None or message.before not in places:
        raise InputError(
            Message("a request of the form {form} without a list of messages has no place for a slot", form=form),
            code="usage",
            hint="leave out --summary and --facts",
        )
    at = places[message.before][0]
    index = int(found[2])
    left, right = (index - 1, index) if index else (0, 1)
    one, other = places.get(f"{found[1]}[{left}]"), places.get(f"{found[1]}[{right}]")
    between = text[one[1] : other[0]] if one and other else ", "
    return at, at, json.dumps(_message(message, form, text[at : at + _OPENING]), ensure_ascii=ascii_only) + between


def _message(message: NewMessage, form: str, after: str) -> dict[str, object]:
    """A message as its form has them; ``after`` is the text from the message before which it comes."""
    if form == "gemini":
        return {"role": message.role, "parts": [{"text": message.text}]}
    if form == "sharegpt" and re.match(r'\{\s*"(?:from|value)"', after):
        return {"from": "human" if message.role == "user" else message.role, "value": message.text}
    return {"role": message.role, "content": message.text}


def _has_escapes_only(text: str, start: int) -> bool:
    """True where characters beyond ASCII are written as escapes, by what stands first of a record."""
    sample = text[start : start + _SAMPLE]
    return sample.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", sample) is not None


def _line_edits(text: str, request: RequestEdits) -> list[Edit]:
    """The edits of a transcript: a message ends where the next one begins."""
    starts = line_starts(text)
    firsts = sorted({*request.lines})
    ends = {line: starts[after - 1] for line, after in pairwise(firsts)}
    numbers = [int(found[1]) for path in request.drop if (found := _LINE.match(path))]
    edits: list[Edit] = [(starts[line - 1], ends.get(line, len(text)), "") for line in numbers]
    for message in request.new:
        found = _LINE.match(message.before)
        at = starts[int(found[1]) - 1] if found else len(text)
        edits.append((at, at, transcript_lines(message.text, text[at : at + 20])))
    return edits


def transcript_lines(said: str, after: str) -> str:
    """What a system says, as lines of a transcript; ``after`` is the beginning of the line that follows."""
    return f"{'系统：' if '：' in after else 'System: '}{said}\n"
