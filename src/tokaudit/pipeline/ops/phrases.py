"""Replace or delete phrases of an alphabetic language, with the capital and the commas that depend on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.kept import KEEP, Kept
from tokaudit.pipeline.ops import Find, Parameter
from tokaudit.pipeline.view import View

SUMMARY = "Replace whole phrases in any case by shorter ones, or delete them and keep the sentence in order."
PARAMETERS: Mapping[str, Parameter] = {
    "phrases": Parameter(
        "mapping",
        "Phrases in lower case, each with what it becomes, which takes over the capital at the start of a sentence. "
        "An empty text deletes the phrase.",
        required=True,
    ),
    "place": Parameter(
        "choice",
        "anywhere: a phrase counts wherever it stands as whole words; delimited: only where it is deleted together "
        "with a comma, at the start of a sentence or between commas or at the end of one.",
        default="anywhere",
        choices=("anywhere", "delimited"),
    ),
    **KEEP,
}
_INSIDE = re.compile(r"[\w'’-]")
"""What makes a longer word of a phrase."""
_PLAIN_WORD = re.compile(r"[a-z]+(?!\w|[./-]\w)")
"""A word that takes a capital; no name such as iOS or a.txt."""


def prepare(values: Mapping[str, Any]) -> Find:
    """A finder of phrases; a word is never cut, since both ends are at the edge of a word."""
    phrases: Mapping[str, str] = values["phrases"]
    if wrong := [phrase for phrase in phrases if phrase != phrase.lower() or not phrase.strip()]:
        raise RuleError(f"'phrases' must be in lower case, not '{wrong[0]}'")
    delimited = values["place"] == "delimited"
    if delimited and any(phrases.values()):
        raise RuleError("'place: delimited' only deletes: every text of 'phrases' must be empty")
    kept = Kept(values.get("keep") or (), values.get("window") or 0)

    def find(view: View) -> Iterator[Edit]:
        text = view.text
        done = 0
        for start, end in _places(text, phrases):
            new = phrases[text[start:end].lower()]
            edit = Edit(start, end, _cased(text[start:end], new)) if new else _deleted(text, start, end, delimited)
            if edit and edit.start >= done and not kept.touches(text, start, end):
                done = edit.end
                yield edit

    return find


def _places(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """Where phrases stand as whole words, the longest first where several begin."""
    lower = text.lower()
    if len(lower) != len(text):  # the small letter of İ is two characters
        lower = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    found = []
    for phrase in phrases:
        at = lower.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            if not _INSIDE.match(lower[max(0, at - 1) : at]) and not _INSIDE.match(lower, end):
                found.append((at, end))
            at = lower.find(phrase, at + 1)
    return sorted(found, key=lambda place: (place[0], -place[1]))


def _cased(old: str, new: str) -> str:
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if old[0].isupper() else new


def _deleted(text: str, start: int, end: int, delimited: bool) -> Edit | None:
    """The edit that deletes a phrase with the space and comma it leaves over; None where it would leave a mess."""
    comma_before = text[max(0, start - 2) : start] == ", "
    if text[end : end + 1] in {".", "!", "?"} and start and text[start - 1] == " ":
        if comma_before:
            return Edit(start - 2, end, "")
        return None if delimited else Edit(start - 1, end, "")
    comma_after = text[end : end + 2] == ", "
    if not _starts_sentence(text, start):
        if comma_before and comma_after:
            return Edit(start - 2, end + 1, "")
        return Edit(start, end + 1, "") if text[end : end + 1] == " " and not delimited else None
    if delimited and not comma_after:
        return None
    until = end + 2 if comma_after else end + 1
    if text[until - 1 : until] != " ":
        return None
    word = _PLAIN_WORD.match(text, until)
    if word and text[start].isupper():
        return Edit(start, until + 1, text[until].upper())
    return Edit(start, until, "") if text[until : until + 1].strip() else None


def _starts_sentence(text: str, start: int) -> bool:
    line = text.rfind("\n", max(0, start - 12), start) + 1 or max(0, start - 12)
    before = text[line:start].rstrip(" ")
    return not before or before[-1] in ".!?:" or (len(before) < 5 and before[-1] in "-*+>#)")
