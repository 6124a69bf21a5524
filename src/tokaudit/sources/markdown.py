"""Markdown: blocks as segments, headings with what follows them as sections.

Only the block structure is parsed, by markdown-it: inline markup costs most of the time and divides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from tokaudit.model import Segments
from tokaudit.sources.columns import WHOLE_LABEL, LineNumbers

if TYPE_CHECKING:
    from markdown_it.token import Token

_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "blockquote_open": "quote",
    "hr": "break",
}
_LINE_END = re.compile("\r\n?|\n")  # what markdown-it takes for the end of a line
_NO_WORD = re.compile(r"[^\w\s-]")
_BETWEEN = re.compile(r"[\s-]+")
_FRONT_MATTER = re.compile(r"---[ \t]*(?:\r\n?|\n)(?:[^\r\n]*(?:\r\n?|\n))*?(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")


def divide(path: str, text: str, first_line: int = 1) -> tuple[Segments, Segments]:
    """Segments (blocks; blank lines belong to the block before) and sections (by heading) of a Markdown text.

    ``first_line`` is the line of the text's first character (1-based).
    """
    blocks, headings = _blocks(text)
    starts = [start for start, _ in blocks]
    kinds = [kind for _, kind in blocks]
    found = _by_heading(path, text, headings, first_line)
    ids = _ids(starts, kinds, found.starts, found.ids)
    return Segments(path, text, starts, kinds, ids=ids, lines=LineNumbers(text, starts, first_line)), found


def sections(path: str, text: str) -> Segments:
    """The sections that ``divide`` finds, without its segments: mostly at a small part of the time."""
    from tokaudit.sources.headings import headings_of

    front = _FRONT_MATTER.match(text)
    body = front.end() if front else 0
    found = headings_of(text, body)
    if found is None:
        return divide(path, text)[1]
    headings = {start: label for start, (_, label) in found.items()}
    first = min(headings, default=-1)
    if first > 0 and not text[:first].strip(" \t\n"):
        headings[0] = headings.pop(first)
    return _by_heading(path, text, headings, 1)


def _by_heading(path: str, text: str, headings: dict[int, str], first_line: int) -> Segments:
    starts, slugs, labels = _sections(text, headings)
    lines = LineNumbers(text, starts, first_line)
    return Segments(path, text, starts, ("section",), labels=labels, ids=slugs, lines=lines)


def _blocks(text: str) -> tuple[list[tuple[int, str]], dict[int, str]]:
    """Offset and kind of each block, and the text of the heading at an offset."""
    blocks: list[tuple[int, str]] = []
    headings: dict[int, str] = {}
    front = _FRONT_MATTER.match(text)
    body = front.end() if front else 0
    if front:
        blocks.append((0, "front-matter"))
    tokens = _parse(text[body:])
    offsets = [body, *(match.end() for match in _LINE_END.finditer(text, body))]
    if offsets[-1] < len(text):
        offsets.append(len(text))
    covered = 0  # lines that belong to blocks so far
    for index, token in enumerate(tokens):
        kind = _KINDS.get(token.type) if token.level == 0 and token.map else None
        if kind is None or token.map is None:
            continue
        first, last = token.map
        _definitions(text, offsets, covered, first, blocks)
        start = offsets[first]
        blocks.append((start, kind))
        if kind == "heading":
            headings[start] = " ".join(tokens[index + 1].content.split())
        covered = last
    _definitions(text, offsets, covered, len(offsets) - 1, blocks)
    if blocks and blocks[0][0] > 0:
        # Blank lines before the first block belong to it, for there is none before.
        start, kind = blocks[0]
        blocks[0] = (0, kind)
        if start in headings:
            headings[0] = headings.pop(start)
    if text and not blocks:
        blocks.append((0, "paragraph"))
    return blocks, headings


def _parse(text: str) -> Sequence[Token]:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.parse(text)


def _definitions(text: str, offsets: list[int], first: int, last: int, blocks: list[tuple[int, str]]) -> None:
    """Adds what stands between two blocks and is not blank: link definitions, for which there is no token."""
    while first < last and not text[offsets[first] : offsets[first + 1]].strip():
        first += 1
    if first < last:
        blocks.append((offsets[first], "definition"))


def _sections(text: str, headings: dict[int, str]) -> tuple[list[int], list[str], list[str]]:
    """Offsets, ids and labels of the sections."""
    starts: list[int] = []
    slugs: list[str] = []
    labels: list[str] = []
    used: dict[str, int] = {}
    if text and 0 not in headings:
        starts.append(0)
        slugs.append(_unique("preamble", used))
        labels.append("preamble" if headings else WHOLE_LABEL)
    for start in sorted(headings):
        starts.append(start)
        slugs.append(_unique(slug(headings[start]), used))
        labels.append(headings[start] or "(untitled)")
    return starts, slugs, labels


def slug(heading: str) -> str:
    """A heading as an id: lower case, words joined by ``-``, Chinese kept; ``section`` if nothing is left."""
    words = _NO_WORD.sub("", heading.lower())
    return _BETWEEN.sub("-", words).strip("-") or "section"


def _unique(name: str, used: dict[str, int]) -> str:
    """``name``, or ``name-2`` and so on where it is taken."""
    if name not in used:
        used[name] = 1
        return name
    while True:
        used[name] += 1
        candidate = f"{name}-{used[name]}"
        if candidate not in used:
            used[candidate] = 1
            return candidate


def _ids(starts: list[int], kinds: list[str], section_starts: Sequence[int], slugs: Sequence[str]) -> list[str]:
    """``section/kind-ordinal`` of each segment: a block added to one section leaves the ids of the others alone."""
    ids: list[str] = []
    bounds = chain(section_starts[1:], [None])
    section = -1
    end: int | None = -1
    ordinals: dict[str, int] = {}
    for start, kind in zip(starts, kinds, strict=True):
        while end is not None and start >= end:
            section += 1
            end = next(bounds, None)
            ordinals = {}
        ordinals[kind] = ordinals.get(kind, 0) + 1
        ids.append(f"{slugs[section]}/{kind}-{ordinals[kind]}")
    return ids
