"""The tags of a Jinja template, found without the template engine, whose import takes as long as a small count."""

from __future__ import annotations

import re
from typing import NamedTuple

from tokaudit.pipeline.patterns import lazy


class Tag(NamedTuple):
    """One tag: half-open, in code points, with its braces."""

    start: int
    end: int
    kind: str
    """expression, statement or comment."""


_KINDS = {"{": "expression", "%": "statement", "#": "comment"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_inside = lazy(
    r'"[^"\\]*(?:\\.[^"\\]*)*"'
    r"|'[^'\\]*(?:\\.[^'\\]*)*'"
    r"|%\}|!=|[^\w\s+\-/*%~=<>.,:;|]",
    re.DOTALL,
)
"""The parts of a tag that are not plain."""
_raw, _raw_end = lazy(r"\{%[-+]?\s*raw\s*-?%\}"), lazy(r"\{%[-+]?\s*endraw\s*[-+]?%\}")


def find_tags(text: str) -> tuple[list[Tag], bool]:
    """The tags of a template, ascending, and whether its lexer takes all of them.

    Where one is broken, the rest of the text counts as part of it. What is within raw tags is no tag.
    """
    tags: list[Tag] = []
    at = text.find("{")
    while at >= 0:
        kind = _KINDS.get(text[at + 1 : at + 2])
        if kind is None:
            at = text.find("{", at + 1)
            continue
        opened = _raw().match(text, at) if kind == "statement" else None
        if opened:
            closed = _raw_end().search(text, opened.end())
            if closed is None:
                rest = text[opened.end() :]
                # Where nothing is left to be raw, the lexer asks no end of it.
                whole = not rest or (opened[0].endswith("-%}") and rest.isspace())
                return [*tags, Tag(at, opened.end() if whole else len(text), kind)], whole
            tags.append(Tag(at, opened.end(), kind))
            at, end = closed.span()
        elif kind == "comment":
            end = text.find("#}", at + 2) + 2
            end = end if end > 1 else -1
        else:
            end = _end(text, at + 2, kind)
        if end < 0:
            tags.append(Tag(at, len(text), kind))
            return tags, False
        tags.append(Tag(at, end, kind))
        at = text.find("{", end)
    return tags, True


def _end(text: str, at: int, kind: str) -> int:
    """The end of an expression or statement, what is in it begins at ``at``; -1 where it is broken."""
    close = "}}" if kind == "expression" else "%}"
    open_: list[str] = []
    for match in _inside().finditer(text, at):
        found = match[0]
        if not open_ and text.startswith(close, match.start()):
            return match.start() + 2
        if not open_ and found == "%}" and text.startswith(close, match.start() + 1):  # a modulo sign, then the end
            return match.start() + 3
        if found in _CLOSING:
            open_.append(_CLOSING[found])
        elif found[-1] in ")]}":  # a modulo sign may stand before it
            if not open_ or open_.pop() != found[-1]:
                return -1
        elif len(found) == 1:  # a quote that is not closed, or what is nothing of a template's
            return -1
    return -1


def is_changed(before: str, after: str) -> bool:
    """True if two texts differ in their tags."""
    return [tag_text(before, tag) for tag in find_tags(before)[0]] != [
        tag_text(after, tag) for tag in find_tags(after)[0]
    ]


def tag_text(text: str, tag: Tag) -> str:
    """A tag as it is written."""
    return text[tag.start : tag.end]
