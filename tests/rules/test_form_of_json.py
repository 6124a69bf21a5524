"""JSON of whose form somebody speaks stays as it is written, and other JSON does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tokaudit import slim

_DATA = '{\n  "id": 7,\n  "tags": [\n    "a",\n    "b"\n  ],\n  "price": 30.0\n}'
_ROWS = json.dumps([{"id": number, "name": f"灯{number}", "price": number * 1.5} for number in range(6)])
_SAID = "The station is closed on Sunday. Trains to the north leave from platform four." * 2


def _applied(text: str, *rules: str, kind: str | None = None) -> set[str]:
    result = slim(text, models=["gpt-4o", "qwen3"], kind=kind, select=rules)
    return {delta.rule for delta in result.deltas if delta.applied}


def _document(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        f"请抽取实体，按如下结构给出：\n{_DATA}\n文本：张三买了三盏灯。",
        'Return this:\n{\n  "name": "{{name}}",\n  "qty": 0\n}\n',
        'Fields of a person:\n{\n  "name": "string",\n  "age": 0\n}\n',
        f"这段 JSON 哪一行有问题？\n{_DATA}\n",
        f"What is on line 3 of this?\n{_DATA}\n",
        f"Review the style of this config:\n\n{_DATA}\n",
        f"把下面内容写入 config.json，不要改动：\n{_DATA}\n",
        f"Text: two lamps\nJSON: {_DATA}\n\nText: three lamps\nJSON:",
        f"Lamps: two\nOrder:\n{_DATA}\n\nLamps: three\nOrder:",
        f"Q: extract\nA: {_DATA}\n\nQ: extract again\nA:",
        f"Here is how prettier prints it:\n{_DATA}\nand how we want it:\n[7]",
        f"sha256 of the body below is 9f3c. Verify it.\n{_DATA}\n",
        f"You extract data.\nThe reply looks like so:\n\n{_DATA}\n\n" + "Some other rule.\n" * 80,
        f"Generate a test fixture like this one:\n\n{_DATA}",
        f"参照下面的写法生成配置：\n{_DATA}",
        f"The response must be:\n{_DATA}",
        f"我的 JSON 解析失败，帮我看看：\n{_DATA}",
        f"你的回复应当是 JSON：\n{_DATA}",
        f"Produce a record:\n{_DATA}\nfor every product below.\nLamp, 30",
        f"每个商品生成一条记录：\n{_DATA}\n商品：灯",
        f"接口约定：请求体\n{_DATA}\n请据此写文档",
        f"System: always call the tool with\n{_DATA}\n",
        f"工具调用参数：\n{_DATA}",
        f"把下面的 JSON 转成 YAML：\n{_DATA}",
        f"Return your findings as\n{_DATA}",
        f"Extract the order as JSON:\n{_DATA}\n\nText: I want lamps",
        f"请用 JSON 回答：{_DATA}",
        f"Your final message must contain only this object:\n{_DATA}",
        f"Respond:\n{_DATA}",
        f"回复必须严格遵循下面这个 JSON：\n{_DATA}",
        f"The answer is an object:\n{_DATA}",
        f"Give me something along these lines:\n{_DATA}",
        f"Desired result:\n{_DATA}\nActual: nothing",
        f"Golden record:\n{_DATA}",
        f"The order object has this:\n{_DATA}\nWrite ten more.",
        f"Make up 5 more records.\n\n{_DATA}",
        f"Write a unit test for this response body:\n{_DATA}",
        f"Ask the user for data until you have:\n{_DATA}",
        f"订单接口需要如下 JSON：\n{_DATA}\n帮我构造",
        f"用户说三盏灯时，你说：\n{_DATA}",
        f"哪个括号没闭合？\n{_DATA}",
    ],
)
def test_what_shows_the_form_of_an_answer_stays(text: str) -> None:
    assert "json.in-text" not in _applied(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Customer information:\n{_DATA}\n\nWhat is the price?",
        f"用户资料：\n{_DATA}\n请推荐一款灯。",
        f"以下是接口返回的 JSON 数据：\n{_DATA}\n请用一句话回答用户：多少钱？",
        f"Here is the JSON response of the API:\n\n{_DATA}\n\nExplain it to the customer.",
        f"查询结果如下：\n{_DATA}\n根据查询结果生成周报。",
        f"user: check order 7\ntool: {_DATA}\nuser: and?\ntool: {_DATA}\nuser: thanks",
        f"Platform status:\n{_DATA}\nUnits and lifestyle follow. Is it online?",
    ],
)
def test_data_between_sentences_is_minified(text: str) -> None:
    assert "json.in-text" in _applied(text)


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "tool", "content": _DATA}, {"role": "user", "content": "Keep the formatting of the file."}],
        [{"role": "user", "content": "这个接口返回的 JSON 缩进对吗？"}, {"role": "tool", "content": _DATA}],
        {"question": "Is this valid pretty JSON?", "response": _DATA},
        {"payload": _DATA, "headers": {"x-signature": "abc"}},
        {"event": {"body": _DATA, "headers": {"X-Hub-Signature-256": "sha256=aa"}}},
        {"expected": _DATA, "actual": json.dumps(json.loads(_DATA), indent=4)},
        {"contents": [{"role": "model", "parts": [{"text": _DATA}]}]},
        {"messages": [{"content": [{"type": "text", "text": _DATA}], "role": "assistant"}]},
    ],
)
def test_texts_of_json_whose_form_counts_stay(value: Any) -> None:
    assert "json.nested" not in _applied(_document(value), "json.nested", kind="json")


@pytest.mark.parametrize(
    "value",
    [
        {"result": {"content": [{"type": "text", "text": _DATA}], "isError": False}},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"text": _DATA}]}]},
        {"messages": [{"role": "assistant", "content": "7?"}, {"role": "tool", "content": _DATA}]},
    ],
)
def test_results_of_tools_are_minified(value: Any) -> None:
    assert "json.nested" in _applied(_document(value), "json.nested", kind="json")


@pytest.mark.parametrize(
    "text",
    [
        f"{_ROWS}\n把 id 为 3 的对象改价后按原结构返回",
        f"Add 'sale' to each object and return the array:\n{_ROWS}",
        f"Write Python code that sums the prices:\n{_ROWS}",
        _document({"messages": [{"role": "user", "content": f"c{number}"} for number in range(6)]}),
        _document([{"role": "user", "content": f"c{number}"} for number in range(6)]),
        _document({"tools": [{"type": "function", "function": {"name": f"f{number}"}} for number in range(6)]}),
        _document([{"conversations": [{"from": "human", "value": f"v{number}"} for number in range(6)]}]),
        _document([{"instruction": f"i{number}", "input": "", "output": f"o{number}"} for number in range(6)]),
        _document({"examples": [{"input": f"i{number}", "output": f"o{number}"} for number in range(6)]}),
    ],
)
def test_what_is_read_by_its_keys_makes_no_rows(text: str) -> None:
    assert "json.rows" not in _applied(text, "json.rows")


@pytest.mark.parametrize(
    "value",
    [
        [
            {"role": "system", "content": "Tell whether the two versions of a paragraph differ."},
            {"role": "user", "content": f"Version A:\n{_SAID}"},
            {"role": "user", "content": f"Version B:\n{_SAID}"},
        ],
        [{"text": _SAID, "label": "spam"}, {"text": _SAID, "label": "ham"}],
        {"prediction": _SAID, "reference": _SAID},
        {"question": "这两篇作业是否存在抄袭？", "essays": [{"text": _SAID}, {"text": _SAID}]},
        {"input": [_SAID, _SAID], "model": "text-embedding-3-small"},
    ],
)
def test_texts_that_are_compared_are_not_named(value: Any) -> None:
    result = slim(_document(value), models=["gpt-4o", "qwen3"], kind="json", select="json.repeated")
    assert json.loads(result.text) == value


def test_steps_of_an_agent_are_named_by_what_it_did() -> None:
    text = _document([{"thought": thought, "action": "read", "observation": _SAID} for thought in ("look", "again")])
    result = slim(text, models=["gpt-4o", "qwen3"], kind="json", select="json.repeated")
    assert json.loads(result.text)[1]["observation"] == "[same as message 1, read: The station is closed on…]"


def test_messages_of_a_request_are_named_though_they_are_its_input() -> None:
    results = [{"type": "function_call_output", "call_id": str(number), "output": _SAID} for number in range(2)]
    text = _document({"input": [{"role": "user", "content": "read"}, *results]})
    result = slim(text, models=["gpt-4o", "qwen3"], kind="json", select="json.repeated")
    assert json.loads(result.text)["input"][2]["output"].startswith("[same as message 2, function_call_output: The")


@pytest.mark.parametrize(
    "words",
    [
        "请指出两份合同的出入。",
        "Send each mail as it is.",
        "下列条目去重：",
        "判断是否抄袭。",
        "Write music for these lyrics.",
    ],
)
def test_lines_that_are_compared_are_not_named(words: str) -> None:
    text = f"{words}\n\nTo Anna:\n{_SAID} {_SAID}\n\nTo Bob:\n{_SAID} {_SAID}\n\n{words}"
    assert "common.repeated-lines" not in _applied(text, "common.repeated-lines")
