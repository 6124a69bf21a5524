"""Fast paths of slimming give what plain readings of the same rules give."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.search import Search
from tokaudit.pipeline.engine.text_state import TextState
from tokaudit.pipeline.ops import sentence_marks
from tokaudit.pipeline.spans.examples import _labels, _named
from tokaudit.pipeline.spans.verbatim import _PART, _Closes
from tokaudit.store.packs import load_packs, rules_of

SETTINGS = settings(max_examples=300, deadline=None)
LABELS = st.lists(
    st.sampled_from(
        [
            "\n",
            "\n",
            "\n",
            ":",
            "：",
            " ",
            "输入",
            "输出",
            "示例1",
            "第一条",
            "例",
            "Q",
            "answer",
            "[",
            "]",
            "【",
            "】",
            "# ",
            "*",
            "12:30",
            "x" * 12,
            "tone",
            "1. ",
            "问",
            "\t",
            "shot 2",
            "-",
        ]
    ),
    max_size=40,
).map("".join)
MARKS = st.lists(
    st.sampled_from(
        ["很好", "好", "他说没有", "。", "。", "。。", "！", "！！！", "？？", "a", "，", "\n", "高", "低", "、"]
    ),
    max_size=40,
).map("".join)
SPOKEN = st.lists(
    st.sampled_from(
        [
            "１２３",
            "ＡＢＣ",
            "  ",
            "很好！！！",
            "\u3000\u3000",
            " \n",
            "\n\n\n\n",
            "\n",
            "我们去了。",
            "全角",
            "空白",
            "对齐",
            "请统计标点。\n",
            "&amp;",
            "http://a.b/?utm_source=x",
            "`",
            "翻译下面的文本。\n",
            "123",
            "“",
        ]
    ),
    max_size=30,
).map("".join)


def labels_by_colon(source: str) -> list[tuple[int, int, str, str]]:
    """A label from the beginning of a line up to its bracket, line end, or any colon within 40 characters."""
    found = []
    bracket = re.compile(r"[ \t]{0,8}(?:[\[【][^\]】\n]{1,30}[\]】]|[#*][^\n:：]{1,38}(?=\n))")
    for newline in re.finditer("\n", source):
        low = newline.end()
        end = source.find("\n", low)
        end = len(source) if end < 0 else end
        first = bracket.match(source, low)
        places = [(first.end(), first.end())] if first else []
        skipped = first.end() if first else low
        places += [(at, at + 1) for at in range(skipped, min(end, low + 40)) if source[at] in ":："]
        named = ((low, last, *_named(source[low:high])) for high, last in places)
        found += [label for label in named if label[2] or label[3]][:1]
    return found


@given(LABELS)
@SETTINGS
def test_labels_are_those_of_all_colons(text: str) -> None:
    source = f"\n\n{text}"
    assert list(_labels(source, 0, len(source))) == labels_by_colon(source)


@given(MARKS)
@SETTINGS
def test_clauses_with_one_mark_are_told_apart(text: str) -> None:
    chars = "！？。"
    runs = [(match.start(), match.end(), match[1]) for match in re.finditer(r"([！？。])\1*", text)]
    clause = sentence_marks._clause
    repeated = [(start, end) for start, end, _ in runs if end > start + 1]
    several = {clause(text, start) + text[start] for start, _ in repeated}
    once = {clause(text, start) + mark for start, end, mark in runs if end == start + 1 and clause(text, start)}
    assert sentence_marks._told_apart(text, chars, repeated) == several & once


@given(st.sampled_from(["</pre>", "</PRE>", "</Pre>", "</pre"]), st.integers(-8, 8), st.sampled_from(["", "İ", "ß"]))
def test_closing_tags_are_found_across_parts(tag: str, shift: int, letter: str) -> None:
    source = letter + "x" * (_PART + shift) + tag
    small = source.lower()
    expected = (small if len(small) == len(source) else source).find("</pre>", 1)
    assert _Closes(source).next("</pre>", 1, folded=True) == expected


RULES: list[Rule] = [
    rule
    for rule in rules_of(load_packs(["cn", "en"], examples=False))
    if rule.op != "convert"  # needs another library
]


@given(SPOKEN, SPOKEN)
@SETTINGS
def test_a_rule_that_looks_again_finds_what_a_new_one_finds(before: str, after: str) -> None:
    langs = frozenset(("zh", "en"))
    first, second = TextState(before, "text", langs), TextState(after, "text", langs)
    again = Search(len(before))
    for rule in RULES:
        again.edits(rule, first, None)
        fresh = Search(len(after)).edits(rule, second, None)
        assert again.edits(rule, second, None, again=True).edits == fresh.edits
        assert again.edits(rule, second, None, again=True).edits == fresh.edits
