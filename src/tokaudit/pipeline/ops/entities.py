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
_SPACES = ("\xa0", "\u2002", "\u2003", "\u2009")


def prepare(values: Values) -> Find:
    """A finder of entities. One whose decoding would make another entity stays."""
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
            yield trimmed(match.start(), match[0], " " if char in _SPACES else char)

    return find
