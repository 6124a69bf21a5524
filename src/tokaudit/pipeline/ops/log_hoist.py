"""Say the date of log lines once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.log_lines import date_pattern
from tokaudit.pipeline.views.view import Find, Parameter, View

SUMMARY = "Delete the date at the beginning of log lines whose line before with a date has the same."
PARAMETERS: Mapping[str, Parameter] = {}


def prepare(_parameters: Mapping[str, Any]) -> Find:
    """A finder for one rule."""

    def find(view: View) -> Iterator[Edit]:
        date = ""
        for match in date_pattern().finditer(view.text):
            if match[1] == date:
                yield Edit(match.start(1), match.end(1), "")
            date = match[1]

    return find
