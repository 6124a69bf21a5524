"""The words that ops leave alone, and the search for a pattern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

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
        "The same for paragraphs: one that has such a word stays, and so do the one before it and the one after it.",
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


class Mentions:
    """Finds whether a text speaks of what a rule changes, where it would change it.

    What a text says about its spaces, marks or characters is about those that stand in it. The pipeline asks about the
    edits of any op, in the whole text: an op may have seen some lines of it only.
    """

    __slots__ = ("_in", "_in_text", "_line", "_near", "_on", "_paragraph", "_text")

    def __init__(self, values: Values) -> None:
        self._on, self._near, self._in = (
            tuple(map(_folded, values.get(key) or ())) for key in ("not_on", "not_near", "not_in")
        )
        self._text: str | None = None
        self._in_text = False
        self._line = self._paragraph = (0, -1, False)

    def __bool__(self) -> bool:
        return bool(self._on or self._near or self._in)

    def speak_all(self, text: str) -> bool:
        """True if all of a text is to be left alone."""
        if self._text is not text:
            self._text = text
            folded = _folded_text(text) if self._in else ""
            self._in_text = any(word in folded for word in self._in)
            self._line = self._paragraph = (0, -1, False)
        return self._in_text

    def speak(self, text: str, start: int, end: int) -> bool:
        """True if what ``[start, end)`` stands in speaks of it; places are asked for in ascending order."""
        if self.speak_all(text):
            return True
        if self._on:
            if not self._line[0] <= start <= end <= self._line[1]:
                self._line = _spoken(text, start, end, "\n", self._on, 0)
            if self._line[2]:
                return True
        if self._near:
            if not self._paragraph[0] <= start <= end <= self._paragraph[1]:
                self._paragraph = _spoken(text, start, end, "\n\n", self._near, 1)
            return self._paragraph[2]
        return False


def _folded(text: str) -> str:
    return text.lower().replace("：", ":")


@lru_cache(maxsize=2)
def _folded_text(text: str) -> str:
    """A whole text; the last ones are remembered, since several rules ask for the same."""
    return _folded(text)


def _spoken(text: str, start: int, end: int, between: str, words: Sequence[str], around: int) -> tuple[int, int, bool]:
    """The stretch between two separators that a place is in, and whether it or some around it have one of the words."""
    low = text.rfind(between, 0, start) + 1
    high = text.find(between, end)
    high = len(text) if high < 0 else high
    first, last = low, high
    for _ in range(around):
        body = len(text[max(0, first - 8) : first].rstrip()) + max(0, first - 8)  # over the empty lines between
        first = text.rfind(between, 0, body) + 1 if body else 0
        while last < len(text) and text[last] == "\n":
            last += 1
        last = text.find(between, last)
        last = len(text) if last < 0 else last
    around_it = _folded(text[first:last])
    return low, high, any(word in around_it for word in words)


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
