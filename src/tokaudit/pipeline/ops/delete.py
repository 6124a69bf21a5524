"""Delete what a pattern matches."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.search import SEARCH, Search
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Delete what a pattern matches; put what must stand around it into lookarounds."
PARAMETERS: Parameters = SEARCH


def prepare(values: Values) -> Find:
    """A finder of everything that the pattern matches."""
    search = Search(values)

    def find(view: View) -> Edits:
        for match in search.matches(view):
            start, end = match.span()
            if start < end:
                yield Edit(start, end, "")

    return find
