"""The marks of Markdown: headings and code fences, as every recogniser but that of facts knows them (ADR 0009)."""

from __future__ import annotations

import re

HEADING = "#{1,6}"
"""Pattern of the number signs before a heading."""
FENCE = "`{3,}|~{3,}"
"""Pattern of the marks that open a code fence; the same mark, at least as often, closes it."""
_NAMED = re.compile(rf"({HEADING})\s+(.*?)(?:\s+#+)?\s*")


def has_fences(text: str) -> bool:
    """False for a text that surely has no code fence."""
    return "```" in text or "~~~" in text


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and text of a heading that a person names, as in ``## Rules``; None for another text."""
    found = _NAMED.fullmatch(line.strip())
    return (len(found[1]), found[2]) if found else None
