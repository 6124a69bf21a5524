"""Users' vocabularies through the native core: compiled once, kept, and the library's tokens all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from references import NATIVE
from texts import weighted_texts
from tokaudit.tokenizers import compiled, load_tokenizer
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer

pytestmark = pytest.mark.skipif(not NATIVE, reason="without the native core libraries load these files")
TRAINING = ["hello world", "the quick brown fox's", "你好世界 你好，模型", "hello hello the the 123 the world"] * 5
OWN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "cache")


def trained(pattern: str = "", normalizer: object = None) -> Tokenizer:
    made = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern)
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level]) if pattern else byte_level
    made.decoder = decoders.ByteLevel()
    if normalizer is not None:
        made.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(TRAINING, trainer)
    made.add_special_tokens([AddedToken("<think>", special=True)])
    return made


def load(tmp_path: Path, document: str) -> Any:
    path = tmp_path / "tokenizer.json"
    path.write_text(document, "utf-8")
    return load_tokenizer(str(path))


@pytest.mark.parametrize("pattern", ["", OWN], ids=["ByteLevel", "own"])
@pytest.mark.parametrize("normalizer", [None, normalizers.NFC(), normalizers.Sequence([normalizers.NFC()])])
def test_the_library_s_tokens(tmp_path: Path, pattern: str, normalizer: object) -> None:
    fast = trained(pattern, normalizer)
    tokenizer = load(tmp_path, fast.to_str())
    assert isinstance(tokenizer, ByteBpeTokenizer)
    document = json.loads(fast.to_str())
    document["added_tokens"] = []
    plain = Tokenizer.from_str(json.dumps(document))
    for text in (*TRAINING, "<think>é\0e\u0301\r\n\n x", "", *weighted_texts(300, seed=6)):
        assert list(tokenizer.encode(text)) == plain.encode(text).ids, text
        assert tokenizer.count(text) == len(tokenizer.encoding(text).starts)
    assert tokenizer.decode(fast.encode("hello 你好<think>").ids) == "hello 你好<think>"
    assert tokenizer.info.ref.backend == "tokenizers"


def _with_long_merges(document: dict[str, Any]) -> None:
    """Tokens of twice as many bytes each, up to 131,072."""
    model = document["model"]
    token = "Q"
    while len(token) < 1 << 17:
        model["merges"].append([token, token])
        token += token
        model["vocab"][token] = max(model["vocab"].values()) + 1


def _changed(**model: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["model"].update(model)


@pytest.mark.parametrize(
    "change",
    [
        _changed(dropout=0.1),
        _changed(byte_fallback=True),
        _changed(end_of_word_suffix="</w>"),
        lambda document: document.update(normalizer={"type": "Lowercase"}),
        lambda document: document["pre_tokenizer"].update(add_prefix_space=True),
        lambda document: document["model"]["merges"].reverse(),
        lambda document: document["added_tokens"][0].update(content="  ", special=False),
        lambda document: document.update(pre_tokenizer={"type": "Whitespace"}),
        lambda document: document["model"]["vocab"].pop("!"),
        lambda document: document["model"]["vocab"].update({"a" * 70_000: 340}),
        _with_long_merges,
    ],
)
def test_what_the_core_does_not_do_is_the_library_s(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(trained().to_str())
    change(document)
    text = json.dumps(document)
    for _ in range(2):  # also where it is known already
        tokenizer = load(tmp_path, text)
        assert not isinstance(tokenizer, ByteBpeTokenizer)


@pytest.mark.parametrize("pattern", [r"\p{N}{1,3}+|\s+$|\s|[^\s\p{N}]+", r"\s+$|\s+(?!\S)|\s|\S+"])
def test_what_the_library_s_engine_reads_otherwise_is_the_library_s(tmp_path: Path, pattern: str) -> None:
    assert not isinstance(load(tmp_path, trained(pattern).to_str()), ByteBpeTokenizer)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model["merges"].append(["Qq", "zz"]),
        lambda model: model["merges"].append("one"),
        lambda model: model["vocab"].update({"!": -1}),
        lambda model: model["vocab"].update({"!": 1 << 40}),
        lambda model: model["vocab"].update({"!": model["vocab"]["a"]}),
    ],
)
def test_damaged_vocabularies_are_left_to_the_library(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(trained().to_str())
    change(document["model"])
    assert compiled.load_compiled("own", json.dumps(document).encode(), "own") is None


def test_it_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = trained().to_str()
    expected = list(load(tmp_path, document).encode(TRAINING[1]))
    monkeypatch.setattr(compiled, "build_table", None)
    assert list(load(tmp_path, document).encode(TRAINING[1])) == expected


@pytest.mark.parametrize("damage", [b"", b"x" * 100, None])
def test_what_is_damaged_in_the_cache_is_made_anew(tmp_path: Path, damage: bytes | None) -> None:
    document = trained().to_str()
    expected = list(load(tmp_path, document).encode(TRAINING[1]))
    for path in (tmp_path / "cache").iterdir():
        data = path.read_bytes()
        path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:] if damage is None else damage)
    assert list(load(tmp_path, document).encode(TRAINING[1])) == expected
    assert all(compiled._kept(path) is not None for path in (tmp_path / "cache").iterdir())


def test_where_nothing_can_be_kept_it_counts_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert isinstance(load(tmp_path, trained().to_str()), ByteBpeTokenizer)


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    load(tmp_path, trained().to_str())
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".json", ".toktab03"}
