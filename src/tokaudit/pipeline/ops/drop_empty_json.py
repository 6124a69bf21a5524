"""Drop empty members of JSON objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.json_values import tokens, values
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete the members of JSON objects whose value is empty; items of arrays stay."
PARAMETERS: Parameters = {
    "values": Parameter(
        "texts", 'Values that are empty, of null, false, 0, "", [] and {}.', default=("null", "[]", '""')
    ),
}


class _Member(NamedTuple):
    start: int
    end: int
    empty: bool


@dataclass
class _Open:
    """An object or array that is not closed yet."""

    start: int
    is_object: bool
    key: int = -1
    """Start of the key whose value comes next."""
    filled: bool = False
    members: list[_Member] = field(default_factory=list)


def prepare(parameters: Values) -> Find:
    empty = frozenset(parameters["values"])

    def find(view: View) -> Edits:
        for start, end in values(view, "json"):
            yield from sorted(_edits(view.text, start, end, empty))

    return find


def _edits(text: str, start: int, end: int, empty: frozenset[str]) -> Edits:
    # The outermost stands for the document, so that there always is one to add to.
    around = [_Open(start, is_object=False)]
    for part, first, last in tokens(text, start, end):
        top = around[-1]
        if part in "{[":
            top.filled = True
            around.append(_Open(first, is_object=part == "{"))
        elif part in "}]":
            closed = around.pop()
            yield from _without_empty(closed.members)
            _add(around[-1], last, is_empty=not closed.filled and ("[]" if part == "]" else "{}") in empty)
        elif part in ",:":
            continue
        elif top.is_object and top.key < 0:
            top.key, top.filled = first, True
        else:
            top.filled = True
            _add(top, last, is_empty=part in empty)


def _add(parent: _Open, end: int, *, is_empty: bool) -> None:
    """Notes that a value of ``parent`` ends."""
    if parent.is_object:
        parent.members.append(_Member(parent.key, end, is_empty))
        parent.key = -1


def _without_empty(members: list[_Member]) -> Edits:
    """One edit for each empty member, each with one comma, such that any of them may be left out."""
    first_kept = next((index for index, member in enumerate(members) if not member.empty), len(members))
    if first_kept == len(members):
        if members:
            yield Edit(members[0].start, members[-1].end, "")
        return
    if first_kept:
        yield Edit(members[0].start, members[first_kept].start, "")
    for before, member in pairwise(members[first_kept:]):
        if member.empty:
            yield Edit(before.end, member.end, "")
