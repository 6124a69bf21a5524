"""Several texts at once, ids back to text, and objects whose ``repr`` stays short."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers

import tokaudit
from places import SAMPLES
from tokaudit.model import TokenizerError
from tokaudit.model.edits import Edit
from tokaudit.model.short_repr import short
from tokaudit.sources import decoded, load
from tokaudit.tokenizers.bundled import manifest


def test_several_texts_are_several_documents() -> None:
    data = tokaudit.count_many(["你好", "hello world"], ["gpt-4o"])
    assert [document["path"] for document in data["documents"]] == ["<text 1>", "<text 2>"]
    assert [document["counts"]["gpt-4o"]["tokens"] for document in data["documents"]] == [1, 2]
    assert data["totals"]["counts"]["gpt-4o"]["tokens"] == 3


def test_a_mapping_names_them() -> None:
    data = tokaudit.count_many({"system": "你好", "user": "hello"}, ["gpt-4o"], by="line")
    assert [document["path"] for document in data["documents"]] == ["system", "user"]
    assert [document["segments_total"] for document in data["documents"]] == [1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tokaudit.count(["a", "b"]), "count takes one text (str), not list: use count_many for several"),
        (lambda: tokaudit.count(b"a"), "a text (str) is counted, not bytes"),
        (
            lambda: tokaudit.count_many("ab"),
            "count_many takes several texts (a list of str), not str: use count for one",
        ),
        (lambda: tokaudit.count_many(["a", None]), "<text 2>: a text (str) is counted, not NoneType"),
    ],
)
def test_what_is_no_text_is_said_at_once(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).startswith(message)


TEXT = "Hello, 世界！ naïve 👍🏽\n\tpath/to  x=1"


@pytest.mark.parametrize("name", [name for name in manifest() if name != "o200k_harmony"])
def test_decode_gives_the_text_back(name: str) -> None:
    tokenizer = tokaudit.load_tokenizer(name)
    assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT
    with pytest.raises(TokenizerError, match="has no token id 99999999"):
        tokenizer.decode([99_999_999])


def test_decode_of_half_a_character_and_of_a_control_token() -> None:
    tokenizer = tokaudit.load_tokenizer("qwen3", special=True)
    assert tokenizer.decode(tokenizer.encode("<|im_start|>a")) == "<|im_start|>a"
    emoji = tokaudit.load_tokenizer("o200k_base")
    ids = emoji.encode("𠮷")
    assert len(ids) > 1
    assert "\ufffd" in emoji.decode(ids[:1])


def test_ids_of_added_tokens_are_those_of_the_file(tmp_path: Path) -> None:
    words = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0, "b": 1, " ": 2}, []))
    words.add_special_tokens([tokenizers.AddedToken("<s>", special=True), tokenizers.AddedToken("</s>", special=True)])
    words.add_tokens([tokenizers.AddedToken("   ", normalized=False), tokenizers.AddedToken("ab", normalized=False)])
    path = tmp_path / "tokenizer.json"
    words.save(str(path))
    assert [token["id"] for token in json.loads(path.read_text())["added_tokens"]] == [3, 4, 5, 6]
    tokenizer = tokaudit.load_tokenizer(str(path))
    for text in ("a   b", "ab", "b a   ab"):
        assert list(tokenizer.encode(text)) == words.encode(text).ids
        assert list(tokenizer.encoding(text).ids) == words.encode(text).ids
        assert tokenizer.decode(tokenizer.encode(text)) == words.decode(words.encode(text).ids)


def test_no_repr_prints_a_text_whole() -> None:
    text = "请您确认订单。 " * 2000
    result = tokaudit.slim(text, models=["gpt-4o"])
    objects = [
        load(text, "a.md"),
        load(text, "a.md").segments,
        result,
        Edit(0, 1, text),
        decoded(text.encode(), None, "a"),
    ]
    assert [len(repr(value)) < 1500 for value in objects] == [True] * len(objects)
    extracted = tokaudit.extract(SAMPLES / "annual-report.zh.pdf")
    assert len(repr(extracted)) < 3000 < len(extracted.text)
    assert len(repr(extracted.pages[5])) < 1500
    assert "(16,000 characters)" in repr(load(text, "a.md"))
    assert short("short") == "'short'"
    assert repr(Edit(0, 1, "x")) == "Edit(start=0, end=1, text='x')"
