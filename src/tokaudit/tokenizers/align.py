"""Where tokens begin in a text, found from their bytes, for libraries that give ids only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

_META = "\u2581".encode()
"""SentencePiece's sign for a space, U+2581."""


def starts_of(tokens: Sequence[bytes], data: bytes) -> list[int] | None:
    """Byte offset in ``data`` of each token; None where the tokens do not spell it.

    A token may write a space as U+2581, and the first may begin with a space that the text does not have.
    """
    if not tokens:
        return [] if not data else None
    first = tokens[0]
    prefixed = (first[:1] == b" " and data[:1] != b" ") or sum(map(len, tokens)) == len(data) + 1
    lengths = [len(token) for token in tokens]
    lengths[0] -= prefixed
    if sum(lengths) == len(data) and _META not in data and not any(_META in token for token in set(tokens)):
        return [0, *accumulate(lengths)][:-1]
    found = _walk(tokens, data, int(prefixed))
    # A space that the first token begins with can also stand for a U+2581 of the text.
    return _walk(tokens, data, 0) if found is None and prefixed else found


def _walk(tokens: Sequence[bytes], data: bytes, skip: int) -> list[int] | None:
    """The same byte by byte, for texts and tokens in which U+2581 stands for itself or for a space."""
    starts = []
    at = 0
    for token in tokens:
        starts.append(at)
        place, skip = skip, 0
        while place < len(token):
            if token[place : place + 3] == _META and data[at : at + 3] != _META:
                place += 3
                at += 1
            elif token[place] == 0x20 and data[at : at + 3] == _META:
                place += 1
                at += 3
            else:
                if token[place : place + 1] != data[at : at + 1]:
                    return None
                place += 1
                at += 1
    return starts if at == len(data) else None
