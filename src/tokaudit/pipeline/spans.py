"""Protected and structural spans of a text, found in one linear scan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WHOLE = {"json": "json", "jsonl": "json", "code": "code"}
_COMMENTS = (("<!--", "-->"), ("/*", "*/"), ("{#", "#}"))
_LINE_COMMENTS = ("//", "--", "#", ";", "%")


class Found(NamedTuple):
    """One span: half-open, in code points."""

    start: int
    end: int
    kind: str
    """Of ``model.PROTECTED`` or ``model.STRUCTURE``."""


class Spans:
    """All spans of one text, by start; they may overlap (a URL within quotes)."""

    __slots__ = ("_merged", "all")

    def __init__(self, spans: Iterable[Found]) -> None:
        self.all: Sequence[Found] = sorted(spans)
        self._merged: dict[frozenset[str], tuple[list[int], list[int]]] = {}

    def of(self, *kinds: str) -> list[Found]:
        """The spans of some kinds, in order."""
        return [span for span in self.all if span.kind in kinds]

    def merged(self, kinds: frozenset[str]) -> tuple[list[int], list[int]]:
        """Starts and ends of the stretches that spans of some kinds cover together: ascending and apart."""
        if kinds not in self._merged:
            starts: list[int] = []
            ends: list[int] = []
            for start, end, kind in self.all:
                if kind not in kinds or start == end:
                    continue
                if ends and start <= ends[-1]:
                    ends[-1] = max(ends[-1], end)
                else:
                    starts.append(start)
                    ends.append(end)
            self._merged[kinds] = (starts, ends)
        return self._merged[kinds]


def find_spans(text: str, kind: str) -> Spans:
    """The protected and structural spans of a text of some kind.

    The kinds are text, markdown, json, jsonl, code, log, chat, pdf, and template: a text whose tags no rule may enter.
    """
    if not text:
        return Spans(())
    if kind == "template":
        from tokaudit.pipeline.template_tags import find_tags

        tags = (Found(start, end, "off") for start, end, _ in find_tags(text)[0])
        return Spans([*find_spans(text, "text").all, *tags])
    if kind in _WHOLE:
        return Spans([Found(0, len(text), _WHOLE[kind]), *_off(text)])
    if _is_markup(text):
        return Spans([Found(0, len(text), "xml"), *_off(text)])
    # Loaded here: their patterns take milliseconds to compile, which who only needs the types should not wait for.
    from tokaudit.pipeline.block_spans import PAD, find_blocks
    from tokaudit.pipeline.inline_spans import Inline
    from tokaudit.pipeline.line_spans import find_lines

    lines = _plain_lines(text)
    source = "\n" * PAD + lines
    found = find_blocks(source, kind)
    inline = Inline(source)
    position = 0
    for start, end in [*((start, end) for start, end, _ in found), (len(source), len(source))]:
        if position < start:
            found.extend(find_lines(source, kind, position, start))
            inline.find(position, start)
        position = end
    found.extend(inline.finish())
    found.sort()
    new = tuple.__new__  # twice as fast as Found(...), of which there are tens of thousands
    spans = [new(Found, (start - PAD, end - PAD, kind)) for start, end, kind in found]
    spans += _off(lines)
    if "\r\n" in text:  # the end of a line is not of what ends with the line
        spans = [span._replace(end=span.end - text.startswith("\r\n", span.end - 1)) for span in spans]
    return Spans(spans)


def _is_markup(text: str) -> bool:
    """Whether a text is a document of XML or HTML."""
    return text[:1000].lstrip("\ufeff \t\r\n").lower().startswith(("<?xml", "<!doctype", "<html"))


def _plain_lines(text: str) -> str:
    """A text of the same length, all of whose lines end in a line feed."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return text.replace("\f", "\n")


def _off(text: str) -> list[Found]:
    """What stands between a comment with ``tokaudit:off`` and one with ``tokaudit:on``, with the comments."""
    found: list[Found] = []
    position = 0
    while True:
        start, _, position = _switch(text, "tokaudit:off", position)
        if start < 0:
            return found
        _, end, position = _switch(text, "tokaudit:on", position)
        found.append(Found(start, end if end >= 0 else len(text), "off"))
        if end < 0:
            return found


def _switch(text: str, word: str, position: int) -> tuple[int, int, int]:
    """The next comment that contains a word: its start, its end, and where to go on; -1 for none."""
    while True:
        place = text.find(word, position)
        if place < 0:
            return -1, -1, len(text)
        position = place + len(word)
        if text[position : position + 1].isalnum() or text[position : position + 1] in {"-", "_"}:
            continue
        start = _comment_start(text, place)
        if start < 0:
            continue
        close = next((close for opening, close in _COMMENTS if text.startswith(opening, start)), "\n")
        end = text.find(close, position)
        if end < 0:
            end = len(text)
        elif close != "\n":
            end += len(close)
        return start, end, position


def _comment_start(text: str, place: int) -> int:
    """Where the comment begins that a place is in; -1 if it is in none."""
    # A comment that closes may have other words before; a line comment may not, since # and % are common in prose.
    near = max(0, place - 120)
    for opening, close in _COMMENTS:
        start = text.rfind(opening, near, place)
        if start >= 0 and text.find(close, start, place) < 0:
            return start
    before = text[near:place].rstrip(" \t")
    for mark in _LINE_COMMENTS:
        if before.endswith(mark):
            return near + len(before.rstrip(mark[0]))
    return -1
