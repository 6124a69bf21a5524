"""Join the ideographs of lines of prose that were torn into single ones by spaces."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Join single ideographs with spaces between them, in lines that are nothing but one torn sentence."
PARAMETERS: Parameters = {
    "least": Parameter("integer", "Ideographs that such a line has at least.", default=12),
    "common": Parameter(
        "text", "Characters of which such a line has some, since every sentence does.", default="的了是在我你他这不有和"
    ),
    **KEEP,
}
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_MARKS = "，。！？；、"
_LINE = f"(?m)^[ \u3000]*([{_HAN}](?:(?: | ?(?:[{_MARKS}] ?)+)[{_HAN}])+(?: ?[{_MARKS}])*)[ \u3000]*\r?$"
"""A line of single ideographs, each with a space or a mark and a space after it."""
_VARIED, _MOST_COMMON = 0.6, 0.4
"""The least share of different ideographs, and the most of common ones: a list of choices repeats a few."""


def prepare(values: Values) -> Find:
    """A finder of the spaces of such lines: of all of a line's, or none."""
    least, common = values["least"], frozenset(values["common"])
    if least < 3:
        raise RuleError("'least' must be 3 or more", keys=("least",))
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)

    def find(view: View) -> Edits:
        text = view.text
        if text.isascii():
            return
        for match in re.finditer(_LINE, text):
            start, end = match.span(1)
            if not _is_sentence(match[1], least, common) or keep_words.touches(text, start, end):
                continue
            at = text.find(" ", start, end)
            while at >= 0:
                yield Edit(at, at + 1, "")
                at = text.find(" ", at + 1, end)

    return find


def _is_sentence(line: str, least: int, common: frozenset[str]) -> bool:
    """True if single ideographs are a torn sentence: it ends, and has words that every sentence has."""
    chars = [char for char in line if char not in _MARKS and char != " "]
    if len(chars) < least or not any(mark in line for mark in "，。！？"):
        return False
    frequent = sum(char in common for char in chars)
    return 0 < frequent <= _MOST_COMMON * len(chars) and len(set(chars)) >= _VARIED * len(chars)
