"""Jinja templates: the text of a prompt, and the expressions, statements and comments in it.

What is counted is the template as it is written. The engine's own lexer says what is what; it is imported here only,
and not for a template all of whose tags are plain, where no parts are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tokaudit.model import Segments, Skipped
from tokaudit.model.message import Message
from tokaudit.pipeline.spans.template_tags import find_tags
from tokaudit.sources import markdown, plain
from tokaudit.sources.columns import LineNumbers, whole
from tokaudit.sources.kinds import kind_of, untemplated

Divided = tuple[str, str, Segments, Segments, Sequence[Skipped]]
Run = tuple[int, str]
"""Start and kind of what ends where the next one starts."""
_BEGINS = {
    "variable_begin": "expression",
    "block_begin": "statement",
    "raw_begin": "statement",
    "raw_end": "statement",
    "comment_begin": "comment",
}
_OFFSET = re.compile(r" at [0-9]+\Z")
_INK = re.compile(r"\S").search
_ENDS = frozenset(("variable_end", "block_end", "raw_begin", "raw_end", "comment_end"))


class _RefusedError(Exception):
    """The lexer does not take the template: why, and the line in the text."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def document(path: str, text: str, *, structure: bool = True, first_line: int = 1) -> Divided:
    """A template: segments are its tags, and the paragraphs of the text between them.

    Sections are headings with what follows them where the name says that what comes of the template is Markdown
    (``a.md.j2``), otherwise there is one. A template that the lexer refuses is counted as plain text and reported.
    """
    if not text.strip() or not (structure or not find_tags(text)[1]):
        single = whole(path, text, "template", first_line)
        return text, "template", single, single, ()
    try:
        runs = list(_runs(text))
    except _RefusedError as refused:
        place = f"{path}:{refused.line + first_line - 1}"
        reason = Message("not a valid Jinja template: {reason}; counted as text", reason=refused.reason)
        skipped = Skipped(place, reason, code="template-as-text")
        return text, "text", *plain.divide(path, text, first_line), (skipped,)
    sections: Segments | None = None
    if kind_of(untemplated(path), ask_pygments=False) == "markdown":
        sections = _sections(path, text, runs, first_line)
    sections = sections or whole(path, text, "template", first_line)
    starts, kinds = _divided(path, text, runs, sections)
    ids = list(_ids(starts, kinds, sections))
    segments = Segments(path, text, starts, kinds, ids=ids, lines=LineNumbers(text, starts, first_line))
    return text, "template", segments, sections, ()


def _runs(text: str) -> Iterator[Run]:
    """Tags, and what stands between them. Raises ``_RefusedError``."""
    from jinja2 import Environment, TemplateSyntaxError

    # The lexer takes every end of a line for one character: so it is one, and places are those of the text.
    source = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    at = 0
    kind = "text"
    begun = 0
    try:
        for line, what, value in Environment(keep_trailing_newline=True, autoescape=True).lex(source):
            if not source.startswith(value, at):  # the lexer drops the blanks before {%-
                inked = _INK(source, at)
                at = inked.start() if inked else len(source)
            if what in _BEGINS:
                kind, begun = _BEGINS[what], line
                yield at, kind
            elif what == "data" and value:
                yield at, "text"
            at += len(value)
            if what in _ENDS:
                kind = "text"
    except TemplateSyntaxError as error:
        reason = _OFFSET.sub("", error.message or "a syntax error")
        raise _RefusedError(reason[:1].lower() + reason[1:], error.lineno) from None
    if kind != "text":
        raise _RefusedError(Message("the {kind} is not closed", kind=kind), begun)


def _divided(path: str, text: str, runs: Sequence[Run], sections: Segments) -> tuple[list[int], list[str]]:
    """Starts and kinds of the segments, among them all starts of sections.

    Blanks between tags belong to what is before, or else to what is after.
    """
    starts: list[int] = []
    kinds: list[str] = []
    section_starts = set(sections.starts)
    begun = 0  # where blanks begin that belong to what is after; -1 for none
    for start, end, kind in _pieces(path, text, runs, sections.starts):
        if kind == "text" and text[start:end].isspace():
            if start in section_starts and begun < 0:
                begun = start
            continue
        starts.append(begun if begun >= 0 else start)
        kinds.append(kind)
        begun = -1
    return starts, kinds


def _pieces(path: str, text: str, runs: Sequence[Run], cuts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each tag, and of the text between them cut into paragraphs and at ``cuts``."""
    cut = 0
    for (start, kind), (end, _) in pairwise([*runs, (len(text), "")]):
        if kind != "text":
            yield start, end, kind
            continue
        places = [start + offset for offset in plain.divide(path, text[start:end])[0].starts]
        while cut < len(cuts) and cuts[cut] < end:
            if cuts[cut] > start:
                places.append(cuts[cut])
            cut += 1
        for low, high in pairwise([*sorted({*places}), end]):
            yield low, high, kind


def _sections(path: str, text: str, runs: Sequence[Run], first_line: int) -> Segments | None:
    """Sections by the headings that stand outside of tags; None where there is nothing but tags.

    Statements and comments leave nothing behind, and an expression is a word.
    """
    kept: list[str] = []
    places: list[tuple[int, int]] = []  # of each part that is kept: where it begins, there and in the text
    length = 0
    for (start, kind), (end, _) in pairwise([*runs, (len(text), "")]):
        if kind in {"text", "expression"}:
            part = text[start:end]
            kept.append(part if kind == "text" else part.replace("\n", " ").replace("\r", " "))
            places.append((length, start))
            length += end - start
    found = markdown.divide(path, "".join(kept))[1]
    if not found:
        return None
    starts = []
    index = 0
    for start in found.starts:
        while index + 1 < len(places) and places[index + 1][0] <= start:
            index += 1
        starts.append(start - places[index][0] + places[index][1] if start else 0)
    lines = LineNumbers(text, starts, first_line)
    return Segments(path, text, starts, ("section",), labels=found.labels, ids=found.ids, lines=lines)


def _ids(starts: Sequence[int], kinds: Sequence[str], sections: Segments) -> Iterator[str]:
    """``kind-ordinal`` of each segment, in sections by headings ``section/kind-ordinal``."""
    by_heading = sections.kinds[0] == "section"
    section = 0
    ordinals: dict[str, int] = {}
    for start, kind in zip(starts, kinds, strict=True):
        while section + 1 < len(sections) and sections.starts[section + 1] <= start:
            section += 1
            ordinals = {}
        ordinals[kind] = ordinals.get(kind, 0) + 1
        own = f"{kind}-{ordinals[kind]}"
        yield f"{sections.ids[section]}/{own}" if by_heading else own
