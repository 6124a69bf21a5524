"""Texts around which nothing changes: words that an edit would break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tokaudit.pipeline.ops import Parameter

KEEP: Mapping[str, Parameter] = {
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
}
"""Parameters of ops that spare some words."""


class Kept:
    """Finds whether an edit would touch a text that is kept: by slices and a set, whatever the number of texts."""

    __slots__ = ("_lengths", "_texts", "_window")

    def __init__(self, texts: Iterable[str], window: int = 0) -> None:
        self._texts = frozenset(texts)
        self._lengths = sorted({len(text) for text in self._texts})
        self._window = window

    def touches(self, text: str, start: int, end: int) -> bool:
        """Whether a kept text overlaps ``[start, end)``, widened by the window."""
        if not self._lengths:
            return False
        low, high = start - self._window, end + self._window
        for length in self._lengths:
            for at in range(max(0, low - length + 1), min(high, len(text) - length + 1)):
                if text[at : at + length] in self._texts and not _cuts(text, at) and not _cuts(text, at + length):
                    return True
        return False


def _cuts(text: str, at: int) -> bool:
    """Whether a place lies within a word of ASCII letters or digits, so that AI is not found in AGAIN."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isascii() and around.isalnum()
