"""Delete what a pattern matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.search import SEARCH, Search
from tokaudit.pipeline.views.view import Find, Parameter, View

SUMMARY = "Delete what a pattern matches; put what must stand around it into lookarounds."
PARAMETERS: Mapping[str, Parameter] = SEARCH


def prepare(values: Mapping[str, Any]) -> Find:
    """A finder of everything that the pattern matches."""
    search = Search(values)

    def find(view: View) -> Iterator[Edit]:
        for match in search.matches(view):
            start, end = match.span()
            if start < end:
                yield Edit(start, end, "")

    return find
