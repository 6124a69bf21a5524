"""Glyphs without a character, as readers of PDF leave them in a text."""

from __future__ import annotations

import re

from tokaudit.model.edits import Edit
from tokaudit.pipeline.pages.split import whole_lines
from tokaudit.pipeline.pages.unreadable import UNIT, UNREADABLE, unreadable_pages
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Take out glyphs without a character: (cid:n), U+FFFD, private use. Lines of nothing else and bullets go, a run "
    "within a line leaves one mark where something is missing. A page that is more than a fifth of them stays as it is."
)
PARAMETERS: Parameters = {}
_MARK = "\ufffd"
_run = lazy(f"{UNIT}(?:[ \\t]*{UNIT})*")


def prepare(_values: Values) -> Find:
    """A finder of runs of such glyphs."""

    def find(view: View) -> Edits:
        for start, end, _, share in unreadable_pages(view.text):
            if share <= UNREADABLE:
                for match in _run().finditer(view.text, start, end):
                    yield from _edit(view.text, match)

    return find


def _edit(text: str, match: re.Match[str]) -> Edits:
    start, end = match.span()
    line = max(text.rfind("\n", 0, start), text.rfind("\f", 0, start)) + 1
    stop = end
    while text[stop : stop + 1] in (" ", "\t"):
        stop += 1
    first = not text[line:start].strip(" \t")
    if first and text[stop : stop + 1] in ("", "\n", "\f"):
        yield Edit(*whole_lines(text, line, stop), "")
    elif first and stop > end and re.fullmatch(UNIT, match[0]):
        yield Edit(start, stop, "")
    elif end - start > 1:
        yield Edit(start, end, _MARK)
