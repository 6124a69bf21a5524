"""The on-disk form of a byte-level vocabulary: an open-addressing hash table that is opened with mmap.

Loading 200,000 ranks into a Python dict costs hundreds of milliseconds; opening this costs well under one, and a
prompt touches a few hundred of its pages. A table is built when the package is built (``hatch_build.py``) from the
compressed rank file beside it, and holds all of it: ``rank_file`` gives the upstream bytes back.

Layout, little-endian::

    magic 8s | ids u32 | slots u32 | flags u32 | longest u32 | sha256 32s | reserved 8s       (64 bytes)
    offsets u32[ids + 1] | slots u32[slots] | splits u16[ids], if flags & 1, padded to 4 | firm u8[(ids + 7) / 8] | blob

A slot is 0 where free, else ``tag << 20 | id + 1``; the tag is the upper 12 bits of the token's CRC-32 and the lower
bits choose the first slot, so that a miss (most look-ups of a byte-pair merge) rarely compares bytes. An id with an
empty byte string is a hole: an id that upstream gives to a special token. ``firm`` has a bit for each id: see
``firm_characters``.

What only building needs is imported where it is used.
"""

from __future__ import annotations

import mmap
import struct
import sys
from array import array
from itertools import compress, pairwise
from pathlib import Path
from zlib import crc32

from tokaudit.model.message import Message

MAGIC = b"TOKTAB02"
_HEADER = struct.Struct("<8sIIII32s8x")
_ID_BITS = 20
_ID_MASK = (1 << _ID_BITS) - 1
_HAS_SPLITS = 1
_PACKED = struct.Struct("<II")


class TableError(ValueError):
    """A rank file or table that is truncated, of another version, or not one at all."""


def pack_ranks(tokens: list[bytes], splits: list[int] | None = None) -> bytes:
    """Compress a vocabulary for the repository: ``tokens[id]`` are its bytes, empty for a hole.

    ``splits[id]`` is the length in bytes of the left part of the one merge that makes the token, where the tokenizer
    merges listed pairs only; None where it merges any adjacent pair whose concatenation is a token.
    """
    import lzma

    lengths = array("H", map(len, tokens))
    body = _PACKED.pack(len(tokens), int(splits is not None)) + _le(lengths).tobytes()
    if splits is not None:
        body += _le(array("H", splits)).tobytes()
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
    return lzma.compress(body + b"".join(tokens), format=lzma.FORMAT_XZ, filters=filters)


def unpack_ranks(data: bytes) -> tuple[list[bytes], list[int] | None]:
    """Undo ``pack_ranks``. Raises ``TableError`` for anything that it did not write."""
    import lzma

    try:
        body = lzma.decompress(data)
        count, has_splits = _PACKED.unpack_from(body)
        at = _PACKED.size + 2 * count
        lengths = _le(array("H", body[_PACKED.size : at]))
        splits = None
        if has_splits:
            splits = list(_le(array("H", body[at : at + 2 * count])))
            at += 2 * count
    except (lzma.LZMAError, struct.error, EOFError, ValueError) as error:
        raise TableError(Message("not a rank file: {error}", error=error)) from error
    if len(body) != at + sum(lengths):
        raise TableError(
            Message(
                "truncated rank file: {size} bytes, {expected} expected", size=len(body), expected=at + sum(lengths)
            )
        )
    tokens = []
    for length in lengths:
        tokens.append(body[at : at + length])
        at += length
    return tokens, splits


def rank_file(tokens: list[bytes]) -> bytes:
    """The vocabulary in the ``.tiktoken`` form, whose SHA-256 is a vocabulary's identity here and upstream."""
    from binascii import b2a_base64

    encoded = [b2a_base64(token, newline=False) for token in tokens]
    lines = [b"%s %d\n" % pair for pair in zip(encoded, range(len(encoded)), strict=True)]
    return b"".join(lines if all(tokens) else compress(lines, tokens))


def without_holes(tokens: list[bytes]) -> list[bytes]:
    """The tokens with something for every id, as gigatoken wants them.

    A hole (an id that upstream gives to a special token) becomes bytes that no UTF-8 has, and never match.
    """
    if all(tokens):
        return tokens
    holes = iter(range(64))
    return [token or bytes([0xFF, 0xC0 + next(holes)]) for token in tokens]


def build_table(tokens: list[bytes], splits: list[int] | None = None) -> bytes:
    """Lay out the table of a vocabulary. Raises ``TableError`` for more ids than a slot can hold, or duplicates."""
    from hashlib import sha256

    if len(tokens) >= _ID_MASK:
        raise TableError(Message("{n} ids are more than a table holds", n=len(tokens)))
    size = 1 << max(4, (2 * len(tokens) - 1).bit_length())
    mask = size - 1
    slots = array("I", bytes(4 * size))
    seen = set()
    for rank, token in enumerate(tokens):
        if not token:
            continue
        if token in seen:
            raise TableError(Message("two ids for the token {token!r}", token=token))
        seen.add(token)
        code = crc32(token)
        at = code & mask
        while slots[at]:
            at = (at + 1) & mask
        slots[at] = (code >> _ID_BITS) << _ID_BITS | (rank + 1)
    offsets = array("I", [0])
    total = 0
    for token in tokens:
        total += len(token)
        offsets.append(total)
    digest = sha256(rank_file(tokens)).digest()
    flags = _HAS_SPLITS if splits is not None else 0
    longest = max(map(len, tokens), default=0)
    parts = [
        _HEADER.pack(MAGIC, len(tokens), size, flags, longest, digest),
        _le(offsets).tobytes(),
        _le(slots).tobytes(),
    ]
    if splits is not None:
        parts.append(_le(array("H", splits)).tobytes())
        parts.append(b"\0" * (2 * (len(tokens) & 1)))
    firm = bytearray((len(tokens) + 7) // 8)
    for rank in firm_characters(tokens, splits):
        firm[rank >> 3] |= 1 << (rank & 7)
    parts.append(bytes(firm))
    return b"".join([*parts, *tokens])


def firm_characters(tokens: list[bytes], splits: list[int] | None) -> list[int]:
    """The ids of ideographs that merging, among ideographs, makes whole before it joins their bytes to a neighbour's.

    Merging takes the pair of the lowest rank first. So if all merges that make a character are of lower rank than every
    token that has bytes of it beside bytes of another ideograph, they come before all of those, whatever ideographs
    stand around it; and as whatever its whole may join ranks higher too, making it first changes no other choice. The
    small path may begin with such a character in place of its bytes where its neighbours in the piece are ideographs or
    none, which saves it two merges of three in Chinese.
    """
    ranks = {token: rank for rank, token in enumerate(tokens) if token}
    bounds: tuple[dict[bytes, int], ...] = ({}, {}, {})
    whole, head, tail = bounds  # lowest rank of a token that has this character, these first or these last bytes of one
    for token, rank in ranks.items():
        starts = [at for at, byte in enumerate(token) if byte & 0xC0 != 0x80]
        if len(token) < 2 or not starts:
            continue
        parts = [token[at:end] for at, end in pairwise([*([0] if starts[0] else []), *starts, len(token)])]
        kinds = [_ideographic(part) for part in parts]
        for at, (part, kind) in enumerate(zip(parts, kinds, strict=True)):
            beside = (at and kinds[at - 1] is not None) or (at + 1 < len(parts) and kinds[at + 1] is not None)
            if kind is not None and beside:
                bounds[kind].setdefault(part, rank)
    firm = []
    for token, rank in ranks.items():
        if _ideographic(token) != 0:
            continue
        made = _highest_merge(token, ranks, splits)
        others = [whole.get(token), *(head.get(token[:at]) for at in (1, 2)), *(tail.get(token[at:]) for at in (1, 2))]
        if made is not None and all(other is None or made < other for other in others):
            firm.append(rank)
    return firm


IDEOGRAPHS = ("\u4e00", "\u9fff")
"""The CJK Unified Ideographs of the first block: three bytes each, E4 to E9 first."""


def _ideographic(part: bytes) -> int | None:
    """0 for an ideograph, 1 for what may be the first bytes of one, 2 for what may be its last, None for others."""
    first = part[0]
    if first & 0xC0 == 0x80:
        return 2 if len(part) < 3 else None
    if not 0xE4 <= first <= 0xE9:
        return None
    if len(part) < 3:
        return 1
    return 0 if len(part) == 3 and IDEOGRAPHS[0] <= part.decode(errors="replace") <= IDEOGRAPHS[1] else None


def _highest_merge(token: bytes, ranks: dict[bytes, int], splits: list[int] | None) -> int | None:
    """The highest rank of the merges that make a token of its bytes; None where they do not end in one token."""
    parts = [token[at : at + 1] for at in range(len(token))]
    highest = -1
    while len(parts) > 1:
        found = []
        for at, (left, right) in enumerate(pairwise(parts)):
            rank = ranks.get(left + right)
            if rank is not None and (splits is None or splits[rank] == len(left)):
                found.append((rank, at))
        if not found:
            return None
        rank, at = min(found)
        highest = max(highest, rank)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return highest


class Table:
    """An opened table: token bytes to id and back. Read-only; shared between processes by the page cache."""

    def __init__(self, path: Path) -> None:
        """Open ``path``. Raises ``TableError`` where it is truncated or not a table, ``OSError`` where unreadable."""
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size < _HEADER.size:
                raise TableError(Message("{name}: truncated table: {size} bytes", name=path.name, size=size))
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, ids, slots, flags, longest, digest = _HEADER.unpack_from(self._map)
        splits = 2 * (ids + (ids & 1)) if flags & _HAS_SPLITS else 0
        firm = (ids + 7) // 8
        blob = _HEADER.size + 4 * (ids + 1) + 4 * slots + splits + firm
        if magic != MAGIC or sys.byteorder != "little":
            raise TableError(Message("{name}: not a table of this version", name=path.name))
        if size < blob:
            raise TableError(
                Message(
                    "{name}: truncated table: {size} bytes, {expected} expected",
                    name=path.name,
                    size=size,
                    expected=blob,
                )
            )
        view = memoryview(self._map)
        at = _HEADER.size
        self.ids = ids
        self.longest = longest
        self.sha256: str = digest.hex()
        self.offsets = view[at : at + 4 * (ids + 1)].cast("I")
        at += 4 * (ids + 1)
        self._slots = view[at : at + 4 * slots].cast("I")
        self._mask = slots - 1
        at += 4 * slots
        self.splits = view[at : at + 2 * ids].cast("H") if splits else None
        self._firm = view[blob - firm : blob]
        self._blob = blob
        if size != blob + self.offsets[ids]:
            raise TableError(
                Message(
                    "{name}: truncated table: {size} bytes, {expected} expected",
                    name=path.name,
                    size=size,
                    expected=blob + self.offsets[ids],
                )
            )

    def find(self, token: bytes) -> int:
        """The id of ``token``, or -1."""
        code = crc32(token)
        slots, mask = self._slots, self._mask
        at = code & mask
        while slot := slots[at]:
            if not (slot ^ code) >> _ID_BITS:
                rank: int = (slot & _ID_MASK) - 1
                offsets, base = self.offsets, self._blob
                if self._map[base + offsets[rank] : base + offsets[rank + 1]] == token:
                    return rank
            at = (at + 1) & mask
        return -1

    def is_firm(self, rank: int) -> bool:
        """Check whether an id is an ideograph that merging makes whole first: see ``firm_characters``."""
        return bool(self._firm[rank >> 3] >> (rank & 7) & 1)

    def token(self, rank: int) -> bytes:
        """The bytes of an id; empty for a hole."""
        base, offsets = self._blob, self.offsets
        return self._map[base + offsets[rank] : base + offsets[rank + 1]]

    @property
    def blob(self) -> bytes:
        """The bytes of all ids one behind the other, as ``offsets`` divides them."""
        return self._map[self._blob :]

    def tokens(self) -> list[bytes]:
        """The bytes of all ids, in order."""
        blob = self.blob
        offsets = self.offsets.tolist()
        return [blob[start:end] for start, end in pairwise(offsets)]


def _le(values: array[int]) -> array[int]:
    if sys.byteorder != "little":
        values.byteswap()
    return values
