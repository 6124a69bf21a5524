"""Delete the licence at the beginning of a source file."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete the first comment of a source file where it is a licence."
PARAMETERS: Parameters = {
    "words": Parameter("texts", "Words of a licence, in lower case.", required=True),
    "lines": Parameter("integer", "Lines that the comment has at least.", default=3),
}
_LINES = "|".join(rf"(?:[ \t]*{mark}[^\n]*\n)+" for mark in ("#(?!!)", "//", "--", ";", "%"))
_header = lazy(
    r"(?:\ufeff?#![^\n]*\n)?(?:#[^\n]*coding[:=][^\n]*\n)?(?:<\?(?:php|xml)[^\n]*\n)?\s*"
    rf"(?P<comment>(?:/\*[\s\S]*?\*/|<!--[\s\S]*?-->)[ \t]*(?:\n|\Z)|{_LINES})\n?"
)
"""Lines that must stay first, then one comment: a block of C or HTML, or lines that begin with the same mark."""


def prepare(parameters: Values) -> Find:
    words, least = tuple(parameters["words"]), parameters["lines"]

    def find(view: View) -> Edits:
        header = _header().match(view.text)
        if header is None:
            return
        comment = header["comment"]
        lowered = comment.lower()
        if comment.count("\n") >= least and any(word in lowered for word in words):
            yield Edit(header.start("comment"), header.end(), "")

    return find
