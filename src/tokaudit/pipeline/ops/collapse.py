"""Shorten runs of characters."""

from __future__ import annotations

import re
from collections.abc import Callable

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.pages.columns import aligned
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Shorten runs: of one character repeated, or of any of some characters."
PARAMETERS: Parameters = {
    "chars": Parameter("text", "The characters whose runs are shortened.", required=True),
    "mixed": Parameter(
        "boolean",
        "true: a run is any of the characters in any order; false: one of them repeated.",
        default=False,
    ),
    "least": Parameter("integer", "Characters from which on a run is shortened.", default=2),
    "leave": Parameter("integer", "Characters of a run that stay, the first ones.", default=1),
    "to": Parameter("text", "The text that replaces a run; its first characters if not given."),
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


def prepare(values: Values) -> Find:
    """A finder of runs. It proposes only what goes: the rest of a run stays where it is."""
    chars, mixed, inner = values["chars"], values["mixed"], values["inner"]
    least, leave, to = values["least"], values["leave"], values.get("to")
    if not chars:
        raise RuleError("'chars' is empty", keys=("chars",))
    if least < 1:
        raise RuleError("'least' must be 1 or more", keys=("least",))
    if least < 2 and to is None:
        raise RuleError("'least' must be 2 or more: one character is no run", keys=("least",))
    if to is None and not 0 <= leave < least:
        raise RuleError("'leave' must be less than 'least', and not negative", keys=("least", "leave"))
    if to is not None and len(to) >= least and all(char in chars for char in to):
        raise RuleError("'to' is itself a run that would be shortened", keys=("to",))
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)
    keep_columns = inner and values["aligned"] == "keep"
    find_runs = _any_runs(chars, least) if mixed else _runs(chars, least)

    def find(view: View) -> Edits:
        text = view.text
        runs = find_runs(text)
        if inner:
            runs = [run for run in runs if _stands_within(text, *run)]
            runs = aligned(text, runs, drop=keep_columns)
        for start, end in runs:
            if not keep_words.touches(text, start, end):
                yield Edit(start + leave, end, "") if to is None else _rest(text, start, end, to)

    return find


def _any_runs(chars: str, least: int) -> Callable[[str], list[tuple[int, int]]]:
    # A pattern that begins with a plain class is searched fast; what stands around a run is looked at later.
    pattern = lazy(f"[{re.escape(chars)}]{{{least},}}")
    return lambda text: [match.span() for match in pattern().finditer(text)]


def _runs(chars: str, least: int) -> Callable[[str], list[tuple[int, int]]]:
    """Finds runs of one character: each is searched for as a text, which is faster than any pattern."""
    rests: dict[str, re.Pattern[str]] = {}

    def runs(text: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for char in dict.fromkeys(chars):
            at = text.find(char * least)
            while at >= 0:
                end = at + least
                if text.startswith(char, end):
                    if char not in rests:
                        rests[char] = re.compile(f"{re.escape(char)}+")
                    rest = rests[char].match(text, end)
                    end = rest.end() if rest else end
                found.append((at, end))
                at = text.find(char * least, end)
        found.sort()
        return found

    return runs


def _stands_within(text: str, start: int, end: int) -> bool:
    """True if there is something other than white space on both sides."""
    return start > 0 and not text[start - 1].isspace() and end < len(text) and not text[end].isspace()


def _rest(text: str, start: int, end: int, to: str) -> Edit:
    """The edit that makes a run another text, which the run may begin or end with."""
    if text.startswith(to, start):
        return Edit(start + len(to), end, "")
    if text.endswith(to, start, end):
        return Edit(start, end - len(to), "")
    return Edit(start, end, to)
