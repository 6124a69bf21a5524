from __future__ import annotations

import base64
import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.model.request import RECORD, Request
from tokaudit.sources import load
from tokaudit.sources.requests import with_requests
from tokaudit.sources.requests.media import image_size, of_base64, of_url
from tokaudit.sources.requests.places import places_of
from tokaudit.sources.requests.records import request_of
from tokaudit.sources.requests.strings import literals_of

SETTINGS = settings(max_examples=200, deadline=None)
CALL = {"id": "a", "type": "function", "function": {"name": "查询", "arguments": '{"x":1}'}}
TOOL = {"type": "function", "function": {"name": "查询", "description": "查", "parameters": {"type": "object"}}}


def request(value: Any) -> Request:
    found = request_of(value)
    assert found is not None
    return found


def said(value: Any) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in request(value).messages]


def test_openai_chat() -> None:
    found = request(
        {
            "model": "gpt-4o",
            "messages": [
                {"role": "system", "content": "简短"},
                {"role": "user", "content": [{"type": "text", "text": "你好"}]},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "a", "content": "42"},
                {"role": "assistant", "content": "是 42"},
                {"role": "user", "content": "谢谢"},
            ],
            "tools": [TOOL],
            "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}},
            "max_completion_tokens": 100,
        }
    )
    assert (found.form, found.model, found.max_output, found.problems) == ("openai-chat", "gpt-4o", 100, [])
    assert [message.role for message in found.messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert [message.turn for message in found.messages] == [0, 1, 1, 1, 1, 2]
    assert found.tools == [TOOL]
    assert found.schema == {"type": "object"}
    call = found.messages[2].contents[0]
    assert (call.kind, call.name, call.text, call.call_id) == ("call", "查询", '{"x":1}', "a")
    assert found.template_messages()[2]["tool_calls"][0]["function"]["arguments"] == {"x": 1}


def test_anthropic() -> None:
    found = request(
        {
            "model": "claude-sonnet-4-5",
            "system": [{"type": "text", "text": "简短"}],
            "max_tokens": 50,
            "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": [{"type": "document", "source": {"type": "text", "data": "资料"}}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"q": "天"}}]},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "晴"}]},
                        {"type": "text", "text": "继续"},
                    ],
                },
            ],
        }
    )
    assert found.form == "anthropic"
    assert [message.role for message in found.messages] == ["system", "user", "assistant", "tool", "user"]
    assert found.messages[1].contents[0].kind == "passage"
    assert found.messages[2].contents[0].text == '{"q": "天"}'
    assert found.messages[3].contents[0].text == "晴"
    assert found.tools[0]["function"]["parameters"] == {"type": "object"}
    assert not found.problems


def test_responses() -> None:
    found = request(
        {
            "model": "gpt-5",
            "instructions": "简短",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "你好"}]},
                {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
                {"type": "function_call_output", "call_id": "c", "output": "好"},
            ],
            "max_output_tokens": 9,
        }
    )
    assert found.form == "openai-responses"
    assert [message.role for message in found.messages] == ["system", "user", "assistant", "tool"]
    assert (found.max_output, found.problems) == (9, [])
    assert said({"model": "gpt-5", "input": "你好"}) == [("user", "你好")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"role": "user", "content": "你好"}], [("user", "你好")]),
        ({"contents": [{"role": "model", "parts": [{"text": "好"}]}]}, [("assistant", "好")]),
        (
            {"conversations": [{"from": "human", "value": "问"}, {"from": "gpt", "value": "答"}]},
            [("user", "问"), ("assistant", "答")],
        ),
        (
            {"instruction": "译", "input": "cat", "output": "猫"},
            [("user", "译"), ("user", "cat"), ("assistant", "猫")],
        ),
        ({"prompt": "问", "completion": "答"}, [("user", "问"), ("assistant", "答")]),
        (
            {"prompt": "问", "chosen": "甲", "rejected": "乙"},
            [("user", "问"), ("assistant", "甲"), ("assistant", "乙")],
        ),
        ({"custom_id": "1", "body": {"messages": [{"role": "user", "content": "你好"}]}}, [("user", "你好")]),
        ({"custom_id": "1", "params": {"messages": [{"role": "user", "content": "你好"}]}}, [("user", "你好")]),
    ],
)
def test_other_forms(value: Any, expected: list[tuple[str, str]]) -> None:
    assert said(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [1],
        "messages",
        {"messages": []},
        {"messages": "hello"},
        {"messages": [{"id": 1, "subject": "x"}]},
        {"input": "text"},
        {"people": [{"role": "admin"}]},
        [{"role": "admin", "name": "x"}],
    ],
)
def test_what_is_no_request(value: Any) -> None:
    assert request_of(value) is None


@pytest.mark.parametrize(
    ("messages", "reason", "path"),
    [
        ([{"role": "user"}], "no content", "$.messages[0]"),
        ([{"role": "user", "content": None}], "content is null", "$.messages[0]"),
        (
            [{"role": "wizard", "content": "x"}, {"role": "user", "content": "x"}],
            "unknown role 'wizard'",
            "$.messages[0]",
        ),
        (
            [{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "b", "content": "1"}],
            "a tool result without its call 'b'",
            "$.messages[1].content",
        ),
        (
            [{"role": "assistant", "tool_calls": [CALL]}, {"role": "user", "content": "x"}],
            "a tool call without its result 'a'",
            "$.messages[0].tool_calls[0]",
        ),
        (
            [{"role": "system", "content": "a"}, {"role": "system", "content": "b"}, {"role": "user", "content": "c"}],
            "2 system prompts",
            "$.messages[1]",
        ),
        (
            [{"role": "user", "content": "a\ud83d"}],
            "an escape of half a character (UTF-16), counted as U+FFFD",
            "$.messages[0].content",
        ),
        (
            [{"role": "user", "content": [{"type": "hologram", "data": 1}]}],
            "a part of unknown type 'hologram', counted as JSON",
            "$.messages[0].content[0]",
        ),
    ],
)
def test_what_is_wrong_is_said_and_counted(messages: list[Any], reason: str, path: str) -> None:
    problems = request({"messages": messages}).problems
    assert [(problem.reason, problem.path) for problem in problems] == [(reason, path)]


def test_two_lists_of_messages() -> None:
    found = request({"messages": [{"role": "user", "content": "x"}], "contents": [{"parts": [{"text": "y"}]}]})
    assert [problem.reason for problem in found.problems] == [
        "several lists of messages, the first counted: messages, contents"
    ]


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x06\0\0\0"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (png(1024, 768), ("image/png", 1024, 768)),
        (b"GIF89a" + struct.pack("<HH", 3, 5), ("image/gif", 3, 5)),
        (
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08"
            + struct.pack(">HH", 480, 640)
            + b"\x03",
            ("image/jpeg", 640, 480),
        ),
        (
            b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"
            + (99).to_bytes(3, "little")
            + (49).to_bytes(3, "little")
            + b"\0\0",
            ("image/webp", 100, 50),
        ),
        (b"not an image", ("", 0, 0)),
        (b"", ("", 0, 0)),
        (b"\xff\xd8\xff", ("image/jpeg", 0, 0)),
    ],
)
def test_size_by_the_header(head: bytes, expected: tuple[str, int, int]) -> None:
    assert image_size(head) == expected


def test_media_are_no_text() -> None:
    url = "data:image/png;base64," + base64.b64encode(png(640, 480)).decode()
    found = request(
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
                        {"type": "image_url", "image_url": {"url": "https://user:key@example.com/a.png?token=1"}},
                        {
                            "type": "image",
                            "source": {"type": "base64", "data": "iVBORw0KGg"},
                        },
                    ],
                }
            ]
        }
    )
    first, second, third = found.messages[0].media
    assert (first.width, first.height, first.detail, first.mime) == (640, 480, "low", "image/png")
    assert (second.reference, second.width) == ("https://example.com/a.png", 0)
    assert third.encoded == 10
    assert found.messages[0].text == ""


def test_of_a_recording_and_a_file() -> None:
    wave = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0" + struct.pack("<II", 16000, 32000) + b"\x02\0\x10\0data"
    data = base64.b64encode(wave + b"\0" * 64000).decode()
    assert of_base64(data, "audio").seconds == pytest.approx(2.0, abs=0.01)
    pdf = base64.b64encode(b"%PDF-1.4 /Type /Page /Type /Pages /Type/Page ").decode()
    assert of_url(f"data:application/pdf;base64,{pdf}", "file").pages == 2


def test_lines_of_a_document() -> None:
    text = '{\n "messages": [\n  {"role": "user", "content": "a"},\n\n  {"role": "assistant", "content": null}\n ]\n}'
    found = with_requests(load(text, "a.json")).requests[0]
    assert [message.line for message in found.messages] == [3, 5]
    assert [(problem.line, problem.reason) for problem in found.problems] == [(5, "content is null")]


def test_lines_of_json_lines() -> None:
    line = json.dumps({"messages": [{"role": "user", "content": "你好"}]})
    document = with_requests(load(f"{line}\n\n{line}\n{{}}\n", "a.jsonl"))
    assert [(one.form, one.line, one.id) for one in document.requests] == [
        ("openai-chat", 1, "L1"),
        ("openai-chat", 3, "L3"),
        (RECORD, 4, "L4"),
    ]


def test_mostly_other_records_are_none() -> None:
    line = json.dumps({"messages": [{"role": "user", "content": "你好"}]})
    assert not with_requests(load(line + "\n{}\n{}\n", "a.jsonl")).requests


def test_transcript() -> None:
    text = "系统：简短\n用户：你好\n在吗\n客服：您好\n用户：谢谢\n"
    document = with_requests(load(text, "a.txt"))
    found = document.requests[0]
    assert [(message.role, message.text, message.turn) for message in found.messages] == [
        ("system", "简短", 0),
        ("user", "你好\n在吗", 1),
        ("assistant", "您好", 1),
        ("user", "谢谢", 2),
    ]
    assert "".join(text[segment.span.start : segment.span.end] for segment in document.segments) == text


@pytest.mark.parametrize(
    "text", ["", "hello", "Q: is it?\n\n" + "prose\n" * 40, "张三：在吗\n李四：在\n", "User: a\nUser: b\n"]
)
def test_no_transcript(text: str) -> None:
    assert not with_requests(load(text, "a.txt")).requests


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("messages", "role", "content", "type", "text", "tool_calls", "function", "name", "arguments"),
                    *("input", "source", "data", "parts", "contents", "image_url", "url", "tools", "body", "output"),
                    "custom_id",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=24,
)


@SETTINGS
@given(JSON, st.sampled_from(["user", "assistant", "tool", "system"]))
def test_no_record_makes_it_fail(value: Any, role: str) -> None:
    request_of(value)
    found = request_of(
        {"messages": [{"role": role, "content": value}, {"role": role, **_fields(value)}], "tools": value}
    )
    assert found is not None
    found.template_messages()


def _fields(value: Any) -> dict[str, Any]:
    return {key: one for key, one in value.items() if key != "role"} if isinstance(value, dict) else {"content": "x"}


@SETTINGS
@given(st.lists(st.text(max_size=30), min_size=1, max_size=5), st.booleans(), st.data())
def test_edits_of_literals_keep_all_other_bytes(texts: list[str], ascii_only: bool, data: st.DataObject) -> None:
    value = {"messages": [{"role": "user", "content": text} for text in texts], "n": 1.50}
    text = json.dumps(value, ensure_ascii=ascii_only, indent=data.draw(st.sampled_from([None, 1])))
    literals = literals_of(text, "json")
    assert literals is not None
    edited, moved = text, 0
    for literal in literals:
        length = len(literal.text)
        if length < 2:
            continue
        start = data.draw(st.integers(0, length - 1))
        edit = Edit(
            start, data.draw(st.integers(start, length)), data.draw(st.sampled_from(["", " ", '"\\', "新", "\n"]))
        )
        old, before = literal.text, literal.length
        [made] = literal.edited([edit], literal.start + moved)
        edited = apply_edits(edited, [made])
        moved += literal.length - before
        assert literal.text == apply_edits(old, [edit])
    assert [message["content"] for message in json.loads(edited)["messages"]] == [
        literal.text for literal in literals
    ] or len(literals) < len(texts)
    assert edited.partition('"n"')[2] == text.partition('"n"')[2]


@SETTINGS
@given(JSON)
def test_places_are_those_of_the_values(value: Any) -> None:
    text = (
        json.dumps({"a": [value, 1], "b": value}, indent=1, allow_nan=False) if _finite(value) else '{"a":[1,1],"b":1}'
    )
    places = places_of(text, ["$.a[0]", "$.a[1]", "$.b", "$.c", "$.a[7]"])
    whole = json.loads(text)
    assert set(places) == {"$.a[0]", "$.a[1]", "$.b"}
    assert json.loads(text[slice(*places["$.a[0]"])]) == whole["a"][0]
    assert json.loads(text[slice(*places["$.b"])]) == whole["b"]


def _finite(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def test_a_number_of_any_length_is_no_reason_to_see_no_request() -> None:
    text = '{"messages": [{"role": "user", "content": "你好"}], "n": ' + "9" * 5000 + ', "x": NaN}'
    assert with_requests(load(text, "a.json")).requests
    literals = literals_of(text, "json")
    assert literals is not None
    assert [literal.text for literal in literals] == ["你好"]


def test_a_problem_that_lies_deep_has_no_line() -> None:
    text = '{"messages": [{"role": "user", "content": ' + "[" * 700 + "7" + "]" * 700 + "}]}"
    found = with_requests(load(text, "a.json")).requests
    assert [problem.reason for problem in found[0].problems] == [
        "a content that is neither text nor parts, counted as JSON"
    ]


def test_an_address_of_other_data_is_no_image() -> None:
    assert of_url("data:text/plain;base64,aGVsbG8gd29ybGQ=").kind == "file"
    assert of_url("data:image/svg+xml;base64,PHN2Zz4=").kind == "image"
