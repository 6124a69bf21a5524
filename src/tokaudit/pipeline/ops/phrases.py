"""Replace or delete phrases of an alphabetic language, with the capital and the commas that depend on them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Replace whole phrases in any case by shorter ones, or delete them and keep the sentence in order."
PARAMETERS: Parameters = {
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
    "leading": Parameter(
        "texts",
        "With `delimited`: those of `phrases` that are deleted only at the start of a sentence, since they may say how "
        "something is done elsewhere.",
        default=(),
    ),
    "after": Parameter(
        "texts",
        "With `anywhere`: words, one of which stands before a phrase that is deleted within a sentence and without a "
        "comma; without any, every word may.",
        default=(),
    ),
    **KEEP,
}
_INSIDE = re.compile(r"[\w'’-]")
"""Characters that make a longer word of a phrase."""
_PLAIN_WORD = re.compile(r"[a-z]+(?!\w|[./-]\w)")
"""A word that takes a capital; no name such as iOS or a.txt."""
_PIECE = re.compile(r", ([^,.;:!?\n]{1,60})")
"""The words after a filler and its comma, up to the next mark."""
_JOINING = re.compile(r"(?:to|with|about|for|at|in|on|by|from|of|and|or|but|into|toward|towards)\b")
_LISTED = re.compile(r"(?:and|or|is|are|was|were)\b|\w\)")
_ITEM = re.compile(r"(?:^|\n)[ \t]*(?:[-*+>]|\w{1,3}[.)])[ \t]*$")
"""The mark of an item of a list: what stands there may be the word that the item is about."""
_TWO_WORDS = re.compile(r"[\w'’-]+ [\w'’-]+$")
_LAST_WORD = re.compile(r"([A-Za-z']+) $")
_BEFORE = 40
"""Characters before a phrase that are looked at."""


def prepare(values: Values) -> Find:
    """A finder of phrases; a word is never cut, since both ends are at the edge of a word."""
    phrases: Mapping[str, str] = values["phrases"]
    if wrong := [phrase for phrase in phrases if phrase != phrase.lower() or not phrase.strip()]:
        raise RuleError(Message("'phrases' must be in lower case, not '{wrong}'", wrong=wrong[0]), keys=("phrases",))
    delimited = values["place"] == "delimited"
    if delimited and any(phrases.values()):
        raise RuleError(
            "'place: delimited' only deletes: every text of 'phrases' must be empty", keys=("phrases", "place")
        )
    leading, after = frozenset(values.get("leading") or ()), frozenset(values.get("after") or ())
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)

    def find(view: View) -> Edits:
        text = view.text
        done = 0
        for start, end in _places(text, phrases):
            phrase = text[start:end].lower()
            new = phrases[phrase]
            if start < done:
                continue
            if delimited:
                last = _filler_end(text, start, end, phrases, first_only=phrase in leading)
                if not last:
                    continue
                edit = _deleted(text, start, last, delimited)
            elif after and not new and not _follows(text, start, after):
                continue
            else:
                edit = Edit(start, end, _cased(text[start:end], new)) if new else _deleted(text, start, end, delimited)
            if edit and edit.start >= done and not keep_words.touches(text, start, end):
                done = edit.end
                yield edit

    return find


def _places(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """Places of phrases as whole words, the longest first where several begin."""
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


def _filler_end(text: str, start: int, end: int, phrases: Mapping[str, str], *, first_only: bool) -> int:
    """The end of the fillers that go with one, or 0 for words that are listed, or say how something is done.

    Several fillers before a sentence go together; a list of them, which nothing follows, does not.
    """
    first = _starts_sentence(text, start)
    if first_only and not first:
        return 0
    after = _PIECE.match(text, end)
    if not first:
        if _ends_list(text, start, phrases):
            return 0
        if after is None:
            return end
        if after[1].lower() in phrases or _JOINING.match(after[1]) or after[1][0].isupper():
            return 0
        return end if text[max(0, start - 2) : start] != ", " or _has_words(text, start - 2) else 0  # yes, uh, no
    if not text[start].isupper() and _ITEM.search(text[max(0, start - 8) : start]):
        return 0
    while after is not None and after[1].lower() in phrases:
        end = after.end()
        after = _PIECE.match(text, end)
        if after is None:
            return 0
    if after is None:
        return end
    return 0 if _LISTED.match(after[1]) or _begins_with(after[1].lower(), phrases) else end


def _begins_with(piece: str, phrases: Iterable[str]) -> bool:
    """True if one of the phrases goes on without a comma: without the filler before it, half would be left."""
    return any(piece.startswith(phrase) and not _INSIDE.match(piece, len(phrase)) for phrase in phrases)


def _has_words(text: str, end: int) -> bool:
    """True if there are two words or more between a place and the mark before it."""
    return not text[end - 1].isdigit() and _TWO_WORDS.search(text[max(0, end - _BEFORE) : end]) is not None


def _ends_list(text: str, start: int, phrases: Mapping[str, str]) -> bool:
    """True if what stands before the comma before a place is, or ends with, another of the phrases."""
    before = text[max(0, start - _BEFORE) : start].rstrip(" ,").lower()
    return any(before.endswith(phrase) and not before[-len(phrase) - 1 : -len(phrase)].isalnum() for phrase in phrases)


def _follows(text: str, start: int, words: Collection[str]) -> bool:
    """True if a phrase starts a sentence or is set off by a comma, or one of some words stands before it."""
    if _starts_sentence(text, start) or text[max(0, start - 2) : start] == ", ":
        return True
    before = _LAST_WORD.search(text[max(0, start - _BEFORE) : start])
    return before is not None and before[1].lower() in words


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
