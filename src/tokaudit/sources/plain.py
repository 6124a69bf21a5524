"""Plain text: paragraphs, divided at blank lines."""

from __future__ import annotations

import re

from tokaudit.model import Segments
from tokaudit.sources.columns import LineNumbers, whole

# A newline, a line of nothing but white space, and all blank lines after it. The last part takes the next paragraph's
# indentation too and gives it back once: linear, and no step for each blank line of a million.
_BLANK = re.compile(r"\n[^\S\n]*\n(?:\s*\n)?")


def divide(path: str, text: str, first_line: int = 1) -> tuple[Segments, Segments]:
    """Segments (paragraphs, each with the blank lines after it) and sections (the whole text) of plain text.

    Blank lines before the first paragraph belong to it, for there is none before. ``first_line`` is the line of the
    text's first character (1-based).
    """
    if not text:
        return Segments(path, text, (), ("paragraph",)), whole(path, text, "text")
    starts = [0]
    starts += [match.end() for match in _BLANK.finditer(text)]
    if starts[-1] == len(text) and len(starts) > 1:
        starts.pop()
    if len(starts) > 1 and text[: starts[1]].isspace():
        del starts[1]
    segments = Segments(path, text, starts, ("paragraph",), lines=LineNumbers(text, starts, first_line))
    return segments, whole(path, text, "text", first_line)
