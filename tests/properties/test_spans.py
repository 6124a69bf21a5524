from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model.rules import PROTECTED, STRUCTURE
from tokaudit.pipeline.spans.find import find_spans

SETTINGS = settings(max_examples=300, deadline=None)
KINDS = st.sampled_from(["text", "markdown", "json", "jsonl", "code", "log", "chat", "pdf", "template"])
PIECES = [
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    " ",
    "  ",
    "    ",
    "\t",
    "\f",
    "\u3000",
    "# ",
    "- ",
    "1. ",
    "> ",
    "```",
    "~~~",
    "`",
    "``",
]
PIECES += [
    "|a|b|\n|-|-|\n",
    "a|b\n-|-\n",
    "---\n",
    "+++\n",
    "a: b\n",
    "===\n",
    "'",
    '"',
    "“",
    "”",
    "「",
    "」",
    "‘",
    "’",
    "＂",
    "«",
]
PIECES += [
    "https://a.b/c",
    "](",
    ")",
    "(",
    "[",
    "]",
    "a@b.c",
    "/",
    "//",
    "\\",
    "C:\\",
    "main.py",
    ".",
    ",",
    "www.",
    "mailto:",
]
PIECES += [
    "{",
    "}",
    "{{",
    "}}",
    "{%",
    "%}",
    "%s",
    "%(a)s",
    "$X",
    "${",
    "<",
    ">",
    "<b>",
    "</b>",
    "<x>",
    "<!--",
    "-->",
    "[[",
    "]]",
]
PIECES += [
    '{"a": 1}',
    "[1, 2]",
    '{"',
    "tokaudit:off",
    "tokaudit:on",
    "# tokaudit:off",
    "/*",
    "*/",
    "<?xml",
    "天，",
    "一、",
    "a",
    "1",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))


@SETTINGS
@given(TEXTS, KINDS)
def test_spans_lie_in_the_text_and_are_the_same_again(text: str, kind: str) -> None:
    spans = list(find_spans(text, kind).all)
    assert spans == sorted(spans)
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        assert span.kind in PROTECTED + STRUCTURE
    assert list(find_spans(text, kind).all) == spans


@SETTINGS
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_ends_of_lines_do_not_matter(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    assert find_spans(text.replace("\n", "\r"), "markdown").all == find_spans(text, "markdown").all


@SETTINGS
@given(
    st.text(st.characters(exclude_characters="\r\n\f", exclude_categories=["Cs"])).filter(lambda text: "`" not in text)
)
def test_what_a_fence_holds_is_protected(line: str) -> None:
    text = f"a\n\n```\n{line}\n```\nb"
    starts, ends = find_spans(text, "text").merged(frozenset(["fence"]))
    assert (starts, ends) == ([3], [len(text) - 2])
