from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import tokaudit
from tokaudit.model import Tokenizer, TokenizerError
from tokaudit.tokenizers import listing, load_tokenizer
from tokaudit.tokenizers.bundled import FOLDER, external, manifest
from tokaudit.tokenizers.registry import tokenizer_info, tokenizer_names, unknown_model

SIZES = {"o200k_base": 199_998, "cl100k_base": 100_256, "qwen3": 151_643, "mistral-v1": 32_000, "mistral-v3": 32_768}


def error_of(name: str, **options: bool) -> TokenizerError:
    with pytest.raises(TokenizerError) as caught:
        load_tokenizer(name, **options)
    return caught.value


@pytest.mark.parametrize("name", manifest())
def test_names(name: str) -> None:
    tokenizer = load_tokenizer(name)
    info = tokenizer.info
    assert info.ref.name == name
    assert info.ref.exact
    assert info.ref.error == ""
    assert info.ref.sha256 == manifest()[name]["sha256"]
    assert info.vocabulary_size == SIZES.get(name, info.vocabulary_size) > 30_000
    assert (info.source, info.licence) == (manifest()[name]["source"], manifest()[name]["licence"])
    assert tokenizer.count("hello world") in {2, 3}
    assert list(tokaudit.load_tokenizer(name).encode("x")) == list(tokenizer.encode("x"))


@pytest.mark.parametrize(
    "name", ["O200K_BASE", " o200k_base\n", "GPT-4o", "Qwen3", "DeepSeek-V3", "GLM-4.5", "openai/gpt-4o"]
)
def test_case_and_blanks_do_not_matter(name: str) -> None:
    assert load_tokenizer(name).count("hello") > 0


@pytest.mark.parametrize(
    ("model", "tokenizer"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("deepseek", "deepseek-v3"),
        ("glm", "glm-5"),
        ("kimi", "kimi-k2"),
        ("qwen", "qwen3.5"),
    ],
)
def test_models_and_families(model: str, tokenizer: str) -> None:
    assert load_tokenizer(model).info.ref.name == tokenizer
    assert list(load_tokenizer(model).encode("你好, world")) == list(load_tokenizer(tokenizer).encode("你好, world"))


@pytest.mark.parametrize("name", ["", " ", "\t\n"])
def test_empty_names(name: str) -> None:
    error = error_of(name)
    assert error.message == "an empty model name"
    assert "gpt-4o" in error.hint


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("gpt-4oo", "gpt-4o"),
        ("o200k_bas", "o200k_base"),
        ("qwen3.1-max", "qwen"),
        ("depseek", "deepseek"),
        ("cl100kbase", "cl100k_base"),
    ],
)
def test_the_nearest_names_are_offered(typed: str, near: str) -> None:
    error = error_of(typed)
    assert error.message == f"unknown model '{typed}'"
    assert error.hint.startswith("did you mean ")
    assert near in error.hint


def test_nothing_is_near() -> None:
    assert "tokaudit models" in error_of("zzzzzzzzzzzzzzzz").hint


@pytest.mark.parametrize(
    "name", ["a/b/tokenizer.json", "C:\\models\\tokenizer.json", "no.model", "no.tiktoken", "no.tiktoken:o200k", "./x"]
)
def test_missing_files_are_not_called_models(name: str) -> None:
    assert error_of(name).message == f"no such tokenizer file or folder: {name}" if ":o200k" not in name else True
    assert error_of(name).exit_code == 2


@pytest.mark.parametrize("name", tokenizer_names())
def test_every_tokenizer_is_usable_or_says_what_makes_it_so(name: str) -> None:
    row = next(row for row in listing() if row.info.ref.name == name)
    assert bool(row.command or row.needs) != row.usable
    if row.usable:
        assert load_tokenizer(name).count("hello") > 0
    else:
        error = error_of(name)
        assert error.hint == (row.command or row.needs)
        assert re.search(r"(\A|then )python -m pip install (--no-deps )?[\w-]+==[\d.]+\Z", error.hint)


def test_listing_is_complete() -> None:
    rows = list(listing())
    assert [row.info.ref.name for row in rows] == [*manifest(), *external()]
    assert all(row.family and row.info.source and row.info.licence for row in rows)
    served = {model for row in rows for model in row.info.models}
    assert {"gpt-4o", "deepseek-chat"} <= served


def test_a_missing_table_is_listed_as_unusable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tokaudit.tokenizers.registry.table_path", lambda name: tmp_path / name)
    row = next(row for row in listing() if row.info.ref.name == "qwen3")
    assert not row.usable
    assert "--force-reinstall" in row.command


# --- packages that are not installed ---------------------------------------------------------------------------------


def absent(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """As if a package were not installed: neither found nor importable."""
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, package=None: None if name == module else real(name, package)
    )


@pytest.mark.parametrize("name", external())
def test_without_its_package(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    entry = external()[name]
    absent(monkeypatch, entry.module)
    error = error_of(name)
    assert error.message == f"{name} needs the package {entry.package}, which is not installed"
    assert error.hint == entry.to_do
    row = next(row for row in listing() if row.info.ref.name == name)
    assert (row.usable, row.command or row.needs) == (False, entry.to_do)


@pytest.mark.parametrize(("version", "works"), [((3, 10, 1), False), ((3, 11, 9), False), ((3, 12, 0), True)])
def test_a_command_that_cannot_work_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], works: bool
) -> None:
    absent(monkeypatch, "ctok")
    monkeypatch.setattr("sys.version_info", version)
    row = next(row for row in listing() if row.info.ref.name == "claude-v4.8")
    command = "python -m pip install ctok==1.3.0"
    assert row.command == (command if works else "")
    if works:
        assert (row.needs, error_of("claude").hint) == ("", command)
    else:
        here = f"{version[0]}.{version[1]}"
        told = f"install tokaudit with Python 3.12 or newer (this is {here}), then {command}"
        assert row.needs == error_of("claude").hint == told


def test_backends_say_so_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the package is found but cannot be imported."""
    from tokaudit.tokenizers.claude import ClaudeTokenizer
    from tokaudit.tokenizers.splintr import SplintrTokenizer

    monkeypatch.setitem(sys.modules, "ctok", None)
    monkeypatch.setitem(sys.modules, "splintr", None)
    with pytest.raises(TokenizerError, match="needs the package ctok") as caught:
        ClaudeTokenizer(tokenizer_info("claude-v3"), "3.0")
    assert caught.value.hint == external()["claude-v3"].to_do
    with pytest.raises(TokenizerError, match="needs splintr-rs") as caught:
        SplintrTokenizer(tokenizer_info("llama-3"))
    assert caught.value.hint == "python -m pip install splintr-rs==0.22.0"


# --- approximations --------------------------------------------------------------------------------------------------


def test_claude_is_approximate() -> None:
    for name in ("claude-v3", "claude-v4.7", "claude-v4.8"):
        ref = tokenizer_info(name).ref
        assert not ref.exact
        assert "reconstructs" in ref.error


def test_another_model_s_tokenizer_is_marked() -> None:
    from tokaudit.tokenizers.catalog import models

    borrowed = [
        model for model in models()
        if model.tokenizer in manifest() and not model.exact
    ]  # fmt: skip
    assert borrowed
    for model in borrowed:
        tokenizer = load_tokenizer(model.id)
        plain = load_tokenizer(str(model.tokenizer))
        assert not tokenizer.info.ref.exact
        assert tokenizer.info.ref.error == model.note != ""
        assert plain.info.ref.exact
        text = "你好, world"
        assert list(tokenizer.encode(text)) == list(plain.encode(text))
        assert list(tokenizer.spans(text)) == list(plain.spans(text))
        assert tokenizer.count(text) == plain.count(text) == len(tokenizer.encoding(text))
        assert tokenizer.divisible == plain.divisible


def test_a_model_without_a_tokenizer_is_not_counted() -> None:
    from tokaudit.tokenizers.catalog import models

    unknown = [model for model in models() if model.tokenizer is None]
    for model in unknown:
        assert "cannot be counted" in error_of(model.id).message


def ctok_of(pieces: list[str]) -> object:
    class Ctok:
        @staticmethod
        def tokenize(text: str, version: str) -> list[str]:
            assert version in {"3.0", "4.7", "4.8"}
            return pieces

    return Ctok


@pytest.mark.parametrize("name", ["claude-v3", "claude-v4.7", "claude-v4.8"])
def test_claude_counts_and_no_more(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "ctok", ctok_of(["a", "b", "c"]))
    monkeypatch.setattr("tokaudit.tokenizers.registry.usable", lambda entry: True)
    tokenizer = load_tokenizer(name)
    assert tokenizer.count("abc") == 3
    assert tokenizer.count("") == 0
    assert not tokenizer.divisible
    for ask in (tokenizer.encode, tokenizer.spans, tokenizer.encoding):
        with pytest.raises(TokenizerError, match="not public"):
            ask("abc")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="ctok needs Python 3.12")
def test_claude_for_real() -> None:
    pytest.importorskip("ctok")
    tokenizer = load_tokenizer("claude-v4.8")
    assert 2 <= tokenizer.count("Hello, world") <= 6
    assert tokenizer.count("") == 0


# --- splintr ---------------------------------------------------------------------------------------------------------

TEXTS = [
    "Hello, world!",
    "你好，世界",
    " two  spaces\n\nand lines\t",
    "e\u0301 naïve 😀👨\u200d👩\u200d👧",
    "<|endoftext|> <s> <bos>",
    "▁x",
    "\0\r\n",
]


@pytest.fixture(params=["llama-2", "llama-3", "gemma-3", "gemma-4"])
def splintr_tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    pytest.importorskip("splintr")
    return load_tokenizer(request.param)


@pytest.mark.parametrize("text", TEXTS)
def test_splintr(splintr_tokenizer: Tokenizer, text: str) -> None:
    tokenizer = splintr_tokenizer
    ids = list(tokenizer.encode(text))
    assert tokenizer.count(text) == len(ids) > 0
    assert all(0 <= rank < tokenizer.info.vocabulary_size + 8 for rank in ids)
    spans = tokenizer.spans(text)
    assert len(spans) == len(ids)
    assert (spans[0][0], spans[-1][1]) == (0, len(text.encode()))
    assert all(before[1] == after[0] for before, after in pairwise(spans))


def test_splintr_without_text(splintr_tokenizer: Tokenizer) -> None:
    assert splintr_tokenizer.count("") == 0
    assert list(splintr_tokenizer.spans("")) == []


def test_llama_3_equals_tiktoken() -> None:
    """With the published pattern; Llama 3 looks whole pieces up first, like tiktoken."""
    pytest.importorskip("splintr")
    import splintr
    import tiktoken

    from texts import weighted_texts

    source = splintr.Tokenizer.from_pretrained("llama3")
    ranks = {bytes(source.decode_token_bytes(rank)): rank for rank in range(128_000)}
    pattern = manifest()["glm-4.5"]["pattern_regex"][0]
    encoding = tiktoken.Encoding("llama-3", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    tokenizer = load_tokenizer("llama-3")
    for text in [*TEXTS, *weighted_texts(1_500, seed=6)]:
        assert list(tokenizer.encode(text)) == encoding.encode_ordinary(text), text


@pytest.mark.parametrize(
    ("name", "typed", "rank"),
    [("llama-3", "<|begin_of_text|>", 128_000), ("gemma-3", "<bos>", 2), ("llama-2", "<s>", 1)],
)
def test_typed_special_tokens_of_splintr(name: str, typed: str, rank: int) -> None:
    pytest.importorskip("splintr")
    assert rank not in list(load_tokenizer(name).encode(f"a {typed} b"))
    assert rank in list(load_tokenizer(name, special=True).encode(f"a{typed}b"))


# --- paths -----------------------------------------------------------------------------------------------------------


def test_sentencepiece_model_by_path(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes((FOLDER / "mistral-v3.model").read_bytes())
    tokenizer = load_tokenizer(str(path))
    assert tokenizer.info.ref.backend == "sentencepiece"
    assert tokenizer.info.ref.sha256 == manifest()["mistral-v3"]["sha256"]
    assert tokenizer.info.vocabulary_size == 32_768
    assert list(tokenizer.encode("你好 <s>")) == list(load_tokenizer("mistral-v3").encode("你好 <s>"))
    assert list(load_tokenizer(str(path), special=True).encode("<s>")) == [1]


@pytest.mark.parametrize("data", [b"", b"\0\1\2garbage", b"\x0a\xff"])
def test_damaged_sentencepiece_model(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(data)
    error = error_of(str(path))
    assert "not a SentencePiece model" in error.message
    assert str(path) in error.message


def test_truncated_sentencepiece_model(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes((FOLDER / "mistral-v1.model").read_bytes()[:100_001])
    assert "not a SentencePiece model, or truncated" in error_of(str(path)).message


def test_not_a_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    assert error_of(str(path)).message == f"{path}: not a tokenizer"


def test_empty_folder(tmp_path: Path) -> None:
    assert error_of(str(tmp_path)).message == f"{tmp_path}: no tokenizer in this folder"


@pytest.mark.parametrize("name", ["C:\\models\\x.tiktoken", "C:/models/x.tiktoken", "c:x.model"])
def test_a_drive_letter_is_no_pattern(name: str) -> None:
    from tokaudit.tokenizers.registry import _names_pattern

    assert not _names_pattern(name)
    assert _names_pattern(f"{name}:o200k")
    assert unknown_model(name).message == f"no such tokenizer file or folder: {name}"


def test_a_folder_named_like_a_model_is_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt-4o").mkdir()
    assert load_tokenizer("gpt-4o").info.ref.name == "o200k_base"


@pytest.mark.parametrize("name", ["o200k_base", "qwen3", "mistral-v1"])
def test_a_lone_surrogate_is_an_error_of_ours(name: str) -> None:
    tokenizer = load_tokenizer(name)
    for ask in (tokenizer.count, tokenizer.encode, tokenizer.spans, tokenizer.encoding):
        with pytest.raises(TokenizerError, match="surrogate"):
            ask("a\ud800b")


def test_an_endless_name_is_unknown_not_a_crash() -> None:
    with pytest.raises(TokenizerError, match="unknown model 'xxx"):
        load_tokenizer("x" * 5_000)


def test_control_tokens_that_splintr_invents_are_text() -> None:
    pytest.importorskip("splintr")
    special = load_tokenizer("llama-3", special=True)
    assert special.count("<|eot_id|>") == 1
    assert special.count("<|think|>") == load_tokenizer("llama-3").count("<|think|>") > 1


def test_a_control_token_in_a_text_leaves_gemmas_own_symbols() -> None:
    pytest.importorskip("splintr")
    gemma = load_tokenizer("gemma-3")
    text = "a\n\n\n\nb  <table> \t\t\t x"
    assert gemma.count(text + " ") + gemma.count("<eos>") >= gemma.count(text + " <eos>") > gemma.count(text)
    assert gemma.encode(text + " <eos>")[: gemma.count(text) - 1] == gemma.encode(text)[:-1]
