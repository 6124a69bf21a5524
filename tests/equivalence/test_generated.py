"""Token ids of generated strings: every path of every bundled tokenizer equals its reference library.

Each tokenizer sees 20,000 strings that hypothesis draws from all of Unicode, and 2,500 of weighted alphabets, which
find much more: kinds of white space, contractions, digits of several scripts, marks, joiners, unassigned characters.
With TOKAUDIT_FULL=1 there are 50,000 of the latter.
"""

from __future__ import annotations

import pytest

from references import BYTE_LEVEL, FULL, Subject, compare
from texts import hypothesis_texts, weighted_texts


def test_all_of_unicode(subject: Subject) -> None:
    texts = hypothesis_texts(20_000)
    assert len(texts) > 19_900
    lines = ["\n".join(texts[at : at + 10]) for at in range(0, len(texts), 10)]
    for path, encode in subject.paths:
        # The small path is for short texts; the others, whose calls cost more, get ten in one by default.
        some = {"bulk": lines, "fallback": lines[::10]}.get(path, texts)
        compare(subject, path, encode, texts if FULL else some)


def test_weighted_alphabets(subject: Subject) -> None:
    texts = weighted_texts(50_000 if FULL else 2_500)
    for path, encode in subject.paths:
        # Without gigatoken the bulk path is the reference library itself, so what is left to see is how it is called.
        compare(subject, path, encode, texts if FULL or path != "fallback" else texts[::10])


@pytest.mark.parametrize("subject", BYTE_LEVEL, indirect=True)
def test_by_an_excerpt(subject: Subject) -> None:
    texts = hypothesis_texts(20_000)
    lines = ["\n".join(texts[at : at + 10]) for at in range(0, len(texts), 10)]
    for drawn in (lines, weighted_texts(2_500)):
        for some in (drawn, drawn[::50]):
            compare(subject, "excerpt", subject.part(some), some)
