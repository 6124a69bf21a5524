"""Shorten runs of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.columns import aligned
from tokaudit.pipeline.kept import KEEP, Kept
from tokaudit.pipeline.ops import Find, Parameter
from tokaudit.pipeline.view import View

SUMMARY = "Shorten runs: of one character repeated, or of any of some characters."
PARAMETERS: Mapping[str, Parameter] = {
    "chars": Parameter("text", "The characters whose runs are shortened.", required=True),
    "mixed": Parameter(
        "boolean",
        "true: a run is any of the characters in any order; false: one of them repeated.",
        default=False,
    ),
    "least": Parameter("integer", "Characters from which on a run is shortened.", default=2),
    "leave": Parameter("integer", "Characters of a run that stay, the first ones.", default=1),
    "to": Parameter("text", "What a run becomes, instead of its first characters."),
    "inner": Parameter(
        "boolean",
        "true: only runs with something other than white space on both sides in their line, and not in lines that "
        "are indented by a tab or four spaces or more, have a tab or draw a box.",
        default=False,
    ),
    "aligned": Parameter(
        "choice",
        "With `inner`, what becomes of runs that make columns with the line above or below: keep leaves them.",
        default="keep",
        choices=("keep", "shorten"),
    ),
    **KEEP,
}


def prepare(values: Mapping[str, Any]) -> Find:
    """A finder of runs. It proposes only what goes: the rest of a run stays where it is."""
    chars, mixed, inner = values["chars"], values["mixed"], values["inner"]
    least, leave, to = values["least"], values["leave"], values.get("to")
    if not chars:
        raise RuleError("'chars' is empty")
    if least < 2 and to is None:
        raise RuleError("'least' must be 2 or more: one character is no run")
    if to is None and not 0 <= leave < least:
        raise RuleError("'leave' must be less than 'least', and not negative")
    if to is not None and len(to) >= least and all(char in chars for char in to):
        raise RuleError("'to' is itself a run that would be shortened")
    kept = Kept(values.get("keep") or (), values.get("window") or 0)
    keep_columns = inner and values["aligned"] == "keep"
    set_of = f"[{re.escape(chars)}]"
    body = f"{set_of}{{{least},}}" if mixed else f"({set_of})\\1{{{least - 1},}}"
    doubles = () if mixed else tuple(char * 2 for char in chars)
    compiled: list[re.Pattern[str]] = []

    def find(view: View) -> Iterator[Edit]:
        text = view.text
        if doubles and not any(double in text for double in doubles):
            return
        if not compiled:
            compiled.append(re.compile(body))
        # A pattern that begins with a plain class is searched fast; what stands around a run is looked at here.
        runs = [match.span() for match in compiled[0].finditer(text)]
        if inner:
            runs = [run for run in runs if _stands_within(text, *run)]
            runs = aligned(text, runs, drop=keep_columns)
        for start, end in runs:
            if not kept.touches(text, start, end):
                yield Edit(start + leave, end, "") if to is None else _rest(text, start, end, to)

    return find


def _stands_within(text: str, start: int, end: int) -> bool:
    """Whether there is something other than white space on both sides."""
    return start > 0 and not text[start - 1].isspace() and end < len(text) and not text[end].isspace()


def _rest(text: str, start: int, end: int, to: str) -> Edit:
    """The edit that makes a run another text, which the run may begin or end with."""
    if text.startswith(to, start):
        return Edit(start + len(to), end, "")
    if text.endswith(to, start, end):
        return Edit(start, end - len(to), "")
    return Edit(start, end, to)
