"""The tokens of one text: ids, and the byte at which each begins."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import sub
from typing import Any

from tokaudit.model import Encoding, TokenizerError
from tokaudit.model.message import Message


class ListEncoding:
    """Tokens as Python lists: what the small path and most libraries give."""

    __slots__ = ("ids", "starts")

    def __init__(self, ids: Sequence[int], starts: Sequence[int]) -> None:
        self.ids = ids
        self.starts = starts

    def __len__(self) -> int:
        return len(self.ids)

    def within(self, offsets: Sequence[int]) -> list[int]:
        before = [bisect_left(self.starts, offset) for offset in offsets]
        return list(map(sub, [*before[1:], len(self.ids)], before)) if before else []

    def tally(self, classes: bytes, size: int, blank: int) -> list[int]:
        counts = [0] * size
        for start, end in zip(self.starts, [*self.starts[1:], len(classes)], strict=False):
            at = start
            while at < end and classes[at] == blank:
                at += 1
            # A token without bytes of its own is a part of the character at its start.
            at = min(at, len(classes) - 1) if start == end else at
            counts[classes[at] if classes and (at < end or start == end) else blank] += 1
        return counts


class ArrayEncoding:
    """Tokens as numpy arrays: of a text with very many."""

    __slots__ = ("ids", "starts")

    def __init__(self, ids: Any, starts: Any) -> None:
        self.ids = ids
        self.starts = starts

    def __len__(self) -> int:
        return len(self.ids)

    def within(self, offsets: Sequence[int]) -> Sequence[int]:
        if not len(offsets):
            return []
        import numpy as np

        before = self.starts.searchsorted(np.frombuffer(offsets, np.int64) if isinstance(offsets, array) else offsets)
        result: Sequence[int] = np.diff(before, append=len(self.ids))
        return result

    def tally(self, classes: bytes, size: int, blank: int) -> list[int]:
        import numpy as np

        of_byte = np.frombuffer(classes, dtype=np.uint8)
        inked = np.append(np.flatnonzero(of_byte != blank), len(of_byte))
        first = inked[np.searchsorted(inked, self.starts)]
        ends = np.append(self.starts[1:], len(of_byte))
        first = np.where(self.starts == ends, self.starts, first)
        of_token = np.where((first < ends) | (self.starts == ends), of_byte[np.minimum(first, len(of_byte) - 1)], blank)
        counts: list[int] = np.bincount(of_token, minlength=size).tolist()
        return counts


def split_at(
    text: str,
    tokens: Mapping[str, int | None],
    ordinary: Callable[[str], Encoding],
    typed: Callable[[str], Encoding] | None = None,
) -> ListEncoding:
    """The encoding of a text in which special tokens stand, the longest first.

    Args:
        text: What to encode.
        tokens: The special tokens with their ids.
        ordinary: Encodes the text between them.
        typed: Encodes the tokens themselves as text, where they are not to count as special.
    """
    parts: list[tuple[int, Encoding]] = []
    at = 0
    for piece in _splitter(tuple(tokens)).split(text) if tokens else [text]:
        if piece in tokens:
            rank = tokens[piece]
            parts.append(
                (at, ListEncoding([rank], [0]) if typed is None and rank is not None else (typed or ordinary)(piece))
            )
        elif piece:
            parts.append((at, ordinary(piece)))
        at += len(piece.encode())
    return joined(parts)


@lru_cache(maxsize=16)
def _splitter(tokens: Sequence[str]) -> re.Pattern[str]:
    """Any of the tokens, the longest first; kept, for DeepSeek has 800 of them and texts may be short."""
    return re.compile(f"({'|'.join(map(re.escape, sorted(tokens, key=lambda token: (-len(token), token))))})")


def joined(parts: Sequence[tuple[int, Encoding]]) -> ListEncoding:
    """One encoding of several parts of a text, each with the byte offset at which it begins."""
    ids: list[int] = []
    starts: list[int] = []
    for offset, part in parts:
        ids.extend(int(token) for token in part.ids)
        starts.extend(offset + int(start) for start in part.starts)
    return ListEncoding(ids, starts)


def byte_starts(text: str, places: Iterable[int]) -> list[int]:
    """Code points at which tokens begin as byte offsets, none before the one before it."""
    offsets = [0]
    for char in text:
        offsets.append(offsets[-1] + len(char.encode()))
    latest = 0
    result = []
    for place in places:
        latest = max(latest, offsets[place])
        result.append(latest)
    return result


def checked(text: str) -> str:
    """The text itself, if it is one.

    Raises:
        TokenizerError: It has lone surrogates, at which libraries fail.
        TypeError: It is no text at all.
    """
    if not isinstance(text, str):
        raise TypeError(not_a_text(text))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise not_text(error) from error
    return text


def not_text(error: UnicodeEncodeError) -> TokenizerError:
    """The error for a text with a lone surrogate."""
    return TokenizerError(
        Message(
            "the text has a lone surrogate, U+{code:04X}, which is no character", code=ord(error.object[error.start])
        ),
        hint="decode it again with errors='replace'",
    )


def not_a_text(value: object) -> str:
    """Message of a TypeError on a value that should be a text."""
    hint = Message(": decode it first, as in data.decode('utf-8')") if isinstance(value, (bytes, bytearray)) else ""
    return Message("a text (str) is counted, not {name}{hint}", name=type(value).__name__, hint=hint)


def unknown_id(name: str, token: int) -> TokenizerError:
    """The error for a number that is no token id of a tokenizer."""
    return TokenizerError(
        Message("{name} has no token id {token}", name=name, token=token), hint="decode ids of the same tokenizer"
    )
