from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokaudit.model import Column, Finding, Place, Table
from tokaudit.reporters.cells import figures, one_line, place_of, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("one\r\ntwo\tthree", "one\\r\\ntwo\\tthree"),
        ("abc\u202etxt.exe", "abc\\u202etxt.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("a\u2028b\x85c\x9bd", "a\\u2028b\\x85c\\x9bd"),
        ("\ufeffbom", "\\ufeffbom"),
        ("bad\udcff", "bad\\udcff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("全角\u3000空格\xa0", "全角\u3000空格\xa0"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("[red]x[/red]", "[red]x[/red]"),
    ],
)
def test_one_line(text, expected):
    assert one_line(text) == expected


def test_ascii_substitutes_touch_only_our_signs():
    assert one_line("≈ 12… 中文", ascii_only=True) == "~ 12... 中文"


@given(st.text())
def test_one_line_is_one_line_that_can_be_written(text):
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    line.encode("utf-8")
    assert "\x1b" not in line
    assert one_line(line) == line


def test_figures_and_how_they_are_shown():
    table = Table(
        "", [Column("a", "A"), Column("b", "B"), Column("c", "C", "right")], [["x", 1, "≈5"], ["y", None, None]]
    )
    assert figures(table) == [False, True, True]
    assert shown(1234567, "", figure=True) == "1,234,567"
    assert shown(0.5, "", figure=True) == "0.500"
    assert shown(0.5, ".1%", figure=True) == "50.0%"
    assert shown(None, "", figure=True) == "-"
    assert shown(None, "", figure=False) == ""


def test_place_of_a_finding():
    assert place_of(Finding("r", "note", "m", "a.md", Place(line=3, column=7))) == "a.md:3:7"
    assert place_of(Finding("r", "note", "m", "a.pdf", Place(page=2))) == "a.pdf page 2"
    assert place_of(Finding("r", "note", "m", "a.json", Place(message=1))) == "a.json message 1"
