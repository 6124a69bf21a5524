"""The scan for headings finds what the parser finds, or says that it cannot tell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from places import ROOT
from tokaudit.sources import markdown
from tokaudit.sources.headings import headings_of

LINES = st.sampled_from(
    """# One|## 二 ##|###|#not|# a ¦ b| # indented|  ## in a list|    # code|\t# tab|#\ttab #|####### seven|# `x` #
# x #y|## # ##|\\# no|text|more text|||  |\t|---|===|-|--- | ---|- - -|***|--- x|¦---¦|---¦---|:-:|a ¦ b|¦ 1 ¦ 2 ¦
```|```py|~~~|````|``` a`b|  ```|   ```|    ```|> ```|- ```|1. ```|`` ` ``|~~~~ x ~|- a|  b|    c|1. a|   b|> q|>
> # q|* x|-|+|10) x|<div>|</div>|<x>|<!-- a -->|<!-- a|-->|<pre>|</pre>|<?a|<!X>|<b>x</b>|<http://x>|<rules>|</rules>
 <p>|<a href='|[a]: /u|[a]: /u 'x|x'|[a]:|{% if x %}|$$|\u2028|\u3000# x""".replace("\n", "|").split("|")
).map(lambda line: line.replace("¦", "|"))
TEXTS = st.lists(LINES, max_size=14).map("\n".join)


def same(text):
    scanned = markdown.sections("a.md", text)
    parsed = markdown.divide("a.md", text)[1]
    assert list(scanned) == list(parsed)


@settings(max_examples=1500, deadline=None)
@given(TEXTS, st.booleans())
def test_sections_equal_the_parsers(text, ends):
    same(text + "\n" * ends)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_sections_behind_front_matter(text):
    same("---\ntitle: x\n---\n" + text)


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("samples/**/*.md")])
)
def test_real_texts(path):
    same(path.read_text(encoding="utf-8"))


def test_ordinary_prompts_need_no_parser():
    text = (
        "# A\n\ntext\n\n- a\n- b\n  ```json\n  {}\n  ```\n\n## B ##\n\n<rules>\n- x\n</rules>\n\n"
        "```\n# no\n```\n\n---\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- note -->\n### C\n"
    )
    found = headings_of(text, 0)
    assert found is not None
    assert list(found.values()) == [(1, "A"), (2, "B"), (3, "C")]
    same(text)
