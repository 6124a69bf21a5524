from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from tokaudit.model import TokenizerError
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.registry import tokenizer_info
from tokaudit.tokenizers.table import Table, TableError, build_table, pack_ranks, rank_file, unpack_ranks

SINGLE = [bytes([byte]) for byte in range(256)]
TOKENS = [*SINGLE, b"ab", b"", b"\xe4\xbd\xa0", b"abab", b"", "世界".encode(), b" " * 80]
SPLITS = [0] * 256 + [1, 0, 2, 2, 0, 3, 40]
REINSTALL = "python -m pip install --force-reinstall tokaudit"


@pytest.fixture(params=[None, SPLITS], ids=["by rank", "listed merges"])
def splits(request: pytest.FixtureRequest) -> list[int] | None:
    return request.param


@pytest.fixture
def path(tmp_path: Path, splits: list[int] | None) -> Path:
    target = tmp_path / "small.table"
    target.write_bytes(build_table(TOKENS, splits))
    return target


def test_all_tokens_are_found_again(path: Path, splits: list[int] | None) -> None:
    table = Table(path)
    assert table.ids == len(TOKENS)
    assert table.tokens() == TOKENS
    assert [table.token(rank) for rank in range(table.ids)] == TOKENS
    assert [table.find(token) for token in TOKENS if token] == [rank for rank, token in enumerate(TOKENS) if token]
    assert table.longest == 80
    assert (list(table.splits) if table.splits is not None else None) == splits


def test_other_bytes_are_not_found(path: Path) -> None:
    table = Table(path)
    chance = random.Random(1)
    known = set(TOKENS)
    others = [token for _ in range(5_000) if (token := chance.randbytes(chance.randint(2, 9))) not in known]
    assert {table.find(token) for token in others} == {-1}
    assert table.find(b"") == -1


def test_identity_is_that_of_the_rank_file(path: Path) -> None:
    import hashlib

    assert Table(path).sha256 == hashlib.sha256(rank_file(TOKENS)).hexdigest()
    assert rank_file([b"a", b"", b"\xff"]) == b"YQ== 0\n/w== 2\n"


def test_packed_ranks_come_back(splits: list[int] | None) -> None:
    assert unpack_ranks(pack_ranks(TOKENS, splits)) == (TOKENS, splits)


@pytest.mark.parametrize("bundled", [name for name, entry in manifest().items() if entry["format"] == "ranks"])
def test_bundled_tables_find_every_token(bundled: str) -> None:
    table = Table(table_path(bundled))
    tokens = table.tokens()
    assert sum(1 for token in tokens if token) == manifest()[bundled]["size"]
    step = 7  # each is looked up in the property and equivalence tests too
    assert all(table.find(token) == rank for rank, token in enumerate(tokens) if token and rank % step == 0)


def test_an_empty_and_a_full_table(tmp_path: Path) -> None:
    path = tmp_path / "empty.table"
    path.write_bytes(build_table([]))
    assert Table(path).tokens() == []
    assert Table(path).find(b"a") == -1
    with pytest.raises(TableError, match="more than a table holds"):
        build_table([b""] * ((1 << 20) - 1))


def test_duplicates_are_refused() -> None:
    with pytest.raises(TableError, match="two ids for the token b'ab'"):
        build_table([*SINGLE, b"ab", b"ab"])


@pytest.mark.parametrize("size", [0, 1, 63, 64, 100, 2_000, -1])
def test_truncated(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(TableError, match="truncated"):
        Table(path)


def test_longer_than_it_says(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(TableError, match="truncated"):
        Table(path)


def test_another_kind_of_file(path: Path) -> None:
    path.write_bytes(b"TOKTAB99" + path.read_bytes()[8:])
    with pytest.raises(TableError, match="not a table of this version"):
        Table(path)


@pytest.mark.parametrize("damage", [b"", b"x", b"\xfd7zXZ\0garbage"])
def test_damaged_rank_files(damage: bytes) -> None:
    with pytest.raises(TableError, match="not a rank file"):
        unpack_ranks(damage)


def test_truncated_rank_files() -> None:
    import lzma

    whole = lzma.decompress(pack_ranks(TOKENS))
    for size in (4, 8, 300, len(whole) - 1):
        with pytest.raises(TableError, match="rank file"):
            unpack_ranks(lzma.compress(whole[:size]))
    with pytest.raises(TableError, match="truncated rank file"):
        unpack_ranks(lzma.compress(whole + b"x"))


@pytest.mark.parametrize("cut", [10, 1_000, 500_000])
def test_packed_bytes_cut_off(cut: int) -> None:
    with pytest.raises(TableError):
        unpack_ranks(pack_ranks(TOKENS)[:-cut])


def load(path: Path) -> ByteBpeTokenizer:
    return ByteBpeTokenizer(tokenizer_info("r50k_base"), manifest()["r50k_base"], path=path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[: len(data) // 2], "truncated table"),
        (lambda data: b"", "truncated table: 0 bytes"),
        (lambda data: b"X" + data[1:], "not a table of this version"),
        (lambda data: data[:24] + bytes(32) + data[56:], "of another vocabulary: sha256 000000000000"),
    ],
    ids=["half", "empty", "magic", "hash"],
)
def test_a_damaged_installation_says_how_to_mend_it(tmp_path: Path, change: object, message: str) -> None:
    path = tmp_path / "r50k_base.table"
    assert callable(change)
    path.write_bytes(change(table_path("r50k_base").read_bytes()))
    with pytest.raises(TokenizerError, match=message) as caught:
        load(path)
    assert caught.value.hint == REINSTALL
    assert "r50k_base" in caught.value.message


def test_a_missing_table_says_how_to_mend_it(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="is missing from the installation") as caught:
        load(tmp_path / "r50k_base.table")
    assert caught.value.hint == REINSTALL


def test_a_table_of_another_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "r50k_base.table"
    path.write_bytes(table_path("p50k_base").read_bytes())
    with pytest.raises(TokenizerError, match="of another vocabulary"):
        load(path)


def test_flipped_lengths_are_noticed(tmp_path: Path) -> None:
    """The counts in the header decide where everything is; a wrong one cannot pass."""
    whole = build_table(TOKENS)
    for at in (8, 12, 16):
        value = struct.unpack_from("<I", whole, at)[0]
        path = tmp_path / f"{at}.table"
        path.write_bytes(whole[:at] + struct.pack("<I", value + 1) + whole[at + 4 :])
        with pytest.raises(TableError, match="truncated"):
            Table(path)
