"""The words that ops leave alone, and the search for a pattern."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from tokaudit.pipeline.views.instructions import EXACT, Instruction, ends, instructions, without_urls
from tokaudit.pipeline.views.view import Parameter, Parameters, Values, View

MENTIONS: Parameters = {
    "not_on": Parameter(
        "texts",
        "Words that a line speaks of what the rule changes with: lines that have one stay as they are. The case of "
        "letters and the width of colons do not count.",
        default=(),
    ),
    "not_near": Parameter(
        "texts",
        "The same for paragraphs: one that has such a word stays, and so do the one before it and the one after it, at "
        "most 12 lines away. In an instruction such a word counts for the whole text.",
        default=(),
    ),
    "not_asked": Parameter(
        "texts",
        "Words that count in instructions only, and there for the whole text: lines that ask for something to be done "
        "with it (Rate the tone of each message), and its first line.",
        default=(),
    ),
    "not_in": Parameter(
        "texts",
        "The same for the whole text.",
        default=(),
    ),
}
"""Parameters of ops that leave a text alone that speaks of what they change; the pipeline reads them."""
KEEP: Parameters = {
    "keep": Parameter(
        "texts",
        "Words that stay whole: an edit that overlaps one of them, where it stands in the text, is left out. A word of "
        "ASCII letters counts only where it is not part of a longer one.",
        default=(),
    ),
    "window": Parameter(
        "integer",
        "Characters on either side of an edit in which a text of `keep` counts too, though the edit leaves it whole.",
        default=0,
    ),
    **MENTIONS,
}
"""Parameters of ops that spare some words."""


class KeptWords:
    """Finds whether an edit would touch a text that is kept: by slices and a set, whatever the number of texts."""

    __slots__ = ("_lengths", "_texts", "_window")

    def __init__(self, texts: Iterable[str], window: int = 0) -> None:
        self._texts = frozenset(texts)
        self._lengths = sorted({len(text) for text in self._texts})
        self._window = window

    def touches(self, text: str, start: int, end: int) -> bool:
        """True if a kept text overlaps ``[start, end)``, widened by the window."""
        if not self._lengths:
            return False
        low, high = start - self._window, end + self._window
        for length in self._lengths:
            for at in range(max(0, low - length + 1), min(high, len(text) - length + 1)):
                if text[at : at + length] in self._texts and not _cuts(text, at) and not _cuts(text, at + length):
                    return True
        return False


def _cuts(text: str, at: int) -> bool:
    """True if a place lies within a word of ASCII letters or digits, so that AI is not found in AGAIN."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isascii() and around.isalnum()


class Mention(NamedTuple):
    """A word by which a text speaks of what a rule changes."""

    word: str
    """As the rule has it, in small letters."""
    at: int
    """Where it stands in the text."""


class Mentions:
    """Finds the words by which a text speaks of what a rule changes, where it would change it.

    What a text says about its spaces, marks or characters is about those that stand in it. The pipeline asks about the
    edits of any op, in the whole text: an op may have seen some lines of it only. docs/adr/0014 says how far a word
    reaches, and why.
    """

    __slots__ = (
        "_asked",
        "_asks",
        "_in",
        "_line",
        "_near",
        "_near_line",
        "_of_text",
        "_on",
        "_places",
        "_stretches",
        "_text",
    )

    def __init__(self, values: Values, *, asks: bool = True, exact: bool = False) -> None:
        """Take a rule's words.

        Args:
            values: Of the rule.
            asks: The text may have instructions.
            exact: The text is a prompt: if it is to be given back or looked at to the last character, no rule fits.
        """
        self._on, self._near, self._asked, self._in = (
            tuple(map(_folded, values.get(key) or ())) for key in ("not_on", "not_near", "not_asked", "not_in")
        )
        self._asked += EXACT if exact else ()
        self._asks = asks and bool(self._near or self._asked)
        self._text: str | None = None
        self._of_text: Mention | None = None
        self._line = self._near_line = _NOWHERE
        self._places: list[tuple[int, str]] | None = None
        self._stretches = 0

    def __bool__(self) -> bool:
        return bool(self._on or self._near or self._asked or self._in)

    def of_text(self, text: str) -> Mention | None:
        """The word because of which all of a text is to be left alone."""
        if self._text is not text:
            self._text = text
            self._line = self._near_line = _NOWHERE
            self._places = None
            self._of_text = self._in_instructions(text)
            if self._of_text is None and self._in:
                self._of_text = _first(self._in, _folded_text(text))
        return self._of_text

    def speaks(self, text: str) -> bool:
        """True if all of a text is to be left alone; mostly for the word that another state of it had."""
        known = self._of_text
        if known is not None and known.word in self._in and known.word in text:
            return True  # the words are in small letters: a text that has one as it is has it folded, too
        return self.of_text(text) is not None

    def find(self, text: str, start: int, end: int) -> Mention | None:
        """The word because of which ``[start, end)`` is to be left alone; places are asked for in ascending order."""
        found = self.of_text(text)
        if found is None and self._on:
            if not self._line[0] <= start <= end <= self._line[1]:
                low, high = _line_of(text, start, end)
                self._line = low, high, _first(self._on, _folded(text[low:high]), low)
            found = self._line[2]
        if found is None and self._near and self._places != []:  # looked for, and none stands anywhere
            if not self._near_line[0] <= start <= end <= self._near_line[1]:
                low, high = _line_of(text, start, end)
                self._near_line = low, high, self._between(text, *_around(text, low, high))
            found = self._near_line[2]
        return found

    def _in_instructions(self, text: str) -> Mention | None:
        if not self._asks:
            return None
        asked, lines = _instructions(text)
        words = [word for word in (*self._near, *self._asked) if word in lines]
        found = (_first(words, asking.line, asking.start) for asking in asked)
        return next(filter(None, found), None) if words else None

    def _between(self, text: str, first: int, last: int) -> Mention | None:
        """A word of ``not_near`` in a stretch. Where many are asked for, the places of all words are found once."""
        self._stretches += 1
        if self._stretches <= _FEW:
            return _first(self._near, without_urls(_folded(text[first:last])), first)
        if self._places is None:
            self._places = _places(self._near, without_urls(_folded_text(text)))
        for index in range(bisect_left(self._places, (first, "")), len(self._places)):
            at, word = self._places[index]
            if at >= last:
                break
            if at + len(word) <= last:
                return Mention(word, at)
        return None


_NOWHERE: tuple[int, int, Mention | None] = (0, -1, None)
_FEW = 200
"""Stretches that are looked through one by one."""


_LINES = 12
"""Lines on either side up to which a word of ``not_near`` counts: a chat without empty lines is one paragraph."""


def _first(words: Iterable[str], text: str, start: int = 0) -> Mention | None:
    """The first of some words that a stretch has, which begins at ``start``."""
    return next((Mention(word, start + text.find(word)) for word in words if word in text), None)


def _places(words: Iterable[str], text: str) -> list[tuple[int, str]]:
    """Every place of the words, ascending."""
    found = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append((at, word))
            at = text.find(word, at + 1)
    return sorted(found)


def _folded(text: str) -> str:
    """In small letters with half-width colons, and of the same length."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join(char if len(char.lower()) > 1 else char.lower() for char in text)
    return small.replace("：", ":")


@lru_cache(maxsize=2)
def _folded_text(text: str) -> str:
    """A whole text; the last ones are remembered, since several rules ask for the same."""
    return _folded(text)


@lru_cache(maxsize=2)
def _instructions(text: str) -> tuple[list[Instruction], str]:
    """The instructions of a text, and their lines together: few of the words that are asked for stand in any."""
    found = [asking for start, part in ends(text) for asking in instructions(_folded(part), start, len(text))]
    return found, "\n".join(asking.line for asking in found)


def _line_of(text: str, start: int, end: int) -> tuple[int, int]:
    high = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if high < 0 else high


def _around(text: str, low: int, high: int) -> tuple[int, int]:
    """The paragraph of a line and those before and after it, as far as they are not too far away."""
    first, last = low, high
    for _ in range(_LINES):
        first = text.rfind("\n", 0, first - 1) + 1 if first else 0
        last = text.find("\n", last + 1) if last < len(text) else last
        last = len(text) if last < 0 else last
    return _paragraphs_before(text, first, low), _paragraphs_after(text, high, last)


def _paragraphs_before(text: str, first: int, low: int) -> int:
    start = text.rfind("\n\n", first, low) + 1
    if not start:
        return first
    body = len(text[first:start].rstrip()) + first  # over the empty lines between
    start = text.rfind("\n\n", first, body) + 1
    return start or first


def _paragraphs_after(text: str, high: int, last: int) -> int:
    end = text.find("\n\n", high, last)
    if end < 0:
        return last
    while end < last and text[end] == "\n":
        end += 1
    end = text.find("\n\n", end, last)
    return last if end < 0 else end


SEARCH: Parameters = {
    "pattern": Parameter("pattern", "The pattern to look for.", required=True),
    "needs": Parameter(
        "texts",
        "Only texts that contain one of these are searched: a check that costs next to nothing.",
        default=(),
    ),
    "inside": Parameter(
        "pattern",
        "`pattern` is looked for only within what this matches, and does not see what follows that.",
    ),
    **KEEP,
}
"""Parameters of ops that look for a pattern."""


class Search:
    """Matches of a rule's pattern in texts."""

    __slots__ = ("_inside", "_keep_words", "_needs", "_pattern")

    def __init__(self, values: Values) -> None:
        self._pattern: str = values["pattern"]
        self._inside: str | None = values.get("inside")
        self._needs: tuple[str, ...] = tuple(values.get("needs") or ())
        self._keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)

    def may_match(self, text: str) -> bool:
        """True if the text has one of the texts that a match needs."""
        return not self._needs or any(needed in text for needed in self._needs)

    def matches(self, view: View) -> Iterator[Any]:
        """The matches that touch no kept text, in order.

        Raises:
            TimeoutError: A pattern took longer than the view's time.
        """
        text = view.text
        if not self.may_match(text):
            return
        from tokaudit.pipeline.patterns import compile_pattern

        pattern = compile_pattern(self._pattern)
        for start, end in self._places(view):
            for match in pattern.finditer(text, start, end, timeout=view.seconds_left):
                if not self._keep_words.touches(text, *match.span()):
                    yield match

    def _places(self, view: View) -> Iterator[tuple[int, int]]:
        if not self._inside:
            yield 0, len(view.text)
            return
        from tokaudit.pipeline.patterns import compile_pattern

        for match in compile_pattern(self._inside).finditer(view.text, timeout=view.seconds_left):
            yield match.span()
