"""Counts a rendered request part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokaudit.model import Tokenizer
from tokaudit.model.framing import FramedPart
from tokaudit.tokenizers.templates.controls import Controls
from tokaudit.tokenizers.templates.stream import Key

_SHORT = 64
"""Characters up to which the count of a piece between control tokens is remembered: roles recur."""
_MOST = 4096
"""Pieces that are remembered."""
_DATA = frozenset(("content", "thinking", "call"))


class PartCounter:
    """Counts texts with the control tokens in them, each token for the part in which its first byte lies."""

    def __init__(self, tokenizer: Tokenizer, controls: Controls) -> None:
        """Take a tokenizer that counts ordinary text, and the tokens that it must not see."""
        self._tokenizer = tokenizer
        self._controls = controls
        self._known: dict[str, int] = {}
        self._cuts: Callable[[str], Sequence[int]] | None = None
        if getattr(tokenizer, "seams", False):
            from tokaudit.tokenizers.kimi import slices

            self._cuts = lambda text: _ends(slices(text))

    def count(self, texts: Sequence[str], keys: Sequence[Key]) -> tuple[str, list[FramedPart], int]:
        """The joined text, its parts, and how many control tokens stand in data."""
        text = "".join(texts)
        ends, merged = _merged(texts, keys)
        tokens = [0] * len(merged)
        pieces = [(start, end, True) for start, end in self._controls.find(text)]
        if self._cuts is not None:
            pieces = sorted([*pieces, *((cut, cut, False) for cut in self._cuts(text))])
        typed = at = part = 0
        for start, end, control in pieces:
            if start > at:
                part = self._ordinary(text, at, start, ends, part, tokens)
            while part < len(ends) and ends[part] <= start:
                part += 1
            if control:
                tokens[part] += 1
                typed += merged[part][0] in _DATA
            at = end
        if at < len(text):
            self._ordinary(text, at, len(text), ends, part, tokens)
        parts = []
        start = 0
        for end, (kind, message, tool), number in zip(ends, merged, tokens, strict=True):
            parts.append(FramedPart(kind, message, tool, start, end, number))
            start = end
        return text, parts, typed

    def _ordinary(self, text: str, start: int, end: int, ends: Sequence[int], part: int, tokens: list[int]) -> int:
        """Count a piece between control tokens; returns the part in which it ends."""
        while ends[part] <= start:
            part += 1
        piece = text[start:end]
        if end <= ends[part]:
            tokens[part] += self._short(piece) if len(piece) <= _SHORT else self._tokenizer.count(piece)
            return part
        offsets = [0]
        last = part
        at = start
        while ends[last] < end:
            segment = text[at : ends[last]]
            offsets.append(offsets[-1] + (len(segment) if segment.isascii() else len(segment.encode())))
            at = ends[last]
            last += 1
        for number, found in enumerate(self._tokenizer.encoding(piece).within(offsets), part):
            tokens[number] += found
        return last

    def _short(self, piece: str) -> int:
        found = self._known.get(piece)
        if found is None:
            found = self._tokenizer.count(piece)
            if len(self._known) < _MOST:
                self._known[piece] = found
        return found


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
        if key == before:
            ends[-1] = at
        else:
            ends.append(at)
            merged.append(key)
            before = key
    return ends, merged


def _ends(parts: object) -> list[int]:
    found: list[int] = []
    for part in parts:  # type: ignore[attr-defined]
        found.append((found[-1] if found else 0) + len(part))
    return found[:-1]
