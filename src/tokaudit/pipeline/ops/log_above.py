"""Write words of a log that stand at the same place of the line before as a number of words."""

from __future__ import annotations

from collections.abc import Iterator

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.log_lines import ABOVE
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    f"Replace words that are those at the same place of the line before by {ABOVE} and their number. The first time it "
    "is said what that means."
)
PARAMETERS: Parameters = {}
_LEGEND = f" ({ABOVE}N: N words as in the line above)"
_LONGEST = 2000
"""Characters of the longest line whose words are compared."""
_LEAST = 3
"""Pieces that a run of words has at least: what stands for it costs two or three tokens."""
_word = lazy(r"[^\s|]+")
_piece = lazy(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]{1,3}")
"""About what a token is."""

_Words = list[tuple[int, int]]
"""Starts and ends."""


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        text = view.text
        if ABOVE in text:
            return
        legend = _LEGEND
        before, words_before = "", _Words()
        start = 0
        for line in text.split("\n"):
            words = [match.span() for match in _word().finditer(line)] if len(line) <= _LONGEST else []
            for first, last in _runs(before, words_before, line, words):
                end = words[last - 1][1]
                yield Edit(start + words[first][0], start + end, f"{ABOVE}{last - first}{legend}")
                legend = ""
            before, words_before = line, words
            start += len(line) + 1

    return find


def _runs(before: str, words_before: _Words, line: str, words: _Words) -> Iterator[tuple[int, int]]:
    """Runs of words that are at the same place of both lines, with the same blanks between them."""
    first = 0
    most = min(len(words), len(words_before))
    for index in range(most + 1):
        if index < most:
            one, other = words_before[index], words[index]
            same = before[one[0] : one[1]] == line[other[0] : other[1]]
            if same and (
                index == first or before[words_before[index - 1][1] : one[0]] == line[words[index - 1][1] : other[0]]
            ):
                continue
        else:
            same = False
        if index > first and len(_piece().findall(line, words[first][0], words[index - 1][1])) >= _LEAST:
            yield first, index
        first = index if same else index + 1
