"""Blocks of lines that are not prose: front matter, fenced code, indented code.

All texts here are *padded*: two line feeds stand before the text, so that every line begins with a line feed that a
pattern can start with, and the first line follows a blank one. A pattern that starts with a literal character is
searched for many times faster than one that starts with ``^``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokaudit.model.markdown import HEADING, has_fences
from tokaudit.pipeline.spans.verbatim import Verbatim

Stretch = tuple[int, int, str]
"""Start, end and kind of a span, in code points of the padded text."""
PAD = 2

_FRONT = re.compile(r"\n\n\ufeff?(?:(---)|\+\+\+)[ \t]*\n(?:[ \t]*\n|[ \t]*#[^\n]*\n)*(?=[^\s:=\-#][^\n:=]*[:=])")
_FRONT_END = {
    "---": re.compile(r"\n(?:---|\.\.\.)[ \t]*(?=\n|\Z)"),
    "+++": re.compile(r"\n\+\+\+[ \t]*(?=\n|\Z)"),
}
_FENCE = re.compile(
    r"\n((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)"  # the quotes and list items it stands in
    r"(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)(?=\n|\Z)"
)
_FENCE_END = {
    "`": re.compile(r"\n([ \t>]*)(`{3,})[ \t]*(?=\n|\Z)"),
    "~": re.compile(r"\n([ \t>]*)(~{3,})[ \t]*(?=\n|\Z)"),
}
_PROMPT = re.compile(
    r"\n(?:`{3,}|~{3,})[ \t]*(?:prompt|system|system[-_ ]prompt|提示词|系统提示词)[ \t]*(?=\n|\Z)", re.IGNORECASE
)
"""A fence around what is text for a model, by its name."""
_QUOTE_END = re.compile(r"\n(?![ \t]*>)|\Z")
_INDENT = re.compile(
    r"\n[ \t]*\n(?: {4}| {0,3}\t)[ \t]*[^\s]|" rf"\n {{0,3}}{HEADING}[ \t][^\n]*\n(?: {{4}}| {{0,3}}\t)"
)
_MARKER = r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=\n|\Z))"
# What says whether an indented line is code: the first line after a blank one, items of lists, headings.
_OUTLINE = re.compile(
    rf"\n(?:[ \t]*\n([ \t]*)(?=[^ \t\n])(?:({_MARKER})|({HEADING}[ \t][^\n]*))?"
    rf"|([ \t]*)(?:({_MARKER})|({HEADING}[ \t][^\n]*)))"
)
_INDENTED_LINE = re.compile(r"\n((?: {4}| {0,3}\t)[ \t]*)(?=[^\s])")
_INDENTED_REST = re.compile(r"[^\n]*(?:(?:\n[ \t]*)*\n(?: {4}| {0,3}\t)[ \t]*[^\s][^\n]*)*")
_WIDE_FROM = "\u2e80"  # Chinese, Japanese and Korean characters and their punctuation begin here


def find_blocks(source: str, kind: str, pages: Sequence[int] = ()) -> list[Stretch]:
    """Blocks of a padded text, ascending and apart. ``pages`` are the places of its form feeds."""
    blocks: list[Stretch] = []
    front = _front_matter(source)
    if front:
        blocks.append((PAD, front, "front-matter"))
    indented = kind in {"markdown", "text", "chat"} and _INDENT.search(source) is not None
    verbatim = Verbatim(source, pages)
    if has_fences(source) or indented or verbatim:
        _Blocks(source, kind, blocks, verbatim, indented=indented).find(max(front, 0))
    return blocks


def _front_matter(source: str) -> int:
    """The end of the YAML or TOML at the start; 0 for none."""
    if not source.startswith(("---", "+++", "\ufeff"), PAD):
        return 0
    front = _FRONT.match(source)
    if front is None:
        return 0
    end = _FRONT_END[front[1] or "+++"].search(source, front.end() - 1)
    return end.end() if end else 0


class _Blocks:
    """Finds fenced and indented blocks from the start of a text to its end."""

    def __init__(self, source: str, kind: str, blocks: list[Stretch], verbatim: Verbatim, *, indented: bool) -> None:
        self.source = source
        self.blocks = blocks
        self.verbatim = verbatim
        self.indented = indented
        # In plain text an indented line that begins with a Chinese character is the first line of a paragraph.
        self.prose = kind != "markdown"
        self.items: list[int] = []  # columns where the contents of the list items around begin
        self.quote_end = 0
        self._next = _FENCE.search(source)

    def find(self, position: int) -> None:
        source = self.source
        while position < len(source):
            fence = self._fence(position)
            region = self.verbatim.search(position) if self.verbatim else None
            first = region is not None and (fence is None or region[0] <= fence.start() + 1)
            start = region[0] if first and region else fence.start() if fence else len(source)
            if self.indented:
                limit = fence.end() if fence and not first else start
                end = self._indented(position, start, limit)
                if end > start:  # what looked like a fence stands in an indented block
                    position = end
                    continue
            if first and region:
                self.blocks.append(region)
                position = region[1]
                continue
            if fence is None:
                return
            position = self._fence_end(fence)
            self._close_items(_width(fence[1]))
            closing = source.rfind("\n", 0, position) + 1
            closed = closing > fence.end() and source.startswith(fence[2] or fence[3], closing)
            if closed and _PROMPT.fullmatch(source, fence.start(), fence.end()):
                self.blocks += [(start + 1, fence.end(), "fence"), (closing, position, "fence")]
            else:
                self.blocks.append((start + 1, position, "fence"))

    def _fence(self, position: int) -> re.Match[str] | None:
        """The next line that opens a fence; it is looked for again only behind it."""
        if self._next is not None and self._next.start() < position:
            self._next = _FENCE.search(self.source, position)
        return self._next

    def _fence_end(self, fence: re.Match[str]) -> int:
        source = self.source
        mark = fence[2] or fence[3]
        depth = fence[1].count(">")
        limit = len(source) - source.endswith("\n")
        if depth:
            if self.quote_end < fence.end():
                found = _QUOTE_END.search(source, fence.end())
                self.quote_end = found.start() if found else limit
            limit = self.quote_end
        deepest = _width(fence[1]) + 3
        for close in _FENCE_END[mark[0]].finditer(source, fence.end(), limit):
            if len(close[2]) < len(mark) or close[1].count(">") != depth:
                continue
            if depth or _width(close[1]) <= deepest:
                return close.end()
        return limit

    def _indented(self, position: int, stop: int, limit: int) -> int:
        """Finds the indented blocks that begin before ``stop``; returns where the last one ends, or ``position``.

        Lines up to ``limit`` are looked at, which is the end of a line.
        """
        while True:
            for line in _OUTLINE.finditer(self.source, position, limit):
                if line.start() >= stop:
                    return position
                end = self._outline(line)
                if end:
                    position = end
                    break
            else:
                return position

    def _outline(self, line: re.Match[str]) -> int:
        """Takes account of a line; returns the end of the indented block that begins there, or 0."""
        after_blank = line[1] is not None
        indent, marker, heading = line.group(1, 2, 3) if after_blank else line.group(4, 5, 6)
        width = _width(indent)
        if after_blank and width >= 4:
            start = line.start(1)
            end = self._block(start, width, start + len(indent))
            if end:
                return end
        if heading is not None:  # which code may follow at once
            self._close_items(width)
            code = _INDENTED_LINE.match(self.source, line.end())
            return self._block(code.start(1), _width(code[1]), code.end()) if code else 0
        self._close_items(width)
        if marker:
            text = marker.rstrip()
            spaces = len(marker) - len(text)
            self.items.append(width + len(text) + (spaces if 1 <= spaces <= 4 else 1))
        return 0

    def _block(self, start: int, width: int, first: int) -> int:
        """Adds the indented block at ``start`` if it is code, whose first character is at ``first``."""
        self._close_items(width)
        if width - (self.items[-1] if self.items else 0) < 4:
            return 0
        if self.prose and self.source[first] >= _WIDE_FROM:
            return 0
        rest = _INDENTED_REST.match(self.source, first)
        end = rest.end() if rest else first
        self.blocks.append((start, end, "indented"))
        return end

    def _close_items(self, width: int) -> None:
        items = self.items
        while items and items[-1] > width:
            items.pop()


def _width(indent: str) -> int:
    return len(indent.expandtabs(4)) if "\t" in indent else len(indent)
