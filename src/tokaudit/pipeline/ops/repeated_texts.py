"""Name a text that stands in the same trace or request already instead of repeating it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tokaudit.model.edits import Edit
from tokaudit.model.record import record
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_places import Places
from tokaudit.pipeline.views.json_strings import encoded
from tokaudit.pipeline.views.json_values import values
from tokaudit.pipeline.views.spoken import asked_traces, ends_of, says, traces_of
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Name lines that stand in the same trace, request or text already, instead of repeating them."
PARAMETERS: Parameters = {
    "characters": Parameter("integer", "Characters of lines in a row, at least.", default=120),
    "not_under": Parameter("texts", "In JSON: keys whose values stay, with all that is in them.", default=()),
    "not_by": Parameter(
        "texts",
        "Words, in small letters, by which a question is about the words themselves: in what users and systems say, or "
        "at the ends of a text. Nothing is named then.",
        default=(),
    ),
}
MARK = "[same "
_MOST_LINES = 20
"""Lines that may make up the least number of characters."""
_MODELS = frozenset(("assistant", "model", "gpt", "ai", "bot"))
"""Roles whose words a model may take as an example of its own."""
_FIRST_WORDS = 24
"""Characters that are quoted of what is named."""
_STAYS = ("fence", "indented", "table", "front-matter", "json", "xml", "code", "off")
_several_words = lazy(r"\S\s+\S|[\u3040-\u9fff]")
_word = lazy(r"\w\w|[\u3040-\u9fff]")
_surrogate = lazy("[\ud800-\udfff]")
_logged = lazy(r"(?m)^\W{0,2}(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d:\d\d:\d\d)")
_LOGGED = 3
"""Lines with a time stamp from which on a text has a log in it."""
_begin = lazy(r"[^\s\"\\][^\"\\]*")


def prepare(parameters: Values) -> Find:
    least, fixed = max(1, parameters["characters"]), frozenset(parameters["not_under"])
    words: tuple[str, ...] = tuple(parameters["not_by"])

    def find(view: View) -> Edits:
        if view.kind in {"json", "jsonl"}:
            return _in_json(view, least, fixed, words)
        return _in_text(view, least, words)

    return find


@record
class _Run:
    """Lines of a text, half-open from 0, that stand somewhere already."""

    first: int
    last: int
    name: str
    """What stands for them."""


@dataclass(slots=True)
class _Seen:
    """The lines that were read and stay, and where each stretch of enough characters begins first."""

    least: int
    lines: list[str | None] = field(default_factory=list)
    """None between lines that do not follow each other."""
    places: list[str] = field(default_factory=list)
    ends: set[int] = field(default_factory=set)
    """Where texts end."""
    begins: dict[str, int] = field(default_factory=dict)
    pending: int = 0
    """The first line that may begin such a stretch and is not in ``begins``."""

    def runs(self, lines: Sequence[str | None], place: str, *, fixed: bool = False) -> Iterator[_Run]:
        """The runs of lines of a text that were read before; None stands for lines that stay, and so does ``fixed``."""
        self.ends.add(len(self.lines))
        self._add(None, place)
        at = 0
        while at < len(lines):
            begin = None if fixed else self._found(lines, at)
            if begin is None:
                self._add(lines[at], place)
                at += 1
                continue
            last, end = at, begin
            while last < len(lines) and end < len(self.lines) and lines[last] == self.lines[end] is not None:
                last, end = last + 1, end + 1
            while not (lines[last - 1] or "").strip():
                last, end = last - 1, end - 1
            whole = begin - 1 in self.ends and end in self.ends
            yield _Run(at, last, self._name(begin, end, whole=whole))
            self._add(None, place)
            at = last

    def _name(self, begin: int, end: int, *, whole: bool) -> str:
        place, count = self.places[begin], end - begin
        lines = "" if whole else "line " if count == 1 else f"{count} lines "
        where = f"as {place}" if whole or place == "above" else f"as in {place}"
        named = (line for line in self.lines[begin:end] if line and _several_words().search(line))
        first = _begin().search(next(named, self.lines[begin]) or "")
        return f"{MARK}{lines}{where}: {first[0][:_FIRST_WORDS].rstrip() if first else ''}…]"

    def _found(self, lines: Sequence[str | None], at: int) -> int | None:
        line = lines[at]
        if not line or not _word().search(line):
            return None  # its first words would not name it
        key = self._key(lines, at)
        return self.begins.get(key) if key and _several_words().search(key) else None

    def _key(self, lines: Sequence[str | None], at: int) -> str:
        """Enough lines from one on, joined; empty where there are none."""
        parts: list[str] = []
        size = 0
        for line in lines[at : at + _MOST_LINES]:
            if line is None or line.startswith(MARK):
                break  # what was named before is looked for where it stands
            parts.append(line)
            size += len(line.strip())
            if size >= self.least:
                return "\n".join(parts)
        return ""

    def _add(self, line: str | None, place: str) -> None:
        self.lines.append(line)
        self.places.append(place)
        while self.pending < len(self.lines):
            key = self._key(self.lines, self.pending)
            if not key and line is not None and len(self.lines) - self.pending < _MOST_LINES:
                return  # there may be enough once more lines are read
            if key:
                self.begins.setdefault(key, self.pending)
            self.pending += 1


def _in_json(view: View, least: int, fixed: frozenset[str], words: tuple[str, ...]) -> Edits:
    text, lines = view.text, view.kind == "jsonl"
    found = Places()
    number = at = 0
    for start, end in values(view, "json"):
        number, at = number + text.count("\n", at, start), start
        found.add(text, start, end, fixed, least, number + 1 if lines else 0)
    if any(count > 1 for count in found.requests.values()):
        return  # of two lists of messages, which one a number is of is not said
    contents = [json.loads(text[one.start : one.end]) for one in found.texts]
    traces = traces_of(found)
    asked = asked_traces(found, contents, traces, words)
    seen: dict[int, _Seen] = {}
    for trace, one, content in zip(traces, found.texts, contents, strict=True):
        if trace in asked:
            continue
        stays = (
            one.fixed
            or one.place.signed
            or (one.place.role in _MODELS and not one.is_result)
            or bool(_surrogate().search(content))
        )
        parts = content.split("\n")
        runs = list(seen.setdefault(trace, _Seen(least)).runs(parts, str(one.place), fixed=stays))
        if runs:
            yield Edit(one.start, one.end, encoded("\n".join(_named(parts, runs))))


def _is_log(text: str) -> bool:
    """True if some lines are of a log, where each counts."""
    return any(number == _LOGGED for number, _ in enumerate(_logged().finditer(text), 1))


def _named(lines: Sequence[str], runs: Sequence[_Run]) -> Iterator[str]:
    at = 0
    for run in runs:
        yield from lines[at : run.first]
        yield run.name
        at = run.last
    yield from lines[at:]


def _in_text(view: View, least: int, words: tuple[str, ...]) -> Edits:
    text = view.text
    if len(text) < 2 * least or _is_log(text) or says(words)(ends_of(text).lower()):
        return
    lines: list[str | None] = []
    starts: list[int] = []
    at, stays = 0, iter([*zip(*view.spans.merged(frozenset(_STAYS)), strict=True), (len(text) + 1, 0)])
    start, end = next(stays)
    for line in text.split("\n"):
        while end < at and end:
            start, end = next(stays)
        starts.append(at)
        at += len(line) + 1
        lines.append(None if start < at and start <= len(text) else line.removesuffix("\r"))
    for run in _Seen(least).runs(lines, "above"):
        last = run.last - 1
        yield Edit(starts[run.first], starts[last] + len(lines[last] or ""), run.name)
