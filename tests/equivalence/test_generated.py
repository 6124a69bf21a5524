"""Token ids of generated strings: every path of every bundled tokenizer equals its reference library.

Each tokenizer sees 20,000 strings that hypothesis draws from all of Unicode, and 5,000 of weighted alphabets, which
find much more: kinds of white space, contractions, digits of several scripts, marks, joiners, unassigned characters.
With TOKAUDIT_FULL=1 there are 200,000 of the latter.
"""

from __future__ import annotations

from collections.abc import Sequence

from references import FULL, Subject, compare
from texts import hypothesis_texts, weighted_texts


def check(subject: Subject, texts: Sequence[str]) -> None:
    for path, encode in subject.paths:
        # Without gigatoken the bulk path is the reference library itself, so what is left to see is how it is called.
        some = texts if FULL or path != "fallback" else texts[::10]
        compare(subject, path, encode, some)


def test_all_of_unicode(subject: Subject) -> None:
    texts = hypothesis_texts(20_000)
    assert len(texts) > 19_900
    check(subject, texts)


def test_weighted_alphabets(subject: Subject) -> None:
    texts = weighted_texts(200_000 if FULL else 5_000)
    check(subject, texts)
