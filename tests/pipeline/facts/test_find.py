from __future__ import annotations

from itertools import pairwise

import pytest

from tokaudit.model.rules import FACTS
from tokaudit.pipeline.facts.find import Fact, compare, find_facts


def values(text: str, kind: str = "text") -> list[tuple[str, str]]:
    return [(fact.kind, fact.value) for fact in find_facts(text, kind)]


SAME = [
    (
        "amount",
        "CNY 1299",
        ["¥1,299.00元", "￥1299", "1299元", "1299 元", "1,299.0 元", "RMB1299", "CNY 1,299", "１２９９元"],
    ),
    ("amount", "USD 5", ["$5", "5美元", "USD 5", "5 USD", "US$5.00", "5 dollars", "＄５"]),
    ("amount", "35000", ["3.5万", "3.5 万", "３．５万"]),
    ("amount", "CNY 35000", ["3.5万元", "¥3.5万", "35,000元", "35千元"]),
    ("amount", "CNY -5", ["-¥5", "¥-5", "-5元"]),
    ("amount", "CNY 120000000.5", ["1.200000005亿元"]),
    (
        "date",
        "2024-05-20",
        [
            "2024年5月20日",
            "2024年05月20日",
            "2024 年 5 月 20 日",
            "2024年5\n月20日",
            "2024年5月20号",
            "２０２４年５月２０日",
            "二〇二四年五月二十日",
            "二〇二四 年 五 月 二十 日",
            "2024/5/20",
            "2024-05-20",
            "2024.5.20",
            "May 20, 2024",
            "May 20th, 2024",
            "MAY 20 2024",
            "20 May 2024",
            "20th of May, 2024",
        ],
    ),
    ("date", "--05-20", ["5月20日", "05月20日", "五月二十日", "May 20", "20 May"]),
    ("date", "2024-05", ["2024年5月", "2024年05月份", "May 2024", "二〇二四年五月"]),
    ("date", "--03", ["3月", "三月", "三 月"]),
    ("date", "2024", ["2024年", "二〇二四年"]),
    ("date", "08:00", ["08:00", "8:00", "08：00", "０８：００"]),
    ("date", "08:00:05.123", ["08:00:05.123", "8:00:05.123"]),
    ("number", "1299", ["1299", "1,299", "1,299.00", "1299.0", "１２９９"]),
    ("number", "-5", ["-5", "−5", "－５"]),
    ("number", "5%", ["5%", "5 %", "5.0%", "５％"]),
    ("number", "三个月", ["三个月", "三個月", "三 个 月"]),
    ("number", "1e5", ["1e5", "1E5"]),
    ("identifier", "ORD-2024-7890", ["ORD-2024-7890", "#ORD-2024-7890", "ＯＲＤ-２０２４-７８９０", "ORD－2024－7890"]),
    ("negation", "没", ["没", "没有", "沒有"]),
    ("negation", "not", ["not", "NOT", "cannot", "don't", "don’t", "don&#39;t", "n't"]),
    ("negation", "不", ["不", "\uf967"]),
]


@pytest.mark.parametrize(
    ("kind", "value", "text"), [(kind, value, text) for kind, value, all_ in SAME for text in all_]
)
def test_same_value(kind, value, text):
    assert values(text) == [(kind, value)]


OTHER = [
    ("三个月", "三月"),
    ("3个月", "3月"),
    ("12 34", "1234"),
    ("12\n34", "1234"),
    ("007", "7"),
    ("08:00", "08:0"),
    ("08:00", "08:00:00"),
    ("1，299", "1,299"),
    ("3.14", "314"),
    ("5%", "5"),
    ("-5", "5"),
    ("一个", "个"),
    ("1/2", "12"),
    ("1.2.3", "1.2"),
    ("¥5", "$5"),
    ("5元", "5"),
    ("ORD-2024-7890", "ORD-2024-789"),
    ("异常不处理", "异常处理"),
    ("非常规", "规"),
    ("no one", "one"),
    ("without it", "with it"),
    ("`a  b`", "`a b`"),
    ("{ name }", "{name}"),
    ("see /a/b", "see /a"),
    ("http://x/?a=1", "http://x/"),
    ("+86-138-0013-8000", "86-138-0013-8000"),
    ("3.5万", "3.5亿"),
]


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_value(one, other):
    lost, made_up = compare(find_facts(one), find_facts(other))
    assert lost or made_up


KINDS = [
    ("订单号：12345", "identifier", "12345"),
    ("您的订单号是：#5", "identifier", "5"),
    ("订 单 号 ： 5", "identifier", "5"),
    ("13800138000", "identifier", "13800138000"),
    ("010-8888-8888", "identifier", "010-8888-8888"),
    ("192.168.1.1", "identifier", "192.168.1.1"),
    ("v1.2.3", "identifier", "v1.2.3"),
    ("#A123", "identifier", "A123"),
    ("550e8400-e29b-41d4-a716-446655440000", "identifier", "550e8400-e29b-41d4-a716-446655440000"),
    ("e83c5163316f89bfbde7d9ab23ca2e25604af290", "identifier", "e83c5163316f89bfbde7d9ab23ca2e25604af290"),
    ("2024-05-20-001", "identifier", "2024-05-20-001"),
    ("covid-19", "identifier", "covid-19"),
    ("iPhone15", "identifier", "iPhone15"),
    ("你可以5", "number", "5"),
    ("you may 5", "number", "5"),
    (".5", "number", "0.5"),
    ("第十二条", "number", "十二"),
    ("万一", "number", "万一"),
    ("a@b.com", "email", "a@b.com"),
    ("(http://x/y_(z)?b=c&amp;d).", "url", "http://x/y_(z)?b=c&d"),
    ("见http://x.com/a5，然后", "url", "http://x.com/a5"),
    ("www.x.com/5", "url", "www.x.com/5"),
    ("[a](http://x/y_(z)?b=1)", "url", "http://x/y_(z)?b=1"),
    ("in /etc/hosts5.", "path", "/etc/hosts5"),
    ("src/foo/a1.py", "path", "src/foo/a1.py"),
    ("C:\\a\\b5.txt", "path", "C:\\a\\b5.txt"),
    ("~/x", "path", "~/x"),
    ("../x/y", "path", "../x/y"),
    ("`not 5`", "code", "`not 5`"),
    ("``a ` 5``", "code", "``a ` 5``"),
    *(
        (slot, "placeholder", slot)
        for slot in ["{x}", "{{ x }}", "${x}", "%s", "%(x)s", "<x>", "[[x]]", "{% if 5 %}", "{嗯}", "{}", "{ name }"]
    ),
]


@pytest.mark.parametrize(("text", "kind", "value"), KINDS)
def test_kind(text, kind, value):
    assert values(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "系统正常",
        "and/or km/h 是/是 </div>",
        "&#39;x&#39;",
        "\x1b[31mred\x1b[0m",
        "no-\nthing",
        "nothing",
        "a - b",
        "C:",
    ],
)
def test_no_fact(text):
    assert find_facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024年5月至6月", ["2024-05", "--06"]),
        ("2024-05-20T08:00:05Z", ["2024-05-20", "08:00:05z"]),
        ("2024年05月20日08:00发货", ["2024-05-20", "08:00"]),
        ("3-5个", ["3", "5"]),
        ("1.5-2.5", ["1.5", "2.5"]),
        ("1:5", ["1", "5"]),
        ("1.打开", ["1"]),
        ("5千克", ["5", "千"]),
        ("不是没有", ["不", "没"]),
        ("第 3 页 共 5 页", ["3", "5"]),
        ("56 / 223", ["56", "223"]),
        ("1,234,56", ["1234", "56"]),
        ("100%s", ["100%"]),
        ("七八月", ["七八"]),
        ("十三月", ["十三"]),
        ("五月四十日", ["五", "四十"]),
        ("a@b.com@c.org", ["a@b.com", "c.org"]),
        ("x: {a: 5}", ["5"]),
        ("5\x1b[31m6", ["5", "6"]),
    ],
)
def test_several(text, expected):
    assert [fact.value for fact in find_facts(text)] == expected


def test_places():
    text = "付￥1,299.00元，5月20日前不退，见#A1"
    assert [text[fact.start : fact.end] for fact in find_facts(text)] == ["￥1,299.00元", "5月20日", "不", "A1"]


def test_fences():
    text = "看5\n```py\nnot 5\n```\n不6\n~~~\n7\n"
    assert values(text) == [("number", "5"), ("code", "not 5\n"), ("negation", "不"), ("number", "6"), ("number", "7")]
    assert compare(find_facts(text), find_facts(text.replace("\n", "\r\n"))) == ([], [])
    assert ("code", "not 5\n") not in values(text, "log")
    pretty, mini = '```json\n{\n  "a": 1.0\n}\n```', '```json\n{"a":1.0}\n```'
    assert values(pretty) == values(mini) != values(mini.replace("1.0", "1"))
    assert find_facts("```\n" + "x" * 100 + "\n```")[0].value.startswith("sha256:")


def test_code_spans_stay_in_a_line():
    assert [kind for kind, _ in values("`a\n5`")] == ["number"]


JSON = '{"a": 1.0, "a": "\\u4f60", "b": [12345678901234567890, null]}'


def test_json():
    (fact,) = find_facts(JSON, "json")
    assert fact[:3] == (0, len(JSON), "json")
    assert values('{"a":1.0,\n"a":"你","b":[12345678901234567890,null]}', "json") == values(JSON, "json")
    for old, new in [("1.0", "1"), ('"a": 1.0, ', ""), ("u4f60", "u4f61"), ("null", "0"), ("[", "[[")]:
        assert values(JSON.replace(old, new), "json") != values(JSON, "json")
    assert values("[1 2]", "json") != values("[12]", "json")
    assert values('["a b"]', "json") != values('["a  b"]', "json")
    assert values('["\\ud800"]', "json") == [("json", '[ "\ud800" ]')]
    assert values('["\\q"', "json") == [("json", '[ "\\q"')]
    assert find_facts(" \n", "json") == []


def test_json_lines():
    text = f"{JSON}\n\n[1,\n"
    assert [fact[:3] for fact in find_facts(text, "jsonl")] == [
        (0, len(JSON), "json"),
        (len(JSON) + 2, len(text) - 1, "json"),
    ]


def test_compare():
    five, six, no = Fact(0, 1, "number", "5"), Fact(2, 3, "number", "6"), Fact(4, 5, "negation", "不")
    assert compare([five, six], [six, five]) == ([], [])
    assert compare([five, five, no], [five]) == ([five, no], [])
    assert compare([five, no], [six], frozenset({"number"})) == ([no], [])
    assert compare([five], [six]) == ([five], [six])
    assert compare([no], [no._replace(kind="number")]) == ([no], [no._replace(kind="number")])


def test_kinds_are_facts():
    assert {kind for _, kind, _ in KINDS} | {kind for kind, _, _ in SAME} | {"json"} == set(FACTS)


PARTS = [
    "1",
    "a",
    "-",
    ".",
    "一",
    "@",
    "/",
    "`",
    "{",
    "[",
    "a1-",
    "1-",
    "1,",
    "不",
    "n",
    "://",
    "a@",
    "1:",
    "1/",
    "111,",
    "`a``",
]
PARTS += ["[[a", "{a", "{{a", "a:\\", "1年", "一月", "Ma", "```\n", "１", "¥", "1e", "no ", '"\\', "\x1b[", "&#1"]


LONG = 300_000
"""Characters of which the square would take many minutes."""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", ["text", "json"])
@pytest.mark.parametrize("part", PARTS)
def test_linear(part, kind):
    facts = find_facts(part * (LONG // len(part)), kind)
    assert all(one.end <= other.start for one, other in pairwise(facts))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("before", "run", "after"),
    [("1", " ", ""), ("", "a", "1"), ("", "a", "/"), ("/", "a", ""), ("一\n", " ", ""), ("", "`", "a`")],
)
def test_linear_once(before, run, after):
    assert len(find_facts(before + run * 4 * LONG + after)) <= 1
