"""Counts a rendered request part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from tokaudit.model import Tokenizer
from tokaudit.model.framing import FramedPart
from tokaudit.tokenizers.templates.controls import Controls
from tokaudit.tokenizers.templates.stream import Key

_SHORT = 64
"""Characters up to which the count of a piece between control tokens is remembered: roles recur."""
_MOST = 4096
"""Pieces that are remembered."""
_DATA = frozenset(("content", "thinking", "call"))


class Control(str):
    """A control token that a program writes; an empty one cuts the text, and is none."""

    __slots__ = ()


class PartCounter:
    """Counts texts with the control tokens in them, each token for the part in which its first byte lies."""

    def __init__(self, tokenizer: Tokenizer, controls: Controls) -> None:
        """Take a tokenizer that counts ordinary text, and the tokens that it must not see."""
        self._tokenizer = tokenizer
        self._controls = controls
        self._known: dict[str, int] = {}
        self._cuts: Callable[[str], Iterator[int]] | None = None
        if getattr(tokenizer, "seams", False):
            from tokaudit.tokenizers.kimi import slices

            self._cuts = lambda text: accumulate(map(len, slices(text)))

    def count(self, texts: Sequence[str], keys: Sequence[Key]) -> tuple[str, list[FramedPart], int]:
        """The joined text, its parts, and how many control tokens stand in data."""
        text = "".join(texts)
        ends, merged = _merged(texts, keys)
        tokens = [0] * len(merged)
        typed = at = part = 0
        for start, end in self.pieces(text, texts):
            if start > at:
                while ends[part] <= at:
                    part += 1
                part = self._ordinary(text, at, start, ends, part, tokens)
            while ends[part] <= start < end:
                part += 1
            if end > start:
                tokens[part] += 1
                typed += merged[part][0] in _DATA
            at = end
        start = 0
        parts = []
        for end, (kind, message, tool), number in zip(ends, merged, tokens, strict=True):
            parts.append(FramedPart(kind, message, tool, start, end, number))
            start = end
        return text, parts, typed

    def pieces(self, text: str, texts: Sequence[str]) -> list[tuple[int, int]]:
        """Control tokens, and as empty ones the places where a tokenizer cuts a text; the end of the text is last."""
        del texts
        if self._cuts is None:
            return [*self._controls.find(text), (len(text), len(text))]
        found = []
        at = 0
        for end in self._cuts(text):
            found += [(at + first, at + last) for first, last in self._controls.find(text[at:end])]
            found.append((end, end))
            at = end
        return found

    def _ordinary(self, text: str, start: int, end: int, ends: Sequence[int], part: int, tokens: list[int]) -> int:
        """Count a piece between control tokens, which begins in a part; returns the part in which it ends."""
        piece = text[start:end]
        stop = ends[part]
        if end <= stop:
            if end - start > _SHORT:
                tokens[part] += self._tokenizer.count(piece)
                return part
            found = self._known.get(piece)
            if found is None:
                found = self._tokenizer.count(piece)
                if len(self._known) < _MOST:
                    self._known[piece] = found
            tokens[part] += found
            return part
        offsets = [0]
        total = 0
        last = part
        while stop < end:
            segment = text[start:stop]
            total += len(segment) if segment.isascii() else len(segment.encode())
            offsets.append(total)
            start = stop
            last += 1
            stop = ends[last]
        for number, found in enumerate(self._tokenizer.encoding(piece).within(offsets), part):
            tokens[number] += found
        return last


class WrittenCounter(PartCounter):
    """Counts what a program writes: its own control tokens, and no others."""

    def pieces(self, text: str, texts: Sequence[str]) -> list[tuple[int, int]]:
        """Where the program's control tokens stand, and its cuts."""
        found = []
        at = 0
        for one in texts:
            if isinstance(one, Control):
                found.append((at, at + len(one)))
            at += len(one)
        return [*found, (len(text), len(text))]


def _merged(texts: Sequence[str], keys: Sequence[Key]) -> tuple[list[int], list[Key]]:
    """Where each run of one part ends, in code points, and the part."""
    ends: list[int] = []
    merged: list[Key] = []
    at = 0
    before: Key | None = None
    for text, key in zip(texts, keys, strict=True):
        if not text:
            continue
        at += len(text)
        if key is before or key == before:
            ends[-1] = at
        else:
            ends.append(at)
            merged.append(key)
            before = key
    return ends, merged
