"""Replace what a pattern matches."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message
from tokaudit.pipeline.views.search import SEARCH, Search
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Replace what a pattern matches by a text, which may quote groups of the match, or change its case."
PARAMETERS: Parameters = {
    **SEARCH,
    "with": Parameter(
        "template",
        r"The text that replaces a match; \1 and \g<name> stand for its groups. Without it only the case changes.",
    ),
    "case": Parameter(
        "choice", "Letters of the result: as they are, or in lower or upper case.", choices=("lower", "upper")
    ),
}


def prepare(values: Values) -> Find:
    """A finder that proposes the replacement of every match, without what stays the same at its ends."""
    template, case = values.get("with"), values.get("case")
    if template is None and case is None:
        raise RuleError("'with' or 'case' is needed: what becomes of a match", keys=("with", "case"))
    search = Search(values)

    def find(view: View) -> Edits:
        for match in search.matches(view):
            old = match[0]
            try:
                new = old if template is None else match.expand(template)
            except (IndexError, ValueError) as error:
                raise RuleError(Message("'with' cannot be filled in: {error}", error=error), keys=("with",)) from error
            if case:
                new = new.lower() if case == "lower" else new.upper()
            if new != old:
                yield trimmed(match.start(), old, new)

    return find


def trimmed(start: int, old: str, new: str) -> Edit:
    """The edit that makes a text at a place another, without the characters that both begin or end with."""
    shorter = min(len(old), len(new))
    before = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    most_after = shorter - before
    after = next((at for at in range(most_after) if old[-1 - at] != new[-1 - at]), most_after)
    return Edit(start + before, start + len(old) - after, new[before : len(new) - after])
