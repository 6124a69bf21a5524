"""Paragraphs that nobody can read."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.pages.split import whole_lines
from tokaudit.pipeline.pages.unreadable import garbled_paragraphs
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Delete paragraphs of at least 20 characters that cannot be read: under half known characters, over 30 % symbols, "
    "or 锟斤拷, 烫烫烫烫 and the like. Code, formulas, encoded data and other scripts stay."
)
PARAMETERS: Parameters = {}


def prepare(_values: Values) -> Find:
    """A finder of such paragraphs."""

    def find(view: View) -> Edits:
        for start, end in garbled_paragraphs(view.text):
            yield Edit(*whole_lines(view.text, start, end), "")

    return find
