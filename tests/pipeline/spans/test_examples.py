"""Examples of a task, and of how something is written, are data to the last mark."""

from __future__ import annotations

import pytest

from tokaudit.pipeline.spans.find import find_spans
from work import assert_linear


def shown(text: str, kind: str = "text") -> list[str]:
    return [text[span.start : span.end] for span in find_spans(text, kind).of("example")]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("输入：急！！！\n输出：急！\n\n输入：好。。。\n输出：", ["急！！！\n", "急！", "好。。。\n"]),
        ("Input: a\nOutput: b\n\nInput: c\n\nend", [" a\n", " b", " c"]),
        ("Q: when?\nA: now\n\nQ: who?\nA:", [" when?\n", " who?\n"]),
        ("### 示例1 输入\n急！！！\n\n### 示例1 输出\n高", ["\n急！！！\n\n", "\n高"]),
        ("**Text**: x\n**Label**: y", [" x\n", " y"]),
        ("1. 原文：急！！！ 译文：Urgent!", ["急！！！ 译文：Urgent!"]),
        ("【输入】急！！！\n【输出】高", ["急！！！\n", "高"]),
        ("客户：急！！！\n情感：负面", ["客户：急！！！\n"]),
        ("Text: x\nContext: y\nAnswer: z", [" x\nContext: y\n", " z"]),
        ("<example>\n急！！！\n</example>", ["\n急！！！\n"]),
        ("電話番号（例：０３－１２３４）を書く", ["（例：０３－１２３４）"]),
        ("編號（例如：ＡＢＣ）", ["（例如：ＡＢＣ）"]),
        ("記入例：東京都１－２", ["例：東京都１－２"]),
        ("输入：手机号\n\n正文", []),
        ("用户：急！！！\n客服：好的", []),
        ("输入法很好：真的\n输出功率：3", []),
        ("<example>\nnot closed", []),
        ("Output: a\nInput: b", []),
    ],
)
def test_examples_are_found(text: str, spans: list[str]) -> None:
    assert shown(text) == spans


def test_an_input_is_not_longer_than_a_page() -> None:
    assert shown(f"Input: {'a b ' * 2000}\nOutput: c") == []


def test_they_are_of_prompts_alone() -> None:
    assert shown("Input: a\nOutput: b", "log") == []
    assert shown("電話（例：０３－１２３４）", "pdf") == ["（例：０３－１２３４）"]
    assert shown("prompt: |\n  Input: a\n  Output: b\n", "yaml") == [" a\n", " b\n"]


@pytest.mark.parametrize("unit", ["Input: a\n", "<example>", "输入", "#", "\n", "- ", "（例", "Text: a\n\nx: y\n"])
def test_they_are_found_in_linear_work(unit: str) -> None:
    assert_linear(lambda text: find_spans(text, "text"), lambda units: unit * units, 2_000)
