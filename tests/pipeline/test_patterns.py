from __future__ import annotations

import time

import pytest

from tokaudit.model import RuleError
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.patterns import LONGEST, compile_pattern, pattern_problem

SANE = r"""
(?<=\p{Han})[啊呢哦呀嘛]+(?=[，。！？、；～…\s]|$)
^第\s*\d+\s*页(?:\s*共\s*\d+\s*页)?$
^[-–—]?\s*\d{1,4}(?:\s*/\s*\d+)?\s*[-–—]?$
[ \t]+$
\n{3,}
(?:[^\S\n]*\n){3,}
[！!]{2,}
([！？。])\1+
(的|了|是|在)\1(?!的)
订单号\s*[:：]\s*#?
(\d{4})年(\d{1,2})月(\d{1,2})日
(?<![\d.])([¥￥])(\d{1,3}(?:,\d{3})+|\d+)\.00(?:元)?
https?://[^\s，。]+
[\w.+-]+@[\w-]+(?:\.[\w-]+)+
^(?:嗯+|呃|哦|额)[，,]\s*
(?:那个|就是说)[，,、]?
(?i)\bin order to\b
(?i)\b(?:basically|actually),?\s+
<!--(?:(?!-->).)*-->
(?s)<!--.*?-->
\{\{[^{}]*\}\}
(?<=[一-龥])[ \t]+(?=[一-龥])
(?:[\u2e80-\u9fff][ ]){2,}[\u2e80-\u9fff]
^\s*(?:#{1,6})\s.*$
^[ \t]*\d+[.、]\s*.*$
[&?]utm_[a-z]+=[^&\s]*
(?:\x1b\[[0-9;]*m)+
"(?:[^"\\]|\\.)*"
"[^"\\]*(?:\\.[^"\\]*)*"
\(cid:\d+\)(?:\s*\(cid:\d+\))*
[\p{So}\p{Sk}]{3,}
(?<!\w)(?:您好|请问|麻烦您)[，,！!]?
^(?:用户|客服)[:：]\s*
[A-Za-z]+-\n[a-z]+
\s*\n\s*
(?:\d{1,3},)*\d{3}
(?:第[一二三四五六七八九十]+[章节条])+
\p{Han}{2,4}(?=先生|女士)
(?:ab|ac)+
(?>\s+)\S
\s++\s
(?:[-=*_]){10,}
^.*\d{4}.*$
(?:\S+[ \t]+)*\S+
(?<=^.{0,20})x
-{3,}|={3,}|\*{3,}
[一-龥]+(?:、[一-龥]+)*
(?x) a+  # letters
(?V1)[[a-z]--[aeiou]]+
(a)?(?(1)ab|cd)+
[]a]+[^]a]+
[[:alpha:]]+\d
(?P<mark>[*_]{1,3})[^*_\n]+(?P=mark)
(?>a+|b+)+c
(?:(?:a++b?)+)c
""".strip().split("\n")
REFUSED = {
    "x" * (LONGEST + 1): LONGEST,
    "a{5000}": 1,
    "a(?:b{1,2000})": 5,
    "(?:(?:ab){1000}){1000}": 16,
    "(?:a{1000}){1000}": 11,
    "(?:(?:(?:ab){100}){100}){100}": 24,
}
HOSTILE = [
    (r"(a+)+$", "a"),
    (r"(a|a)*$", "a"),
    (r"(\w|\d)+$", "1"),
    (r"(?:(?:ab)+)+[cd]", "ab"),
    (r"(?:(?:ab)+)+$", "ab"),
    (r"(?=(a+)+b)", "a"),
    (r"(?>(?:a+)+b)", "a"),
    (r"(a{1,50}){1,50}[xy]", "a"),
    (r"^(.*?,){11}P", "1,"),
    (r"(.{10,})\1+[xy]", "ab "),
    (r"(\w+)(?:\s+\1)+$", "1"),
    (r"(?:\s*a\s*)+$", "a"),
    (r"(?:a?){1000}a{1000}!!", "ab"),
    (r"(?:(?R)|a)*b", "ab"),
]


def deleting(name, pattern, **fields):
    return Rule(name, "title", "why", "near", "lexical", "delete", {"pattern": pattern}, guard="never", **fields)


@pytest.mark.parametrize("pattern", SANE)
def test_sane(pattern):
    assert pattern_problem(pattern) is None
    assert compile_pattern(pattern) is compile_pattern(pattern)


@pytest.mark.parametrize(("pattern", "offset"), REFUSED.items(), ids=[pattern[:30] for pattern in REFUSED])
def test_a_pattern_that_would_be_huge_is_refused(pattern, offset):
    problem = pattern_problem(pattern)
    assert problem.offset == offset, problem
    assert any(said in problem.message for said in ("at most", "longer than", "too large"))


@pytest.mark.parametrize("pattern", [r"[ab", r"\p{Nope}", r"(?P<x>a)(?P<x", r"a**b(", r"(?<n>a)\g<m>", r"\L<list>"])
def test_does_not_compile(pattern):
    assert "does not compile" in pattern_problem(pattern).message
    with pytest.raises(RuleError, match="does not compile") as caught:
        compile_pattern(pattern)
    assert caught.value.hint


def test_offset_of_what_does_not_compile():
    assert pattern_problem("abc(").offset == 4
    with pytest.raises(RuleError, match="offset 4"):
        compile_pattern("abc(")


def test_flags():
    assert compile_pattern("^b$").search("a\nb\nc")
    assert compile_pattern("(?V1)[[a-c]--[b]]").findall("abc") == ["a", "c"]


def test_nesting():
    assert pattern_problem("(" * 200 + "a" + ")" * 200) is None


@pytest.mark.parametrize(("pattern", "piece"), HOSTILE)
def test_a_hostile_pattern_is_left_out_in_time(pattern, piece):
    """It ends soon, the report names its rule, and the edits of other rules count."""
    text = piece * (20_000 // len(piece)) + "!  \n"
    slow = deleting("test.slow", pattern, timeout_ms=50)
    began = time.process_time()
    result = slim_text(text, [slow, deleting("test.blanks", " +$")])
    assert time.process_time() - began < 5
    assert result.text == text.replace("  \n", "\n")
    assert {delta.rule for delta in result.deltas if delta.timed_out} == {"test.slow"}


def test_a_pattern_that_needs_too_much_memory_is_left_out(monkeypatch):
    """``regex`` gives up at a gigabyte, before the time is up, where such a pattern meets ten megabytes."""

    class Greedy:
        def finditer(self, *_arguments, **_options):
            raise MemoryError

    monkeypatch.setattr("tokaudit.pipeline.patterns.compile_pattern", lambda _pattern: Greedy())
    result = slim_text("a b\n", [deleting("test.greedy", "a")])
    assert result.text == "a b\n"
    assert [delta.timed_out for delta in result.deltas] == [True]
