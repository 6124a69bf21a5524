"""How far the words reach by which a text speaks of what a rule changes: what is kept, and what is still saved."""

from __future__ import annotations

import pytest

from tokaudit.model.edits import Delta, Silenced
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.views.instructions import instructions
from tokaudit.store.packs import load_pack

MARKS = [
    rule for rule in load_pack("cn").rules if rule.id in {"cn.punct-repeat", "cn.tilde-repeat", "cn.final-particle"}
]
DATA = "\n\n".join(
    ["用户：什么时候发货啊？？？！！！", "客服：马上发货哦~~", "用户：好呀！！！", "客服：谢谢您的理解呢～～"] * 6
)
ASKED = [
    "请判断下面这句话的语气（友好/不耐烦）", "【系统】请判断下面每句话的语气", "请给下面的评论打情感分：",
    "任务：对每条消息做情感分析",
    "你是情绪分析助手，请给每条消息打分。", "统计下列对话中客户的情绪变化。", "请按下面聊天的口吻写一条回复。",
    "请分析这段对话里客户的满意度",
    "把下面的对话原样翻译成英文", "要求：输出必须保留原文的标点", "Rate the sentiment of each message from 1 to 5.",
    "You are a sentiment classifier. Label every message as positive or negative.",
    "Decide which of the messages below sound angry; you must quote the tone of each.",
    "Classify the tone of the following messages:", "Please keep the punctuation of the text exactly as is.",
    "下面这句话的语气是友好还是不耐烦？", "这段对话里，客户的情绪是怎样的？", "判断语气", "情感分类：正面/负面/中性",
    "Is the customer angry or calm? Answer in one word.", "What is the mood of this conversation?",
    "你是一名客服质检员，找出客户不满的地方。",
    "客户是否生气？", "给出每句话的情绪标签（喜、怒、哀、乐）",
    "# 情感分析任务",
    "How upset is the customer, from 0 to 10?", "Detect sarcasm in the following messages.", "用同样的口气再写三句。",
    "模仿下面的风格写一段话", "仿照用户的说话方式回复", "统计下面的感叹号个数", "一共有几个感叹号？",
    "How many exclamation marks are there?", "把标点改成英文标点", "请逐字照抄下面的内容",
    "Repeat the following text verbatim.",
    "原封不动地返回下面的内容", "不要改动任何字符", "Fix the punctuation of this chat.", "Proofread the text below.",
    "Rewrite the chat in a calmer voice.", "检测下面的消息是否有攻击性", "这些话有没有火药味？",
    "Which message sounds more excited?", "用户的态度是积极的还是消极的", "Rank the messages by intensity.",
    "请评估客户的愤怒等级（1-5）", "Emotion recognition", "Sentiment: label each line POS or NEG.", "区分真诚和讽刺",
    "这句话是开玩笑还是认真的？", "判断说话人的年龄和性格", "Who wrote this? Identify the author by style.",
    "分析这段文字的写作特点", "判断紧急程度：高/中/低", "Prioritize these tickets.", "翻译成英文，保留语气",
    "Translate into English, keeping the emphasis.", "转写成语音合成脚本，保留停顿", "Convert to SSML with pauses.",
]  # fmt: skip
CHAT = [
    f"用户：第{number}单什么时候发货啊？？？" if number % 2 else f"客服：第{number}单马上发货哦！！！"
    for number in range(570)
]
SAID = [
    "用户：我买的小说到了", "用户：你们态度太差了", "客服：请问小说是精装吗", "客服：这本小说请您查收",
    "用户：请帮我翻译一下书名", "用户：我很生气",
    "用户：请帮我看下情感类的书",
    "客服 10:01：麻烦您在会话结束以后给所有客服一个五星好评哦",
]  # fmt: skip


def _applied(text: str, kind: str) -> int:
    return sum(delta.applied for delta in slim_text(text, MARKS, kind=kind).deltas)


@pytest.mark.parametrize("end", [False, True])
@pytest.mark.parametrize("asked", ASKED)
def test_an_instruction_governs_the_whole_text(asked: str, end: bool) -> None:
    text = f"{DATA}\n\n{asked}" if end else f"{asked}\n\n{DATA}"
    assert slim_text(text, MARKS, kind="chat").text == text
    assert _applied(DATA, "chat") > 20


@pytest.mark.parametrize("said", SAID)
def test_what_somebody_says_in_a_chat_reaches_some_lines(said: str) -> None:
    without = _applied("\n".join(CHAT), "chat")
    with_it = _applied("\n".join([*CHAT[:285], said, *CHAT[285:]]), "chat")
    assert with_it >= 0.94 * without


def test_the_outcome_tells_what_was_silenced_by_which_word_and_where() -> None:
    text = "\n".join([*CHAT[:285], "用户：我买的小说到了", *CHAT[285:]])
    deltas: dict[str, Delta] = {delta.rule: delta for delta in slim_text(text, MARKS, kind="chat").deltas}
    assert deltas["cn.final-particle"].silenced == [Silenced("小说", 24, line=286)]
    asked = slim_text(f"{text}\n请判断语气，给上面每条打分", MARKS, kind="chat").deltas
    assert {delta.rule: delta.silenced for delta in asked} == {
        "cn.punct-repeat": [Silenced("语气", 570, line=572)],
        "cn.final-particle": [Silenced("语气", 570, line=572)],
    }


def test_instructions_are_lines_that_ask_for_work_on_the_text() -> None:
    text = (
        "标题\n\n客服: 请问您要什么\n用户: 请帮我分析下面的话\n| 请 | 输出 |\n请输出表格 https://a.example/?utm_source=b\n"
        "天气不错\n1. decide how angry the writer is.\n用户: 这条评论是好评吗?\n用户: 这条裤子是新款吗?"
    )
    found = instructions(text, 0, len(text))
    assert [item.line.rstrip() for item in found] == [
        "标题",
        "用户: 请帮我分析下面的话",
        "请输出表格",
        "1. decide how angry the writer is.",
        "用户: 这条评论是好评吗?",
    ]
    assert [item.start for item in found] == [text.index(item.line.rstrip()) for item in found]
    assert instructions("", 0, 0) == []


def test_of_a_long_text_both_ends_are_searched() -> None:
    line = "用户：什么时候发货啊？？？\n"
    long = line * 12_000
    for text in (f"{line}请判断下面每句话的语气。\n{long}", f"{long}请判断上面每句话的语气。\n{line}"):
        assert slim_text(text, MARKS, kind="chat").text == text
    middle = f"{long}请判断下面每句话的语气。\n{long}"
    assert 24_000 - 24 <= _applied(middle, "chat") // 2 < 24_000


def test_the_text_of_pdf_asks_for_nothing() -> None:
    text = "请在下面每一行输出空格。\n\n第一段。\n\n第二段。\n\n第三段。"
    text += "\n\nWe went  to the shop and bought bread there."
    spaces = [rule for rule in load_pack("common").rules if rule.id == "common.inner-run"]
    assert slim_text(text, spaces, kind="text").text == text
    assert slim_text(text, spaces, kind="pdf").text != text
