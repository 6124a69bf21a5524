from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.tokenizers.native import count_words
from tokaudit.tokenizers.unicode_classes import SCRIPTS
from tokaudit.tokenizers.words import _counted, _table, words_by_class

BOUNDARY = regex.compile(r"\b", regex.V1 | regex.WORD)
"""The boundaries of UAX #29, by a library that has Unicode's own data."""
WORD = regex.compile(
    r"[[\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{WB=Katakana}\p{L}]--[\p{WB=Extend}\u066b]]", regex.V1
)
LATIN, DIGIT = regex.compile(r"\p{Latin}"), regex.compile(r"\p{WB=Numeric}")
HAN = regex.compile(r"[\p{Script=Han}&&[\p{L}\p{N}]]", regex.V1)
SAMPLES = "aZé_ñжשצ\"'’.:,;·0٣一〇々三かカーｶﾞ가ไ\u0301\u200d\u00ad\u200b\ufeff \n\r-$½Ⅷ²Ⓐ👍🏽ﷺㇰ〆"


def reference(text: str) -> dict[str, int]:
    """Segments with a letter or digit in them, by the class of the first; Han characters apart."""
    found = dict.fromkeys(SCRIPTS, 0)
    for apart in HAN.split(text):
        at = 0
        for end in [*(match.start() for match in BOUNDARY.finditer(apart)), len(apart)]:
            first = WORD.search(apart, at, end)
            if first:
                found["digit" if DIGIT.match(first[0]) else "latin" if LATIN.match(first[0]) else "other"] += 1
            at = end
    found["han"] = len(HAN.findall(text))
    return found


def counted(text: str) -> dict[str, int]:
    return dict(zip(SCRIPTS, words_by_class(text), strict=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("The quick brown fox can't jump 32.3 feet, right?", 9),  # the example of UAX #29
        ("max_tokens __init__ ___ _1", 3),
        ("1,234.5; 3.14", 2),
        ("a.b.c U.S.A. x..y", 4),
        ("你好，世界", 4),
        ("GPT四 model", 3),
        ("カタカナ語とひらがな", 7),
        ("カabc カ_abc", 3),
        ('צה"ל', 1),
        ("e\u0301te\u0301", 1),
        ("👍🏽 $ + ½", 0),
        ("gpt-4o", 2),
        ("ภาษา", 4),
        ("٣٫١٤ ٫", 1),
    ],
)
def test_words(text: str, words: int) -> None:
    assert sum(words_by_class(text)) == words


def test_classes_of_words() -> None:
    assert counted("ab 12 一二 да _x 3D") == {
        "space": 0,
        "digit": 2,
        "emoji": 0,
        "han": 2,
        "latin": 2,
        "punctuation": 0,
        "other": 1,
    }


@settings(max_examples=1500, deadline=None)
@given(st.text(st.sampled_from(SAMPLES), max_size=24))
def test_equal_to_the_boundaries_of_unicode(text: str) -> None:
    assert counted(text) == reference(text)


def test_every_character_is_of_its_class() -> None:
    """Between two letters, and between two digits, every character does what the reference's does."""
    wrong = []
    for code in range(0x110000):
        char = chr(code)
        if 0xD800 <= code < 0xE000 or char == "\u066b" or HAN.match(char):
            continue
        kind = chr(_table()[0x1100 + _table()[code >> 8] * 256 + (code & 255)])
        if kind == " " and not WORD.match(char):  # most: no word, and it parts all
            continue
        wrong += [f"{code:x}" for text in (f"a{char}b", f"1{char}2") if counted(text) != reference(text)]
    assert wrong == []


def test_words_before_and_after_a_newline_are_words_of_the_whole() -> None:
    lines = ["don't\u0301 一,二 3.", "_4 カ", 'אב"', "ג x"]
    assert sum(map(sum, map(words_by_class, lines))) == sum(words_by_class("\n".join(lines)))


@pytest.mark.skipif(count_words("", _table()) is None, reason="no native core")
@settings(max_examples=1500, deadline=None)
@given(st.text(st.sampled_from(SAMPLES), max_size=24) | st.text())
def test_the_core_counts_as_python_does(text: str) -> None:
    assert count_words(text, _table()) == _counted(text)


@pytest.mark.skipif(count_words("", _table()) is None, reason="no native core")
def test_a_table_that_is_cut_is_refused() -> None:
    with pytest.raises(ValueError, match="damaged table of words"):
        count_words("a", _table()[:-1])
