"""Token ids by an excerpt of a vocabulary: for the texts that it was made for, those of the reference library."""

from __future__ import annotations

import pytest
from corpora import sample
from references import BYTE_LEVEL, FULL, Subject, compare

SIZES = (20_000, 400_000)
"""Bytes of real text: a small excerpt lacks tokens that a larger one has."""


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_real_text(subject: Subject, size: int) -> None:
    texts = sample(5_000_000 if FULL and size == SIZES[-1] else size)
    compare(subject, "excerpt", subject.part(texts), texts)


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
@pytest.mark.parametrize("unit", ["a", " ", "\r\n", "的", "e\u0301\U000e0080"])
def test_one_long_piece(subject: Subject, unit: str) -> None:
    text = unit * (100_000 // len(unit.encode()))
    expected = subject.survives(text)
    assert subject.part([text])(text) == (subject.small(text) if expected is None else expected)
