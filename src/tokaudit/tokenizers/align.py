"""Offsets of tokens in a text, found from their bytes, for libraries that give ids only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

_META = "\u2581".encode()
"""SentencePiece's sign for a space, U+2581."""


def starts_of(tokens: Sequence[bytes], data: bytes) -> list[int] | None:
    """Byte offset in ``data`` of each token; None where the tokens do not spell it.

    A space and U+2581 are one to such tokens, whichever the text has, and the first token may begin with a space that
    the text does not have.
    """
    if not tokens:
        return [] if not data else None
    spelled = b"".join(tokens)
    if spelled == data:
        return _ends(tokens)
    if _META in data or _META in spelled:
        tokens = [token.replace(_META, b" ") for token in tokens]
        spelled = b"".join(tokens)
    plain = data.replace(_META, b" ")
    if len(spelled) == len(plain) + 1 and spelled[:1] == b" ":
        tokens = [tokens[0][1:], *tokens[1:]] if tokens[0] else tokens
        spelled = spelled[1:]
    if spelled != plain:
        return None
    starts = _ends(tokens)
    return starts if plain == data else _moved(starts, data)


def _ends(tokens: Sequence[bytes]) -> list[int]:
    """Offset of each token, if the tokens stand one behind the other."""
    return [0, *accumulate(map(len, tokens))][:-1]


def _moved(starts: Sequence[int], data: bytes) -> list[int]:
    """The same places in ``data``, in which some of the spaces are the three bytes of U+2581."""
    result = []
    extra = 0
    sign = data.find(_META)
    for start in starts:
        while 0 <= sign < start + extra:
            extra += len(_META) - 1
            sign = data.find(_META, sign + len(_META))
        result.append(start + extra)
    return result
