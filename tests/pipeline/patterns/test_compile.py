from __future__ import annotations

import pytest
import regex

from tokaudit.model import RuleError
from tokaudit.pipeline.patterns.compile import LONGEST, check_pattern, compile_pattern
from tokaudit.pipeline.patterns.tree import parse, width

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
BAD = {
    r"(a+)+$": 0,
    r"(a*)*b": 0,
    r"x(?:\w+\s?)+$": 1,
    r"(a|a)*$": 0,
    r"(\w|\d)+$": 0,
    r"(?:a|ab|b)*c": 0,
    r"(?:a?b?)*c": 0,
    r"(?:\s*a\s*)+$": 0,
    r"([a-z]+)*[0-9]": 0,
    r"(?:[^，]+，?)+。": 0,
    r"(?:(?:ab)+)+$": 0,
    r"(?:\p{Han}+|[一-龥])+x": 0,
    r"(?:[\u4e00-\u9fff]|\w)+x": 0,
    r"(?i)(?:a|A)+x": 4,
    r"(a{1,50}){1,50}x": 0,
    r"(.{10,})\1+": 8,
    r"(.+)\1": 4,
    r"(?P<long>.{1,40})(?P=long)+": 17,
    r"\s*\s*$": 0,
    r".*.*x": 0,
    r"\d+\w*\d+x": 0,
    r"\s*[:：]?\s*x": 0,
    r"(?<=\s*)x": 0,
    r"a(?<!b.*)c": 1,
    r"a{5000}": 0,
    r"(?:a{1,200}){1,200}": 0,
    r"(?:x){e<=3}": 5,
    r"(?:(?R))?x": 3,
    r"(?:.*,)*x": 0,
    r"(?=(a+)+b)": 3,
    r"(?>(?:a+)+b)": 3,
    r"(?:(?:a+)+b)++": 3,
    "x" * (LONGEST + 1): LONGEST,
    r"(?:(?:ab){1000}){1000}": 0,
    r"^(.*?,){11}P": 1,
    r"(?:(?:x|y|[x-z])*-?){5}": 0,
}


@pytest.mark.parametrize("pattern", SANE)
def test_sane(pattern):
    assert check_pattern(pattern) == []
    assert compile_pattern(pattern) is compile_pattern(pattern)


@pytest.mark.parametrize(("pattern", "offset"), BAD.items(), ids=[pattern[:30] for pattern in BAD])
def test_refused(pattern, offset):
    problem = check_pattern(pattern)[0]
    assert problem.offset == offset, problem
    assert problem.message


@pytest.mark.parametrize("pattern", [r"[ab", r"\p{Nope}", r"(?P<x>a)(?P<x", r"a**b(", r"(?<n>a)\g<m>", r"\L<list>"])
def test_does_not_compile(pattern):
    (problem,) = check_pattern(pattern)
    assert "does not compile" in problem.message
    with pytest.raises(RuleError, match="does not compile") as caught:
        compile_pattern(pattern)
    assert caught.value.hint


def test_offset_of_what_does_not_compile():
    assert check_pattern("abc(")[0].offset == 4
    with pytest.raises(RuleError, match="offset 4"):
        compile_pattern("abc(")


def test_flags():
    assert compile_pattern("^b$").search("a\nb\nc")
    assert compile_pattern("(?V1)[[a-c]--[b]]").findall("abc") == ["a", "c"]


def test_nesting():
    assert check_pattern("(" * 200 + "a" + ")" * 200) in ([], [(0, "nested too deeply")])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a+)+$", "a" * 2_000 + "!"),
        (r"(a|a)*$", "a" * 2_000 + "!"),
        (r"(\w|\d)+$", "1" * 2_000 + "!"),
        (r"(?:(?:ab)+)+[cd]", "ab" * 1_000),
        (r"(?=(a+)+b)", "a" * 2_000),
        (r"(a{1,50}){1,50}[xy]", "a" * 300),
        (r"^(.*?,){11}P", "1," * 40),
    ],
)
def test_refused_ones_are_slow(pattern, text):
    """What is refused really takes long: ``regex`` itself gives up on a short text."""
    assert check_pattern(pattern)
    with pytest.raises(TimeoutError):
        regex.compile(pattern).search(text, timeout=0.05)


HOSTILE = [
    "a" * 20_000,
    " " * 3_000,
    "1" * 20_000,
    "，" * 20_000,
    "啊" * 20_000,
    "第1页" * 5_000,
    '"' * 20_000,
    "\n" * 3_000,
]


@pytest.mark.timeout(120)  # what is refused would not end
@pytest.mark.parametrize("pattern", SANE)
def test_sane_ones_are_not(pattern):
    """What is accepted gets through hostile texts, whatever a run of blanks costs it."""
    expression = compile_pattern(pattern)
    for text in HOSTILE:
        for match in expression.finditer(text[:5_000] + "\0"):
            assert match.start() <= match.end()


def test_tree():
    tree = parse(r"(?P<a>x{2,5})(?:[^]\]]|\p{Han}){,3}(?#note)\1\b(?i:k)")
    assert set(tree.groups) == {"1", "a"}
    assert width(tree.root, tree) == 5 + 3 + 5 + 1
    assert width(parse("a(?=b+)c").root, tree) == 2
    assert width(parse("ab*").root, tree) is None
