"""Kimi's own cuts of long texts, beside a straightforward reading of its code over tiktoken."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from references import Subject, kimi_parts
from tokaudit.jobs import count as jobs
from tokaudit.jobs import units
from tokaudit.tokenizers.kimi import KimiTokenizer, slices


def _texts() -> Iterator[str]:
    yield "a" * 60_001
    yield " " * 30_000 + "word " * 3 + "\n" * 25_001 + "的" * 25_001
    yield "word" * 6_250 + " " + "x" * 25_000
    yield "\x1c" * 25_003 + "\u3000" * 25_003  # separators that str.isspace takes for space
    yield "The quick brown fox, 模型上下文。\n" * 15_000  # beyond 400,000, a slice ends within a word
    draw = random.Random(3)
    for _ in range(6):
        runs = [
            draw.choice(("a", " ", "中", "\n", "a1")) * draw.choice((1, 7, 24_999, 25_000, 25_001)) for _ in range(30)
        ]
        yield "".join(runs)


@pytest.mark.parametrize("text", list(_texts()), ids=lambda text: f"{text[:6]!a}-{len(text)}")
def test_slices_are_those_of_kimi_s_code(text: str) -> None:
    assert list(slices(text)) == list(kimi_parts(text))


@pytest.fixture(scope="module")
def kimi() -> Subject:
    return Subject("kimi-k2")


def test_tokens_and_places(kimi: Subject) -> None:
    tokenizer = kimi.tokenizer()
    assert isinstance(tokenizer, KimiTokenizer)
    changed = 0
    for text in _texts():
        expected = kimi.reference([text])[0]
        assert list(tokenizer.encode(text)) == expected
        assert tokenizer.count(text) == len(expected)
        data = text.encode()
        assert b"".join(data[start:end] for start, end in tokenizer.spans(text)) == data
        changed += expected != list(super(KimiTokenizer, tokenizer).encoding(text).ids)
    assert changed >= 3


def test_pieces_of_a_large_file_are_cut_where_the_whole_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tokaudit

    path = tmp_path / "long.txt"
    text = "".join(f"{number} words of 模型 here, unendingly\n" for number in range(40_000))
    path.write_text(text, "utf-8")
    whole = tokaudit.load_tokenizer("kimi-k2").count(text)
    monkeypatch.setattr(units, "CUT_FROM", 1 << 16)
    monkeypatch.setattr(jobs, "PIECE", 1 << 16)
    found = tokaudit.count_paths([path], ["kimi-k2"])
    assert found["totals"]["counts"]["kimi-k2"]["tokens"] == whole
