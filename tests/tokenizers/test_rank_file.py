from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
import tiktoken

from texts import weighted_texts
from tokaudit.model import TokenizerError
from tokaudit.tokenizers import load_tokenizer
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.rank_file import is_rank_file, read_rank_file
from tokaudit.tokenizers.table import Table, rank_file

SINGLE = [bytes([byte]) for byte in range(256)]
# "xyz" has no two parts that are tokens: only looking up the whole piece finds it.
PATTERNS = list(dict.fromkeys(entry["pattern"] for entry in manifest().values() if "pattern" in entry))
TOKENS = [*SINGLE, b"he", b"ll", b"hell", b"hello", b" w", b"xyz", "你".encode()]


def write(path: Path, tokens: Sequence[bytes] = TOKENS, ranks: Sequence[int] | None = None) -> Path:
    lines = [
        b"%s %d" % (base64.b64encode(token), rank)
        for token, rank in zip(tokens, ranks or range(len(tokens)), strict=True)
    ]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_read(tmp_path: Path) -> None:
    path = write(tmp_path / "small.tiktoken")
    ranks = read_rank_file(path)
    assert is_rank_file(path)
    assert ranks.tokens == TOKENS
    table = ranks.table(Pattern("gpt2"))
    assert [table.find(token) for token in TOKENS] == list(range(len(TOKENS)))
    assert table.find(b"nothing") == -1
    assert table.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert list(table.offsets)[-1] == sum(map(len, TOKENS))
    assert table.longest == 5


def test_empty_lines_are_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "small.tiktoken")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n\n"))
    assert read_rank_file(path).tokens == TOKENS


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"aGVsbG8=", "not a line of a rank file"),
        (b"aGVsbG8= 1 2", "not a line of a rank file"),
        (b"aGVsb*8= 300", "not a line of a rank file"),
        (b"aGVsbG8 300", "not a line of a rank file"),
        (b"aGVsbG8= x", "not a line of a rank file"),
        (b"==== 300", "not a line of a rank file"),
        (b" 300", "not a line of a rank file"),
        (b"cXE= " + b"9" * 5_000, "not a line of a rank file"),
        (b"cXE= -1", "no rank is -1"),
        (b"cXE= 1048576", "no rank is 1048576"),
        (b"cXE= 999999999999", "no rank is 999999999999"),
        (b"cXE= 5", "rank 5 or its token is there already"),
        (b"aGVsbG8= 300", "rank 300 or its token is there already"),
    ],
)
def test_the_line_with_the_fault_is_named(tmp_path: Path, line: bytes, fault: str) -> None:
    path = write(tmp_path / "small.tiktoken")
    lines = path.read_bytes().splitlines()
    path.write_bytes(
        b"\n".join([*lines[:260], line, *lines[260:]]) if fault[:4] != "rank" else b"\n".join([*lines, line])
    )
    number = 261 if fault[:4] != "rank" else len(lines) + 1
    with pytest.raises(TokenizerError) as caught:
        read_rank_file(path)
    assert caught.value.message == f"{path}:{number}: {fault}" or caught.value.message.startswith(
        f"{path}:{number}: {fault} "
    )
    assert "download it again" in caught.value.hint


def test_truncated(tmp_path: Path) -> None:
    path = write(tmp_path / "small.tiktoken")
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[:100]))
    with pytest.raises(TokenizerError, match="156 of the 256 single bytes have no rank"):
        read_rank_file(path)
    path.write_bytes(b"")
    with pytest.raises(TokenizerError, match="256 of the 256"):
        read_rank_file(path)


def test_unreadable(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="cannot be read") as caught:
        read_rank_file(tmp_path / "none.tiktoken")
    assert caught.value.hint == "check the path"


@pytest.mark.parametrize("ranks", [None, [*range(256), 300, 301, 302, 303, 304, 305, 9_000]], ids=["dense", "holes"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_any_vocabulary_with_any_pattern(tmp_path: Path, pattern: str, ranks: list[int] | None) -> None:
    """Vocabularies that no training makes are counted all the same."""
    path = write(tmp_path / "small.tiktoken", TOKENS, ranks)
    tokenizer = load_tokenizer(f"{path}:{pattern}")
    known = read_rank_file(path)
    texts = ["hello world xyz 你好", "xyz", *weighted_texts(60, seed=4)]
    small = [list(tokenizer.encode(text)) for text in texts]
    assert known.tokens.index(b"hello") in small[0]
    assert known.tokens.index(b"xyz") in small[0] + small[1]
    regex = next(entry["pattern_regex"] for entry in manifest().values() if entry.get("pattern") == pattern)
    if isinstance(regex, str):
        mergeable = {token: rank for rank, token in enumerate(known.tokens) if token}
        encoding = tiktoken.Encoding("small", pat_str=regex, mergeable_ranks=mergeable, special_tokens={})
        assert [encoding.encode_ordinary(text) for text in texts] == small


def test_pattern_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "small.tiktoken")
    with pytest.raises(TokenizerError, match="does not say how its tokenizer cuts text") as caught:
        load_tokenizer(str(path))
    assert "small.tiktoken:o200k" in caught.value.hint


def test_unknown_pattern(tmp_path: Path) -> None:
    path = write(tmp_path / "small.tiktoken")
    with pytest.raises(TokenizerError, match="unknown pattern 'o200'") as caught:
        load_tokenizer(f"{path}:o200")
    assert all(pattern in caught.value.hint for pattern in PATTERNS)


@pytest.mark.parametrize("suffix", [".tiktoken", ".model", ".txt"])
def test_published_files_are_known_by_their_hash(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"copy{suffix}"
    path.write_bytes(rank_file(Table(table_path("r50k_base")).tokens()))
    tokenizer, bundled = load_tokenizer(str(path)), load_tokenizer("r50k_base")
    assert tokenizer.info.ref.sha256 == bundled.info.ref.sha256
    assert tokenizer.info.vocabulary_size == bundled.info.vocabulary_size
    for text in weighted_texts(100, seed=5):
        assert list(tokenizer.encode(text)) == list(bundled.encode(text))


def test_another_pattern_takes_nothing_else_from_its_vocabulary(tmp_path: Path) -> None:
    """tekken's pattern without tekken's id offset, Qwen's without Qwen's normalization and special tokens."""
    path = write(tmp_path / "small.tiktoken")
    assert list(load_tokenizer(f"{path}:tekken").encode("hello")) == [259]
    assert list(load_tokenizer(f"{path}:qwen2").encode("e\u0301")) == [ord("e"), 0xCC, 0x81]
    assert load_tokenizer(f"{path}:qwen2", special=True).count("<|im_start|>") > 1


@pytest.mark.parametrize("named", ["r50k_base.tiktoken", "copy.tiktoken"])
@pytest.mark.parametrize("damage", ["cut", "altered"])
def test_a_truncated_or_altered_copy_of_a_known_file(tmp_path: Path, named: str, damage: str) -> None:
    tokens = Table(table_path("r50k_base")).tokens()
    tokens = tokens[:30_000] if damage == "cut" else [*tokens[:20_000], b"another token", *tokens[20_001:]]
    path = tmp_path / named
    path.write_bytes(rank_file(tokens))
    with pytest.raises(TokenizerError, match="truncated or altered") as caught:
        load_tokenizer(str(path))
    assert manifest()["r50k_base"]["sha256"] in caught.value.message
    assert load_tokenizer(f"{path}:gpt2").count("hello")


LONG = b"ab" * 35_000
OVERSIZE = {
    "a token of 70,000 bytes": [*TOKENS, LONG],
    "18 MB of tokens": [*TOKENS, *(bytes([byte]) * 60_000 + b"%d" % n for byte in b"uvwxyz" for n in range(50))],
}


@pytest.mark.parametrize("tokens", OVERSIZE.values(), ids=list(OVERSIZE))
def test_what_no_table_holds_is_counted_all_the_same(tmp_path: Path, tokens: list[bytes]) -> None:
    path = write(tmp_path / "large.tiktoken", tokens)
    tokenizer = load_tokenizer(f"{path}:gpt2")
    assert tokenizer.info.ref.engine == "python"
    encoding = tiktoken.Encoding(
        "large",
        pat_str=manifest()["r50k_base"]["pattern_regex"],
        mergeable_ranks={token: rank for rank, token in enumerate(tokens)},
        special_tokens={},
    )
    whole = tokens[-1].decode()
    for text in ("hello 你好 xyz", "", whole, f"{whole} hello", whole[:-1], *weighted_texts(40, seed=7)):
        expected = encoding.encode_ordinary(text)
        assert list(tokenizer.encode(text)) == expected
        assert tokenizer.count(text) == len(expected) == len(tokenizer.spans(text))
    assert tokenizer.decode([len(tokens) - 1]) == whole


@pytest.mark.parametrize("last", [1_048_573, 1_048_574, 1_048_575], ids=str)
def test_the_highest_ids(tmp_path: Path, last: int) -> None:
    """The last two of them are beyond those of a table, which has two that mean something else."""
    path = write(tmp_path / "high.tiktoken", TOKENS, [*range(len(TOKENS) - 1), last])
    tokenizer = load_tokenizer(f"{path}:gpt2")
    assert list(tokenizer.encode("hello\n你 ")) == [259, 10, last, 32]
    assert tokenizer.decode([last]) == "你"
