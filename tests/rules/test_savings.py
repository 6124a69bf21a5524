"""What slimming is promised to save, on the samples and forms of them."""

from __future__ import annotations

import json

import pytest

from places import SAMPLES
from tokaudit import slim

POLITE = ("cn.polite", "cn.polite-sentence", "cn.polite-tail")
EVERYTHING = ("lossless", "near", "lossy")
TABLE = """\
| Name                 | Price      | Stock     | Note                     |
|----------------------|------------|-----------|--------------------------|
| Desk lamp            | 269.00     | 12        | warm and cold light      |
| Bookshelf            | 1,299.00   | 3         | oak, delivered flat      |
| 台灯                 | 269.00     | 12        | 三档亮度                 |
| Chair                | 89.50      | 140       | stackable                |
"""


def share(text, **options):
    result = slim(text, models="o200k_base", **options)
    return 1 - result.tokens_after[0] / result.tokens_before[0]


def sample(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


def test_a_chatty_message():
    message = sample("chatty-message.zh.txt")
    assert share(message, rules="chat", classes=EVERYTHING) >= 0.16
    assert share(message, rules="chat", classes=EVERYTHING, select=POLITE) >= 0.22


def test_a_repetitive_log_keeps_its_counts():
    log = sample("polling.log")
    result = slim(log, models="o200k_base")
    assert result.tokens_after[0] <= 0.7 * result.tokens_before[0]
    left = result.text.splitlines()
    # "… ×16": sixteen in all, of which the first stands before it, and the last after it where no time is said.
    counts = [line for line in left if line.startswith("… ×")]
    repeated = sum(int(line.split("×")[1].split()[0]) - (1 if "until" in line else 2) for line in counts)
    assert repeated + sum(not line.startswith("… ×") for line in left) == len(log.splitlines())
    warnings = [[line.split() for line in lines if "WARN" in line] for lines in (left, log.splitlines())]
    assert warnings[0] == warnings[1]


@pytest.mark.parametrize("indent", [4, "\t"])
def test_pretty_printed_json(indent):
    value = json.loads(sample("tool-result.json"))
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    result = slim(text, models="o200k_base", kind="json")
    assert result.tokens_after[0] <= 0.7 * result.tokens_before[0]
    assert json.loads(result.text) == value


def test_a_padded_table():
    assert share(TABLE, kind="markdown") >= 0.2


PROMPT = "下面是接口返回：\n{}\n请总结。\n"
CALLS = [{"id": at, "state": "open", "user": {"login": f"dev{at % 7}"}, "labels": ["bug"]} for at in range(40)]


def test_json_in_a_prompt():
    value = json.loads(sample("tool-result.json"))
    pretty, small = (
        json.dumps(value, indent=indent, ensure_ascii=False, separators=(",", ": " if indent else ":"))
        for indent in (2, None)
    )
    assert slim(PROMPT.format(pretty), models="o200k_base").text == PROMPT.format(small)
    asked = PROMPT.format(pretty).replace("请总结", "请按上面的格式回答")
    assert slim(asked, models="o200k_base").text == asked


def test_what_a_tool_gave_back():
    text = json.dumps([{"role": "tool", "content": [{"type": "text", "text": json.dumps(CALLS, indent=2)}]}])
    result = slim(text, models="o200k_base", kind="json", select=["json.nested"])
    assert json.loads(json.loads(result.text)[0]["content"][0]["text"]) == CALLS
    assert result.tokens_after[0] <= 0.7 * result.tokens_before[0]
    as_rows = slim(text, models="o200k_base", kind="json", select=["json.nested", "json.rows"])
    table = json.loads(json.loads(as_rows.text)[0]["content"][0]["text"])
    assert [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] == CALLS
    assert as_rows.tokens_after[0] <= 0.8 * result.tokens_after[0]
