"""Where the tokens of SentencePiece tokenizers are, and folders that hold such a model."""

from __future__ import annotations

import importlib.util
import json
import shutil
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model import Tokenizer, TokenizerError
from tokaudit.tokenizers import load_tokenizer
from tokaudit.tokenizers.align import starts_of
from tokaudit.tokenizers.bundled import FOLDER

BUNDLED = ("mistral-v1", "mistral-v3")
SPLINTR = ("llama-2", "llama-3", "gemma-3", "gemma-4")
TEXTS = st.lists(st.sampled_from([*" ▁\n\t\ra中é😀▂\0", "load", "  ", "▁▁", "<s>", "\u0301"]), max_size=10).map("".join)


@cache
def loaded(name: str) -> Tokenizer:
    return load_tokenizer(name)


@cache
def reference(name: str) -> sentencepiece.SentencePieceProcessor:
    model = sentencepiece.SentencePieceProcessor()
    model.load(str(FOLDER / f"{name}.model"))
    return model


def check_spans(tokenizer: Tokenizer, text: str) -> None:
    data = text.encode()
    spans = tokenizer.spans(text)
    assert b"".join(data[start:end] for start, end in spans) == data
    assert len(spans) == tokenizer.count(text) == len(tokenizer.encode(text))


@pytest.mark.parametrize("name", [*BUNDLED, *SPLINTR])
@given(text=TEXTS)
@settings(max_examples=200)
def test_spans_cover_a_text_with_signs_of_spaces(name: str, text: str) -> None:
    if name in SPLINTR and importlib.util.find_spec("splintr") is None:
        pytest.skip("splintr-rs is not installed")
    check_spans(loaded(name), text)
    if name in BUNDLED:
        assert list(loaded(name).encode(text)) == reference(name).encode(text)


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("text", [" ▁", "▁", "a ▁", " load ▁▂▃", " ▁ ▁ ", "▁" * 50 + " "])
def test_a_leading_space_and_the_sign_of_one(name: str, text: str) -> None:
    check_spans(loaded(name), text)


def test_places_are_those_of_the_characters() -> None:
    assert starts_of([b"   ", b"x"], " ▁x".encode()) == [0, 4]
    assert starts_of([b" ", b" x", b"  y"], " x▁ y".encode()) == [0, 0, 2]
    assert starts_of([b"  ", b"\xe4\xb8", b"\xad"], " 中".encode()) == [0, 1, 3]
    assert starts_of([b" b"], b"a") is None
    assert starts_of([b"   "], b" ") is None


# --- models that rewrite the text ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def normalizing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    (folder / "text").write_text("hello world ABC １２３ 你好\n" * 50, "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text"),
        model_prefix=str(folder / "tokenizer"),
        vocab_size=60,
        hard_vocab_limit=False,
        normalization_rule_name="nfkc_cf",
        minloglevel=2,
    )
    return folder / "tokenizer.model"


@pytest.mark.parametrize("text", ["ＡＢＣ  hello", "１２３ world ", "½ ﬁ 你好Ⅷ", " "])
def test_a_model_that_normalizes_has_places_all_the_same(normalizing: Path, text: str) -> None:
    tokenizer = load_tokenizer(str(normalizing))
    if tokenizer.count(text):
        check_spans(tokenizer, text)
    starts = list(tokenizer.encoding(text).starts)
    assert starts == sorted(starts)


# --- folders ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FOLDER / "mistral-v1.model", tmp_path / "tokenizer.model")
    return tmp_path


def describe(folder: Path, name: str, **content: object) -> None:
    (folder / name).write_text(json.dumps(content))


TEXT = " load ▁▂▃ hello\n你好"


@pytest.mark.parametrize(
    "settings_of",
    [
        {},
        {"tokenizer_config.json": {"tokenizer_class": "LlamaTokenizer", "legacy": True, "add_prefix_space": None}},
        {"tokenizer_config.json": {"tokenizer_class": "LlamaTokenizerFast", "legacy": False}},
        {"config.json": {"model_type": "mistral"}},
        {
            "tokenizer_config.json": {"added_tokens_decoder": {"1": {"content": "<s>", "special": True}}},
            "config.json": {"model_type": "something"} | {"tokenizer_class": "LlamaTokenizer"},
        },
    ],
)
def test_a_folder_with_a_sentencepiece_model(folder: Path, settings_of: dict[str, dict[str, object]]) -> None:
    for name, content in settings_of.items():
        describe(folder, name, **content)
    tokenizer = load_tokenizer(str(folder))
    assert (tokenizer.info.ref.backend, tokenizer.info.ref.exact) == ("sentencepiece", True)
    assert list(tokenizer.encode(TEXT)) == reference("mistral-v1").encode(TEXT)
    check_spans(tokenizer, TEXT)


def test_a_folder_that_puts_no_space_before_a_text(folder: Path) -> None:
    describe(folder, "tokenizer_config.json", tokenizer_class="LlamaTokenizer", add_prefix_space=False)
    tokenizer = load_tokenizer(str(folder))
    model = reference("mistral-v1")
    assert model.id_to_piece(tokenizer.encode("hello")[0])[0] != "▁"
    assert list(tokenizer.encode(" hello")) == model.encode("hello")
    check_spans(tokenizer, TEXT)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("tokenizer_config.json", {"tokenizer_class": "AlbertTokenizer"}, "AlbertTokenizer"),
        ("tokenizer_config.json", {"do_lower_case": True}, "lower case"),
        ("tokenizer_config.json", {"added_tokens_decoder": {"9": {"content": "   "}}}, "added tokens"),
        ("added_tokens.json", {"    ": 32000}, "added tokens"),
        ("config.json", {"model_type": "weird"}, "weird"),
    ],
)
def test_what_the_model_alone_does_not_do_is_told(
    folder: Path, name: str, content: dict[str, object], told: str
) -> None:
    describe(folder, name, **content)
    ref = load_tokenizer(str(folder)).info.ref
    assert not ref.exact or ref.backend == "transformers"
    if not ref.exact:
        assert told in ref.error


def test_a_damaged_configuration(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text("{")
    with pytest.raises(TokenizerError, match="not JSON"):
        load_tokenizer(str(folder))


def test_a_rank_file_called_tokenizer_model(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(b"IQ== 0\nIg== 1\n")
    with pytest.raises(TokenizerError, match="single bytes"):
        load_tokenizer(str(tmp_path))


# --- what all tokenizers do ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["o200k_base", "mistral-v1", "qwen3"])
@pytest.mark.parametrize("method", ["count", "encode", "spans", "encoding"])
def test_bytes_are_no_text(name: str, method: str) -> None:
    with pytest.raises(TypeError, match="decode it first"):
        getattr(loaded(name), method)(b"abc")
    with pytest.raises(TypeError, match="not int"):
        getattr(loaded(name), method)(3)


def test_info_has_the_models() -> None:
    info = loaded("o200k_base").info
    assert "gpt-4o" in info.models
    assert info.aliases
