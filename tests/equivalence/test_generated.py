"""Token ids of generated strings: every path of every bundled tokenizer equals its reference library.

Each tokenizer sees 20,000 strings from all of Unicode, of which hypothesis draws 2,000, and 2,500 of weighted
alphabets, which find much more: kinds of white space, contractions, digits of several scripts, marks, joiners,
unassigned characters. By default most of the 20,000 are encoded ten in one text. With TOKAUDIT_FULL=1 hypothesis draws
all of them, each is a text of its own, and there are 50,000 of the others.
"""

from __future__ import annotations

from functools import cache

from references import FULL, Subject, compare
from texts import hypothesis_texts, unicode_texts, weighted_texts

ALL_ENGINES = True
"""Each engine is compared here: ``engine_use``."""

DRAWN = 20_000 if FULL else 2_000


@cache
def lines() -> tuple[str, ...]:
    """All strings from all of Unicode, ten in one text."""
    texts = (*hypothesis_texts(DRAWN), *unicode_texts(20_000 - DRAWN))
    return tuple("\n".join(texts[at : at + 10]) for at in range(0, len(texts), 10))


def test_the_strings_are_many_and_different() -> None:
    texts = hypothesis_texts(DRAWN)
    assert len(texts) > 0.99 * DRAWN
    assert len(set(lines())) == len(lines()) >= 1_990
    assert len({char for text in lines() for char in text}) > 50_000


def test_all_of_unicode(subject: Subject) -> None:
    for path, encode in subject.paths:
        # The fallback is the reference library itself, so that what is left to see is how it is called.
        compare(subject, path, encode, lines()[::10] if path == "fallback" and not FULL else lines())
        if FULL or path in {"small", "sentencepiece"}:  # that for short texts, and one whose calls cost as little
            compare(subject, path, encode, hypothesis_texts(DRAWN))


def test_weighted_alphabets(subject: Subject) -> None:
    texts = weighted_texts(50_000 if FULL else 2_500)
    for path, encode in subject.paths:
        compare(subject, path, encode, texts if FULL or path != "fallback" else texts[::10])
