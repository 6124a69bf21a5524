"""Token ids by an excerpt of a vocabulary: for the texts that it was made for, those of the reference library."""

from __future__ import annotations

import pytest
from corpora import sample
from references import BYTE_LEVEL, FULL, Subject, compare
from texts import hypothesis_texts, weighted_texts

SIZES = (20_000, 400_000)
"""Bytes of real text: a small excerpt lacks tokens that a larger one has."""


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_real_text(subject: Subject, size: int) -> None:
    texts = sample(5_000_000 if FULL and size == SIZES[-1] else size)
    compare(subject, "excerpt", subject.part(texts), texts)


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
def test_strings(subject: Subject) -> None:
    drawn = hypothesis_texts(20_000)
    drawn = ["\n".join(drawn[at : at + 10]) for at in range(0, len(drawn), 10)]
    for texts in (drawn, weighted_texts(2_500)):
        for some in (texts, texts[::50]):
            compare(subject, "excerpt", subject.part(some), some)


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
@pytest.mark.parametrize("unit", ["a", " ", "\r\n", "的", "e\u0301\U000e0080"])
def test_one_long_piece(subject: Subject, unit: str) -> None:
    text = unit * (100_000 // len(unit.encode()))
    expected = subject.survives(text)
    assert subject.part([text])(text) == (subject.small(text) if expected is None else expected)
