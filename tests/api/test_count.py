"""The public Python API: what it returns and what it raises."""

from __future__ import annotations

import inspect
import json
import typing
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tokaudit
from places import SAMPLES
from tokaudit.api import catalog
from tokaudit.api import count as api
from tokaudit.features.count.report import report
from tokaudit.features.count.types import BY, SORT
from tokaudit.jobs import inputs
from tokaudit.jobs.count import count_result
from tokaudit.jobs.inputs import Reading
from tokaudit.model import TokenizerError, TokenizerInfo, TokenizerRef
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer

VALIDATOR = Draft202012Validator(
    json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
)


def test_a_text():
    data = tokaudit.count("你好，世界", ["gpt-4o", "qwen3"])
    VALIDATOR.validate(data)
    assert data["documents"][0]["path"] == "<text>"
    assert data["documents"][0]["charset"] is None
    assert data["totals"]["counts"]["gpt-4o"]["tokens"] == tokaudit.load_tokenizer("gpt-4o").count("你好，世界")


def test_the_default_models():
    assert list(tokaudit.count("x")["totals"]["counts"]) == ["gpt-4o", "qwen3", "deepseek-v3", "glm-4.5"]


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("text", ["", "\n\n", "one\n\n二\n", "<|endoftext|>", "# 标题\n\n- a\n"])
def test_every_division_is_as_documented(by, text):
    for kind in ("text", "markdown", "json", "jsonl", "code"):
        data = tokaudit.count(text, ["qwen3"], by=by, kind=kind)
        VALIDATOR.validate(json.loads(json.dumps(data, allow_nan=False)))


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("sort", SORT)
def test_files_are_as_documented(by, sort):
    data = tokaudit.count_paths([SAMPLES], ["gpt-4o"], by=by, sort=sort, top=5)
    VALIDATOR.validate(json.loads(json.dumps(data, allow_nan=False)))
    left_out = {".tokaudit_cache", "tokaudit-baseline.json"}
    files = [path for path in SAMPLES.rglob("*") if path.is_file() and not left_out & {*path.parts}]
    assert data["totals"]["documents"] == len(files)
    shown = sum(len(document["segments"]) for document in data["documents"])
    assert shown == {"file": 0, "folder": 0}.get(by, 5) or by in {
        "role",
        "turn",
        "class",
        "kind",
    }  # of these every document has its own


def test_the_listings_are_as_documented():
    for listing in (catalog.tokenizers_report(), catalog.models_report(), catalog.models_report(["qwen"])):
        VALIDATOR.validate(json.loads(json.dumps(listing.data)))


def test_models_by_name_or_provider():
    ids = {row["id"] for row in catalog.models_report(["QWEN"]).data["models"]}
    assert "qwen3" in {row["tokenizer"] for row in catalog.models_report(["QWEN"]).data["models"]}
    assert ids < {row["id"] for row in catalog.models_report().data["models"]}
    with pytest.raises(tokaudit.UsageError, match="no model matches"):
        catalog.models_report(["no such model"])


def test_models_that_share_a_tokenizer_are_counted_once(monkeypatch):
    loaded, tokenizers = inputs.load_models(["gpt-4o", "o200k_base", "qwen3", "gpt-4o", "gpt-4o-mini"])
    assert [model.name for model in loaded] == ["gpt-4o", "o200k_base", "qwen3", "gpt-4o-mini"]
    assert [model.column for model in loaded] == [0, 0, 1, 0]
    assert len(tokenizers) == 2


def test_an_approximation_is_told(monkeypatch):
    real = api.load_tokenizer

    class Approximate:
        def __init__(self, tokenizer):
            self.__dict__ = {"tokenizer": tokenizer}

        def __getattr__(self, name):
            return getattr(self.tokenizer, name)

        @property
        def info(self):
            from dataclasses import replace

            ref = TokenizerRef("guess", "byte-bpe", "", exact=False, error="about 3% off")
            return replace(self.tokenizer.info, ref=ref)

    def load(name, **options):
        return Approximate(real("qwen3", **options)) if name == "guess" else real(name, **options)

    monkeypatch.setattr(inputs, "load_tokenizer", load)
    data = api.count("你好", ["gpt-4o", "guess"])
    VALIDATOR.validate(data)
    told = data["tokenizers"][1]
    assert (told["exact"], told["error"], told["sha256"]) == (False, "about 3% off", None)
    wanted = api.wanted_of("file", None, "order", 0.8)
    result = count_result((), [("<text>", "你好")], ["guess"], wanted, Reading())
    [table] = report(result, people=True).tables
    assert table.rows[0][1].startswith("≈")
    assert table.notes == ["≈ guess: about 3% off"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "word"}, "invalid --by 'word'"),
        ({"sort": "size"}, "invalid --sort 'size'"),
        ({"top": -1}, "negative"),
        ({"density_threshold": 0}, "density-threshold"),
        ({"density_threshold": float("nan")}, "density-threshold"),
        ({"density_threshold": float("inf")}, "density-threshold"),
        ({"kind": "pdf"}, "unknown kind 'pdf'"),
        ({"models": []}, "no model"),
    ],
)
def test_what_cannot_be_meant(options, message):
    with pytest.raises(tokaudit.UsageError, match=message) as caught:
        tokaudit.count("x", **({"models": ["gpt-4o"]} | options))
    assert caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["gpt-4oo", "", " ", "./missing.json", "hf:"])
def test_no_such_model(name):
    with pytest.raises(tokaudit.TokenizerError):
        tokaudit.count("x", [name])
    with pytest.raises(tokaudit.TokenizerError):
        tokaudit.load_tokenizer(name)


def test_a_lone_surrogate():
    with pytest.raises(tokaudit.InputError, match="lone surrogate"):
        tokaudit.count("a\ud800b", ["gpt-4o"])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(tokaudit.InputError, match="no such file"):
        tokaudit.count_paths([tmp_path / "missing.txt"])
    with pytest.raises(tokaudit.InputError, match="no readable files"):
        tokaudit.count_paths([tmp_path])
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\r")
    for paths in ([tmp_path / "logo.png"], [tmp_path], [str(tmp_path / "logo.png")]):
        with pytest.raises(tokaudit.InputError, match="binary file"):
            tokaudit.count_paths(paths, ["gpt-4o"])
    (tmp_path / "a.txt").write_text("one\n")
    data = tokaudit.count_paths([tmp_path], ["gpt-4o"])
    assert [item["reason"] for item in data["skipped"]] == ["binary file (PNG image)"]
    with pytest.raises(tokaudit.InputError, match="binary file"):
        tokaudit.count_paths([tmp_path / "a.txt", tmp_path / "logo.png"], ["gpt-4o"])
    with pytest.raises(tokaudit.UsageError, match="unknown charset"):
        tokaudit.count_paths([tmp_path / "a.txt"], ["gpt-4o"], charset="utf9")


def test_a_binary_file_named_in_another_way(tmp_path, monkeypatch):
    """By a relative path it is the same file: named by itself, it must not be passed over."""
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\r")
    monkeypatch.chdir(tmp_path)
    for name in ("logo.png", "./logo.png", tmp_path / "logo.png", "../" + tmp_path.name + "/logo.png"):
        with pytest.raises(tokaudit.InputError, match="binary file"):
            tokaudit.count_paths(["a.txt", name], ["gpt-4o"])


def test_special_tokens():
    as_text = tokaudit.count("a<|endoftext|>b", ["gpt-4o"])
    as_control = tokaudit.count("a<|endoftext|>b", ["gpt-4o"], special=True)
    assert (as_text["special_tokens"], as_control["special_tokens"]) == ("text", "control")
    assert as_control["totals"]["counts"]["gpt-4o"]["tokens"] == 3
    assert as_text["totals"]["counts"]["gpt-4o"]["tokens"] > 3


def test_every_bundled_tokenizer_by_every_way():
    text = "你好，world 123\n"
    for name in ("o200k_base", "mistral-v1"):
        tokenizer = tokaudit.load_tokenizer(name)
        assert tokenizer.count(text) == len(tokenizer.encode(text)) == len(tokenizer.spans(text))
        assert tokenizer.spans(text)[-1][1] == len(text.encode())
        assert tokenizer.info.ref.name == name


def test_the_public_names_are_typed_and_documented():
    assert (Path(tokaudit.__file__).parent / "py.typed").exists()
    assert sorted(tokaudit.__all__) == tokaudit.__all__
    for name in tokaudit.__all__:
        thing = getattr(tokaudit, name)
        if name == "__version__":
            assert isinstance(thing, str)
            continue
        assert inspect.getdoc(thing)
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty
                assert f"{parameter.name}:" in inspect.getdoc(thing)
            assert "Raises:" in inspect.getdoc(thing)


def test_the_annotations_can_be_resolved():
    for function in (tokaudit.count, tokaudit.count_paths, tokaudit.load_tokenizer):
        typing.get_type_hints(function)


class Unplaced:
    """A tokenizer that counts, and cannot say where its tokens are."""

    divisible = places = False
    info = TokenizerInfo(TokenizerRef("counts-only", "ctok", "", exact=False, error="it guesses"), 0, "", "")

    def count(self, text):
        return len(text.split())

    def encoding(self, text):
        raise TokenizerError("its token boundaries are not public", what="counts-only", hint="use --by file")

    def expect(self, size, texts=()):
        pass

    def forget(self):
        pass


@pytest.fixture
def unplaced(monkeypatch):
    real = api.load_tokenizer
    monkeypatch.setattr(inputs, "load_tokenizer", lambda name, **options: Unplaced() if name == "x" else real(name))


@pytest.mark.parametrize("by", BY)
def test_a_model_without_places_costs_the_others_nothing(unplaced, by):
    data = tokaudit.count("one two\nthree", ["x", "gpt-4o", "x", "qwen3"], by=by)
    VALIDATOR.validate(data)
    models = list(data["totals"]["counts"])
    if by in {"file", "folder"}:
        assert (models, data["skipped"]) == (["x", "gpt-4o", "qwen3"], [])
        return
    assert models == ["gpt-4o", "qwen3"]
    [skipped] = data["skipped"]
    assert skipped == {
        "what": "x",
        "code": "no-places",
        "reason": "not counted by parts: its token boundaries are not public",
        "hint": "use --by file",
        "counted": False,
    }
    assert data["documents"][0]["segments"]


def test_a_model_without_places_alone_is_an_error(unplaced, tmp_path):
    (tmp_path / "a.txt").write_text("a b")
    for call in (
        lambda: tokaudit.count("a", ["x"], by="line"),
        lambda: tokaudit.count_paths([tmp_path], ["x"], by="line"),
    ):
        with pytest.raises(tokaudit.TokenizerError, match="boundaries are not public") as caught:
            call()
        assert caught.value.hint == "use --by file"


def test_a_document_whose_tokens_cannot_be_placed_is_skipped(monkeypatch, tmp_path):
    """Also one that is named by itself: the others are counted."""
    real = ByteBpeTokenizer.encoding

    def encoding(self, text):
        if "odd" in text:
            raise TokenizerError("it cannot say where its tokens are", hint="use --by file")
        return real(self, text)

    monkeypatch.setattr(ByteBpeTokenizer, "encoding", encoding)
    (tmp_path / "a.txt").write_text("odd")
    (tmp_path / "b.txt").write_text("even")
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    data = tokaudit.count_paths(paths, ["gpt-4o"], by="line")
    assert [Path(document["path"]).name for document in data["documents"]] == ["b.txt"]
    assert [item["reason"] for item in data["skipped"]] == ["it cannot say where its tokens are"]
    with pytest.raises(tokaudit.InputError, match="it cannot say") as caught:
        tokaudit.count_paths(paths[:1], ["gpt-4o"], by="line")
    assert caught.value.hint == "use --by file"


def test_rows_for_programs_say_that_control_tokens_count_as_such():
    wanted = api.wanted_of("line", None, "order", 0.8)
    for special, column in ((False, []), (True, ["special_tokens"])):
        result = count_result((), [("<text>", "a")], ["gpt-4o"], wanted, Reading(special=special))
        [table] = report(result, people=False).tables
        assert [one.key for one in table.columns if one.key == "special_tokens"] == column
