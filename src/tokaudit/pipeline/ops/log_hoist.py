"""Say the date of log lines once."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.log_lines import date_pattern
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Delete the date at the beginning of log lines whose line before with a date has the same."
PARAMETERS: Parameters = {}


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        date = ""
        for match in date_pattern().finditer(view.text):
            if match[1] == date:
                yield Edit(match.start(1), match.end(1), "")
            date = match[1]

    return find
