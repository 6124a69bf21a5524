from __future__ import annotations

import pytest

from tokaudit.sources import load

TEXT = """---
title: x
---

Before.

# 退款 规则！

One
two.

- a

  b
- c

| h | i |
|---|---|
| 1 | 2 |

```py
# not a heading

x  =  1
```

## Refunds & *more*

> # quoted
> text

<div>
html
</div>

[ref]: http://example.com
***
    indented code

# 退款 规则
Setext
======
"""
SEGMENTS = [
    ("preamble/front-matter-1", "---\ntitle: x\n---\n\n", 1),
    ("preamble/paragraph-1", "Before.\n\n", 5),
    ("退款-规则/heading-1", "# 退款 规则！\n\n", 7),
    ("退款-规则/paragraph-1", "One\ntwo.\n\n", 9),
    ("退款-规则/list-1", "- a\n\n  b\n- c\n\n", 12),
    ("退款-规则/table-1", "| h | i |\n|---|---|\n| 1 | 2 |\n\n", 17),
    ("退款-规则/code-1", "```py\n# not a heading\n\nx  =  1\n```\n\n", 21),
    ("refunds-more/heading-1", "## Refunds & *more*\n\n", 27),
    ("refunds-more/quote-1", "> # quoted\n> text\n\n", 29),
    ("refunds-more/html-1", "<div>\nhtml\n</div>\n\n", 32),
    ("refunds-more/definition-1", "[ref]: http://example.com\n", 36),
    ("refunds-more/break-1", "***\n", 37),
    ("refunds-more/code-1", "    indented code\n\n", 38),
    ("退款-规则-2/heading-1", "# 退款 规则\n", 40),
    ("setext/heading-1", "Setext\n======\n", 41),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_blocks_and_sections(newline: str) -> None:
    document = load(TEXT.replace("\n", newline), "d/a.md")
    found = [
        (one.id.removeprefix("d/a.md#"), document.text[one.span.start : one.span.end], one.place.line)
        for one in document.segments
    ]
    expected = [(name, text.replace("\n", newline), line) for name, text, line in SEGMENTS]
    if newline == "\r":  # lines of places are split at \n only
        expected = [(name, text, 1) for name, text, _ in expected]
    assert found == expected
    assert [(one.id, one.label) for one in document.sections] == [
        ("d/a.md#preamble", "preamble"),
        ("d/a.md#退款-规则", "退款 规则！"),
        ("d/a.md#refunds-more", "Refunds & *more*"),
        ("d/a.md#退款-规则-2", "退款 规则"),
        ("d/a.md#setext", "Setext"),
    ]
    assert document.sections[1].span.start == document.text.index("# 退款")


def test_slugs_are_unique_and_never_empty() -> None:
    document = load("# a\n# a-2\n# a\n# a\n# !!!\n#\n", "x.md")
    slugs = ["a", "a-2", "a-3", "a-4", "section", "section-2"]
    assert [one.id for one in document.sections] == [f"x.md#{slug}" for slug in slugs]
    assert document.sections[5].label == "(untitled)"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("---\nnot closed\n", ["break", "paragraph"]),
        ("--- \n---\ntext\n", ["front-matter", "paragraph"]),
        ("\n---\na: 1\n---\n", ["break", "heading"]),
        ("~~~\n# x\n\n~~~\n", ["code"]),
        ("> ```\n> # x\n> ```\n", ["quote"]),
        ("- | a |\n  |---|\n  | 1 |\n", ["list"]),
        ("\n\n[a]: b\n", ["definition"]),
        ("\n \n", ["paragraph"]),
        ("a\0b\n# c\0d\n", ["paragraph", "heading"]),
        ("a\u2028# b\n\x0b# c\n", ["paragraph"]),
    ],
)
def test_kinds(text: str, kinds: list[str]) -> None:
    assert [one.kind for one in load(text, "a.md").segments] == kinds


def test_a_block_added_to_one_section_leaves_the_ids_of_others() -> None:
    before = load("# a\n\none\n\n# b\n\ntwo\n", "a.md").segments[3]
    after = load("# a\n\none\n\nmore\n\n# b\n\ntwo\n", "a.md").segments[4]
    assert (before.id, before.label) == (after.id, after.label)
