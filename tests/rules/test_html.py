"""Pages keep what they say, and their source where it is spoken of."""

from __future__ import annotations

import json

import pytest

from tokaudit import slim

_BODY = "<p>" + "This is some body text of the page that fills it. " * 2 + "</p>"


def _page(body: str) -> str:
    return f'<!DOCTYPE html>\n<html><head><title>T</title></head><body class="x">\n{body}\n</body></html>'


def _slimmed(text: str, rule: str, kind: str | None = None) -> str:
    return slim(text, models=["gpt-4o", "qwen3"], kind=kind, select=rule).text


@pytest.mark.parametrize("rule", ["html.text", "html.attributes"])
@pytest.mark.parametrize(
    "words",
    [
        "Write a CSS selector for the buy button in this page:",
        "为什么这个按钮点了没反应？",
        "Check this page for accessibility:",
        "写一个爬虫提取价格：",
        "Make this page responsive:",
        "What tags does this page use?",
    ],
)
def test_a_page_whose_source_is_spoken_of_stays(words: str, rule: str) -> None:
    text = f"{words}\n{_page(_BODY)}"
    assert _slimmed(text, rule) == text


def test_so_does_one_in_a_chat() -> None:
    chat = [{"role": "user", "content": "Click the login button."}, {"role": "tool", "content": _page(_BODY)}]
    assert json.loads(_slimmed(json.dumps(chat), "html.text", "json")) == chat


@pytest.mark.parametrize("words", ["Summarize this page for a different reader:", "总结下面网页："])
def test_other_questions_do_not_keep_it(words: str) -> None:
    page = _page(_BODY)
    assert _slimmed(f"{words}\n{page}", "html.attributes") == f"{words}\n{page}".replace(' class="x"', "")


@pytest.mark.parametrize(
    "element",
    [
        '<p style="display:none">a secret</p>',
        '<b id="b">0</b><script>document.getElementById("b")</script>',
        '<svg><rect width="3" height="4" style="fill:red"/></svg>',
    ],
)
def test_attributes_that_say_something_stay(element: str) -> None:
    assert element in _slimmed(_page(_BODY + element), "html.attributes")


@pytest.mark.parametrize(
    ("element", "said"),
    [
        ('<section id="navigation"><h2>Navigation of ships</h2></section>', "## Navigation of ships"),
        ('<h2 id="search">Search</h2><p id="menu">Press F3.</p>', "## Search\n\nPress F3."),
        ("<dialog open><p>Stop</p></dialog><dialog>No</dialog>", "Stop"),
        ("<p># apt install</p><p>- 5 degrees</p><p>7. is it</p>", "\\# apt install\n\n\\- 5 degrees\n\n7\\. is it"),
        ("<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "x=1/2"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
        ('<math alttext="\\frac{1}{2}"><mn>1</mn></math>', "$\\frac{1}{2}$"),
        ("<ol start=3><li>c<li value=7>g<li>h</ol>", "3. c\n7. g\n8. h"),
        ("<ol type=a><li>x<li>y</ol>", "a. x\nb. y"),
        ("<ol type=I start=4><li>x</ol>", "IV. x"),
        ("<ol reversed><li>x<li>y</ol>", "2. x\n1. y"),
        ("<select><option>A<option selected>B</select>", "A [x] B"),
        ("<p>Done: <progress value=3 max=10></progress></p>", "Done: 3/10"),
        ('<p>30 <span class="sr-only">not available</span></p>', "30 not available"),
    ],
)
def test_what_a_page_says_stays(element: str, said: str) -> None:
    assert _slimmed(_page(_BODY + element), "html.text").split("fills it.")[-1].strip() == said


def test_a_header_with_a_heading_and_the_footer_of_an_article_stay() -> None:
    page = _page(f"<header><h3>Recall</h3></header>{_BODY}")
    assert _slimmed(page, "html.text").startswith("# T\n\n### Recall\n\nThis")
    page = _page(f"<article>{_BODY}<footer><p>Returns within 7 days.</p></footer></article><footer>Menu</footer>")
    assert _slimmed(page, "html.text").endswith("fills it.\n\nReturns within 7 days.")
