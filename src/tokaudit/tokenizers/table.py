"""The on-disk form of a byte-level vocabulary: an open-addressing hash table that is opened with mmap.

Loading 200,000 ranks into a Python dict costs hundreds of milliseconds; opening this costs well under one, and a
prompt touches a few hundred of its pages. A table is built when the package is built (``hatch_build.py``) from the
compressed rank file beside it, and holds all of it: ``rank_file`` gives the upstream bytes back.

Layout, little-endian::

    magic 8s | ids u32 | slots u32 | flags u32 | longest u32 | sha256 32s | cut bits u32 | reserved 4s       (64 bytes)
    slots u64[slots] | offsets u32[ids + 1] | splits u16[ids], if flags & 1 | firm u8[(ids + 7) / 8]
    partial u8[8192] | whole u8[1 << cut bits - 3] | blob

A slot is 0 where free, else ``tag << 52 | length << 44 | place << 20 | id + 1``: the tag is the upper 12 bits of the
token's CRC-32, whose lower bits choose the first slot, so that a miss (most look-ups of a byte-pair merge) rarely
compares bytes; the place is where the token begins in the blob, and the length is 0 for one of more than 255 bytes. An
id with an empty byte string is a hole: an id that upstream gives to a special token. ``firm`` has a bit for each id:
see ``firm_characters``; ``partial`` and ``whole`` are bit sets: see ``cuts``. ``flags & 2`` says that every token is
what merging makes of its bytes.

What only building needs is imported where it is used.
"""

from __future__ import annotations

import mmap
import struct
import sys
from array import array
from itertools import accumulate, compress, pairwise
from pathlib import Path
from zlib import crc32

from tokaudit.model.message import Message

MAGIC = b"TOKTAB03"
_HEADER = struct.Struct("<8sIIII32sI4x")
_ID_BITS = 20
_ID_MASK = (1 << _ID_BITS) - 1
_HAS_SPLITS, _ALL_MADE = 1, 2
_PLACE_BITS, _LENGTH_BITS = 24, 8
_LONGEST = 0xFFFF
_PARTIAL = 8192
"""Bytes of a bit for each pair of bytes."""
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


def build_table(tokens: list[bytes], splits: list[int] | None = None, *, sha256: str = "") -> bytes:
    """Lay out the table of a vocabulary.

    Args:
        tokens: The bytes of each id; empty for a hole.
        splits: As ``pack_ranks`` takes them.
        sha256: Digest by which the vocabulary is known, in hexadecimal; by default that of its rank file.

    Raises:
        TableError: More ids or bytes than a slot can hold, a token longer than 65,535 bytes, or one under two ids.
    """
    import hashlib

    total = sum(map(len, tokens))
    if len(tokens) >= _ID_MASK or total >> _PLACE_BITS:
        raise TableError(Message("{n} ids of {size} bytes are more than a table holds", n=len(tokens), size=total))
    longest = max(map(len, tokens), default=0)
    if longest > _LONGEST:
        raise TableError(Message("a token of {size} bytes is more than a table holds", size=longest))
    flags = _HAS_SPLITS if splits is not None else 0
    slots = _slots_of(tokens)
    offsets = array("I", [0, *accumulate(map(len, tokens))])
    firm = bytearray((len(tokens) + 7) // 8)
    for rank in firm_characters(tokens, splits):
        firm[rank >> 3] |= 1 << (rank & 7)
    bits, partial, whole = cuts(tokens)
    digest = bytes.fromhex(sha256) or hashlib.sha256(rank_file(tokens)).digest()
    header = _HEADER.pack(MAGIC, len(tokens), len(slots), flags, longest, digest, bits)
    listed = b"" if splits is None else _le(array("H", splits)).tobytes()
    parts = (header, _le(slots).tobytes(), _le(offsets).tobytes(), listed, bytes(firm), partial, whole)
    return b"".join([*parts, *tokens])


def _slots_of(tokens: list[bytes]) -> array[int]:
    size = 1 << max(4, (2 * len(tokens) - 1).bit_length())
    mask = size - 1
    slots = array("Q", bytes(8 * size))
    seen = set()
    place = 0
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
        slots[at] = _slot_head(code, len(token)) << _PLACE_BITS + _ID_BITS | place << _ID_BITS | (rank + 1)
        place += len(token)
    return slots


def _slot_head(code: int, length: int) -> int:
    """The upper 20 bits of a slot: what a token and the slot of its id have in common."""
    return (code >> _ID_BITS) << _LENGTH_BITS | (length if length >> _LENGTH_BITS == 0 else 0)


def cuts(tokens: list[bytes]) -> tuple[int, bytes, bytes]:
    """The borders of characters across which some token lies: where none does, a piece may be divided.

    A merge makes a token; so nothing is ever merged across a border that no token lies across, and which merge on one
    side of it is next does not depend on the other side: each side merges as it would alone, whatever the vocabulary.
    Borders between two ASCII characters are left out, and never divided.

    Returns:
        The number of bits of the hashes in ``whole``; ``partial``, a bit for each pair of bytes (last before the
        border, first after it) of tokens that have only a part of one of the two characters, as their first or last
        bytes; ``whole``, a bit for each hash of the pairs of characters that tokens have whole.
    """
    partial = bytearray(_PARTIAL)
    pairs: set[bytes] = set()
    for token in tokens:
        if len(token) < 2 or token.isascii():
            continue
        starts = [at for at, byte in enumerate(token) if byte & 0xC0 != 0x80]
        bounds = [*([0] if not starts or starts[0] else []), *starts, len(token)]
        for start, middle, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
            if (both := token[start:end]).isascii() or both in pairs:
                continue
            pairs.add(both)
            left, right = token[start:middle], token[middle:end]
            if not (_is_whole(left) and _is_whole(right)):
                partial[(left[-1] << 8 | right[0]) >> 3] |= 1 << (right[0] & 7)
    hashes = {_pair_hash(*map(ord, text)) for both in pairs if len(text := both.decode(errors="ignore")) == 2}
    bits = max(13, (16 * len(hashes)).bit_length())
    whole = bytearray(1 << bits - 3)
    for code in hashes:
        at = code >> 32 - bits
        whole[at >> 3] |= 1 << (at & 7)
    return bits, bytes(partial), bytes(whole)


def _is_whole(part: bytes) -> bool:
    """Check whether the bytes are one character."""
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def _pair_hash(left: int, right: int) -> int:
    """Hash of two code points, as the core has it (``may_join`` in ``native/vocabulary.h``)."""
    return ((left * 0x9E3779B1 & _WORD) ^ (right * 0x85EBCA6B & _WORD)) * 0xC2B2AE35 & _WORD


_WORD = 0xFFFFFFFF


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


def makes_all(tokens: list[bytes], splits: list[int] | None) -> bool:
    """Check whether every token that a look-up of a piece may give is what merging makes of its bytes.

    It takes a minute; the native core does the same in a fraction of a second.
    """
    ranks = {token: rank for rank, token in enumerate(tokens) if token}
    looked_up = [token for token, rank in ranks.items() if splits is None or splits[rank]]
    return all(_highest_merge(token, ranks, splits) is not None for token in looked_up)


def marked_made(table: bytes) -> bytes:
    """The same table, with the mark that every token is what merging makes of its bytes."""
    fields = list(_HEADER.unpack_from(table))
    fields[3] |= _ALL_MADE
    return _HEADER.pack(*fields) + table[_HEADER.size :]


class Table:
    """An opened table: token bytes to id and back. Read-only; shared between processes by the page cache."""

    def __init__(self, path: Path, built: bytes | None = None) -> None:
        """Open ``path``, or take what was just ``built`` under this name.

        Raises:
            TableError: It is truncated or not a table.
            OSError: It cannot be read.
        """
        if built is None:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                self._map: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        else:
            self._map = built
        self.path = path
        self.is_installed = built is None
        size = len(self._map)
        if size < _HEADER.size:
            raise TableError(Message("{name}: truncated table: {size} bytes", name=path.name, size=size))
        magic, ids, slots, flags, longest, digest, bits = _HEADER.unpack_from(self._map)
        if magic != MAGIC or sys.byteorder != "little":
            raise TableError(Message("{name}: not a table of this version", name=path.name))
        splits = 2 * ids if flags & _HAS_SPLITS else 0
        firm = (ids + 7) // 8
        blob = _HEADER.size + 8 * slots + 4 * (ids + 1) + splits + firm + _PARTIAL + (1 << max(bits, 3) - 3)
        if size < blob:
            raise _truncated(path, size, blob)
        view = memoryview(self._map)
        at = _HEADER.size
        self.ids: int = ids
        self.longest: int = longest
        self.sha256: str = digest.hex()
        self._slots = view[at : at + 8 * slots].cast("Q")
        self._mask = slots - 1
        at += 8 * slots
        self.offsets = view[at : at + 4 * (ids + 1)].cast("I")
        at += 4 * (ids + 1)
        self.splits = view[at : at + splits].cast("H") if splits else None
        self._firm = view[at + splits : at + splits + firm]
        self._blob = blob
        if size != blob + self.offsets[ids]:
            raise _truncated(path, size, blob + self.offsets[ids])
        if slots & self._mask or 0 not in self._slots:  # a search would never end
            raise TableError(Message("{name}: a damaged table", name=path.name))

    @property
    def memory(self) -> mmap.mmap | bytes | None:
        """The whole table, for the native core; None where that cannot use it (``OversizeTable``)."""
        return self._map

    def find(self, token: bytes) -> int:
        """The id of ``token``, or -1."""
        code = crc32(token)
        head = _slot_head(code, len(token))
        slots, mask = self._slots, self._mask
        at = code & mask
        while slot := slots[at]:
            if slot >> _PLACE_BITS + _ID_BITS == head:
                rank: int = (slot & _ID_MASK) - 1
                if rank < self.ids and self.token(rank) == token:
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


def _truncated(path: Path, size: int, expected: int) -> TableError:
    return TableError(
        Message(
            "{name}: truncated table: {size} bytes, {expected} expected", name=path.name, size=size, expected=expected
        )
    )


def _le(values: array[int]) -> array[int]:
    if sys.byteorder != "little":
        values.byteswap()
    return values
