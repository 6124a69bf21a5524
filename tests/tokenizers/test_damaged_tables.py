"""Tables that are damaged on the disk or in memory: an error that names the file, or one that is made anew."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from references import NATIVE
from tokaudit.model import TokenizerError
from tokaudit.tokenizers import byte_bpe, compiled, load_tokenizer
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.registry import tokenizer_info
from tokaudit.tokenizers.table import MAGIC, Table, TableError

NAME = "r50k_base"
LETTER = 87
"""The id of ``x`` in it."""
ENGINES = ["python", *(["native"] if NATIVE else [])]


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(byte_bpe, "open_core", lambda *_: None)
        monkeypatch.setattr(compiled, "open_core", lambda *_: None)
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "cache")
    return str(request.param)


def lengthened(table: bytes, rank: int) -> bytes:
    """A table in which the bytes of one token reach into the next one's."""
    changed = bytearray(table)
    at = 64 + 8 * int.from_bytes(table[12:16], "little") + 4 * (rank + 1)
    changed[at : at + 4] = (int.from_bytes(table[at : at + 4], "little") + 1).to_bytes(4, "little")
    return bytes(changed)


def bundled(path: Path, data: bytes) -> ByteBpeTokenizer:
    path.write_bytes(data)
    return ByteBpeTokenizer(tokenizer_info(NAME), manifest()[NAME], path=path)


def user_file(tmp_path: Path) -> str:
    path = tmp_path / "own.tiktoken"
    path.write_bytes(b"".join(b"%s %d\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)))
    return f"{path}:gpt2"


def kept_table(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "cache").glob(f"*.{MAGIC.decode().lower()}")
    return path


@pytest.mark.parametrize(
    "call", [lambda it: it.encode("x"), lambda it: it.spans("x, x"), lambda it: it.encoding("a\nx").ids]
)
def test_a_bundled_table_that_contradicts_itself(tmp_path: Path, call: Callable[[Any], object]) -> None:
    with pytest.raises(TokenizerError, match=rf"{NAME}: the table own\.table is damaged") as caught:
        call(bundled(tmp_path / "own.table", lengthened(Table(table_path(NAME)).memory[:], LETTER)))
    assert caught.value.hint == "python -m pip install --force-reinstall tokaudit"


@pytest.mark.parametrize("call", ["count", "within"])
def test_it_is_found_while_a_long_piece_is_counted(tmp_path: Path, engine: str, call: str) -> None:
    if engine == "python":
        pytest.skip("the fallback refuses such a table, or counts a piece without its tokens' lengths")
    text = "x" * 20_001
    table = bytearray(Table(table_path(NAME)).memory[:])
    (rank, _), *_ = Counter(load_tokenizer(NAME).encode(text)).most_common(1)
    at = 64 + 8 * int.from_bytes(table[12:16], "little") + 4 * (rank + 1)
    table[at : at + 4] = (1 << 30).to_bytes(4, "little")
    tokenizer = bundled(tmp_path / "own.table", bytes(table))
    with pytest.raises(TokenizerError, match=r"the table own\.table is damaged"):
        tokenizer.count(text) if call == "count" else tokenizer.encoding(text).within([0, 7])


@pytest.mark.parametrize("slots", [b"\0\0\0\0", b"\3\0\0\0", b"\0\0\0\x40"])
def test_a_damaged_header_is_refused(tmp_path: Path, slots: bytes) -> None:
    table = Table(table_path(NAME)).memory[:]
    with pytest.raises(TokenizerError, match=r"own\.table.* (table|expected)") as caught:
        bundled(tmp_path / "own.table", table[:12] + slots + table[16:])
    assert "reinstall" in caught.value.hint


def test_a_table_without_a_free_slot_is_refused(tmp_path: Path) -> None:
    table = Table(table_path(NAME)).memory[:]
    size = 8 * int.from_bytes(table[12:16], "little")
    with pytest.raises(TableError, match="own: a damaged table"):
        Table(Path("own"), table[:64] + b"\1" * size + table[64 + size :])


@pytest.mark.parametrize("content", [b"", b"something else", MAGIC + b"\0" * 90])
def test_what_a_cache_has_in_place_of_a_table_is_made_anew(tmp_path: Path, content: bytes) -> None:
    name = user_file(tmp_path)
    load_tokenizer(name)
    path = kept_table(tmp_path)
    good = path.read_bytes()
    path.write_bytes(hashlib.sha256(content).digest() + content)
    assert load_tokenizer(name).count("hello") == 5
    assert path.read_bytes() == good


def test_a_cached_table_that_contradicts_itself_is_made_anew_by_the_next_run(tmp_path: Path) -> None:
    name = user_file(tmp_path)
    load_tokenizer(name)
    path = kept_table(tmp_path)
    content = lengthened(path.read_bytes()[32:], ord("x"))
    path.write_bytes(hashlib.sha256(content).digest() + content)
    with pytest.raises(TokenizerError, match=rf"the table {path.name} is damaged") as caught:
        load_tokenizer(name).encode("xz")
    assert caught.value.hint == "run it again: the table is made anew"
    assert list(load_tokenizer(name).encode("xyz")) == [*b"xyz"]
