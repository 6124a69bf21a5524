from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.features.count.divisions import byte_offsets
from tokaudit.model import Segments
from tokaudit.sources import load
from tokaudit.sources.chat import chat
from tokaudit.tokenizers import load_tokenizer
from work import assert_linear

SETTINGS = settings(max_examples=200, deadline=None)
ASK = {"role": "user", "content": "你好"}
REPLY = {"role": "assistant", "content": "好"}
SYSTEM = {"role": "system", "content": "简短。"}
PAIR = ("chosen", "rejected")


def messages(document):
    found = chat(document)
    return None if found is None else found.segments


def found(data: Any, path: str = "a.json") -> Segments | None:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)
    document = load(text, path)
    segments = messages(document)
    if segments is not None:
        assert (segments.path, segments.text) == (path, document.text)
        covers(segments)
    return segments


def covers(segments: Segments) -> None:
    starts = list(segments.starts)
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert "".join(segments.text[one.span.start : one.span.end] for one in segments) == segments.text
    assert len({one.id for one in segments}) == len(starts)
    for number, one in enumerate((one for one in segments if one.kind == "message"), 1):
        assert one.id == f"{segments.path}#message-{number}"
        assert one.label.isprintable()
        assert one.place.line


def roles(data: Any, path: str = "a.json") -> list[str] | None:
    segments = found(data, path)
    return None if segments is None else [one.label for one in segments]


def test_a_request() -> None:
    text = (
        '{\n "model": "gpt-4o",\n "messages": [\n  {"role": "system", "content": "简短。"},\n\n'
        '  {"content": [{"type": "text", "text": "\\u4f60 \\" {}"}], "role": "user"} ,\n'
        '  {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function"}]},'
        '{"role": "tool", "content": "[]"}\n ],\n "temperature": 0,\n "tools": [{"type": "function"}],\n '
        '"stop": []\n}\n'
    )
    segments = found(text)
    assert segments
    assert [(one.id, one.kind, one.label, one.place.line) for one in segments] == [
        ("a.json#message-1", "message", "system", 4),
        ("a.json#message-2", "message", "user", 6),
        ("a.json#message-3", "message", "assistant", 7),
        ("a.json#message-4", "message", "tool", 7),
        ("a.json#tools", "field", "$.tools", 10),
    ]
    parts = [text[one.span.start : one.span.end] for one in segments]
    assert parts[0] == text[: text.index('{"content"')]
    assert parts[3] == '{"role": "tool", "content": "[]"}\n ],\n "temperature": 0,\n '
    assert parts[4] == '"tools": [{"type": "function"}],\n "stop": []\n}\n'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([ASK, {"role": "assistant", "content": "x"}], ["user", "assistant"]),
        ([{"role": "developer", "content": "x", "name": "a"}, {"role": "ipython", "content": []}],
         ["developer", "ipython"]),
        ({"system": "x", "messages": [ASK]}, ["system", "user"]),
        ({"messages": [ASK], "system": [{"type": "text", "text": "x"}]}, ["user", "system"]),
        ({"system": None, "messages": [ASK]}, ["user"]),
        ({"system": {"os": "linux"}, "messages": [ASK]}, ["user"]),
        ({"functions": [], "messages": [ASK], "tools": [{}]}, ["$.functions", "user", "$.tools"]),
        ({"tools": "none", "messages": [ASK]}, ["user"]),
        ({"instructions": "x", "input": [ASK, {"type": "message", **ASK}]}, ["system", "user", "user"]),
        (
            {"input": [ASK, {"type": "function_call", "name": "f"}, {"type": "function_call_output", "output": ""}]},
            ["user", "function_call", "function_call_output"],
        ),
        ({"model": "gpt-4.1", "input": "hello", "instructions": "x"}, ["user", "system"]),
        (
            {
                "system_instruction": {"parts": [{"text": "x"}]},
                "contents": [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": {"text": "x"}}],
            },
            ["system", "user", "assistant"],
        ),
        ({"contents": [{"parts": [{"text": "x"}]}], "systemInstruction": "x"}, ["user", "system"]),
        (
            {"id": 1, "conversations": [{"from": f, "value": "x"} for f in ("system", "human", "gpt", "observation")]},
            ["system", "user", "assistant", "observation"],
        ),
        ({"conversations": [ASK], "system": "x"}, ["user", "system"]),
        ([{"messages": [ASK]}, {"messages": [ASK, ASK]}, {"messages": []}], ["user"] * 3),
        ([[ASK], [ASK, ASK]], ["user"] * 3),
        (ASK, ["user"]),
        ({"messages": [ASK, {"role": "assistant"}]}, ["user", "assistant"]),
        ({"messages": [{"role": "user", "content": {"text": "x"}}]}, ["user"]),
        ({"messages": [ASK, {"role": "assistant", "parts": [{"type": "text", "text": "x"}]}]}, ["user", "assistant"]),
        ([{"role": r, "parts": [{"text": "x"}]} for r in ("user", "model")], ["user", "assistant"]),
        ({"contents": {"role": "user", "parts": [{"text": "x"}]}}, ["user"]),
        ({"contents": [{"parts": [{"text": "x"}]}], "config": {"temperature": 0, "systemInstruction": "x"}},
         ["user", "system"]),
        ({"request": {"contents": [{"parts": []}], "systemInstruction": {"parts": [{"text": "x"}]}}},
         ["user", "system"]),
        ({"prompt": [SYSTEM, ASK], "chosen": [REPLY], "rejected": [REPLY]},
         ["system", "user", "assistant", "assistant"]),
        ({"chosen": [ASK, REPLY], "rejected": [ASK, REPLY]}, ["user", "assistant"] * 2),
        ({"rejected": "x", "prompt": "y", "chosen": "z", "system": "s"}, ["assistant", "user", "assistant", "system"]),
        ({"prompt": "x", "chosen": [REPLY], "rejected": [REPLY]}, ["user", "assistant", "assistant"]),
        ({"prompt": "x", "completion": "y"}, ["user", "assistant"]),
        ({"input": {"messages": [SYSTEM, ASK]}, "preferred_output": [REPLY], "non_preferred_output": [REPLY]},
         ["system", "user", "assistant", "assistant"]),
        ({"conversations": [{"from": "human", "value": ""}], **{k: {"from": "gpt", "value": ""} for k in PAIR}},
         ["user", "assistant", "assistant"]),
        ({"instruction": "x", "input": "y", "output": "z", "system": "s"}, ["user", "user", "assistant", "system"]),
        ([ASK, {"messages": [ASK]}], ["user", "user"]),
        ([ASK, 3], ["user", "$"]),
        ('{"messages": [{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}]}", ["user"]),
        ([{"title": "x"}, {"messages": [ASK]}, {"messages": [ASK]}], ["$", "user", "user"]),
        ('{"m\\u0065ssages": [{"\\u0072ole": "us\\u0065r", "content": ""}]}', ["user"]),
        ('{"x": 1, "x": [2], "messages": [{"role": "user", "content": "", "content": "a"}]}', ["user"]),
        ('[{"role": "user", "content": "", "n": 1e999}, {"role": "tool", "content": [NaN]}]', ["user", "tool"]),
    ],
)  # fmt: skip
def test_formats(data: Any, expected: list[str]) -> None:
    assert roles(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        *("", " ", "3", '"messages"', "[]", "{}", "[{}]", "[1, 2]", "[[]]", "{"),
        {"messages": []},
        {"messages": "x"},
        {"messages": ["x"]},
        {"messages": [ASK, "x"]},
        {"messages": [ASK, {"role": 1, "content": "x"}]},
        {"messages": [ASK, {"role": "", "content": "x"}]},
        {"messages": [ASK, {"role": "a\nb", "content": "x"}]},
        {"messages": [{"role": "user", "content": 1}]},
        {"messages": [{"id": 1, "text": "x"}]},
        {"messages": [ASK], "contents": [{"parts": []}]},
        [{"role": "engineer", "content": "x"}],
        [ASK, 3, 4],
        [ASK, {"x": {"messages": [ASK]}}],
        [{"messages": [ASK]}, {"messages": [{"role": "user", "content": 1}]}],
        [{"messages": [ASK]}, {"messages": '[{"role": "system", "content": "x"}]'}],
        [{"messages": [ASK]}, {"contents": "x", "systemInstruction": "y"}],
        [{"role": "user", "name": "Ann"}],
        {"inputs": {"messages": [ASK]}},
        {"chosen": "x", "rejected": "y"},
        {"prompt": "x"},
        {"instructions": "x", "input": "y"},
        {"model": "m", "input": "y"},
        {"input": [1, 2]},
        {"input": [{"type": "a"}]},
        {"contents": [{"role": "user"}]},
        {"conversations": [{"from": "human"}]},
        {"conversations": [{"from": "alice", "value": "x"}]},
        {"system": "x"},
        '{"messages": [{"role": "user", "role": "system", "content": ""}]}',
        '{"messages": [{"role": "user", "content": ""}], "messages": []}',
        '{"messages": [{"role": "\\ud800", "content": ""}, {"role": "user", "content": ""}]}',
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_what_is_not_surely_a_chat(data: Any) -> None:
    assert roles(data) is None


@pytest.mark.parametrize("path", ["a.txt", "a.md", "a.py"])
def test_other_kinds(path: str) -> None:
    assert roles([ASK], path) is None


def test_lines() -> None:
    text = (
        '\n{"messages": [{"role": "user", "content": ""}, {"role": "assistant", "content": ""}]}\r\n'
        '{"messages": [}\n\n   [{"role": "system", "content": "\\n"}]\n\n{"messages": [], "n": 1}\n'
        '{"tools": [], "messages": [{"role": "user", "content": ""}], "x": 1}\n{"tools": [], "conversations": '
        '[{"from": "human", "value": ""}]}'
    )
    segments = found(text, "a.jsonl")
    assert segments
    assert [(one.id.partition("#")[2], one.label, one.place.line) for one in segments] == [
        ("message-1", "user", 2),
        ("message-2", "assistant", 2),
        ("message-3", "system", 5),
        ("tools", "$.tools", 8),
        ("message-4", "user", 8),
        ("tools-2", "$.tools", 9),
        ("message-5", "user", 9),
    ]
    # A record begins with its line; one without messages belongs to what is before.
    assert segments.text[segments.starts[2] : segments.starts[3]].startswith("   [{")
    assert segments.text[segments.starts[2] : segments.starts[3]].endswith('{"messages": [], "n": 1}\n')
    assert segments.text[segments.starts[5] :].startswith('{"tools"')


def test_lines_of_single_messages() -> None:
    line = json.dumps(ASK)
    assert roles(f"{line}\n\n{line}\n", "a.jsonl") == ["user", "user"]
    assert roles(f"{line}\n" + '{"messages": []}\n', "a.jsonl") == ["user"]
    segments = found(f"{line}\n3\n{line}\n", "a.jsonl")
    assert segments
    assert [(one.id, one.kind) for one in segments] == [
        ("a.jsonl#message-1", "message"),
        ("a.jsonl#record-1", "record"),
        ("a.jsonl#message-2", "message"),
    ]
    assert roles(f"{line}\n3\n3\n", "a.jsonl") is None
    assert roles('{"id": 1}\n' * 3, "a.jsonl") is None


def test_lines_of_a_later_piece() -> None:
    document = load(json.dumps({"messages": [ASK]}) + "\n", "a.jsonl", structure=False, first_line=41)
    segments = messages(document)
    assert segments
    assert [one.place.line for one in segments] == [41]


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "role", "text", "}", "]"]), inner, max_size=3),
    ),
    max_leaves=6,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "system", "assistant", "tool", "某人"]),
            "content": st.one_of(st.text(max_size=12), st.none(), st.lists(VALUES, max_size=3)),
        },
        optional={"name": VALUES, '"': VALUES, "tool_calls": VALUES},
    ),
    min_size=1,
    max_size=6,
).map(lambda chat: [{"role": "user", "content": ""}, *chat])
WRITERS = st.builds(
    lambda indent, ascii_, pair: (
        lambda value: json.dumps(value, ensure_ascii=ascii_, indent=indent, separators=pair if indent is None else None)
    ),
    st.sampled_from([None, 0, 1, 4]),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]),
)
TOKENIZER = load_tokenizer("o200k_base")


@SETTINGS
@given(
    MESSAGES, WRITERS, st.sampled_from(["list", "messages", "lines", "records"]), st.sampled_from(["", " \n", "\r\n\n"])
)
def test_messages_stand_where_they_are(chat: list[Any], write: Callable[[Any], str], shape: str, blank: str) -> None:
    path = "a.json"
    if shape == "lines":
        text, path = "".join(json.dumps(one) + "\n" + blank for one in chat), "a.jsonl"
    elif shape == "records":
        text = write([{"messages": [one]} for one in chat])
    else:
        text = write(chat if shape == "list" else {"model": "m", "messages": chat, "seed": 1})
    text = blank + text + blank
    document = load(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"), path)
    segments = messages(document)
    assert segments is not None
    covers(segments)
    assert [one.label for one in segments] == [one["role"] for one in chat]
    decoder = json.JSONDecoder()
    for number, (one, expected) in enumerate(zip(segments, chat, strict=True)):
        part = segments.text[one.span.start : one.span.end]
        if shape == "records":
            at = part.index("{", part.index("{") + 1)
        else:
            at = (
                part.index("[") + part[part.index("[") :].index("{")
                if not number and shape in {"list", "messages"}
                else part.index("{")
            )
        value, _ = decoder.raw_decode(part, at)
        assert value == json.loads(json.dumps(expected).encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
        if shape != "lines":
            assert one.place.line == segments.text.count("\n", 0, one.span.start + at) + 1
    encoding = TOKENIZER.encoding(segments.text)
    offsets = byte_offsets(segments.text, segments.text.encode(), segments.starts)
    assert sum(encoding.within(offsets)) == len(encoding)


@SETTINGS
@given(VALUES, st.sampled_from(["messages", "input", "contents", "conversations", "system", "instructions", "tools"]))
def test_no_value_is_too_odd(value: Any, key: str) -> None:
    found({key: value})
    found({key: value, "messages": [ASK]})
    found([{key: value}, value])
    found(json.dumps({key: value}) + "\n" + json.dumps(value), "a.jsonl")


TOOLS = json.dumps({"tools": [{"a": "x" * 50}], "messages": [ASK] * 3, "input": ["x"] * 3})


@pytest.mark.parametrize(
    ("of", "name"),
    [
        (lambda many: json.dumps([ASK] * many), "a.json"),
        (lambda many: f"{TOOLS}\n" * (many // 4), "a.jsonl"),
        (lambda many: f"[{', '.join([TOOLS] * (many // 4))}]", "a.json"),
        (lambda many: json.dumps({"messages": [{"role": "user", "content": "你" * 20 * many}]}), "a.json"),
        (lambda many: "[" + '{"role": ' * 500 + "1" + "}" * 500 + ', {"a": "b"}' * many + "]", "a.json"),
    ],
    ids=["messages", "lines", "conversations", "one message", "nested"],
)
def test_linear_work(of: Callable[[int], str], name: str) -> None:
    def work(text: str) -> None:
        segments = messages(load(text, name, structure=False))
        assert segments is None or (list(segments.lines) and segments[len(segments) - 1].id)

    assert_linear(work, of, 1_000)


BATCHES: list[tuple[Any, list[str]]] = [
    ({"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": [ASK]}},
     ["user"]),
    ({"custom_id": "a", "params": {"system": "x", "max_tokens": 9, "messages": [ASK], "tools": [{}]}},
     ["system", "user", "$.tools"]),
    ({"params": {"messages": [ASK]}, "custom_id": "a"}, ["user"]),
    ({"custom_id": "a", "body": {"model": "m", "instructions": "x", "input": [ASK]}, "url": "/v1/responses"},
     ["system", "user"]),
    ({"custom_id": "a", "body": {"model": "m", "instructions": "x", "input": "y"}}, ["system", "user"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), BATCHES)
def test_a_request_of_a_batch(data: Any, expected: list[str]) -> None:
    assert roles(data) == expected
    assert roles([data, data]) == expected * 2
    line = json.dumps(data, ensure_ascii=False)
    segments = found(f"{line}\n\n{line}\n", "a.jsonl")
    assert segments
    assert [one.label for one in segments] == expected * 2
    assert [one.place.line for one in segments] == [1] * len(expected) + [3] * len(expected)


@pytest.mark.parametrize(
    "data",
    [
        {"method": "POST", "body": {"messages": [ASK]}},
        {"custom_id": "a", "body": [ASK]},
        {"custom_id": "a", "body": {"model": "m", "input": "embed me"}},
        {"custom_id": "a", "body": {"body": {"messages": [ASK]}}},
        {"custom_id": "a", "body": {"messages": [ASK]}, "params": {"messages": [ASK]}},
        {"custom_id": "a", "response": {"body": {"messages": [ASK]}}},
        {"custom_id": "a", "body": {"messages": []}},
    ],
)
def test_what_is_no_request_of_a_batch(data: Any) -> None:
    assert roles(data) is None


def test_a_chat_with_a_number_of_its_own_is_one() -> None:
    assert roles({"custom_id": "a", "messages": [ASK], "params": {"messages": []}}) == ["user"]
    assert roles([{"custom_id": "a", "params": {}, **ASK}]) == ["user"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"messages": [SYSTEM, ASK]}, ["简短。", "你好"]),
        (
            {"system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "messages": [ASK]},
            ["a|b", "你好"],
        ),
        ({"system": "a", "messages": [ASK]}, ["a", "你好"]),
        (
            {
                "custom_id": "1",
                "body": {
                    "messages": [
                        {
                            "role": "user",
                            "content": [
                                {"type": "text", "text": "hi"},
                                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
                            ],
                        },
                        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
                        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "42"}]},
                    ]
                },
            },
            ["hi", "", "42"],
        ),
        (
            {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"role": "user", "parts": [{"text": "u"}]}]},
            ["s", "u"],
        ),
        (
            {"instructions": "i", "input": [{"role": "user", "content": [{"type": "input_text", "text": "u"}]}]},
            ["i", "u"],
        ),
        ({"conversations": [{"from": "human", "value": "h"}, {"from": "gpt", "value": "g"}]}, ["h", "g"]),
        ({"instruction": "a", "input": "b", "output": "c"}, ["a", "b", "c"]),
        ('{"messages": [{"role": "user", "content": "\\ud83d\\ude00\\ud800\\n\\""}]}', ['\U0001f600\ufffd\n"']),
    ],
)
def test_contents_are_the_texts_without_json(data: Any, expected: list[str]) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    read = chat(load(text, "a.json"))
    assert read is not None
    kinds = [one.kind for one in read.segments]
    found = ["|".join(read.contents(index)) for index, kind in enumerate(kinds) if kind == "message"]
    assert found == expected


def test_content_nested_too_deep_to_read_is_counted_as_it_stands() -> None:
    deep = "[" * 5000 + "]" * 5000
    text = f'{{"messages": [{{"role": "user", "content": "hi", "x": {deep}}}]}}'
    read = chat(load(text, "a.json"))
    assert read is not None
    assert deep in "".join(read.contents(0))
