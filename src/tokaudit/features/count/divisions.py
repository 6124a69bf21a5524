"""The parts of a document: segments, sections, pages or lines."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from tokaudit.features.count.types import Wanted
from tokaudit.model import Document, Segments
from tokaudit.model.message import Message

_LARGE_TEXT = 1 << 16
"""Code points from which on numpy pays for its import, where parts are short."""
_LONG_PART = 64
"""Code points of a part on average from which on encoding each by itself is as fast as importing numpy."""


def division_of(document: Document, wanted: Wanted, lines: Callable[[str], list[int]]) -> Segments:
    """The parts of a document that are counted; ``lines`` gives the code-point offsets of the lines of a text."""
    if wanted.by in {"segment", "kind"}:
        return document.segments
    if wanted.by in {"role", "turn"}:
        return _spoken(document, by_turn=wanted.by == "turn")
    if wanted.by == "section":
        return document.sections
    if wanted.by == "page":
        return _pages(document)
    if document.kind == "pdf":
        return _page_lines(document)
    starts = lines(document.text)
    numbers: Sequence[int] = range(document.first_line, document.first_line + len(starts))
    if document.gaps:
        shifted, gaps, missing = [], iter([*document.gaps, (len(document.text) + 1, 0)]), 0
        offset, gone = next(gaps)
        for number, start in zip(numbers, starts, strict=True):
            while offset <= start:
                missing += gone
                offset, gone = next(gaps)
            shifted.append(number + missing)
        numbers = shifted
    return Segments(document.path, document.text, starts, ("line",), ids=_LineIds(numbers), lines=numbers)


def _spoken(document: Document, *, by_turn: bool) -> Segments:
    """The messages of a transcript with role or turn as their kind; of any other text the whole, which has neither."""
    text = document.text
    if not document.requests:
        return Segments(document.path, text, [0] if text else [], (Message("without roles"),))
    messages = document.requests[0].messages
    kinds = [turn_label(message.turn) if by_turn else message.role for message in messages]
    return replace(document.segments, kinds=kinds)


def turn_label(turn: int) -> Message:
    """The name of a turn, 1-based; 0 is what stands before the first."""
    return Message("turn {n}", n=turn) if turn else Message("before the first turn")


def _page_lines(document: Document) -> Segments:
    """The lines of a text with pages, numbered by page; a form feed belongs to the line that it ends."""
    text = document.text
    starts, ids, pages = [], [], []
    at, page, line = 0, 1, 1
    while at < len(text):
        starts.append(at)
        ids.append(f"page-{page}.line-{line}")
        pages.append(page)
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        feed = text.find("\f", at, end)
        at, line = (end, line + 1) if feed < 0 else (feed + 1, 1)
        page += feed >= 0
    return Segments(document.path, text, starts, ("line",), ids=ids, pages=pages)


def _pages(document: Document) -> Segments:
    """The pages of a text, which form feeds end; of any other text the whole."""
    if document.kind == "pdf":
        return document.sections
    text = document.text
    starts = [0] if text else []
    at = text.find("\f")
    while 0 <= at < len(text) - 1:
        starts.append(at + 1)
        at = text.find("\f", at + 1)
    numbers = range(1, len(starts) + 1)
    ids = [f"page-{number}" for number in numbers]
    return Segments(document.path, text, starts, ("page",), ids=ids, pages=numbers)


class _LineIds(Sequence[str]):
    """``L1``, ``L2``, ... made when asked for."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        return f"L{self._numbers[index]}"


def byte_offsets(text: str, utf8: bytes | None, starts: Sequence[int]) -> array[int]:
    """Code-point offsets as byte offsets in ``utf8``, which is None for a text that is all ASCII.

    An array, so that a bulk encoding reads it in place.
    """
    if utf8 is None:
        return array("q", starts)
    if len(text) < _LARGE_TEXT or len(text) >= _LONG_PART * len(starts):
        parts = map(text.__getitem__, map(slice, starts, [*starts[1:], len(text)]))
        return array("q", accumulate(map(len, map(str.encode, parts)), initial=0))[:-1]
    import numpy as np

    # A code point has moved by the bytes before it that continue another (10xxxxxx, which no code point begins with).
    moved = np.flatnonzero(np.frombuffer(utf8, np.int8) < -64)
    moved -= np.arange(len(moved))  # now code points: the k-th such byte belongs to the one before moved[k]
    wanted = np.fromiter(starts, np.int64, len(starts))
    return array("q", (wanted + moved.searchsorted(wanted, "right")).tobytes())
