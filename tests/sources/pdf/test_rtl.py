"""Lines that are written from the right, as they stand on the page to as they are read."""

from __future__ import annotations

import pytest

from tokaudit.sources.pdf.hyphens import link
from tokaudit.sources.pdf.rtl import read


@pytest.mark.parametrize(
    "text",
    ["דוח רבעוני 2024", "ספק ציוד (סניף 12)", "السلام عليكم ورحمة الله", "גרסה 2.4.1 של Debian", "عدد ١٢٣ صفحة"],
)
def test_a_line_from_the_right(text):
    parts = [part if part[0].isascii() or part[0].isdigit() else part[::-1] for part in text.split()]
    seen = " ".join(reversed(parts))
    seen = "(12 ףינס) דויצ קפס" if "(" in text else seen
    assert read(seen) == text


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ("10 2024 םולש", "שלום 2024 10"),
        ("03-1234567 ןופלט", "טלפון 03-1234567"),
        ("12.50 ריחמ", "מחיר 12.50"),
        ("ABC 2024 תרבח", "חברת ABC 2024"),
        ("50% החנה", "הנחה 50%"),
        ("7% החנה", "הנחה 7%"),
    ],
)
def test_numbers_in_a_line_from_the_right(seen, text):
    assert read(seen) == text


def test_brackets_that_the_file_has_as_they_are_read():
    assert read(")12 ףינס( דויצ קפס") == "ספק ציוד (סניף 12)"


def test_words_from_the_right_in_a_line_from_the_left():
    assert read("The word םולש means peace in Hebrew") == "The word שלום means peace in Hebrew"


def test_letters_in_the_shape_that_they_have_within_words():
    assert read("\ufee1\ufefc\ufeb3") == "سلام"


@pytest.mark.parametrize(
    ("head", "tail", "words", "expected"),
    [
        ("e", "mail", {"email"}, "-"),
        ("co", "operative", {"cooperative"}, "-"),
        ("re", "sent", {"resent", "sent"}, "-"),
        ("re", "quired", {"required"}, ""),
        ("Cross", "sectional", set(), "-"),
        ("docu", "mentation", set(), ""),
    ],
)
def test_hyphens_that_belong_to_a_word(head, tail, words, expected):
    assert link(head, tail, frozenset(words)) == expected
