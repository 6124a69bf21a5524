from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model.rules import FACTS
from tokaudit.pipeline.facts.find import compare, find_facts
from tokaudit.pipeline.facts.values import fold
from tokaudit.pipeline.patterns import compile_pattern, pattern_problem

SETTINGS = settings(max_examples=300, deadline=None)
PIECES = [
    "1",
    "12",
    "007",
    "1,299.00",
    "3.5",
    "%",
    "万",
    "元",
    "¥",
    "$",
    "USD",
    "年",
    "月",
    "日",
    "个",
    "一",
    "三",
    "十",
    "〇",
    "不",
    "没",
    "非",
    "not",
    "don't",
    "no",
    "-",
    "/",
    ".",
    ":",
    "：",
    "#",
    "_",
    "+",
    "@",
    "`",
    "``",
    "```",
    "~~~",
    "{",
]
PIECES += [
    "}",
    "{x}",
    "{{",
    "}}",
    "${",
    "<x>",
    "[[",
    "]]",
    "http://",
    "www.",
    "x.com",
    "a@b.co",
    "/a/b",
    "C:\\",
    "May",
    "20",
    "2024",
    "ORD",
    "a",
    "b",
    ",",
    "，",
    "(",
    ")",
    "\\",
    '"',
    "'",
    "\x1b[1m",
    "&#39;",
    "%s",
    "T",
    "Z",
]
PIECES += [" ", "\n", "\r\n", "\t", "\u3000", "\xa0", "\0", "\u200b", "😀"]
TEXTS = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
DOCUMENTS = st.sampled_from(["text", "markdown", "json", "jsonl", "code", "log", "chat", "pdf"])
TO_WIDE = {
    code: code + 0xFEE0 for code in (*range(ord("0"), ord("9") + 1), *range(ord("A"), ord("Z") + 1), ord("."), ord("-"))
}
PATTERNS = st.one_of(
    st.text(max_size=20),
    st.lists(
        st.sampled_from(
            [
                r"a",
                r"b",
                r"\w",
                r"\s",
                r".",
                r"[ab]",
                r"[^a]",
                r"(?:",
                r"(",
                r")",
                r")",
                r")",
                r"|",
                r"*",
                r"+",
                r"?",
                r"++",
                r"{2,}",
                r"{1,3}",
                r"^",
                r"$",
                r"\1",
                r"(?=",
                r"(?<=",
                r"(?>",
                r"\p{Han}",
                r"的",
            ]
        ),
        max_size=12,
    ).map("".join),
)


@SETTINGS
@given(TEXTS, DOCUMENTS)
def test_facts_are_apart_and_in_order(text, kind):
    facts = find_facts(text, kind)
    assert all(0 <= fact.start < fact.end <= len(text) and fact.kind in FACTS for fact in facts)
    assert all(one.end <= other.start for one, other in pairwise(facts))
    assert compare(facts, facts) == ([], [])


@SETTINGS
@given(st.lists(st.sampled_from([*PIECES, "ORD-2024-7890", "3.14", "1A"]), max_size=20).map("".join))
def test_full_width_is_the_same(text):
    wide = text.translate(TO_WIDE)
    assert fold(wide) == fold(text)
    marked = {"code", "placeholder"}
    assert [fact for fact in find_facts(wide) if fact.kind not in marked] == [
        fact for fact in find_facts(text) if fact.kind not in marked
    ]


@SETTINGS
@given(TEXTS, TEXTS, st.sets(st.sampled_from(FACTS)))
def test_compare_is_symmetric(one, other, removes):
    first, second = find_facts(one), find_facts(other)
    lost, made_up = compare(first, second, frozenset(removes))
    assert (made_up, lost) == compare(second, first, frozenset(removes))
    assert not removes & {fact.kind for fact in (*lost, *made_up)}
    assert not lost or not made_up or not {fact[2:] for fact in lost} & {fact[2:] for fact in made_up}


@SETTINGS
@given(TEXTS, TEXTS)
def test_lines_apart(one, other):
    """What stands in paragraphs of their own does not change each other's facts, but for what goes over lines."""
    if any(mark in one + other for mark in ("`", "~")):
        return
    whole = find_facts(f"{one}。\n\n。{other}")
    shift = len(one) + 4
    apart = [
        *find_facts(one + "。"),
        *(f._replace(start=f.start + shift - 1, end=f.end + shift - 1) for f in find_facts("。" + other)),
    ]
    assert whole == apart


@SETTINGS
@given(PATTERNS)
def test_a_pattern_without_problems_compiles(pattern):
    problem = pattern_problem(pattern)
    if problem is None:
        compile_pattern(pattern)
    else:
        assert 0 <= problem.offset <= len(pattern)
