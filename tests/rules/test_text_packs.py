"""Packs for plain texts: their examples, and that no rule breaks a word, whatever stands beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from places import SAMPLES
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.examples import check_rule
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.ops import op
from tokaudit.store.packs import load_pack
from tokaudit.tokenizers.registry import load_tokenizer

PACKS = ("common", "cn", "en", "chat")
POLITE = ("cn.polite", "cn.polite-sentence", "cn.polite-tail")
RULES: dict[str, Rule] = {rule.id: rule for name in PACKS for rule in load_pack(name).rules}
NEAR = [rule for rule in RULES.values() if rule.default and rule.rule_class != "lossy"]
LOSSY = [rule for rule in RULES.values() if rule.default]
ALL = [rule for rule in RULES.values() if rule.op != "convert"]

WORDS = (
    "三个月", "哈尔滨", "异常处理", "特别行政区", "相当于", "的的确确", "目的地", "了解", "吧台", "呢子大衣",
    "高兴得很", "研究研究", "天天", "谢谢", "麻烦麻烦你", "一个", "非常规", "系统异常", "不了了之", "为了了解",
    "达到目的的方法", "受不了了", "现在在家", "是是非非", "酒吧", "喇嘛", "唢呐", "马大哈", "多哈", "妈妈", "看看",
    "高高兴兴", "干嘛", "真的的确", "二十分钟", "请勿触摸", "从头到尾", "张　三", "姓　名", "东 南 西 北",
    "周一～周五", "3～5天",
)  # fmt: skip
SENTENCES = (
    "2024年5月1日至3日放假", "2024年5月", "2024年05月20日 08:00", "¥1,299.00", "订单号：#ORD-2024-7890", "他——就是他",
    "我想……", "“嗯，好呢！！！”", "「ＡＢＣ」", "I like apples", "a well-known, right-handed, so-called man",
    'it is "in order to" win', "3.14 and 1e5, -5", "See http://a.example/x_(y)?q=1&b=2 there", "mail a.b@c.example now",
    "`x  =  1`", "{name} {{ x }} ${X} %(a)s", "<slot> {嗯}", "C:\\temp\\a", "a,b;c", "e.g. this", "MAX_SIZE is 10",
    "👩‍💻 and 🇨🇳", "⭐⭐⭐", "No. 5", "naïve café", "U.S.A.",
)  # fmt: skip
BLOCKS = (
    "name    age\nTom     42\nAnn     7", "```\nx  =  1   \n\n\n\ny\n```", "~~~\n的的\n~~~",
    "| a  | b |\n|----|---|\n| 1  | 2 |", "├── src\n│   └── a.py",
)  # fmt: skip
CHATTY = (SAMPLES / "chatty-message.zh.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_examples_hold(rule: Rule) -> None:
    if rule.op == "convert":
        pytest.importorskip("opencc")
    assert check_rule(rule) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_shows_what_it_does_and_what_not(rule: Rule) -> None:
    assert sum(example.before != example.after for example in rule.examples) >= 3
    assert sum(example.before == example.after for example in rule.examples) >= 3
    if rule.id.startswith("cn."):
        assert not rule.title.isascii()
        assert not rule.why.isascii()


@pytest.mark.parametrize("name", PACKS)
def test_packs_pass_the_checks_for_packs_of_users(name: str) -> None:
    assert load_pack(name, check=True).name == name


@pytest.mark.parametrize("kind", ["text", "chat", "markdown", "pdf"])
@pytest.mark.parametrize("text", [*WORDS, *SENTENCES, *BLOCKS])
def test_default_rules_leave_what_is_right_alone(text: str, kind: str) -> None:
    if kind == "markdown" or text not in BLOCKS[1:3]:
        assert slim_text(text, NEAR, kind=kind).text == text


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("frame", ["{}", "{}。", "我说{}，好。", "去{}吧！", "嗯，{}呢。", "{}\n{}"])
def test_lossy_rules_break_no_word(word: str, frame: str) -> None:
    text = frame.replace("{}", word)
    assert slim_text(text, LOSSY, kind="chat").text.count(word) == text.count(word)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([*WORDS, *SENTENCES]), min_size=1, max_size=8),
    st.sampled_from(["，", "。", "\n", "\n\n", " and ", "；\n- "]),
    st.sampled_from(["text", "chat", "markdown"]),
)
def test_mixtures_of_right_sentences_stay(parts: list[str], joint: str, kind: str) -> None:
    text = joint.join(parts)
    assert slim_text(text, NEAR, kind=kind, langs=frozenset({"zh", "en"})).text == text


@settings(max_examples=150, deadline=None)
@given(
    st.text(
        st.sampled_from("的了啊呢吧，。！？～ 　\n好是在２０Ａ-－．订单号：#1年月日元￥,.0嗯哦😂ab\u200b\u00a0|>"),
        max_size=60,
    ),
    st.sampled_from(["text", "chat", "markdown", "pdf"]),
)
def test_slimming_twice_is_slimming_once(text: str, kind: str) -> None:
    langs = frozenset({"zh", "en"})
    once = slim_text(text, ALL, kind=kind, langs=langs)
    assert once.replay() == once.text
    assert slim_text(once.text, ALL, kind=kind, langs=langs).text == once.text


@pytest.mark.parametrize("kind", ["text", "chat"])
@pytest.mark.parametrize(
    "text",
    [
        *(f"{item * 50}我想退货" for item in ("嗯，", "啊，", "哦，", "呃，", "那个，", "嗯，那个，呃…", "对了，")),
        *(f"{item * 50}，我想退货" for item in ("好的", "谢谢", "好的，", "其实", "查询订单")),
        *(f"我{item * 50}满意。" for item in ("非常", "特别", "的", "我们", "真的，")),
        *(f"我想退货{item * 50}。" for item in ("啊呢", "啊", "！", "？", "～", "，谢谢", "。", "感谢您的咨询！")),
        *(f"one{item * 50}two" for item in (" ", "\n", "\u3000", "\u00a0", "\u200b", " \n", "&amp;", "\r\n", "😂")),
        *(item * 50 + "go" for item in ("please ", "Um, ", "Basically, ", "in order to ", "please note that ")),
        "您好，" * 50 + "我想退货", "请问" * 50 + "在吗", "麻烦您" * 50 + "查单", "请查询" + "一下" * 50,
        "&" + "amp;" * 50,
    ],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
@pytest.mark.parametrize("rules", [LOSSY, ALL], ids=["lossy", "all"])
def test_a_run_goes_at_once(text: str, rules: Sequence[Rule], kind: str) -> None:
    langs = frozenset({"zh", "en"})
    few = slim_text(text, rules, kind=kind, langs=langs, passes=2).text
    assert few == slim_text(text, rules, kind=kind, langs=langs, passes=50).text


@pytest.mark.parametrize(("before", "after"), [("嗯，" * 11 + "好的，走", "好的，走"), ("好的" * 9 + "。", "好的。")])
def test_one_pass_takes_a_whole_run(before: str, after: str) -> None:
    assert slim_text(before, LOSSY, kind="chat", langs=frozenset({"zh"}), passes=1).text == after


@pytest.mark.parametrize("kind", ["text", "chat"])
@pytest.mark.parametrize(
    "text",
    [
        "他在在职研究生班", "他在在线教育公司上班", "人在在意的时候", "出了了不得的事", "发生了了不得的大事",
        "问题是是否退款", "关键是是不是你", "他说好的好的不好的都要", "他不来了吧？不吧。", "哦，是叹词吧",
        "嗯，字典里的字", "他在在建工地上", "她在在场的人里", "结果是是福是祸还不知道", "为了了断此事", "买了了望塔",
        "漂亮的的确良衬衫", "去的的黎波里", "病人在在押期间",
    ],
)  # fmt: skip
def test_lossy_rules_keep_the_meaning(text: str, kind: str) -> None:
    assert slim_text(text, LOSSY, kind=kind, langs=frozenset({"zh"})).text == text


@pytest.mark.parametrize("kind", ["text", "chat"])
@pytest.mark.parametrize("rules", [NEAR, LOSSY, ALL], ids=["near", "lossy", "all"])
def test_samples_keep_their_facts(rules: Sequence[Rule], kind: str) -> None:
    tokenizer = load_tokenizer("o200k_base")
    for path in (SAMPLES / "support-chat.zh.txt", SAMPLES / "rag-prompt.en.txt"):
        text = path.read_text(encoding="utf-8")
        result = slim_text(text, rules, kind=kind, counters=[tokenizer])
        assert result.ledger.whole
        assert result.replay() == result.text
        assert result.tokens_after[0] <= result.tokens_before[0]
        assert slim_text(result.text, rules, kind=kind, counters=[tokenizer]).text == result.text


def test_a_chatty_message_saves_what_is_promised() -> None:
    tokenizer = load_tokenizer("o200k_base")
    plain = slim_text(CHATTY, LOSSY, kind="chat", counters=[tokenizer])
    polite = slim_text(CHATTY, [*LOSSY, *(RULES[name] for name in POLITE)], kind="chat", counters=[tokenizer])
    assert plain.tokens_after[0] <= plain.tokens_before[0] * 0.84
    assert polite.tokens_after[0] <= polite.tokens_before[0] * 0.78
    for fact in ("ORD-2024-7890", "1,299.00", "2024年05月20日", "LED-20A", "三天", "退款", "没有更新", "没有收到"):
        assert fact in plain.text
        assert fact in polite.text


def test_fillers_of_english_are_on_in_chats_only() -> None:
    assert not next(rule for rule in load_pack("en").rules if rule.id == "en.filler").default
    assert RULES["en.filler"].default


FILLED = "嗯，我付款了了呢，好的好的，马上马上来啊。帮我查查吧。"


@pytest.mark.parametrize("kind", ["text", "markdown", "log", "pdf"])
def test_fillers_of_chinese_stay_in_texts(kind: str) -> None:
    rules = [rule for rule in load_pack("cn").rules if rule.default]
    assert slim_text(FILLED, rules, kind=kind).text == FILLED
    assert len(slim_text(FILLED, rules, kind="chat").text) < len(FILLED) - 8


@pytest.mark.parametrize("kind", ["text", "markdown", "chat"])
def test_who_names_the_pack_for_chats_has_one(kind: str) -> None:
    assert len(slim_text(FILLED, LOSSY, kind=kind).text) < len(FILLED) - 8


def test_politeness_is_touched_only_if_asked() -> None:
    assert not any(RULES[name].default for name in (*POLITE, "en.polite", "cn.degree", "cn.dup-word"))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_no_rule_that_is_on_needs_a_library(rule: Rule) -> None:
    assert not rule.default or rule.op != "convert"
    assert op(rule.op).SUMMARY
