"""Joining blocks by a shared token, and where the bulk path takes long pieces out of a text."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tokaudit.tokenizers import long_pieces
from tokaudit.tokenizers.blocks import encode_blocks, overlap_of
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.small import SmallEngine
from tokaudit.tokenizers.table import Table

RANKED = [name for name, entry in manifest().items() if entry["format"] == "ranks"]
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


@pytest.mark.parametrize("name", RANKED)
def test_every_pattern_cuts_where_the_bulk_path_takes_pieces_out(name: str) -> None:
    engine = SmallEngine(Table(table_path(name)), manifest()[name]["pattern"])
    chance = random.Random(name)
    parts = [
        "word",
        " ",
        "  ",
        ",",
        "，",
        "。",
        "的",
        "一",
        "\n",
        "\r\n",
        "'s",
        "'",
        "1",
        "\u0301",
        "\u3000",
        "/",
        "é",
        "x",
    ]
    tried = 0
    for _ in range(2_000):
        text = "".join(chance.choices(parts, k=12))
        pieces = engine.cut(text)
        for match in long_pieces._CUT.finditer(text):
            cut = long_pieces._place(match)
            assert [*engine.cut(text[:cut]), *engine.cut(text[cut:])] == pieces, (text[:cut], text[cut:])
            tried += 1
    assert tried > 300


def test_ordinary_text_is_not_suspected() -> None:
    window = long_pieces._WINDOW
    for unit in (
        "Some words, and a line.\n",
        "一个句子，还有一句。",
        "1.5,2.25,3\n",
        '{"key": [1, 2]}',
        "def f(x):\n    return x\n",
    ):
        assert long_pieces._suspect(unit * (3 * window // len(unit)), 0) < 0
    for unit in ("a", " ", "\n", "\r\n", "-", "的", "\u3000", "\u0301", "0", "👩\u200d"):
        text = "Some words. " * 9 + unit * (3 * window // len(unit))
        assert 0 <= long_pieces._suspect(text, 0) < len(text)


def test_the_piece_is_found_within_its_line() -> None:
    text = "one two three\nfour five " + "a" * 50_000 + " six seven\neight"
    place = long_pieces._suspect(text, 0)
    start, end = long_pieces._cut_before(text, 0, place), long_pieces._cut_after(text, place)
    assert text[:start] == "one two three\nfour five"
    assert text[end:] == " six seven\neight"
    assert long_pieces._cut_before("a" * 9_000, 5, 9_000) == 5


@pytest.mark.parametrize("name", RANKED)
def test_a_large_text_takes_several_calls_and_has_the_same_tokens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(
        f"第{number}行，the Cat's  quick\n\n  naïve test {number * 7919}。😀 {'-' * number}\n" for number in range(200)
    )
    calls = [*long_pieces._calls(text, 3, len(text) - 5)]
    assert calls == [text[3:-5]]
    monkeypatch.setattr(long_pieces, "_CALL", 300)
    calls = [*long_pieces._calls(text, 3, len(text) - 5)]
    assert "".join(calls) == text[3:-5]
    assert len(calls) > len(text) // 900
    table = Table(table_path(name))
    small = SmallEngine(table, manifest()[name]["pattern"])
    given: list[str] = []

    def encode(part: str) -> list[int]:
        given.append(part)
        return small.encode(small.cut(part))

    found = long_pieces.in_blocks(encode, small, table)(text)
    assert found.tolist() == small.encode(small.cut(text))
    assert max(map(len, given)) < 900
