"""Slimming of generated mixtures: nothing breaks, whatever stands beside what."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit import load_tokenizer
from tokaudit.features.slim.types import Choice
from tokaudit.jobs.slim_plan import SlimPlan
from tokaudit.pipeline.spans.find import find_spans

PIECES = (
    *(
        "你好，",
        "请问一下，",
        "我的订单号：#ORD-2024-7890 ",
        "还没收到货呢！！！",
        "三个月",
        "哈尔滨",
        "的的确确",
        "了了",
        "谢谢谢谢你",
        "嗯嗯，",
    ),
    *(
        "２０２４年５月２０日",
        "2024年05月20日",
        "￥1,299.00元",
        "１２３",
        "订 单 号 码",
        "系统异常啊，",
        "非常",
        "不",
        "没有",
        "吧台",
    ),
    *(
        "In order to",
        " help ",
        "not ",
        "I like apples",
        "well-known",
        "  ",
        "   ",
        " ",
        "\u00a0",
        "\u3000",
        "\u200b",
        "\t",
        "don't ",
    ),
    *(
        "\n",
        "\n",
        "\n\n",
        "\n\n\n\n",
        "\r\n",
        " \n",
        "- item",
        "1. ",
        "# Heading\n",
        "> quote ",
        "---\n",
        "***",
        "===\n",
    ),
    *(
        "`code  x`",
        "```\nx  =  1\n```\n",
        "    x = 1\n",
        "{name}",
        "{{ x }}",
        "${X}",
        "%s",
        "<b>",
        "</b>",
        "<slot>",
        "[[x]]",
    ),
    *(
        "https://a.example/x?utm_source=b&c=1 ",
        "[t](http://x/y_(z)?utm_source=b)",
        "a@b.example ",
        "/usr/bin/x ",
        "“他说  呢！”",
        "「嗯」",
    ),
    *(
        "| a   | b  |\n| --- | :-- |\n| 1   | 2  |\n",
        "<!-- note -->",
        '{"a":  [1, 2 ]}\n',
        "&nbsp;",
        "&amp;",
        "ﬁn",
        "\x1b[31mred\x1b[0m",
    ),
    *(
        "2024-05-20 08:00:01 INFO started\n",
        "2024-05-20 08:00:02 ERROR failed 12\n",
        "用户：在吗？\n",
        "客服：在的呢～\n",
        "🎉🎉🎉",
        "👩‍👩‍👧",
        "。。。",
        "……",
        "——",
        "~~~~",
    ),
    *(
        "<!-- tokaudit:off -->\n",
        "<!-- tokaudit:on -->\n",
        "第 3 页 共 9 页\n",
        "\f",
        "auto-\nmatic ",
        "１,２９９",
        "(cid:12)",
        "⼀",
        "Ａ",
        "，",
        "：",
    ),
)
TOKENIZERS = [load_tokenizer("o200k_base"), load_tokenizer("qwen3")]


@st.composite
def texts(draw):
    return "".join(draw(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=24)))


@pytest.mark.parametrize("classes", [("lossless",), ("lossless", "near"), ("lossless", "near", "lossy")], ids=len)
@settings(max_examples=250)
@given(texts(), st.sampled_from(["text", "text", "markdown", "json", "jsonl", "template"]))
def test_nothing_breaks(classes, text, kind):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    plan = SlimPlan(None, Choice(classes))
    document = plan.slimmed(plan.text("x", text, kind), TOKENIZERS)
    result = document.result
    before, after = ([tokenizer.count(part) for tokenizer in TOKENIZERS] for part in (text, result.text))
    assert result.tokens_before == tuple(before)
    assert result.tokens_after == tuple(after)
    assert all(new <= old for old, new in zip(before, after, strict=True))
    saved = [sum(delta.saved[column] for delta in result.deltas) for column in range(len(TOKENIZERS))]
    assert saved == [old - new for old, new in zip(before, after, strict=True)]
    assert result.replay() == result.text
    assert result.ledger.whole, (dict(result.ledger.before), dict(result.ledger.removed), dict(result.ledger.after))
    again = plan.slimmed(plan.text("x", result.text, document.source.kind), TOKENIZERS).result
    assert again.text == result.text, [(step.rule, step.edits) for step in again.steps]
    off = [text[span.start : span.end] for span in find_spans(text, document.source.kind).of("off")]
    assert off == [
        result.text[span.start : span.end] for span in find_spans(result.text, document.source.kind).of("off")
    ]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200)
@given(values, st.sampled_from([None, 1, 4, "\t"]), st.booleans())
def test_json_keeps_its_value(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    plan = SlimPlan(None, Choice())
    result = plan.slimmed(plan.text("x.json", text, "json"), TOKENIZERS).result
    assert json.loads(result.text) == json.loads(text)
    assert len(result.text) <= len(text)
