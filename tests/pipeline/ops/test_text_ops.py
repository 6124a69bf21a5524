"""Ops for plain texts: what each finds, what it leaves alone, and that what it leaves it would leave again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.model.errors import RuleError
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.ops import NAMES, op
from tokaudit.pipeline.ops.replace import trimmed
from tokaudit.pipeline.spans.find import Spans
from tokaudit.pipeline.views.search import KeptWords, Mentions
from tokaudit.pipeline.views.view import View
from work import assert_linear

TEXT_OPS = (
    "amounts", "collapse", "convert", "dates", "delete", "doubled", "drop-lines", "emoji-runs", "entities", "fields",
    "half-width", "join-lines", "join-words", "mojibake", "phrases", "replace", "sentence-marks", "spaced-lines",
    "translate", "trim-lines",
)  # fmt: skip
SPACES = {"chars": " ", "mixed": True, "to": " ", "inner": True}
PARTICLE = {"pattern": r"[啊呢吧](?=[，。]|$)", "needs": ("啊", "呢", "吧"), "keep": ("酒吧",)}
HAN_LINES = {"before": r"[\p{Han}，]", "after": r"\p{Han}", "least": 18, "slack": 4}
WORDY = {"phrases": {"in order to": "to", "it is important to note that": "", "due to": "because of"}}
FILLER = {"phrases": {"basically": "", "actually": ""}, "place": "delimited"}
WIDE = {"map": {"０-９": "0-9", "Ａ-Ｚ": "A-Z"}, "joints": {"．": ".", "－": "-"}}
LONG_LINE = "一" * 22
TORN = {"least": 5}
MAIL = {"pattern": r"^On [^\n]{1,40} wrote:$", "through": "quoted"}


def found(name: str, text: str, values: dict[str, Any]) -> Sequence[Edit]:
    parameters = op(name).PARAMETERS
    assert values.keys() <= parameters.keys()
    filled = {key: about.default for key, about in parameters.items()} | values
    view = View(text, "text", frozenset({"zh", "en"}), lambda: Spans(()))
    return list(op(name).prepare(filled)(view))


CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("delete", PARTICLE, "好啊，走吧。", "好，走。"),
    ("delete", PARTICLE, "去酒吧，好呢", "去酒吧，好"),
    ("delete", {**PARTICLE, "needs": ("x",)}, "好啊，", "好啊，"),
    ("delete", {**PARTICLE, "keep": ("不要",), "window": 2}, "不要啊，好啊，", "不要啊，好，"),
    ("delete", {"pattern": " ", "inside": r"\p{Han}(?: \p{Han}){2,}"}, "订 单 号 a b", "订单号 a b"),
    ("replace", {"pattern": r"(\d) ?km", "with": r"\1 km"}, "5km, 6 km", "5 km, 6 km"),
    ("replace", {"pattern": "(?P<a>x+)y", "with": r"\g<a>z"}, "xxy", "xxz"),
    ("replace", {"pattern": r"\b[A-Z]{4,}\b", "case": "lower"}, "STOP NOW OK", "stop NOW OK"),
    ("replace", {"pattern": "[a-z]+", "case": "upper", "keep": ("b",)}, "a b ab", "A b AB"),
    ("phrases", WORDY, "In order to go, we wait in order to rest.", "To go, we wait to rest."),
    ("phrases", WORDY, "IN ORDER TO GO", "TO GO"),
    ("phrases", WORDY, "It is important to note that the end is near.", "The end is near."),
    ("phrases", WORDY, "It is important to note that iOS is meant.", "iOS is meant."),
    ("phrases", WORDY, "order-in order to-day, sin order to", "order-in order to-day, sin order to"),
    ("phrases", {"phrases": {"please": ""}}, "Send it, please. Please go. Now please!", "Send it. Go. Now!"),
    ("phrases", FILLER, "Basically, go. It is, actually, done. It works, basically.", "Go. It is done. It works."),
    ("phrases", FILLER, "- Basically, we go", "- We go"),
    ("phrases", FILLER, "- basically, a word", "- basically, a word"),
    ("phrases", FILLER, "Basically, actually, basically, go", "Go"),
    ("phrases", FILLER,
     "Words: basically, actually. Or actually, basically.", "Words: basically, actually. Or actually, basically."),
    ("phrases", FILLER, "It was 5, actually, 6. Yes, actually, no.", "It was 5, actually, 6. Yes, actually, no."),
    ("phrases", FILLER, "I spoke, actually, to him", "I spoke, actually, to him"),
    ("phrases", {**FILLER, "leading": ("basically",)},
     "Basically, go. It works, basically.", "Go. It works, basically."),
    ("phrases", {"phrases": {"please": ""}, "after": ("you",)},
     "Will you please go? It will please us.", "Will you go? It will please us."),
    ("phrases", FILLER, "It is actually done basically", "It is actually done basically"),
    ("phrases", {**FILLER, "keep": ("Basically, no",)}, "Basically, no.", "Basically, no."),
    ("collapse", {"chars": "！？"}, "急！！！真的？？吗？！", "急！真的？吗？！"),
    ("collapse", {"chars": "-", "least": 4, "leave": 3}, "a--- b------", "a--- b---"),
    ("collapse", {"chars": "ab", "mixed": True, "leave": 0}, "xabbaxa", "xxa"),
    ("collapse", {"chars": "！", "keep": ("！！？",)}, "啊！！？好！！", "啊！！？好！"),
    ("collapse", SPACES, "one.  two:  three ", "one. two: three "),
    ("collapse", SPACES, "one  two  three ", "one  two  three "),
    ("collapse", SPACES, "a line of  prose with some  gaps too many", "a line of prose with some gaps too many"),
    ("collapse", SPACES,
     "a line of prose with a gap   to be filled in", "a line of prose with a gap   to be filled in"),
    ("collapse", SPACES, "这句话里只是不小心多打  了一个没用的，空格。", "这句话里只是不小心多打 了一个没用的，空格。"),
    ("collapse", SPACES, "姓名：张三  性别：男", "姓名：张三 性别：男"),
    ("collapse", SPACES, "姓名：    性别：", "姓名：    性别："),
    ("collapse", SPACES, ".-  -...  -.", ".-  -...  -."),
    ("collapse", SPACES, "f('a.  b') and it's.  so", "f('a.  b') and it's. so"),
    ("collapse", SPACES, "  one.  two\n    xy.  =  1", "  one. two\n    xy.  =  1"),
    ("collapse", SPACES, "name   age\nTom    42", "name   age\nTom    42"),
    ("collapse", SPACES, "longname 12\nx        3", "longname 12\nx        3"),
    ("collapse", SPACES, "姓名   年龄\nab     12", "姓名   年龄\nab     12"),
    ("collapse", {**SPACES, "aligned": "shorten"}, "name   age\nTom    42", "name age\nTom 42"),
    ("collapse", SPACES, "time    offset    day\n\na.    b", "time    offset    day\n\na. b"),
    ("collapse", SPACES, "One.  Two.\nThese are words", "One. Two.\nThese are words"),
    ("collapse", SPACES, "│  a  b\n|  a  b\na\tb  c", "│  a  b\n|  a  b\na\tb  c"),
    ("collapse", {**SPACES, "chars": " \u3000"}, "甲，\u3000 乙", "甲， 乙"),
    ("half-width", WIDE, "ＡＢＣ－２０，２．５", "ABC-20，2.5"),
    ("half-width", WIDE, "ＡＢＣ和ABC，ＡＢ", "ＡＢＣ和ABC，AB"),
    ("half-width", WIDE, "ＡＢＣ和X-ABC\n\n１２３和X-123\n\n１２３，１２", "ＡＢＣ和X-ABC\n\n123和X-123\n\n123，12"),
    ("half-width", WIDE, "１２３\n\n123", "123\n\n123"),
    ("half-width", WIDE, "１２３，\n123，１２\n12", "１２３，\n123，12\n12"),
    ("half-width", WIDE, "Ｖ１.2，报告２.docx，８", "Ｖ１.2，报告２.docx，8"),
    ("half-width", WIDE, "果\u3000\u3000１２\u3000\u3000３", "果\u3000\u3000１２\u3000\u3000３"),
    ("sentence-marks", {}, "急！！！真的？？ 是（好。。）走", "急！真的？ 是（好。）走"),
    ("sentence-marks", {}, "a？？b ！！ ：！！ 好！！，好！！、", "a？？b ！！ ：！！ 好！！，好！！、"),
    ("sentence-marks", {}, "很急！！！ 还行！！", "很急！！！ 还行！！"),
    ("sentence-marks", {}, "高！！\n低！\n\n今天真的好热啊！！", "高！！\n低！\n\n今天真的好热啊！"),
    ("sentence-marks", {}, "真不错！！ 真不错！ 东西真的不错！！", "真不错！！ 真不错！ 东西真的不错！"),
    ("sentence-marks", {}, "炮二平五！！ 答案是？？ 好", "炮二平五！！ 答案是？？ 好"),
    ("sentence-marks", {"chars": "！", "keep": ("急！",)}, "急！！ 快！！ 好？？", "急！！ 快！ 好？？"),
    ("spaced-lines", TORN, "我 家 灯 坏 ， 修 了。", "我家灯坏，修了。"),
    ("spaced-lines", TORN, "甲\n  我 家 灯 坏，修 了 。\n乙", "甲\n  我家灯坏，修了。\n乙"),
    ("spaced-lines", TORN, "我 家 灯 坏 修 了", "我 家 灯 坏 修 了"),
    ("spaced-lines", TORN, "我 家 灯 坏，修 了。a", "我 家 灯 坏，修 了。a"),
    ("spaced-lines", TORN, "说：我 家 灯 坏，修 了。", "说：我 家 灯 坏，修 了。"),
    ("spaced-lines", TORN, "男 女 男 男 女 女 ， 在。", "男 女 男 男 女 女 ， 在。"),
    ("spaced-lines", TORN, "甲 乙 丙 丁 戊 。", "甲 乙 丙 丁 戊 。"),
    ("spaced-lines", {**TORN, "keep": ("家 灯",)}, "我 家 灯 坏 ， 修 了。", "我 家 灯 坏 ， 修 了。"),
    ("translate", WIDE, "ＡＢＣ－２０，２．５", "ABC-20，2.5"),
    ("translate", WIDE, "2－3，－２", "2－3，－2"),
    ("translate", WIDE, "8－２．", "8-2．"),
    ("translate", {"map": {"ﬁ": "fi"}, "keep": ("ﬁn",)}, "ﬁx ﬁn", "fix ﬁn"),
    ("translate", {"map": {}, "compatible": ("\u2f00-\u2fd5",)}, "\u2f08工", "人工"),
    ("doubled", {"words": ("的", "了")}, "我的的了了了", "我的了"),
    ("doubled", {"words": ("的",), "keep": ("的的确",)}, "真的的确，我的的", "真的的确，我的"),
    ("doubled", {"words": ("好的",), "between": "，"}, "好的，好的，好的", "好的"),
    ("doubled", {"words": ("真的", "好的"), "alone": ("好的",), "between": "，"},
     "真的，真的没拿，真的真的", "真的，真的没拿，真的"),
    ("doubled", {"words": ("了",)}, "了了分明，叫：了了", "了了分明，叫：了了"),
    ("doubled", {"words": ("好的",), "alone": ("好的",)}, "好的好的！好的好的卖", "好的！好的好的卖"),
    ("doubled", {"words": ("好的",), "alone": ("好的",)}, "说好的好的", "说好的好的"),
    ("doubled", {}, "我们我们我们走，天天，哈哈哈哈，ABAB", "我们走，天天，哈哈哈哈，ABAB"),
    ("doubled", {"keep": ("研究研究",)}, "研究研究，查询订单查询订单", "研究研究，查询订单"),
    ("join-lines", HAN_LINES, "这一行足够长，有十个字以\n上，完。", "这一行足够长，有十个字以上，完。"),
    ("join-lines", HAN_LINES, "短短一行\n又一行", "短短一行\n又一行"),
    ("join-lines", HAN_LINES, "这一行足够长，有十个字以\n上\n三", "这一行足够长，有十个字以\n上\n三"),
    ("join-lines", HAN_LINES, "支持多种文件格式识别\n支持批量处理", "支持多种文件格式识别\n支持批量处理"),
    ("join-lines", {**HAN_LINES, "slack": 20}, "支持多种文件格式识\n别和处理", "支持多种文件格式识别和处理"),
    ("join-lines", HAN_LINES, f"{LONG_LINE}\n{LONG_LINE[:11]}\n三。", f"{LONG_LINE}\n{LONG_LINE[:11]}\n三。"),
    ("join-lines", HAN_LINES, "这一行足够长，有十个字以\n上。\n三", "这一行足够长，有十个字以上。\n三"),
    ("join-lines", HAN_LINES, "这一行足够长，有十个字以。\n上", "这一行足够长，有十个字以。\n上"),
    (
        "join-lines",
        {"before": "[a-z]", "after": "[a-z]", "least": 20, "joint": " "},
        "long enough to be joined\nto this.",
        "long enough to be joined to this.",
    ),
    ("join-words", {}, "net\x02work, con\xad\nfigure", "network, configure"),
    ("join-words", {}, "Multi\x02Arch", "Multi-Arch"),
    ("join-words", {"compounds": ("well",)}, "a well\x02known man", "a well-known man"),
    ("join-words", {"compounds": ("self",)}, "self\x02ish", "selfish"),
    ("join-words", {}, "auto-\nmatic; automatic", "automatic; automatic"),
    ("join-words", {}, "auto-\nmatic", "auto-\nmatic"),
    ("join-words", {}, "http://a/auto-\nmatic automatic x/re\x02sent", "http://a/auto-\nmatic automatic x/re\x02sent"),
    ("join-words", {}, "re-\nsent, re-sent, resent", "re-\nsent, re-sent, resent"),
    ("join-words", {}, "- \x02 -\n5-\n6", "- \x02 -\n5-\n6"),
    ("dates", {}, "2024年5月3日，2024年12月31号", "2024-05-03，2024-12-31"),
    ("dates", {}, "有效期到2024年6月30日", "有效期到2024-06-30"),
    ("dates", {}, "2024年5月1日至3日，2024年5月1日、2日", "2024年5月1日至3日，2024年5月1日、2日"),
    ("dates", {}, "4月30日至2024年5月1日", "4月30日至2024年5月1日"),
    ("dates", {}, "2023年2月29日，农历2024年5月5日", "2023年2月29日，农历2024年5月5日"),
    ("dates", {}, "2024年5月20日8时，12024年5月20日", "2024年5月20日8时，12024年5月20日"),
    ("amounts", {}, "￥1,299.00元，12.00元，¥5元", "￥1299，12元，¥5"),
    ("amounts", {}, "￥1.50，1,299，3.00，￥1.000", "￥1.50，1,299，3.00，￥1.000"),
    ("amounts", {}, "￥1.00-2.00，5.00～6.00元", "￥1.00-2.00，5.00～6.00元"),
    ("amounts", {"drop": ("zeros",)}, "￥1,299.00元", "￥1,299元"),
    ("amounts", {"signs": ("$",), "units": ()}, "$1,000.00", "$1000"),
    ("fields", {"keys": ("订单号", "号")}, "订单号：#A-17，订单号: 88", "订单号A-17，订单号88"),
    ("fields", {"keys": ("订单号",)}, "订单号：见附件，订单号A1", "订单号：见附件，订单号A1"),
    ("fields", {"keys": ("订单号",), "form": "bracket"}, "您的订单号是：#A-17。", "【订单号】A-17。"),
    ("fields", {"keys": ("订单号",), "form": "bracket"}, "您的订单号是：1还是2？", "您的订单号是：1还是2？"),
    ("fields", {"keys": ("订单号",), "form": "bracket"}, "订单号：#A-17，您的订单号是", "订单号：#A-17，您的订单号是"),
    ("emoji-runs", {}, "好😂😂😂，👍🏽👍🏽，👩‍💻👩‍💻", "好😂，👍🏽，👩‍💻"),
    ("emoji-runs", {}, "🇨🇳🇨🇳🇨🇦，👨‍👩‍👧，1️⃣1️⃣，★★★，™™", "🇨🇳🇨🇦，👨‍👩‍👧，1️⃣1️⃣，★★★，™™"),
    ("emoji-runs", {"keep": ("⭐",)}, "⭐⭐⭐🎉🎉", "⭐⭐⭐🎉"),
    ("emoji-runs", {}, "😂😂 < 😂😂😂\n😂😂", "😂😂 < 😂😂😂\n😂"),
    ("emoji-runs", {"leave": 0}, "a 😂 b ❤️ 🚗💨\n🎉c", "a b\nc"),
    ("trim-lines", {}, "a \nb\t \n  c\n  \nd\u3000", "a\nb\n  c\n  \nd"),
    ("trim-lines", {"lines": "blank"}, "a \n  \n\t\nb\n ", "a \n\n\nb\n"),
    ("trim-lines", {"hard_breaks": True}, "a  \nb \nc\t\n", "a  \nb\nc\n"),
    ("drop-lines", {"pattern": "^x$"}, "a\nx\nb\nx", "a\nb"),
    ("drop-lines", {"pattern": "^x$"}, "x\n", ""),
    ("drop-lines", {"pattern": "^x$", "through": "paragraph"}, "a\nx\ny\n\nb", "a\n\nb"),
    ("drop-lines", {"pattern": "^x$", "through": "end", "most": 2}, "a\nx\ny", "a"),
    ("drop-lines", {"pattern": "^x$", "through": "end", "most": 2}, "a\nx\ny\nz", "a\nx\ny\nz"),
    ("drop-lines", MAIL, "Yes\nOn Monday Ann wrote:\n> a\n\n> b\nBye\n", "Yes\nBye\n"),
    ("entities", {}, "a &amp; b&nbsp;c &hellip; &#39;", "a & b c … '"),
    ("entities", {}, "&lt;b&gt; &amp;lt; &unknown; R&D; &#0; &#10;", "&lt;b&gt; &amp;lt; &unknown; R&D; &#0; &#10;"),
    ("mojibake", {}, "cafÃ© â€™ ä½\xa0å¥½", "café ’ 你好"),
    ("mojibake", {}, "café SÃO à la", "café SÃO à la"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "before", "after"), CASES)
def test_op(name: str, values: dict[str, Any], before: str, after: str) -> None:
    edits = found(name, before, values)
    assert apply_edits(before, edits) == after
    assert found(name, after, values) == [], "its result must not match again"


@pytest.mark.parametrize(("name", "values", "before", "after"), CASES)
def test_edits_ascend_and_are_minimal(name: str, values: dict[str, Any], before: str, after: str) -> None:
    edits = found(name, before, values)
    assert all(one.end <= two.start for one, two in pairwise(edits))
    for start, end, text in edits:
        old = before[start:end]
        assert old or text
        if name != "phrases":  # where a capital moves, the letter that gets it is part of the edit
            assert not (text and old and (old[0] == text[0] or old[-1] == text[-1])) or name == "translate"


@pytest.mark.parametrize(
    ("name", "values", "about"),
    [
        ("replace", {"pattern": "a"}, "'with'"),
        ("phrases", {"phrases": {"In order": "to"}}, "lower case"),
        ("phrases", {"phrases": {"basically": "so"}, "place": "delimited"}, "delimited"),
        ("collapse", {"chars": ""}, "'chars'"),
        ("collapse", {"chars": "a", "leave": 2}, "'leave'"),
        ("collapse", {"chars": "a", "least": 1}, "'least'"),
        ("collapse", {"chars": " ", "mixed": True, "to": "  "}, "'to'"),
        ("translate", {}, "'map'"),
        ("translate", {"map": {"ab": "c"}}, "ab"),
        ("translate", {"map": {"０-９": "0-5"}}, "same length"),
        ("translate", {"map": {"a": "b", "b": "c"}}, "again"),
        ("translate", {"map": {"a": "b"}, "joints": {"xy": "z"}}, "'joints'"),
        ("doubled", {"least": 1}, "'least'"),
        ("amounts", {"drop": ("cents",)}, "cents"),
        ("amounts", {"signs": (), "units": ()}, "'signs'"),
        ("fields", {"keys": ()}, "'keys'"),
        ("fields", {"keys": ("号",), "form": "bracket", "lead": ()}, "'lead'"),
        ("emoji-runs", {"leave": -1}, "'leave'"),
        ("trim-lines", {"chars": "\n"}, "'chars'"),
        ("sentence-marks", {"chars": ""}, "'chars'"),
        ("spaced-lines", {"least": 2}, "'least'"),
        ("half-width", {}, "'map'"),
    ],
)
def test_wrong_parameters_are_named(name: str, values: dict[str, Any], about: str) -> None:
    with pytest.raises(RuleError, match=about):
        found(name, "", values)


@pytest.mark.parametrize("name", TEXT_OPS)
def test_ops_are_listed_and_described(name: str) -> None:
    assert name in NAMES
    assert op(name).SUMMARY.endswith(".") or "pip install" in op(name).SUMMARY
    for key, about in op(name).PARAMETERS.items():
        assert key.replace("-", "_").isidentifier()
        assert about.what.endswith(".")


def test_convert_asks_for_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opencc", None)
    assert found("convert", "no ideographs", {}) == []
    with pytest.raises(RuleError) as error:
        found("convert", "訂單", {})
    assert error.value.hint == "python -m pip install opencc"


def test_convert_changes_characters_in_place() -> None:
    pytest.importorskip("opencc")
    assert found("convert", "查訂單號 ABC 頭髮，订", {}) == [Edit(1, 4, "订单号"), Edit(9, 11, "头发")]
    assert found("convert", "訂單", {"keep": ("訂單",)}) == []


def test_kept_words_count_where_they_overlap() -> None:
    kept = KeptWords(["酒吧", "AI"])
    assert kept.touches("去酒吧", 2, 3)
    assert not kept.touches("酒，吧", 2, 3)
    assert kept.touches("an AI.", 3, 4)
    assert not kept.touches("AGAIN", 0, 5)
    assert KeptWords(["不要"], window=1).touches("不要啊", 2, 3)
    assert not KeptWords(["不要"]).touches("不要啊", 2, 3)


def test_texts_that_speak_of_it_are_left_alone() -> None:
    text = "one\nspaces here\ntwo\n\nthree\n\nfour"
    for key, stays in (
        ("not_on", {"spaces"}),
        ("not_near", {"one", "spaces", "two", "three"}),
        ("not_in", {*text.split()}),
    ):
        mentions = Mentions({key: ("Spaces",)})
        assert mentions
        for word in text.split():
            at = text.index(word)
            assert bool(mentions.find(text, at, at + len(word))) == (word in stays or word == "here"), (key, word)
    assert not Mentions({"keep": ("a",)})


@pytest.mark.parametrize("unit", ["a b\n", "a b ", "a b\n\n"])
def test_whether_a_text_speaks_of_it_takes_linear_work(unit: str) -> None:
    mentions = Mentions({"not_on": ("x",), "not_near": ("y",), "not_in": ("z",)})

    def ask(text: str) -> None:
        assert not any(mentions.find(text, at, at + 1) for at in range(0, len(text), 5))

    assert_linear(ask, lambda units: unit * units, 2_000)


def test_what_a_text_says_far_away_counts_in_later_passes() -> None:
    rule = Rule(
        "a.b", "", "", "near", "layout", "delete", {"pattern": "b+?(?=b|$)", "not_in": ("stop",)}, guard="never"
    )
    far = "\n".join(["line"] * 40)
    assert slim_text(f"abb\n{far}\nstop", [rule]).text == f"abb\n{far}\nstop"
    assert slim_text(f"abb\n{far}", [rule]).text == f"a\n{far}"


def test_a_trimmed_edit_holds_what_changes() -> None:
    assert trimmed(10, "in order to", "to") == Edit(10, 19, "")
    assert trimmed(0, "abc", "abXc") == Edit(2, 2, "X")
    assert trimmed(0, "aa", "aaa") == Edit(2, 2, "a")


LONG = 10_000
"""Characters of the longer of two texts."""


@pytest.mark.parametrize(
    ("before", "unit", "after"),
    [
        ("x", " ", "y"), ("", "\u3000", ""), ("", "\n", ""), ("", "A", ""), ("", "的", ""), ("", "！", ""),
        ("", "是啊，", ""), ("", "1", "元"), ("￥1", ",000", ""), ("", "２－", ""), ("&", "a", ""), ("", "a\x02", ""),
        ("", "😂", ""), ("", "Please ", ""), ("", "a  b ", ""), ("", "行行\n", ""), ("", "Ã©", ""),
    ],
)  # fmt: skip
def test_long_runs_take_linear_work(before: str, unit: str, after: str) -> None:
    values: dict[str, dict[str, Any]] = {}
    for name, given, _, _ in CASES:
        values.setdefault(name, given)
    for name, given in values.items():

        def find(text: str, name: str = name, given: dict[str, Any] = given) -> None:
            assert all(one.end <= other.start for one, other in pairwise(found(name, text, given)))

        assert_linear(find, lambda size: before + unit * (size // len(unit)) + after, LONG // 2)


def test_what_silenced_a_rule_may_be_gone_in_later_passes() -> None:
    rules = [
        Rule("a.b", "", "", "near", "layout", "delete", {"pattern": "b+?(?=b|$)", "not_in": ("stop",)}, guard="never"),
        Rule("a.s", "", "", "lossy", "lexical", "delete", {"pattern": "stop"}, guard="never"),
    ]
    far = "\n".join(["line"] * 40)
    once = slim_text(f"abb\n{far}\nstop", rules).text
    assert once == f"a\n{far}\n"
    assert slim_text(once, rules).text == once
