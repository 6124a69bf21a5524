"""Join words that a hyphen at the end of a line cut."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Join words that were hyphenated at the end of a line, with the text itself as the dictionary."
PARAMETERS: Parameters = {
    "hyphens": Parameter(
        "text",
        "Characters that only ever cut a word at the end of a line: what PDF readers leave there, a soft hyphen.",
        default="\x02\xad\ufffe",
    ),
    "compounds": Parameter(
        "texts",
        "First parts of words that keep their hyphen, such as well and self; and where the text has the word with one.",
        default=(),
    ),
}
_LETTERS = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_WORD = re.compile(f"[{_LETTERS}]+(?:-[{_LETTERS}]+)*")
_FIRST = re.compile(f"[{_LETTERS}]+\\Z")
_SECOND = re.compile(f"[{_LETTERS}]+")
_SUFFIXES = frozenset(
    ["able", "ed", "er", "est", "ful", "ible", "ing", "ish", "less", "like", "ly", "ment", "ness", "s", "sion", "tion"]
)
"""Parts that make no compound: self and ish are selfish."""
_ADDRESS = re.compile(r"[/@\\_][^\s]*\Z")
"""Before a hyphen within a URL or a path, which has hyphens of its own."""
_LONGEST = 40
"""Letters of a part of a word that are looked at."""


def prepare(values: Values) -> Find:
    """A finder of cut words.

    After a hyphen that only cuts, a word is joined unless it is known as a compound. After a common hyphen it is
    joined only where the text has it whole elsewhere, and nowhere with a hyphen.
    """
    hyphens = values["hyphens"]
    compounds = frozenset(word.lower() for word in values.get("compounds") or ())
    marks = f"[{re.escape(hyphens)}]\\n?|" if hyphens else ""
    pattern = re.compile(f"(?:{marks}-\\n)(?=[{_LETTERS}])")

    def find(view: View) -> Edits:
        text = view.text
        if "-\n" not in text and not any(mark in text for mark in hyphens):
            return
        known: set[str] | None = None
        for match in pattern.finditer(text):
            start, end = match.span()
            before = _FIRST.search(text, max(0, start - _LONGEST), start)
            after = _SECOND.match(text, end, end + _LONGEST)
            if not before or not after or _ADDRESS.search(text, max(0, start - _LONGEST), start):
                continue
            if known is None:
                known = {word.lower() for word in _WORD.findall(text)}
            first, second = before[0].lower(), after[0].lower()
            hyphened, whole = f"{first}-{second}" in known, first + second in known
            if match[0] != "-\n":
                known_first = first in compounds and second not in _SUFFIXES
                compound = not whole and (hyphened or known_first or after[0][0].isupper())
                yield Edit(start, end, "-" if compound else "")
            elif whole and not hyphened and first not in compounds and after[0][0].islower():
                yield Edit(start, end, "")

    return find
