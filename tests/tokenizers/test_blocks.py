"""Joining blocks by a shared token."""

from __future__ import annotations

import random
from itertools import pairwise

from tokaudit.tokenizers.blocks import encode_blocks, overlap_of

SINGLE = {bytes([byte]): byte for byte in range(256)}


def merged(data: bytes, ranks: dict[bytes, int]) -> list[int]:
    """Byte-pair merging as it is defined."""
    parts = [data[at : at + 1] for at in range(len(data))]
    while True:
        found = [(ranks[one + two], at) for at, (one, two) in enumerate(pairwise(parts)) if one + two in ranks]
        if not found:
            return [ranks[part] for part in parts]
        at = min(found)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def test_any_vocabulary_even_one_that_no_training_makes() -> None:
    """Tokens of random bytes in random order: many can be made in no way, others only before their parts."""
    grown = sum(check_vocabulary(seed) for seed in range(60))
    assert grown > 10  # blocks that did not agree were tried


def check_vocabulary(seed: int) -> int:
    """How often a block was made longer."""
    grown = 0
    chance = random.Random(seed)
    alphabet = b"ab" if seed % 2 else b"abc"
    tokens = {bytes(chance.choices(alphabet, k=chance.randint(2, 6))) for _ in range(30)}
    ranks = {token: rank for rank, token in enumerate([*SINGLE, *chance.sample(sorted(tokens), len(tokens))])}
    offsets = [0]
    for token in ranks:
        offsets.append(offsets[-1] + len(token))
    for _ in range(6):
        unit = bytes(chance.choices(alphabet, k=chance.randint(1, 7)))
        noise = bytes(chance.choices(alphabet, k=chance.randint(0, 40)))
        data = (unit * 60)[: chance.randint(1, 200)] + noise + unit * 10
        expected = merged(data, ranks)
        for block, overlap in ((8, 2), (16, 4), (32, 8)):
            sizes: list[int] = []

            def encode(part: bytes, sizes: list[int] = sizes) -> list[int]:
                sizes.append(len(part))
                return merged(part, ranks)

            parts = encode_blocks(data, encode, offsets, block, overlap)
            assert [rank for part in parts for rank in part] == expected
            grown += max(sizes) > block
    return grown


def test_blocks_begin_and_end_with_characters() -> None:
    seen = []

    def encode(part: bytes) -> list[int]:
        seen.append(part.decode())
        return list(part)

    data = "".join(random.Random(1).choices("的é😀a", k=200)).encode()
    parts = encode_blocks(data, encode, range(257), 40, 8, whole_characters=True)
    assert bytes(byte for part in parts for byte in part) == data
    assert len(seen) > 5


def test_overlap_is_longer_than_any_token() -> None:
    assert overlap_of(3) == 256
    assert overlap_of(512) == 1024
