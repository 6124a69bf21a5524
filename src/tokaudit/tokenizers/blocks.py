"""A very long piece, encoded in blocks: in linear time, and token for token what merging it at once gives.

Byte-pair merging always takes the pair of the lowest rank, the leftmost first. Two things follow, whatever the
vocabulary is:

1. Some neighbouring tokens of an encoding are the encoding of their own bytes: no merge crossed their outer ends, and
   which of the merges within is next does not depend on what lies outside.
2. If A encodes to ``a1 .. an``, B to ``b1 .. bm``, and ``an b1`` together to just these two, then A and B together
   encode to ``a1 .. an b1 .. bm``. Were there a first merge across the border, then up to it the merges within ``an``
   and ``b1`` would have been those of encoding the two alone, which would have merged across the border as well.

So blocks overlap: each begins where a token of the one before it begins, some way before that one's end, where what
follows could still change it. If both make the same token there, it is joined on its left as in the first block and on
its right as in the second, and by 2. the encoding of the whole is known. If not, the block is made twice as long, and
so are those that follow. As each gets at least half of its length done, the time stays linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Ids = TypeVar("Ids", bound="Sequence[int]")

LEAST_OVERLAP = 256
"""Bytes; more where the vocabulary has longer tokens."""
_MET = 64
"""Blocks that are remembered: a long piece is mostly a repetition."""


def overlap_of(longest: int) -> int:
    """By how many bytes blocks overlap in a vocabulary whose longest token has ``longest``.

    No block is then as short as a token, so that a vocabulary's rule for pieces that are tokens never applies to one.
    """
    return max(LEAST_OVERLAP, 2 * longest)


def encode_blocks(
    data: bytes,
    encode: Callable[[bytes], Ids],
    offsets: Sequence[int],
    block: int,
    overlap: int,
    *,
    whole_characters: bool = False,
) -> list[Ids]:
    """The ids of one piece, in parts.

    Args:
        data: The piece.
        encode: Merges a part of it, without regard to what is around.
        offsets: Of each id and the one after it; the difference is the token's length in bytes.
        block: Bytes of a block; at least four times ``overlap``.
        overlap: See ``overlap_of``.
        whole_characters: Whether ``encode`` takes UTF-8 only, so that blocks must begin and end with a character.
    """
    size = len(data)
    parts: list[Ids] = []
    at = 0
    stop = _stop(data, block, whole_characters)
    ids = encode(data[:stop])
    met: dict[bytes, Ids] = {}
    while stop < size:
        begin, index = stop, len(ids)
        while index and (stop - begin < overlap or (whole_characters and data[begin] & 0xC0 == 0x80)):
            index -= 1
            token = ids[index]
            begin -= offsets[token + 1] - offsets[token]
        if begin - at >= block // 2:
            end = _stop(data, begin + block, whole_characters)
            part = data[begin:end]
            found = met.get(part)
            if found is None:
                if len(met) >= _MET:
                    met.clear()
                found = met[part] = encode(part)
            if found[0] == ids[index]:
                parts.append(ids[:index])  # type: ignore[arg-type]
                at, stop, ids = begin, end, found
                continue
        block *= 2
        stop = _stop(data, at + block, whole_characters)
        ids = encode(data[at:stop])
    parts.append(ids)
    return parts


def _stop(data: bytes, stop: int, whole_characters: bool) -> int:
    """The end of the block; a character that begins before it is part of the block."""
    stop = min(stop, len(data))
    while whole_characters and stop < len(data) and data[stop] & 0xC0 == 0x80:
        stop += 1
    return stop
