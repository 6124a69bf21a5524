"""Delete comments of HTML where nothing around them changes its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokaudit.model.edits import Edit
from tokaudit.model.text import line_end
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.search import MENTIONS
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete comments of HTML, but for those that tools read and those that keep blocks of Markdown apart."
PARAMETERS: Parameters = {
    "keep": Parameter("texts", "Beginnings of comments that stay.", default=("tokaudit:",)),
    "only": Parameter("pattern", "Only comments whose whole text matches are deleted; all if not given."),
    **MENTIONS,
}
_LONGEST = 200
"""Characters of a comment from which on it says something, whatever `only` has."""
_PARAGRAPH = 50
"""Lines back that a paragraph is followed to its beginning; a longer one is taken for part of a list."""
_comment = lazy(r"<!--(?!-?>|\[if\b)|-->")
_not_markdown = lazy(r"<(/?)(pre|script|style|textarea)\b", re.IGNORECASE)
_nests = lazy(r"[ \t]|>|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|[|:]|<")
"""A line that belongs to a list, a quote or an indented block, or can."""


def prepare(parameters: Values) -> Find:
    keep, only = tuple(parameters["keep"]), parameters.get("only")

    def find(view: View) -> Edits:
        text = view.text
        if "<!--" not in text:
            return
        raw = _raw(text)
        element = 0
        for start, end in _comments(text):
            while element < len(raw) and raw[element][1] <= start:
                element += 1
            if element < len(raw) and raw[element][0] < start:
                continue
            said = text[start + 4 : end - 3]
            if not said.lstrip("- \t\r\n").startswith(keep) and (only is None or _is_only(only, said, view)):
                edit = _deletion(text, start, end)
                if edit:
                    yield edit

    return find


def _is_only(pattern: str, said: str, view: View) -> bool:
    """True if a pattern matches all that a comment says. Raises ``TimeoutError``."""
    if len(said) > _LONGEST and said.strip("-=*#~_ \t\r\n"):
        return False
    from tokaudit.pipeline.patterns import compile_pattern

    return compile_pattern(pattern).fullmatch(said, timeout=view.seconds_left) is not None


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = -1
    for match in _comment().finditer(text):
        if match[0] == "-->":
            if start >= 0:
                yield start, match.end()
            start = -1
        elif start < 0:
            start = match.start()


def _raw(text: str) -> list[tuple[int, int]]:
    """Start and end of elements whose text is not Markdown."""
    found = []
    start, name = -1, ""
    for match in _not_markdown().finditer(text):
        if start < 0 and not match[1]:
            start, name = match.start(), match[2].lower()
        elif start >= 0 and match[1] and match[2].lower() == name:
            found.append((start, match.end()))
            start = -1
    return [*found, (start, len(text))] if start >= 0 else found


def _deletion(text: str, start: int, end: int) -> Edit | None:
    """The edit that deletes a comment, or None where more than the comment would go."""
    line = text.rfind("\n", 0, start) + 1
    stop = line_end(text, end)
    before, after = text[line:start], text[end:stop]
    if before.strip():
        # Within a line: with the blanks before it where nothing follows, with one of two otherwise.
        if (
            "\n" in text[start:end]
            or before.lstrip().startswith("<")
            or not (before[-1] in " \t" or not after.strip() or after[0] in " \t")
        ):
            return None
        if not after.strip() or after[0] in " \t":
            start -= len(before) - len(before.rstrip(" \t"))
            return Edit(start, end, "") if after.strip() else Edit(start, stop, "")
        return Edit(start, end, "")
    # A line that begins with a comment is not Markdown to its end.
    if after.strip() or before:
        return None
    return _whole_lines(text, line, stop)


def _whole_lines(text: str, start: int, stop: int) -> Edit | None:
    """The edit that deletes a comment that has its lines to itself, ``stop`` being their end."""
    previous = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)] if start else ""
    following = text[stop + 1 : line_end(text, stop + 1)]
    if previous.strip() and ("-->" in previous or following.strip() or _in_block(text, start)):
        return None  # it keeps two paragraphs apart, or is within HTML
    at = stop + 1
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    first = text.rfind("\n", 0, at) + 1
    # What follows would become part of a list or quote before it, or the end of a heading's line.
    if at < len(text) and _nests().match(text, first) and _in_block(text, start):
        return None
    if not start and text.startswith("---", first):
        return None  # it would become front matter
    if not previous.strip() and stop < len(text) and not following.strip():
        # One of the blank lines around it goes too.
        return Edit(start, min(line_end(text, stop + 1) + 1, len(text)), "")
    if stop == len(text):
        return Edit(max(start - 1, 0), stop, "")
    return Edit(start, stop + 1, "")


def _in_block(text: str, start: int) -> bool:
    """True if the block before a line may be a list, a quote, a table, indented or of HTML."""
    body = start
    while body and text[body - 1] in " \t\r\n":
        body -= 1
    for _ in range(_PARAGRAPH):
        line = text.rfind("\n", 0, body) + 1
        if _nests().match(text, line, body):
            return True
        if not text[line:body].strip() or not line:
            return False
        body = line - 1
    return True
