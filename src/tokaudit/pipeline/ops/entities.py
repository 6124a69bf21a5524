"""HTML entities become the characters that they stand for."""

from __future__ import annotations

import re

from tokaudit.pipeline.ops.replace import trimmed
from tokaudit.pipeline.views.search import MENTIONS
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Decode HTML entities that end with a semicolon; &nbsp; becomes a common space."
PARAMETERS: Parameters = {
    "except": Parameter("texts", "Characters whose entities stay.", default=("<", ">")),
    **MENTIONS,
}
_ENTITY = re.compile(r"&(?:#(?:[0-9]{1,7}|[xX][0-9A-Fa-f]{1,6})|[A-Za-z][A-Za-z0-9]{1,7});")
_REST = re.compile(r"#?[A-Za-z0-9]{1,8};")
_NEAR = 200
"""Characters of a long line on either side of an entity."""
_SPACES = ("\xa0", "\u2002", "\u2003", "\u2009")


def prepare(values: Values) -> Find:
    """A finder of entities. One whose decoding would make another stays, and one whose character the line has too."""
    stays = frozenset(values["except"])

    def find(view: View) -> Edits:
        text = view.text
        if "&" not in text:
            return
        import html

        for match in _ENTITY.finditer(text):
            char = html.unescape(match[0])
            if len(char) != 1 or char in stays or char == "\ufffd" or not (char.isprintable() or char in _SPACES):
                continue
            if char == "&" and _REST.match(text, match.end()):
                continue
            if char not in _SPACES and _stands_too(text, *match.span(), char):
                continue
            yield trimmed(match.start(), match[0], " " if char in _SPACES else char)

    return find


def _stands_too(text: str, start: int, end: int, char: str) -> bool:
    """True if a character stands close by on the line of its entity, which tells the two apart: &amp; is not &."""
    low, high = max(text.rfind("\n", 0, start) + 1, start - _NEAR), end + _NEAR
    newline = text.find("\n", end, high)
    beside = text[low:start] + text[end : newline if newline >= 0 else high]
    return char in (_ENTITY.sub("", beside) if char in "&#;" else beside)
