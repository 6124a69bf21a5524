"""Kimi's own cuts before its pre-tokenization, which change the tokens of long texts.

Its code (``tokenization_kimi.py``, after Llama 3's) encodes a text in slices of 400,000 characters, and cuts these
where more than 25,000 characters one behind the other are white space, or none of them is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokaudit.model import Encoding, Tokenizer
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.encoding import ArrayEncoding, checked

SLICE = 400_000
"""Code points encoded at once."""
RUN = 25_000
"""Code points of white space, or of anything else, after which a slice is cut."""
_WINDOW = RUN // 2
"""A longer run has a whole one of these windows in it."""
_RUNS = re.compile(r"\s+|\S+")
_SPACE, _INK = re.compile(r"\s"), re.compile(r"\S")


def slices(text: str, first: int = 0) -> Iterator[str]:
    """The parts of a text that Kimi's code encodes by themselves.

    Args:
        text: The text, or a piece of one that begins where a run does.
        first: Code points of the whole text before it.
    """
    at = 0
    while at < len(text):
        end = min(len(text), at + SLICE - (first + at) % SLICE)
        yield from _without_long_runs(text[at:end])
        at = end


def _without_long_runs(text: str) -> Iterator[str]:
    if not _has_long_run(text):
        yield text
        return
    start = 0
    for run in _RUNS.finditer(text):
        for cut in range(run.start() + RUN, run.end(), RUN):
            yield text[start:cut]
            start = cut
    yield text[start:]


def _has_long_run(text: str) -> bool:
    """Check whether a run may be longer than ``RUN``: looks at a few characters of most windows."""
    for at in range(0, len(text) - _WINDOW + 1, _WINDOW):
        end = at + _WINDOW
        if _SPACE.search(text, at, end) is None or _INK.search(text, at, end) is None:
            return True
    return False


class KimiTokenizer(ByteBpeTokenizer):
    """Kimi's vocabulary with the cuts of its own code."""

    seams = True
    """The count of a piece depends on how many characters stand before it (``PieceTokenizer``)."""

    def count(self, text: str, first: int = 0) -> int:
        """Number of tokens of ``text``, before which ``first`` code points stand."""
        parts = list(slices(text, first)) if isinstance(text, str) else []
        return sum(map(super().count, parts)) if len(parts) > 1 else super().count(text)

    def encoding(self, text: str, first: int = 0) -> Encoding:
        """The tokens with ids and places; before ``text`` stand ``first`` code points."""
        parts = list(slices(text, first)) if isinstance(text, str) else []
        if len(parts) < 2:
            return super().encoding(text)
        checked(text)
        placed = []
        at = 0
        for part in parts:
            placed.append((at, super().encoding(part)))
            at += len(part.encode())
        return _joined(placed)


def _joined(parts: Sequence[tuple[int, Encoding]]) -> ArrayEncoding:
    """The encodings of several parts of a text as one, each with the byte offset at which it begins."""
    import numpy as np

    ids = np.concatenate([np.asarray(part.ids) for _, part in parts])
    return ArrayEncoding(ids, np.concatenate([np.asarray(part.starts, np.int64) + at for at, part in parts]))


class PieceTokenizer:
    """A tokenizer with seams, for a piece of a large text: ``first`` code points of it stand before the piece."""

    def __init__(self, tokenizer: Tokenizer, first: int) -> None:
        self._tokenizer = tokenizer
        self._first = first
        self.info = tokenizer.info
        self.divisible = tokenizer.divisible
        self.encode = tokenizer.encode
        self.decode = tokenizer.decode
        self.spans = tokenizer.spans

    def count(self, text: str) -> int:
        """Number of tokens of the piece."""
        return self._tokenizer.count(text, self._first)  # type: ignore[call-arg]

    def encoding(self, text: str) -> Encoding:
        """The tokens of the piece."""
        return self._tokenizer.encoding(text, self._first)  # type: ignore[call-arg]
