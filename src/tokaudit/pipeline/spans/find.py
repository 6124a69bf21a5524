"""Protected and structural spans of a text, found in one linear scan."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tokaudit.pipeline.spans.off import off_stretches

_PAGE = re.compile("\f").finditer
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL).match
_WHOLE = {"json": "json", "jsonl": "json", "code": "code"}
_WITH_CODE = frozenset(("text", "markdown", "chat", "template"))
"""Kinds of documents in which code may stand without a fence."""


Stretch = tuple[int, int, str]


class SpanMatch(NamedTuple):
    """One span: half-open, in code points."""

    start: int
    end: int
    kind: str
    """Of ``model.PROTECTED`` or ``model.STRUCTURE``."""


class Spans:
    """All spans of one text, by start; they may overlap (a URL within quotes)."""

    __slots__ = ("_merged", "all")

    def __init__(self, spans: Iterable[SpanMatch]) -> None:
        self.all: Sequence[SpanMatch] = sorted(spans)
        self._merged: dict[frozenset[str], tuple[list[int], list[int]]] = {}

    def of(self, *kinds: str) -> list[SpanMatch]:
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
        from tokaudit.pipeline.spans.template_tags import find_tags

        tags = (SpanMatch(start, end, "off") for start, end, _ in find_tags(text)[0])
        front = _FRONT_MATTER(text)
        head = [SpanMatch(0, front.end(), "off")] if front else []
        return Spans([*find_spans(text, "text").all, *tags, *head])
    if kind in {"yaml", "toml"}:
        from tokaudit.pipeline.spans.keyed_text import fixed_stretches

        fixed = fixed_stretches(text, kind)
        return Spans([*_of_prompts(text, fixed), *(SpanMatch(*place, "off") for place in fixed)])
    if kind in _WHOLE:
        return Spans([SpanMatch(0, len(text), _WHOLE[kind]), *_off(text)])
    if _is_markup(text):
        return Spans([SpanMatch(0, len(text), "xml"), *_off(text)])
    # Loaded here: their patterns take milliseconds to compile, which who only needs the types should not wait for.
    from tokaudit.pipeline.spans.blocks import PAD, find_blocks
    from tokaudit.pipeline.spans.code_lines import code_runs
    from tokaudit.pipeline.spans.examples import examples
    from tokaudit.pipeline.spans.inline import Inline
    from tokaudit.pipeline.spans.lines import find_lines

    lines = _plain_lines(text)
    source = "\n" * PAD + lines
    blocks = find_blocks(source, kind, [match.start() + PAD for match in _PAGE(text)] if "\f" in text else ())
    inline = Inline(source)
    found = [*blocks]
    for start, end in _between(blocks, len(source)):
        found.extend(find_lines(source, kind, start, end))
        inline.find(start, end)
    of_lines = inline.finish()
    found.extend(of_lines)
    if kind in _WITH_CODE:
        # JSON that is whole has rules of its own.
        apart = sorted([*blocks, *(span for span in of_lines if span[2] == "json")])
        for start, end in _between(apart, len(source)):
            found.extend(code_runs(source, start, end))
    found.extend(examples(source, 0, len(source), of_task=kind in _WITH_CODE))
    found.sort()
    new = tuple.__new__  # twice as fast as SpanMatch(...), of which there are tens of thousands
    spans = [new(SpanMatch, (start - PAD, end - PAD, kind)) for start, end, kind in found]
    spans += _off(lines)
    if "\r\n" in text:  # the end of a line is not of what ends with the line
        spans = [span._replace(end=span.end - text.startswith("\r\n", span.end - 1)) for span in spans]
    return Spans(spans)


def _between(blocks: Iterable[Stretch], size: int) -> Iterator[tuple[int, int]]:
    """The parts of a text in none of some stretches, which ascend."""
    position = 0
    for start, end, _ in blocks:
        if position < start:
            yield position, start
        position = max(position, end)
    if position < size:
        yield position, size


def _is_markup(text: str) -> bool:
    """True if a text is a document of XML or HTML."""
    return text[:1000].lstrip("\ufeff \t\r\n").lower().startswith(("<?xml", "<!doctype", "<html"))


def _of_prompts(text: str, fixed: Sequence[tuple[int, int]]) -> Iterator[SpanMatch]:
    """Spans of the prompts in a text, found as if nothing but their lines stood there, without indentation."""
    parts: list[str] = []
    starts: list[int] = []  # of each part, without the markup and in the text
    places: list[int] = []
    size = at = 0

    def keep(start: int, end: int) -> None:
        nonlocal size
        if start < end:
            parts.append(text[start:end])
            starts.append(size)
            places.append(start)
            size += end - start

    for start, end in [*fixed, (len(text), len(text))]:
        keep(at, start)
        at = end
        newline = text.find("\n", start, end)
        if newline < 0:
            keep(start, end)
        while newline >= 0:
            keep(newline, newline + 1)
            newline = text.find("\n", newline + 1, end)

    def place(offset: int) -> int:
        index = bisect_right(starts, offset) - 1
        return places[index] + offset - starts[index]

    for span in find_spans("".join(parts), "text").all:
        if span.start < span.end:
            yield SpanMatch(place(span.start), place(span.end - 1) + 1, span.kind)


def _plain_lines(text: str) -> str:
    """A text of the same length, all of whose lines end in a line feed."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return text.replace("\f", "\n")


def _off(text: str) -> list[SpanMatch]:
    return [SpanMatch(start, end, "off") for start, end in off_stretches(text)]
