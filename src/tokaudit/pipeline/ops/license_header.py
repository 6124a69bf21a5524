"""Delete the licence at the beginning of a source file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Find, Parameter, View

SUMMARY = "Delete the first comment of a source file where it is a licence."
PARAMETERS: Mapping[str, Parameter] = {
    "words": Parameter("texts", "Words of a licence, in lower case.", required=True),
    "lines": Parameter("integer", "Lines that the comment has at least.", default=3),
}
_LINES = "|".join(rf"(?:[ \t]*{mark}[^\n]*\n)+" for mark in ("#(?!!)", "//", "--", ";", "%"))
_header = lazy(
    r"(?:\ufeff?#![^\n]*\n)?(?:#[^\n]*coding[:=][^\n]*\n)?(?:<\?(?:php|xml)[^\n]*\n)?\s*"
    rf"(?P<comment>(?:/\*[\s\S]*?\*/|<!--[\s\S]*?-->)[ \t]*(?:\n|\Z)|{_LINES})\n?"
)
"""Lines that must stay first, then one comment: a block of C or HTML, or lines that begin with the same mark."""


def prepare(parameters: Mapping[str, Any]) -> Find:
    """A finder for one rule."""
    words, least = tuple(parameters["words"]), parameters["lines"]

    def find(view: View) -> Iterator[Edit]:
        header = _header().match(view.text)
        if header is None:
            return
        comment = header["comment"]
        lowered = comment.lower()
        if comment.count("\n") >= least and any(word in lowered for word in words):
            yield Edit(header.start("comment"), header.end(), "")

    return find
