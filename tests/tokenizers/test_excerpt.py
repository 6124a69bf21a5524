"""What an excerpt of a vocabulary keeps, and when the bulk path takes one."""

from __future__ import annotations

import random

import pytest

from tokaudit.model import TokenizerError
from tokaudit.tokenizers import byte_bpe
from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.byte_bpe import ByteBpeTokenizer
from tokaudit.tokenizers.excerpt import MOST, Texts, ids_in
from tokaudit.tokenizers.registry import load_tokenizer
from tokaudit.tokenizers.table import Table

RANKED = [name for name, entry in manifest().items() if entry["format"] == "ranks"]
TEXTS = Texts(
    [
        "The quick brown fox. " * 3,
        "敏捷的棕色狐狸跳过了懒狗，",
        "def f(x):\n    return x\n",
        "é",
        "e\u0301 ﬁ \u212b",
        "",
    ]
)


@pytest.fixture(params=RANKED)
def table(request: pytest.FixtureRequest) -> Table:
    return Table(table_path(request.param))


def test_every_token_of_a_text_and_every_byte_is_kept(table: Table) -> None:
    kept = ids_in(table, TEXTS)
    texts = [text.encode() for text in TEXTS] + ["é ﬁ Å".encode()]  # and the normal form of one
    lost = [token for token, keeps in zip(table.tokens(), kept, strict=True) if not keeps and token]
    assert not [token for token in lost if len(token) == 1 or any(token in text for text in texts)]
    assert kept.sum() < table.ids / 20


def test_what_a_token_is_merged_of_is_kept_with_it(table: Table) -> None:
    tokens = table.tokens()
    kept = {token for token, keeps in zip(tokens, ids_in(table, TEXTS), strict=True) if keeps}
    known = set(tokens)
    for token in kept:
        parts = {token[start:end] for start in range(len(token)) for end in range(start + 1, len(token) + 1)}
        assert parts & known <= kept


def test_a_hole_is_no_token(table: Table) -> None:
    kept = ids_in(table, Texts(["".join(map(chr, range(32, 0x2000)))]))
    assert not [rank for rank, token in enumerate(table.tokens()) if kept[rank] and not token]


def test_a_token_at_the_end_of_the_vocabulary() -> None:
    table = Table(table_path("o200k_base"))
    last = next(token for token in reversed(table.tokens()) if token and token.isascii())
    assert ids_in(table, Texts([last.decode()]))[table.find(last)]


def made(name: str = "o200k_base") -> ByteBpeTokenizer:
    tokenizer = load_tokenizer(name)
    assert isinstance(tokenizer, ByteBpeTokenizer)
    return tokenizer


def words(size: int, seed: int) -> str:
    chance = random.Random(seed)
    return " ".join("".join(chance.choices("abcdefgh", k=5)) for _ in range(size // 6))


def test_a_small_text_needs_none() -> None:
    tokenizer = made()
    tokenizer.expect(100, ["a short text"])
    assert tokenizer.count("a short text") == 3
    assert tokenizer._part is None
    assert tokenizer._bulk is None


@pytest.mark.parametrize("announced", [True, False])
def test_a_text_worth_it_has_its_own(announced: bool) -> None:
    text, other = words(700_000, 1), words(5_000, 2)
    tokenizer = made()
    if announced:
        tokenizer.expect(len(text), [text])
    ids = tokenizer.encode(text)
    assert tokenizer._part is not None
    assert tokenizer._bulk is None
    # Another text goes another way, since the excerpt may lack what it has.
    other_ids = tokenizer.encode(other + " 完全不同的文字")
    small = made()
    small._load_cost = small._part_cost = 1 << 62
    assert ids == small.encode(text)
    assert other_ids == small.encode(other + " 完全不同的文字")
    assert tokenizer.count(text) == len(ids)


def test_after_some_the_whole_is_loaded() -> None:
    tokenizer = made()
    kinds = []
    for seed in range(100 // byte_bpe.PART + 1):
        tokenizer.count(words(700_000, seed))
        kinds.append(tokenizer._bulk is not None)
    assert kinds[:2] == [False, False]
    assert kinds == sorted(kinds)
    assert kinds[-1]


def test_large_texts_have_the_whole() -> None:
    tokenizer = made("cl100k_base")
    text = "word " * (MOST // 5 + 1)
    tokenizer.expect(len(text), [text])
    assert tokenizer._part is None
    assert tokenizer._bulk is not None


def test_forget() -> None:
    tokenizer = made()
    text = words(700_000, 1)
    tokenizer.expect(len(text), [text])
    assert tokenizer._part is not None
    tokenizer.forget()
    assert tokenizer._part is None


def test_a_lone_surrogate_among_them_is_told_where_it_is_counted() -> None:
    text = "\ud800" + words(700_000, 1)
    tokenizer = made()
    tokenizer.expect(len(text), [text])
    with pytest.raises(TokenizerError, match="surrogate"):
        tokenizer.count(text)
    with pytest.raises(TokenizerError, match="surrogate"):
        made().count(text)


def test_without_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from tokaudit.tokenizers import bulk

    def missing() -> None:
        raise ImportError

    monkeypatch.setattr(bulk, "_engine", missing)
    tokenizer = made()
    text = words(500_000, 1)
    tokenizer.expect(len(text), [text])
    small = made()
    small._load_cost = small._part_cost = 1 << 62
    assert tokenizer.count(text) == small.count(text)
    assert tokenizer._part is None
