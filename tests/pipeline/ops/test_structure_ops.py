from __future__ import annotations

import ast
import json
import re
from html import unescape
from itertools import groupby, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.spans.find import find_spans
from tokaudit.pipeline.views.view import View
from work import assert_linear

SETTINGS = settings(max_examples=150, deadline=None)
MARKDOWN = MarkdownIt("commonmark").enable("table")
TRACKING = {"names": ("utm_*", "gclid", "from=share"), "signed": ("sig", "X-Amz-*")}


def edits_of(name: str, text: str, kind: str = "text", **values: Any) -> list[Edit]:
    module = op(name)
    find = module.prepare({key: about.default for key, about in module.PARAMETERS.items()} | values)
    edits = list(find(View(text, kind, frozenset(), lambda: find_spans(text, kind))))
    assert edits == sorted(edits)
    assert all(left.end <= right.start for left, right in pairwise(edits))
    return edits


def slimmed(name: str, text: str, kind: str = "text", **values: Any) -> str:
    return apply_edits(text, edits_of(name, text, kind, **values))


# JSON


class Verbatim(str):
    """A number as it is written."""

    __slots__ = ()


def parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=tuple, parse_float=Verbatim, parse_int=Verbatim)


NUMBERS = ["0", "-0", "1.0", "1e5", "1E+05", "0.10", "-12345678901234567890", "9" * 5000]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["\ud83d", "\ude00\ud83d", "a\\u0041", "\u2028", "\u00a0", '"', "\\", "\x7f", "a  b\n c", "你好", "😀"]
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXTS, inner, max_size=5)),
    max_leaves=25,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    # Surrogates without their other half can only stand as escapes.
    value = draw(VALUES)
    plain = "\\ud" not in json.dumps(value)
    spaces = draw(st.sampled_from(["", " ", "\n", "\t \r\n"]))
    separators = (spaces + "," + draw(st.sampled_from(["", " "])), ":" + spaces)
    indent = draw(st.sampled_from([None, 0, 4, "\t"]))
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=not plain or draw(st.booleans()))
    numbers = iter(draw(st.lists(st.sampled_from(NUMBERS), min_size=60, max_size=60)))
    return re.sub(r'"(?:[^"\\]|\\.)*"|true', lambda m: m[0] if m[0][0] == '"' else next(numbers, "1"), text)


@SETTINGS
@given(documents(), st.sampled_from(["json", "jsonl"]))
def test_minified_json_is_the_same_value(text: str, kind: str):
    small = slimmed("minify-json", text, kind)
    if kind == "json":
        assert parsed(small) == parsed(text)
        assert not re.search(r"\s", re.sub(r'"(?:[^"\\]|\\.)*"', "", small))
    assert len(small) <= len(text)
    assert edits_of("minify-json", small, kind) == []
    for edit in edits_of("minify-json", text, kind, escapes=False):
        assert not edit.text
        assert text[edit.start : edit.end].strip(" \t\r\n") == ""


def read_twice(value: Any) -> Any:
    """A value in whose texts that are JSON the JSON is read too."""
    if isinstance(value, (tuple, list)):
        return type(value)(read_twice(one) for one in value)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return read_twice(parsed(value))
        except ValueError:
            return value
    return value


@SETTINGS
@given(documents(), st.booleans(), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_json_in_texts_of_json_is_the_same_when_read_twice(text: str, deep: bool, indent: Any, ascii_only: bool):
    for _ in range(1 + deep):
        text = json.dumps({"id": 7, "text": text.strip()}, indent=indent, ensure_ascii=ascii_only)
    small = slimmed("minify-json", text, "json", where="strings")
    assert read_twice(parsed(small)) == read_twice(parsed(text))
    assert len(small) <= len(text)
    assert edits_of("minify-json", small, "json", where="strings") == []


@pytest.mark.parametrize(
    "text",
    [
        r'{"text": "{ \"a\": \"\ud83d\" }"}',
        r'{"text": "{\"a\": 1}, {\"b\": 2}"}',
        '{"text": "[1] and more"}',
        '{"{ }": 1}',
    ],
)
def test_texts_that_are_no_json_stay(text: str):
    assert edits_of("minify-json", text, "json", where="strings") == []


@SETTINGS
@given(st.lists(documents().map(lambda text: text.replace("\n", " ").replace("\r", " ")), max_size=5))
def test_minified_lines_are_the_same_values(lines: list[str]):
    small = slimmed("minify-json", "\n".join([*lines, '{"broken": '])).split("\n")
    assert [parsed(line) for line in small[:-1]] == [parsed(line) for line in lines]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 1}}',
        '{"a": NaN}',
        "[1, Infinity]",
        "[1, 2,]",
        "{'a': 1}",
        '["a\nb", 1]',
        "[01, 2]",
        "[1, 2] // comment",
        "\ufeff[1, 2]",
        "[1, 2",
        "[ " * 3000 + "] " * 2999 + "]",
    ],
)
def test_what_is_not_plain_json_is_left_alone(text: str):
    for name in ("minify-json", "drop-empty-json", "json-rows"):
        assert edits_of(name, text, "json") == []


def test_a_line_end_after_json_stays():
    assert slimmed("minify-json", " \n[1, 2]\r\n[ ]\n", "jsonl") == " \n[1,2]\r\n[]\n"


@pytest.mark.parametrize(
    ("escaped", "plain"),
    [
        (r'"\u4f60\u597d"', '"你好"'),
        (r'"\ud83d\ude00"', '"😀"'),
        (r'"\ud83d\ud83d\ude00"', r'"\ud83d😀"'),
        (r'"\u4f60\ud83d\u597d"', r'"你\ud83d好"'),
        (r'"\\u4f60\\\u4f60"', r'"\\u4f60\\你"'),
        (r'"\u0022\u005c\u000a\u007f\u200b"', r'"\u0022\u005c\u000a\u007f\u200b"'),
        (r'"\u0041\n\u0042"', r'"A\nB"'),
    ],
)
def test_escapes(escaped: str, plain: str):
    assert slimmed("minify-json", f"[{escaped}]", "json") == f"[{plain}]"


PASSAGE = [f"{at}: this line of a passage says something of its own, and is read more than once" for at in range(9)]
NAME = re.compile(r"\[same (?:(\d+) lines|line) as in message (\d+), \w+: (.*)…\]")


def trace(*contents: str) -> str:
    return json.dumps([{"role": "tool", "content": content} for content in contents])


def resolved(contents: list[str]) -> list[str]:
    """Texts of messages with what is named put back: the lines from the one on that begins with the first words."""
    found: list[str] = []
    for content in contents:
        lines: list[str] = []
        for line in content.split("\n"):
            if not (name := NAME.fullmatch(line)):
                lines.append(line)
                continue
            source = contents[int(name[2]) - 1].split("\n")
            first = next(at for at, one in enumerate(source) if one.startswith(name[3]))
            lines += source[first : first + int(name[1] or 1)]
        found.append("\n".join(lines))
    return found


@SETTINGS
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 9)), min_size=1, max_size=8))
def test_named_lines_can_be_put_back(cuts: list[tuple[int, int]]):
    contents = [
        "\n".join([f"call {at}", *PASSAGE[first : first + size], "done"]) for at, (first, size) in enumerate(cuts)
    ]
    small = slimmed("repeated-texts", trace(*contents), "json")
    left = [message["content"] for message in json.loads(small)]
    assert resolved(left) == contents
    read = [line for content in left for line in content.split("\n") if line in PASSAGE]
    assert sorted({line for content in contents for line in content.split("\n") if line in PASSAGE}) == sorted(
        set(read)
    )
    assert len(left[-1].split("\n")) <= len(contents[-1].split("\n"))
    assert edits_of("repeated-texts", small, "json") == []


def test_what_is_named_in_which_request():
    text = "\n".join(PASSAGE)
    both = {"messages": [{"role": "tool", "content": text}, {"role": "tool", "content": text}]}
    named = {"messages": [both["messages"][0], {"role": "tool", "content": f"[same as message 1, tool: {text[:24]}…]"}]}
    assert json.loads(slimmed("repeated-texts", json.dumps([both, both]), "json")) == [named, named]
    lines = slimmed("repeated-texts", f"{json.dumps(both)}\n{json.dumps(both)}", "jsonl").split("\n")
    assert [json.loads(line) for line in lines] == [named, named]
    responses = {"model": "m", "input": [{"type": "function_call_output", "call_id": "c", "output": text}] * 2}
    [_, again] = json.loads(slimmed("repeated-texts", json.dumps(responses), "json", not_under=("input",)))["input"]
    assert again["output"] == f"[same as message 1, function_call_output: {text[:24]}…]"
    events = [{"type": "result", "id": at, "content": [{"type": "text", "text": text}]} for at in range(2)]
    lines = slimmed("repeated-texts", "\n".join(map(json.dumps, events)), "jsonl").split("\n")
    assert json.loads(lines[1])["content"][0]["text"] == f"[same as message 1, result: {text[:24]}…]"


def test_what_is_asked_is_not_what_a_tool_gave_back():
    text = "\n".join(PASSAGE)
    results = [
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": [one], "tool_use_id": "t"}]},
        }
        for one in (
            {"type": "text", "text": text},
            {"type": "text", "text": "Compare."},
            {"type": "text", "text": text},
        )
    ]
    asked = {"type": "user", "message": {"role": "user", "content": "Compare them."}}
    lines = [json.dumps(one) for one in (*results, asked)]
    small = slimmed("repeated-texts", "\n".join(lines[:3]), "jsonl", not_by=("compar",))
    assert json.loads(small.split("\n")[2])["message"]["content"][0]["content"][0]["text"].startswith(
        "[same as message 1, user"
    )
    assert edits_of("repeated-texts", "\n".join(lines), "jsonl", not_by=("compar",)) == []
    long = {"role": "system", "content": f"Compare the pages.\n{'Be kind. ' * 400}"}
    assert edits_of("repeated-texts", json.dumps([long, *results]), "json", not_by=("compar",)) == []
    long["content"] = f"{'Be kind. ' * 200}Compare.{' Be kind.' * 200}"
    assert edits_of("repeated-texts", json.dumps([long, *results]), "json", not_by=("compar",)) != []


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [{"function": {"arguments": "\n".join(PASSAGE)}}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "\n".join(PASSAGE), "signature": "EqQB"}]},
        {"role": "user", "content": [{"image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo=" * 30}}]},
        {"role": "tool", "content": "iVBORw0KGgo=" * 30},
        {"role": "assistant", "content": "\n".join(PASSAGE)},
        {"from": "gpt", "value": "\n".join(PASSAGE)},
        {"role": "tool", "content": PASSAGE[0]},
    ],
)
def test_what_is_not_named(message: Any):
    fixed = ("arguments", "url")
    assert edits_of("repeated-texts", json.dumps([message, message, message]), "json", not_under=fixed) == []


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_empty(one) for key, one in value.items() if one not in (None, "", [])}
    return [without_empty(one) for one in value] if isinstance(value, list) else value


@SETTINGS
@given(documents(), st.data())
def test_empty_members_are_dropped_and_any_of_them_may_stay(text: str, data: st.DataObject):
    edits = edits_of("drop-empty-json", text, "json")
    numbers = {"parse_int": Verbatim, "parse_float": Verbatim}
    assert json.loads(apply_edits(text, edits), **numbers) == without_empty(json.loads(text, **numbers))
    some = [edit for edit in edits if data.draw(st.booleans())]
    parsed(apply_edits(text, some))


def objects_of(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["columns", "rows"]:
        return [dict(zip(value["columns"], row, strict=True)) for row in value["rows"]]
    if isinstance(value, dict):
        return {key: objects_of(one) for key, one in value.items()}
    return [objects_of(one) for one in value] if isinstance(value, list) else value


@SETTINGS
@given(
    st.lists(TEXTS, min_size=1, max_size=4, unique=True),
    st.lists(st.lists(st.one_of(TEXTS, st.none(), st.integers()), min_size=4, max_size=4), min_size=1, max_size=8),
)
def test_rows_hold_the_same_objects(keys: list[str], rows: list[list[Any]]):
    value = {"n": [dict(zip(keys, row, strict=False)) for row in rows]}
    text = json.dumps(value, indent=1)
    slim = slimmed("json-rows", text, "json")
    assert objects_of(json.loads(slim)) == value
    assert (slim != text) == (len(rows) >= 5)
    assert edits_of("json-rows", slim, "json") == []


# Tables

CELLS = st.sampled_from(
    ["", "a", "a b", "`x`", "`a\\|b`", "`a|b`", "\\|", "\\\\", "**b**", "你好", "a  b", "[l](u)", "`", "-"]
)
PADDING = st.sampled_from(["", " ", "  ", "     ", "\t", " \t "])


@st.composite
def pipe_tables(draw: st.DrawFn) -> str:
    columns = draw(st.integers(1, 4))
    outer = draw(st.booleans()) or columns == 1
    prefix = draw(st.sampled_from(["", "", " ", "  ", "> "]))
    lines = []
    for index in range(draw(st.integers(2, 5))):
        if index == 1:
            mark = st.sampled_from(["-", "---", ":-----", "-------:", ":-:", ":---------:"])
            cells = [draw(PADDING) + draw(mark) + draw(PADDING) for _ in range(columns)]
        else:
            cells = [draw(PADDING) + draw(CELLS) + draw(PADDING) for _ in range(columns)]
        line = "|".join(cells)
        lines.append(prefix + (f"|{line}|{draw(PADDING)}" if outer else line))
    return "text\n\n" + "\n".join(lines) + "\n\ntext\n"


@SETTINGS
@given(pipe_tables(), st.data())
def test_compact_tables_render_the_same(text: str, data: st.DataObject):
    for values in ({}, {"padding": False, "dashes": 1, "tight": True}):
        edits = edits_of("table-compact", text, "markdown", **values)
        assert MARKDOWN.render(apply_edits(text, edits)) == MARKDOWN.render(text)
        some = [edit for edit in edits if data.draw(st.booleans())]
        assert MARKDOWN.render(apply_edits(text, some)) == MARKDOWN.render(text)
        small = apply_edits(text, edits)
        assert edits_of("table-compact", small, "markdown", **values) == []


def cells_of(html: str) -> list[list[str]]:
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)]


@SETTINGS
@given(pipe_tables())
def test_lines_with_tabs_have_the_same_cells(text: str):
    edits = edits_of("table-tsv", text, "markdown")
    for edit in edits:
        rows = [[MARKDOWN.renderInline(cell) for cell in line.split("\t")] for line in edit.text.split("\n")]
        assert rows == cells_of(MARKDOWN.render(text[edit.start : edit.end]))


def test_html_tables_have_the_same_cells():
    html = "<TABLE border=1>\n<tr>\n <th>a</th><th>b &amp; c</th></tr>\n<tr><td>1</td><td>x\n y</td></tr></TABLE>\n"
    assert slimmed("html-table", html, "markdown") == "| a | b &amp; c |\n|---|---|\n| 1 | x y |\n"
    nested = "<table><tr><th>a</th></tr><tr><td>\n" + html + "</td></tr></table>\n"
    assert edits_of("html-table", nested, "markdown") == []


# Comments of HTML

BLOCKS = [
    "para\n",
    "more\n",
    "\n",
    "- item\n",
    "1. one\n",
    "  in item\n",
    "    code\n",
    "> quote\n",
    "# head\n",
    "---\n",
    "===\n",
    "<!-- x -->\n",
    "<!-- x\ny -->\n",
    "\n<!-- x\n\ny -->\n",
    "  <!-- x -->\n",
    "a <!-- x --> b\n",
    "a <!-- x -->\n",
    "<!-- x --> b\n",
    "<div>\n",
    "</div>\n",
    "<pre>\n",
    "</pre>\n",
    "\n```\n<!-- x -->\n```\n",
    "`c`<!-- x -->\n",
    "| a | b |\n",
    "|---|---|\n",
    "[l]: u\n",
]


def shown(text: str) -> str:
    """What Markdown renders to, without comments; white space as a browser shows it, but for code."""
    html = re.sub(r"<!--.*?-->", "", MARKDOWN.render(text), flags=re.DOTALL)
    return re.sub(r" +(?=</)|(?<=>)\s+|\s+(?=<)", "", re.sub(r"\s+", " ", html)).strip()


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(BLOCKS), max_size=10).map("".join))
def test_without_comments_markdown_shows_the_same(text: str):
    from tokaudit.model.rules import Rule
    from tokaudit.pipeline.engine.run import slim_text

    rule = Rule(
        "md.html-comment", "", "", "near", "structure", "html-comments", {"keep": ()}, removes=frozenset({"number"})
    )
    slim = slim_text(text, [rule], kind="markdown")
    assert shown(slim.text) == shown(text)
    assert slim_text(slim.text, [rule], kind="markdown").text == slim.text


# URLs


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://a.b/?utm_a=1&b=2&utm_c=3&d=4", "https://a.b/?b=2&d=4"),
        ("https://a.b/?utm_a=1&amp;b=2&amp;utm_c=3", "https://a.b/?b=2"),
        ("https://a.b/?gclid=1&utm_c=3#top", "https://a.b/#top"),
        ("(https://a.b/?gclid=1)", "(https://a.b/)"),
        ("https://a.b/?from=share&from=b", "https://a.b/?from=b"),
        ("https://a.b/?from=sharex", "https://a.b/?from=sharex"),
        ("https://a.b/?utm_a=1&x-amz-date=1", "https://a.b/?utm_a=1&x-amz-date=1"),
        ("https://a.b/?utm_a={{x}}&b=1", "https://a.b/?utm_a={{x}}&b=1"),
        ("https://a.b/?utm_a=<x>", "https://a.b/?utm_a=<x>"),
        ('<a href="https://a.b/?utm_a=1">', '<a href="https://a.b/">'),
        ("见https://a.b/?utm_a=1，好", "见https://a.b/，好"),
        ("no://a.b?utm_a=1 ?utm_b=2", "no://a.b?utm_a=1 ?utm_b=2"),
    ],
)
def test_tracking(url: str, wanted: str):
    assert slimmed("url-query", url, **TRACKING) == wanted
    assert slimmed("url-query", wanted, **TRACKING) == wanted


# Logs

MESSAGES = ["ping", "queue empty", "WARN low disk", "心跳正常", "错误：超时", "done in 3 ms", ""]


@SETTINGS
@given(st.lists(st.tuples(st.sampled_from(MESSAGES), st.integers(1, 6)), max_size=12), st.booleans())
def test_runs_keep_counts_and_last_time(runs: list[tuple[str, int]], writer: bool):
    lines = []
    for message, count in runs:
        for _ in range(count):
            second = len(lines)
            by = f" [worker-{second % 3}]" if writer else ""
            lines.append(f"2025-03-02 08:{second // 60:02}:{second % 60:02}.5{by} {message}")
    slim = slimmed("log-runs", "\n".join(lines), "log").split("\n")
    restored: list[str] = []
    for line in slim:
        summary = re.fullmatch(r"… ×(\d+)(?: until (\S+))?", line)
        if not summary:
            restored.append(line)
            continue
        count = int(summary[1])
        last = lines[len(restored) + count - 2]
        if summary[2]:
            assert last == lines[len(restored) - 1].replace(lines[len(restored) - 1].split()[1], summary[2])
        restored += lines[len(restored) : len(restored) + count - (1 if summary[2] else 2)]
    assert restored == (lines or [""])
    kept = [line for line in slim if not line.startswith("… ×")]
    alarms = [line for line in lines if "WARN" in line or "错误" in line]
    assert [line for line in kept if "WARN" in line or "错误" in line] == alarms
    forms = [list(group) for _, group in groupby(lines, key=lambda line: line.split(" ", 3 if writer else 2)[-1])]
    wanted = 0
    for group in forms:
        counted = len(group) > 2 and not alarms_in(group)
        # The last line stands in full where another worker wrote it.
        wanted += (3 if writer and (len(group) - 1) % 3 else 2) if counted else len(group)
    assert len(slim) == (wanted or 1)
    assert edits_of("log-runs", "\n".join(slim), "log") == []


def alarms_in(lines: list[str]) -> bool:
    return any("WARN" in line or "错误" in line for line in lines)


@pytest.mark.parametrize(
    "alarm",
    [
        *("WARN", "warning", "Error", "errors", "[ERR]", "FATAL", "CRITICAL", "panic:", "Exception", "Traceback"),
        *("java.lang.NullPointerException", "TimeoutError:", "ECONNREFUSED", "E/Tag: x", "1702 2395 E Manager: x"),
        *("killed by the OOM killer", "job failed", "Failure", "connection refused", "request timed out", "timeout"),
        *("access denied", "deadlock found", "out of memory", "rejected", "crashed", "aborted", "host unreachable"),
        *("segfault at 0", "core dumped", "no space left", "cannot open", "can't open", "not found", "packet loss"),
        *('"GET / HTTP/1.1" 503 12', "GET /a 404", "status=500", '"status": 502', "exited with code 137", "rc=1"),
        *(
            "错误",
            "告警",
            "失败",
            "支付超时",
            "拒绝",
            "崩溃",
            "异常",
            "死锁",
            "内存不足",
            "連線逾時",
            "當機",
            "无法连接",
            "服务不可用",
        ),
        *(
            "segmentation fault",
            "address already in use",
            "too many open files",
            "disk full",
            "no response",
            "NotReady",
        ),
        *("heartbeat missed", "giving up", "card declined", "[E] x", "BUG: x", "ImagePullBackOff", "loss is NaN"),
        *("404 GET /a", "| 503 | 1ms", "responded 502", "-> 500", "审核未通过", "消息积压", "节点失联"),
        *("エラー", "タイムアウト", "실패"),
    ],
)
@pytest.mark.parametrize("numbers", [False, True])
def test_alarms_are_never_counted(alarm: str, numbers: bool):
    assert edits_of("log-runs", f"08:00:00 INFO {alarm}\n" * 9, "log", numbers=numbers) == []


@pytest.mark.parametrize(
    "quiet",
    [
        "5 out of 5",
        "EVENT a",
        "skill a",
        "Enabled E: a",
        "GET /a 200",
        "exit code 0",
        "status=200",
        "200 GET /a",
        "[I] a",
        "心跳正常",
    ],
)
def test_what_is_no_alarm_is_counted(quiet: str):
    assert slimmed("log-runs", f"08:00:00 INFO {quiet}\n" * 9, "log") == f"08:00:00 INFO {quiet}\n… ×9\n"


def test_an_alarm_among_lines_that_differ_in_numbers_stays():
    lines = [f"GET /a/{number} {404 if number == 4 else 200}" for number in range(9)]
    slim = slimmed("log-runs", "\n".join(lines), "log", numbers=True).split("\n")
    assert slim == [lines[0], "… ×4", *lines[3:6], "… ×4", lines[8]]


@pytest.mark.parametrize(
    "who",
    [
        *("[order-{}]", "[user-{}]", "[ticket-{}]", "[node-{}]", "[host{}]", "[session-{}]", "[shop-{}]", "[w-{}]"),
        *(
            "[worker-node-{}]",
            "[pool-{}]",
            "[reactor-{}]",
            "[executor-{}]",
            "[spool-{}]",
            "order[{}]:",
            "web-1 order[{}]:",
            "shipped box[{}]:",
            "tid={}",
            "id={}",
        ),
    ],
)
def test_what_a_line_is_about_is_never_counted_away(who: str):
    text = "".join(f"2026-03-01 09:00:0{number} INFO {who.format(number)} shipped\n" for number in range(5))
    assert edits_of("log-runs", text, "log") == []


@pytest.mark.parametrize(
    "who",
    [
        "order {}",
        "[node-{}]",
        "user={}",
        "#{}",
        "10.0.0.{}",
        "1380013800{}",
        "订单 {}",
        "host{}",
        '"user_id": {}',
        "会话{}",
    ],
)
def test_what_identifies_is_no_number_that_may_differ(who: str):
    text = "".join(f"08:00:0{number} INFO {who.format(number)} 完成, {number} ms\n" for number in range(9))
    assert edits_of("log-runs", text, "log", numbers=True) == []


@pytest.mark.parametrize(
    "who",
    [
        *("[worker-{}]", "[Thread-{}]", "[http-nio-8080-exec-{}]", "[pool-1-thread-{}]", "[nioEventLoopGroup-2-{}]"),
        *("[ForkPoolWorker-{}]", "[order-worker-{}]", "pid={}", "pid=1 tid={}", "goroutine {}"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_of_workers_the_first_and_the_last_stay(who: str, line_end: str):
    lines = [f"2026-03-01 09:00:0{number} INFO {who.format(number)} alive" for number in range(5)]
    slim = slimmed("log-runs", line_end.join(lines) + line_end, "log")
    assert slim == line_end.join([lines[0], "… ×5", lines[4], ""])


@pytest.mark.parametrize("head", ["Mar  2 08:00:0{} web-1 ", "2026-03-02T08:00:0{}+0000 web-1 ", ""])
def test_numbers_of_processes_are_known_by_their_place(head: str):
    lines = [head.format(number) + f"sshd[412{number}]: alive" for number in range(5)]
    assert slimmed("log-runs", "\n".join(lines), "log").split("\n") == [lines[0], "… ×5", lines[4]]


@pytest.mark.parametrize(
    "who",
    [
        *("[order-{}-worker-1]", "[tenant{}-thread-1]", "[Fetcher-Thread-{}-0]", "door[{}]:", "bed[10{}]:"),
        *("thread {} was moved", "patient pid: {}", "[pool-{}-thread-1]"),
    ],
)
def test_numbers_that_are_of_no_worker_are_never_counted_away(who: str):
    text = "".join(f"2026-03-01 09:00:0{number} {who.format(number)} done\n" for number in range(5))
    assert edits_of("log-runs", text, "log") == []


@pytest.mark.parametrize(
    "said",
    [
        *(
            "Process com.a has died",
            "account was locked out",
            "3 incorrect password attempts",
            "status=bounced",
            "ORA-00060",
        ),
        *(
            "re-mounted read-only",
            "clock unsynchronized",
            "ended, code=dumped, status=11/SEGV",
            "hr = 0x800f0805",
            "← 404",
        ),
        *('"-" 400 0 "-"', '{"response_code":500}', "soft lockup", "circuit breaker OPEN", "❌ deploy", "ALARM raised"),
        *(
            "heartbeat overdue",
            "checksum differs",
            "data discarded",
            "disk usage 99%",
            "full GC",
            "switched to fallback",
        ),
        *(
            "支付被风控拦截",
            "余额对不上",
            "库存为负",
            "磁盘写满",
            "未收到回调",
            "重复扣款",
            "用户投诉",
            "心跳停止",
            "报文验签不过",
        ),
        *(
            "ディスク容量不足",
            "시간 초과",
            "проверка не пройдена",
            "Verbindung abgelehnt",
            "délai dépassé",
            "acceso denegado",
        ),
        *(
            "conexión rechazada",
            "falha no disco",
            "การเชื่อมต่อล้มเหลว",
            "فشل الاتصال",
            "koneksi ditolak",
            "błąd",
            "napaka",
        ),
    ],
)
def test_failures_in_whatever_words_are_never_counted(said: str):
    text = "".join(f"2026-03-01 09:00:0{number} INFO [main] {said}\n" for number in range(4))
    assert edits_of("log-runs", text, "log") == []


def test_lines_of_klog_are_counted_and_those_of_its_errors_stay():
    lines = [f"I0301 09:00:0{number}.123456       1 event.go:294] synced" for number in range(4)]
    assert slimmed("log-runs", "\n".join(lines), "log") == f"{lines[0]}\n… ×4 until 09:00:03.123456"
    assert edits_of("log-runs", "\n".join(lines).replace("I0301", "E0301"), "log") == []


@pytest.mark.parametrize(
    "text",
    [
        "epoch 1/3 [=====] 100% loss: 0.9\nepoch 2/3 [=====] 100% loss: 0.5\nepoch 3/3 [=====] 100% loss: 0.4\n",
        "a [#####] 100% 12 s\na [#####] 100% 15 s\n",
        "上传 订单10 [#----] 10%\n上传 订单40 [##---] 40%\n",
        "order 7 [#----] 10%\norder 8 [##---] 40%\n",
        "get a.zip 10%\rget a.zip 50%\rget b.zip 10%\rget b.zip 100%\n",
        "epoch 1 loss 0.9 100%\repoch 2 loss 0.5 100%\n",
    ],
)
def test_the_last_frame_of_each_display_stays(text: str):
    assert edits_of("progress", text, "log") == []


def test_only_the_first_time_stamp_of_a_line_is_masked():
    line = "10.0.0.1 - - [02/Mar/2025:02:00:0{} +0000] GET /health 200\n"
    text = "".join(line.format(second) for second in range(4))
    assert slimmed("log-runs", text, "log") == line.format(0) + "… ×4 until 02:00:03 +0000\n"
    text = "".join(f"08:00:0{second} eta 08:10:0{second}\n" for second in range(4))
    assert edits_of("log-runs", text, "log") == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[#####-----] 50%\n[##########] 100%\n", "[##########] 100%\n"),
        ("get a\n [####    ] 40% a\r [########] 80% a\r\nend\n", "get a\n [########] 80% a\r\nend\n"),
        ("[#####-----] 50%\nINFO x\n[##########] 100%\n", "[#####-----] 50%\nINFO x\n[##########] 100%\n"),
        ("(Reading ... 5%\n(Reading ... 100%\n(Reading ... 7 files)\n", "(Reading ... 100%\n(Reading ... 7 files)\n"),
        ("(Reading ... 5%\r(Reading ... 90%\r(Reading ... 7 files)\n", "(Reading ... 7 files)\n"),
        (
            "(Reading ... 5%\rdpkg: error 9%\r(Reading ... 7 files)\n",
            "(Reading ... 5%\rdpkg: error 9%\r(Reading ... 7 files)\n",
        ),
        ("\r  0  0 --:--:--  0\r 50 12k 0:00:01 5k\r100 24k 0:00:02 5k\n", "100 24k 0:00:02 5k\n"),
        (
            "  0K .......... ..........  9% 1M 4s\n 50K .......... .......... 99% 1M 0s\n",
            " 50K .......... .......... 99% 1M 0s\n",
        ),
        ("CPU 10%\nCPU 20%\nCPU 30%\n", "CPU 10%\nCPU 20%\nCPU 30%\n"),
        ("[##########] 100%\n[#####-----] 50%\n", "[##########] 100%\n[#####-----] 50%\n"),
        ("node-1 [#####] 100%\nnode-2 [#####] 100%\n", "node-1 [#####] 100%\nnode-2 [#####] 100%\n"),
        ("[#####] 90% failed\n[#####] 100% failed\n", "[#####] 90% failed\n[#####] 100% failed\n"),
        ("一行\r二行\r三行", "一行\r二行\r三行"),
        ("a 10%\nb 20%\n", "a 10%\nb 20%\n"),
    ],
)
def test_progress(text: str, wanted: str):
    assert slimmed("progress", text, "log") == wanted


WORD_DIFF = "\x1b[1mdiff --git a/a.py b/a.py\x1b[m\n\x1b[36m@@ -1,5 +1,5 @@\x1b[m\n"


@pytest.mark.parametrize(
    "text",
    [
        "assert \x1b[31m1==1\x1b[m\x1b[32m1==2 and True\x1b[m",
        "raise \x1b[31mValueError\x1b[m\x1b[32mTypeError\x1b[m(1)",
        "a \x1b[32mnew\x1b[m\x1b[31mold\x1b[m",
        "a \x1b[48;2;63;0;1mold\x1b[0m\x1b[48;2;0;40;0mnew\x1b[0m",
        "a \x1b[38;5;160mold\x1b[0m\x1b[38;5;34mnew\x1b[0m",
        "a \x1b[9mold\x1b[29m new",
        "\x1b[31mweb-1\x1b[0m\n\x1b[32mweb-2\x1b[0m\n",
        "\x1b[31m●\x1b[0m 甲\n\x1b[32m●\x1b[0m 乙\n",
    ],
)
def test_colours_that_carry_a_difference_stay(text: str):
    assert edits_of("terminal-escapes", text, "log") == []
    more = "\x1b[1m\x1b[33ma\x1b[0m\n"
    assert slimmed("terminal-escapes", more + text, "log") == "a\n" + text


@pytest.mark.parametrize("line", ["a \x1b[31mdeleted\x1b[m", "a \x1b[32minserted\x1b[m", " \x1b[31mTypeError\x1b[m"])
def test_colours_of_a_word_diff_stay_where_only_one_side_has_words(line: str):
    assert slimmed("terminal-escapes", WORD_DIFF + line, "log") == f"diff --git a/a.py b/a.py\n@@ -1,5 +1,5 @@\n{line}"


@pytest.mark.parametrize(
    "text",
    [
        WORD_DIFF + "\x1b[31m-a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n c\n",
        "\x1b[31mERROR\x1b[0m a\n\x1b[32mINFO\x1b[0m b\n",
        "a.py \x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\x1b[31m [100%]\x1b[0m\n",
        "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m1 passed\x1b[0m\x1b[31m in 0.1s\x1b[0m",
        "\x1b[32m通过\x1b[0m 12 项\n\x1b[31m失败\x1b[0m 1 项\n",
        "\x1b[31m✗\x1b[0m a\n\x1b[32m✓\x1b[0m b\n",
        "\x1b[31mweb-1\x1b[0m\n\x1b[33mweb-2\x1b[0m\n",
        "\x1b[94mdef\x1b[39;49;00m \x1b[92mtest_a\x1b[39;49;00m\n\x1b[1m\x1b[31ma.py\x1b[0m:3: AssertionError\n",
        "\x1b[32m5.0/18.0 MB\x1b[0m \x1b[31m1.2 MB/s\x1b[0m eta\n",
        "\x1b]0;title\x07\x1b[2K\x1b(B\x1b[?25la\n",
    ],
)
def test_colours_that_words_or_marks_repeat_go(text: str):
    slim = slimmed("terminal-escapes", text, "log")
    assert slim == re.sub(r"\x1b(?:\[[?\d;]*[A-Za-z]|\(B|\]0;title\x07)", "", text)
    assert "\x1b" not in slim


def test_a_blob_is_its_size_and_hash():
    from base64 import b64encode
    from hashlib import sha256

    for data, kind in ((bytes(range(256)).hex(), "hex"), (b64encode(bytes(range(1, 256))).decode(), "base64")):
        size = {"hex": 256, "base64": 255}[kind]
        name = f"[{kind} {size} B sha256:{sha256(data.encode()).hexdigest()[:8]}]"
        assert slimmed("blob", f"a {data} b", "log") == f"a {name} b"


@SETTINGS
@given(st.binary(min_size=64, max_size=400))
def test_blobs(data: bytes):
    from base64 import b64encode

    for stretch in (data.hex(), b64encode(data).decode()):
        slim = slimmed("blob", f"a {stretch} b", "log")
        if slim != f"a {stretch} b":
            assert re.fullmatch(rf"a \[(?:hex|base64) {len(data)} B sha256:[0-9a-f]{{8}}\] b", slim)


# Code


@pytest.mark.parametrize("module", ["ast", "json.decoder", "textwrap", "dataclasses", "tokenize"])
def test_python_without_comments_is_the_same_tree(module: str):
    import importlib
    import inspect

    source = inspect.getsource(importlib.import_module(module))
    slim = slimmed("code-comments", source, "code", keep=("type:",), keep_words=("TODO",))
    assert len(slim) < len(source)
    assert ast.dump(ast.parse(slim)) == ast.dump(ast.parse(source))
    assert edits_of("code-comments", slim, "code", keep=("type:",), keep_words=("TODO",)) == []


# Pages


def test_page_numbers_must_count_up():
    pages = [f"text {page}\n{page + 5}\n" for page in range(4)]
    number = {"what": "number", "keep": "none"}
    assert slimmed("page-furniture", "\f".join(pages), "pdf", **number) == "\f".join(f"text {n}\n" for n in range(4))
    assert edits_of("page-furniture", "\f".join(reversed(pages)), "pdf", **number) == []
    # A table with a row number at its end on every page is none.
    assert edits_of("page-furniture", "\f".join(f"a\nb\n{n}\nc\nd" for n in range(4)), "pdf", **number) == []


def test_sentences_that_are_on_every_page_but_not_at_its_edge_stay():
    sentence = "This sentence is the same on each of the pages."
    pages = [f"{sentence}\nthis is page {'abc'[page]}" for page in range(3)]
    assert slimmed("repeated-paragraphs", "\f".join(pages), "pdf").count(sentence) == 1
    pages = [f"a{page}\n{sentence}\nb{page}{'!' * 9}" for page in "xyz"]
    assert edits_of("repeated-paragraphs", "\f".join(pages), "pdf") == []


# Work: what texts of one piece many times take


# HTML

WORDS = st.sampled_from(["lamp", "灯", "5 &lt; 7", "a|b", "386.50"])
INLINE = st.builds(
    "<{0}{1}>{2}</{0}>".format,
    st.sampled_from(["b", "span", "code", "a", "em"]),
    st.sampled_from(["", ' class="x"', " id=y style='z'", ' href="p.html" data-k=1', ' title="t"']),
    WORDS,
)
PIECES = st.one_of(WORDS, INLINE)
HTML = st.recursive(
    st.builds("<p>{}".format, PIECES),
    lambda inner: st.one_of(
        st.builds('<div class="c">{}{}</div>'.format, inner, PIECES),
        st.builds("<ul><li>{}<li>{}</ul>".format, inner, PIECES),
        st.builds("<table><tr><th>{}<th>{}<tr><td rowspan=2>{}<td>{}<tr><td>{}</table>".format, *[PIECES] * 4, inner),
        st.builds("<h2 id='h'>{}</h2><blockquote>{}</blockquote>".format, PIECES, inner),
        st.builds("<dl><dt>{}<dd>{}</dl><pre>{}</pre>".format, PIECES, inner, WORDS),
    ),
    max_leaves=12,
)


@SETTINGS
@given(HTML)
def test_every_word_of_a_page_stays_in_order(body: str):
    page = f"<!doctype html><html><title>manual</title><body>{body}</body></html>"
    text = slimmed("html-text", page, "code")
    said = re.findall(r"lamp|灯|5 < 7|a\|b|386\.50", unescape(re.sub("<[^>]*>", "\n", page)))
    read = re.findall(r"lamp|灯|5 < 7|a\\?\|b|386\.50", text)
    read = [word.replace("\\", "") for word in read]
    if "rowspan" not in body:  # whose cell stands in both rows
        assert read == said
    assert set(read) == set(said)
    assert not re.search(r"</?(?:p|div|ul|li|table|tr|td|th|h2|dl|dt|dd|pre|b|em|span)\b", text)


@SETTINGS
@given(HTML)
def test_without_attributes_the_page_says_the_same(body: str):
    page = f"<html><body>{body}</body></html>"
    small = slimmed("html-attributes", page, "code", names=("class", "style", "id", "data-*"), unwrap=("span", "a"))
    assert unescape(re.sub("<[^>]*>", "", small)) == unescape(re.sub("<[^>]*>", "", page))
    assert re.findall(r" (?:href|title|rowspan)=[^ >]*", small) == re.findall(r" (?:href|title|rowspan)=[^ >]*", page)
    assert not re.search(r" (?:class|style|id|data-k)=|<span>", small)
    assert edits_of("html-attributes", small, "code", names=("class", "style", "id", "data-*"), unwrap=("span",)) == []


def test_cells_that_span_rows_keep_columns_apart():
    page = "<html><table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5<tr><td colspan=2>6<td>7</table>"
    assert slimmed("html-text", page, "code") == "|a|b|c|\n|-|-|-|\n|1|2|3|\n|1|4|5|\n|6|6|7|"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<p>b</p><p>c</p>", "|a|d|\n|-|-|\n|b<br>c|1|"),
        ("<ul><li>b<li>c</ul>", "|a|d|\n|-|-|\n|- b<br>- c|1|"),
        ("<pre>b\n c</pre>", "a\n\nd\n\n```\nb\n c\n```\n\n1"),
        ("<table><tr><th>b<th>c<tr><td>2<td>3</table>", "a\n\nd\n\n|b|c|\n|-|-|\n|2|3|\n\n1"),
    ],
)
def test_cells_of_several_lines(cell, text):
    page = f"<html><table><tr><th>a<th>d<tr><td>{cell}<td>1</table>"
    assert slimmed("html-text", page, "code") == text


def test_a_page_that_is_a_menu_keeps_it():
    links = "".join(f'<li><a href="{at}.html">Chapter {at} of the manual</a>' for at in range(9))
    page = f'<html><title>Manual</title><body><div class="toc"><ul>{links}</ul></div><p>Index</p></body></html>'
    text = slimmed("html-text", page, "code", around=("toc",))
    assert "- [Chapter 8 of the manual](8.html)" in text
    page = page.replace("<p>Index</p>", f"<p>{'It says more than its menu. ' * 40}</p>")
    assert "Chapter" not in slimmed("html-text", page, "code", around=("toc",))


@pytest.mark.parametrize(
    ("name", "piece", "kind"),
    [
        ("minify-json", " ", "json"),
        ("minify-json", '{"a": [', "json"),
        ("minify-json", "{}\n", "jsonl"),
        ("minify-json", '{"a": "{ }"}\n', "jsonl"),
        ("json-rows", '{"a": "[{}]"},', "json"),
        ("repeated-texts", '{"role": "tool", "content": "a b\\n\\nc"}\n', "jsonl"),
        ("repeated-texts", "a b\n\n", "text"),
        ("repeated-texts", "a line that is long enough to be a passage by itself, and stands there again\n", "text"),
        ("table-compact", "| a" + " " * 50 + "`|\n|---|\n", "markdown"),
        ("table-tsv", "|a|b|\n|-|-|\n|1|2|\n\n", "markdown"),
        ("html-table", "<table>\n", "markdown"),
        ("html-table", "<table><tr><td>a</td></tr></table>\n", "markdown"),
        ("html-text", "<html><p>a", "code"),
        ("html-text", "<html><div class=a>b", "code"),
        ("html-text", "<html><table><tr><td>", "code"),
        ("html-text", "<html><!-- ", "code"),
        ("html-text", "<html><a b='", "code"),
        ("html-text", "<html>", "text"),
        ("html-attributes", "<html><p class=a>", "code"),
        ("html-attributes", "<html><!-- ", "code"),
        ("html-attributes", "<html><pre>\n a", "code"),
        ("html-attributes", "<html>\n a", "code"),
        ("html-attributes", "<html><a b='", "code"),
        ("html-attributes", "<html><span class=a>", "code"),
        ("html-comments", "<!-- ", "markdown"),
        ("html-comments", "- a\n<!-- a -->\n", "markdown"),
        ("html-comments", "a\n", "markdown"),
        ("url-query", "https://a.b/?", "text"),
        ("url-query", "https://a.b/?utm_a=1&", "text"),
        ("url-percent", "https://a.b/%E4%BD", "text"),
        ("log-runs", "08:00:00 INFO a\n", "log"),
        ("log-runs", "[a-", "log"),
        ("terminal-escapes", "\x1b[31ma\x1b[0m", "log"),
        ("terminal-escapes", "\x1b[31mok\x1b[0m\n\x1b[32m\n", "log"),
        ("terminal-escapes", "\x1b]0;", "log"),
        ("terminal-escapes", "\x1b[1;", "log"),
        ("log-hoist", "2025-03-02 08:00:00 a\n", "log"),
        ("progress", "[#####] 10%\n", "log"),
        ("progress", "10%\r", "log"),
        ("progress", "=", "log"),
        ("blob", "a", "log"),
        ("blob", "aB3+", "log"),
        ("stack", "  at a.b(c)\n", "log"),
        ("stack", '  File "a", line 1\n    x\n', "log"),
        ("license-header", "# a\n", "code"),
        ("license-header", "/* a * ", "code"),
        ("page-furniture", "1\n\f", "pdf"),
        ("repeated-paragraphs", "This is a sentence that is quite long. It is so.\n\f", "pdf"),
    ],
)
def test_work_grows_with_the_text_alone(name: str, piece: str, kind: str):
    values = {"stack": {"frameworks": ("a.",)}, "url-query": TRACKING, "license-header": {"words": ("licence",)}}
    values["page-furniture"] = {"what": "running"}
    values["html-attributes"] = {"names": ("class", "id"), "unwrap": ("span",), "indent": True}
    module = op(name)
    find = module.prepare({key: about.default for key, about in module.PARAMETERS.items()} | values.get(name, {}))

    def work(text: str) -> None:
        edits = list(find(View(text, kind, frozenset(), lambda: find_spans(text, kind))))
        assert all(one.end <= other.start for one, other in pairwise(edits))

    assert_linear(work, lambda size: piece * (size // len(piece)), 10_000)


@pytest.mark.parametrize(
    "value",
    [
        '{{"price":{{"delta":"+{}"}}}}',
        '{{"metric":"cpu","delta":"{}"}}',
        '{{"type":"state.delta","delta":{{"temperature":"2{}"}}}}',
        '{{"type":"state.delta","delta":{{"state":"run{}"}}}}',
        '{{"choices":[{{"delta":{{"finish_reason":"stop{}"}}}}]}}',
    ],
)
def test_values_that_replace_each_other_are_no_pieces_of_a_text(value: str):
    text = "".join(f"data: {value.format(number)}\n\n" for number in range(4))
    assert edits_of("sse-deltas", text, "log") == []


@pytest.mark.parametrize("red", ["31", "41", "91", "38;5;196"])
def test_a_level_does_not_tell_of_the_colour_of_another_word(red: str):
    green = red.replace("1", "2") if "5" not in red else "38;5;46"
    lines = (f"08:00 INFO \x1b[{red if host == 2 else green}mweb-{host}\x1b[0m load 0.{host}\n" for host in range(4))
    assert edits_of("terminal-escapes", "".join(lines), "log") == []
    levels = "\x1b[32mINFO\x1b[0m web-1\n\x1b[31mERROR\x1b[0m web-2\n\x1b[32mINFO web-3\x1b[0m\n"
    assert slimmed("terminal-escapes", levels, "log") == "INFO web-1\nERROR web-2\nINFO web-3\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5\x1b[1G6 of 7\n", "5\x1b[1G6 of 7\n"),
        ("step 1\x1b[2K\x1b[0m\x1b[Gstep 2\n", "step 1\x1b[Gstep 2\n"),
        ("un\x1b[01;31m\x1b[Kmatch\x1b[m\x1b[Ked\n", "unmatched\n"),
        ("abc\x1b[3D完成\n", "abc\x1b[3D完成\n"),
        ("step 1 \x1b[2K\x1b[Gstep 2\n", "step 1 step 2\n"),
        ("\x1b[2Kstep\x1b[K\n", "step\n"),
        ("a\x1b[36mb\x1b[0mc\n", "abc\n"),
    ],
)
def test_movements_that_alone_part_two_words_stay(text: str, wanted: str):
    assert slimmed("terminal-escapes", text, "log") == wanted
    assert slimmed("terminal-escapes", wanted, "log") == wanted
