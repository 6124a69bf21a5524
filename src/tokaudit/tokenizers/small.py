"""Byte-pair merging in Python over a mapped table, with nothing to load: the fallback's way with short texts.

It counts a prompt in milliseconds, while a library would still be loading its vocabulary.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import chain, pairwise

from tokaudit.tokenizers.pretokenize import Pattern, pieces
from tokaudit.tokenizers.table import IDEOGRAPHS, Table

_NONE = 1 << 30
"""Rank of a pair that does not merge; above every id."""
_LONG = 256
"""Bytes of a piece from which on a heap beats searching the list of pairs for its minimum (measured)."""
_BLOCK = 4096
"""Bytes of the blocks in which longer pieces are merged, so that the time is linear (``blocks``)."""
_CACHE_LIMIT = 200_000
"""Entries after which a cache is emptied: some tens of megabytes."""


class _Ranks(dict[bytes, int]):
    """Token bytes to rank, filled from the table as they are asked for; ``_NONE`` for what is no token."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._find = table.find
        self._longest = table.longest

    def __missing__(self, token: bytes) -> int:
        if len(token) > self._longest:
            return _NONE
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        rank = self._find(token)
        if rank < 0:
            rank = _NONE
        self[token] = rank
        return rank


class _Ideographs(dict[str, bytes | None]):
    """Ideograph to the bytes with which merging may begin in its place; None for other characters.

    Empty where merging has to begin with each byte of the ideograph by itself.
    """

    def __init__(self, ranks: _Ranks, table: Table) -> None:
        super().__init__()
        self._ranks = ranks
        self._is_firm = table.is_firm

    def __missing__(self, char: str) -> bytes | None:
        value: bytes | None = None
        if IDEOGRAPHS[0] <= char <= IDEOGRAPHS[1]:
            value = char.encode()
            rank = self._ranks[value]
            if rank == _NONE or not self._is_firm(rank):
                value = b""
        self[char] = value
        return value


class _Pieces(dict[str, tuple[int, ...]]):
    """Piece to token ids, filled as pieces are met: a text repeats most of its words."""

    def __init__(self, engine: SmallEngine) -> None:
        super().__init__()
        self._engine = engine

    def __missing__(self, piece: str) -> tuple[int, ...]:
        ids = tuple(self._engine.merge(piece))
        if len(piece) > _LONG:
            return ids  # long pieces seldom recur, and would fill the memory
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        self[piece] = ids
        return ids


class SmallEngine:
    """Encodes ordinary text with one vocabulary. Ids are ranks; the caller adds the vocabulary's id offset."""

    def __init__(self, table: Table, pattern: Pattern) -> None:
        self._table = table
        self._pattern = pattern
        self._splits = table.splits
        self._ranks = _Ranks(table)
        self._ideographs = _Ideographs(self._ranks, table)
        self._pieces = _Pieces(self)

    def cut(self, text: str) -> list[str]:
        """The pieces of a text that is already normalized."""
        return pieces(self._pattern, text)

    def encode(self, found: Sequence[str]) -> list[int]:
        """Token ids of pieces."""
        result: list[int] = []
        extend = result.extend
        cached = self._pieces
        for piece in found:
            extend(cached[piece])
        return result

    def count(self, found: Sequence[str]) -> int:
        """Number of tokens of pieces."""
        return sum(map(len, map(self._pieces.__getitem__, found)))

    def merge(self, piece: str) -> Sequence[int]:
        """Byte-pair encode one piece: merge the pair of the lowest rank, the leftmost first, until none is left."""
        data = piece.encode()
        whole = self._ranks[data]
        # A token that listed merges cannot make is found by merging only; the others stand for themselves.
        if whole != _NONE and (self._splits is None or self._splits[whole] or len(data) == 1):
            return (whole,)
        if len(data) > _BLOCK:
            return self._merge_blocks(data)
        if len(data) > _LONG:
            return self._merge_long(data)
        return self._merge_short(self._first_parts(piece, data))

    def _first_parts(self, piece: str, data: bytes) -> list[bytes]:
        """With what merging begins: ideographs where ``table.firm_characters`` allows it, and bytes."""
        if len(piece) * 2 > len(data):
            return [data[at : at + 1] for at in range(len(data))]
        values = list(map(self._ideographs.__getitem__, piece))
        parts: list[bytes] = []
        last = len(values) - 1
        for at, value in enumerate(values):
            if value and (not at or values[at - 1] is not None) and (at == last or values[at + 1] is not None):
                parts.append(value)
            else:
                parts += [bytes((byte,)) for byte in piece[at].encode()]
        return parts

    def _pair(self, left: bytes, right: bytes) -> int:
        rank = self._ranks[left + right]
        if rank != _NONE and self._splits is not None and self._splits[rank] != len(left):
            return _NONE
        return rank

    def _merge_short(self, parts: list[bytes]) -> list[int]:
        known = self._ranks
        if self._splits is None:  # in line, for this is where the small path spends its time
            ranks = [known[left + right] for left, right in pairwise(parts)]
            while ranks:
                lowest = min(ranks)
                if lowest == _NONE:
                    break
                at = ranks.index(lowest)
                parts[at] = merged = parts[at] + parts.pop(at + 1)
                del ranks[at]
                if at:
                    ranks[at - 1] = known[parts[at - 1] + merged]
                if at < len(ranks):
                    ranks[at] = known[merged + parts[at + 1]]
            return [known[part] for part in parts]
        pair = self._pair
        ranks = [pair(left, right) for left, right in pairwise(parts)]
        while ranks:
            lowest = min(ranks)
            if lowest == _NONE:
                break
            at = ranks.index(lowest)
            parts[at] += parts.pop(at + 1)
            del ranks[at]
            if at:
                ranks[at - 1] = pair(parts[at - 1], parts[at])
            if at < len(ranks):
                ranks[at] = pair(parts[at], parts[at + 1])
        return [known[part] for part in parts]

    def _merge_blocks(self, data: bytes) -> list[int]:
        from tokaudit.tokenizers.blocks import encode_blocks, overlap_of

        overlap = overlap_of(self._table.longest)
        block = max(_BLOCK, 8 * overlap)
        return [*chain.from_iterable(encode_blocks(data, self._merge_long, self._table.offsets, block, overlap))]

    def _merge_long(self, piece: bytes) -> list[int]:
        """The same in O(n log n): a heap of pairs over a doubly linked list of parts, stale entries skipped."""
        size = len(piece)
        ends = list(range(1, size + 1))  # end of the part that starts at an index; 0: merged into an earlier part
        before = list(range(-1, size - 1))
        pair = self._pair
        ranks = [pair(piece[at : at + 1], piece[at + 1 : at + 2]) for at in range(size - 1)] + [_NONE]
        heap = [rank * size + at for at, rank in enumerate(ranks) if rank != _NONE]
        heapq.heapify(heap)
        while heap:
            rank, at = divmod(heapq.heappop(heap), size)
            if not ends[at] or ranks[at] != rank:
                continue
            middle = ends[at]
            end = ends[middle]
            ends[at], ends[middle] = end, 0
            if end < size:
                before[end] = at
                ranks[at] = pair(piece[at:end], piece[end : ends[end]])
                if ranks[at] != _NONE:
                    heapq.heappush(heap, ranks[at] * size + at)
            else:
                ranks[at] = _NONE
            if at:
                left = before[at]
                ranks[left] = pair(piece[left:at], piece[at:end])
                if ranks[left] != _NONE:
                    heapq.heappush(heap, ranks[left] * size + left)
        known = self._ranks
        result = []
        at = 0
        while at < size:
            result.append(known[piece[at : ends[at]]])
            at = ends[at]
        return result
