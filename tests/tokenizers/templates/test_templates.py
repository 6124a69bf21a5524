"""Bundled chat templates render what transformers renders, and every token has its part."""

import copy
import hashlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers.utils.chat_template_utils import render_jinja_template

from tokaudit.model import TokenizerError
from tokaudit.model.framing import FramingOptions
from tokaudit.tokenizers.encoding import split_at
from tokaudit.tokenizers.registry import load_tokenizer
from tokaudit.tokenizers.templates import framing_of
from tokaudit.tokenizers.templates.bundled import FOLDER, entries
from tokaudit.tokenizers.templates.controls import Controls
from tokaudit.tokenizers.templates.framings import bundled_template
from tokaudit.tokenizers.templates.programs import program_source
from tokaudit.tokenizers.templates.stream import placed

JINJA = [name for name, entry in entries().items() if entry.kind == "jinja" and not entry.file]
COUNTED = [name for name in JINJA if not entries()[name].tokenizer.startswith("minimax")]
PIECES = (
    "你好", "hello world", " ", "\n", "  x ", "订单号#ORD-2024-7890", "<|im_start|>", "<|im_end|>", "<think>a</think>b",
    "</think>", "<tool_response>", "</tool_response>", "😀👨‍👩‍👧", "e\u0301", "<｜User｜>", "<|user|>",
    "[gMASK]", "/nothink",
    "]~b]ai", '{"a": 1}', "x < 3 and y <= 5", "The quick brown fox. ", "\t\n \n", "<|", "<arg_key>",
)  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
VALUE = st.one_of(TEXT, st.integers(-9, 9), st.booleans(), st.none(), st.lists(TEXT, max_size=2))


@st.composite
def conversations(draw):
    """A conversation with and without system prompt, tool calls and results, reasoning and empty contents."""
    messages = [{"role": "system", "content": draw(TEXT)}] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(1, 3))):
        messages.append({"role": "user", "content": draw(TEXT)})
        if draw(st.booleans()):
            names = draw(st.lists(st.sampled_from(["search", "order_status"]), min_size=1, max_size=2))
            calls = [
                {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": draw(ARGUMENTS)}}
                for at, name in enumerate(names)
            ]
            messages.append({"role": "assistant", "content": draw(st.one_of(st.just(""), TEXT)), "tool_calls": calls})
            messages += [{"role": "tool", "content": draw(TEXT), "tool_call_id": f"c{at}"} for at in range(len(names))]
        if draw(st.booleans()):
            answer = {"role": "assistant", "content": draw(TEXT)}
            if draw(st.booleans()):
                answer["reasoning_content"] = draw(TEXT)
            messages.append(answer)
    return messages


ARGUMENTS = st.dictionaries(st.sampled_from(["city", "n", "o"]), VALUE, max_size=2)
TOOLS = st.lists(
    st.builds(
        lambda name, text: {
            "type": "function",
            "function": {
                "name": name,
                "description": text,
                "parameters": {"type": "object", "properties": {"city": {"type": "string", "enum": ["北京"]}}},
            },
        },
        st.sampled_from(["search", "order_status"]),
        TEXT,
    ),
    max_size=2,
)


def reference(entry, source, messages, tools, options):
    """What transformers renders, of messages in the shape that the template wants; None where it refuses."""
    prepared = copy.deepcopy(messages)
    for message in prepared:
        for call in message.get("tool_calls", ()) if entry.shape.get("json_arguments") else ():
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
        if entry.shape.get("null_content") and message.get("tool_calls") and not message["content"]:
            message["content"] = None
        if entry.shape.get("parts_content"):
            message["content"] = [{"type": "text", "text": message["content"]}]
    variables = dict(entry.variables)
    if options.thinking is not None:
        for name, (on, off) in (entry.thinking or {"enable_thinking": (True, False)}).items():
            variables[name] = on if options.thinking else off
    try:
        found = render_jinja_template(
            [prepared],
            tools=tools or None,
            chat_template=source,
            add_generation_prompt=options.generation_prompt,
            **variables,
        )
    except Exception:  # noqa: BLE001 - whatever jinja2 makes of it
        return None
    return found[0][0]


@pytest.mark.parametrize("name", JINJA)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages=conversations(), tools=TOOLS, thinking=st.sampled_from([None, True, False]), prompt=st.booleans())
def test_a_template_renders_as_transformers_does(name, messages, tools, thinking, prompt):
    entry = entries()[name]
    options = FramingOptions(thinking=thinking, generation_prompt=prompt)
    template = bundled_template(entry)
    wanted = reference(entry, template.source, messages, tools, options)
    if wanted is None:
        with pytest.raises(TokenizerError):
            template.render(messages, tools, options)
        return
    assert "".join(template.render(messages, tools, options)[0]) == wanted


@pytest.mark.parametrize("name", COUNTED)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages=conversations(), tools=TOOLS)
def test_the_total_is_that_of_the_rendered_text_and_the_parts_cover_it(name, messages, tools):
    framing = framing_of(name)
    try:
        counted = framing.measure(messages, tools, FramingOptions())
    except TokenizerError:
        return  # the template refuses it, as the test above checks
    tokenizer = load_tokenizer(entries()[name].tokenizer)
    controls = dict.fromkeys(framing._counter._controls.tokens, 0)
    encoding = split_at(counted.text, controls, tokenizer.encoding)
    assert counted.total == len(encoding) == sum(part.tokens for part in counted.parts)
    offsets = [len(counted.text[: part.start].encode()) for part in counted.parts]
    assert [part.tokens for part in counted.parts] == list(encoding.within(offsets))
    assert "".join(counted.text[part.start : part.end] for part in counted.parts) == counted.text


FACTS = [
    ("qwen2.5", 30, 18),
    ("qwen3", 9, 18),
    ("deepseek-v3", 4, 8),
    ("glm-4.5v", 7, 13),
    ("glm-5.2", 13, 18),
]


@pytest.mark.parametrize(("name", "alone", "with_system"), FACTS)
def test_known_totals(name, alone, with_system):
    user = [{"role": "user", "content": "你好"}]
    system = [{"role": "system", "content": "You are helpful."}]
    framing = framing_of(name)
    assert framing.measure(user, [], FramingOptions()).total == alone
    assert framing.measure([*system, *user], [], FramingOptions()).total == with_system


@pytest.mark.parametrize("name", JINJA)
def test_a_travelling_template_is_the_one_of_the_manifest(name):
    entry = entries()[name]
    data = (FOLDER / f"{name}.jinja").read_bytes()
    assert hashlib.sha256(data).hexdigest() == entry.sha256
    assert entry.licence in {"Apache-2.0", "MIT", "Modified MIT"}
    assert entry.source.startswith("pypi: ")


def test_most_templates_are_compiled():
    assert [name for name in JINJA if program_source((FOLDER / f"{name}.jinja").read_text("utf-8"), name) is None] == [
        "minimax-m1"
    ]


@pytest.mark.parametrize("name", [name for name in JINJA if name != "minimax-m1"])
def test_an_ordinary_conversation_is_rendered_by_the_program_itself(name, monkeypatch):
    """A program that fails falls back to jinja2, which is right but slow, and would hide that it fails."""
    template = bundled_template(entries()[name])

    def refused(*_):
        pytest.fail("rendered by jinja2")

    monkeypatch.setattr(template, "_by_sandbox", refused)
    messages = [
        {"role": "system", "content": "简短"},
        {"role": "user", "content": "你好"},
        {"role": "assistant", "content": "您好"},
        {"role": "user", "content": "在吗"},
    ]
    texts, _ = template.render(messages, [], FramingOptions())
    assert "在吗" in "".join(texts)


def test_parts_of_a_request():
    tools = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}]
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "user"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}],
        },
        {"role": "tool", "content": "<|im_end|>", "tool_call_id": "1"},
    ]
    counted = framing_of("qwen3-8b").measure(messages, tools, FramingOptions())
    contents = {part.message: counted.text[part.start : part.end] for part in counted.parts if part.kind == "content"}
    assert contents == {0: "Be brief.", 1: "user", 3: "<|im_end|>"}
    assert {part.tool for part in counted.parts if part.kind == "tools"} == {None, 0}
    assert [counted.text[part.start : part.end] for part in counted.parts if part.kind == "prompt"] == [
        "<|im_start|>assistant\n"
    ]
    assert counted.typed_controls == 1
    assert counted.exact


def test_unknown_framing_is_named():
    counted = framing_of("o200k_base").measure([{"role": "user", "content": "hello"}], [], FramingOptions())
    assert counted.total == 1
    assert not counted.exact
    assert counted.notes


def test_the_estimate_of_openai():
    """The cookbook's example: 129 tokens for gpt-4 and 124 for gpt-4o."""
    messages = [
        {
            "role": "system",
            "content": "You are a helpful, pattern-following assistant that "
            "translates corporate jargon into plain English.",
        },
        {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
        {
            "role": "system",
            "name": "example_assistant",
            "content": "Things working well together will increase revenue.",
        },
        {
            "role": "system",
            "name": "example_user",
            "content": "Let's circle back when we have more bandwidth "
            "to touch base on opportunities for increased leverage.",
        },
        {
            "role": "system",
            "name": "example_assistant",
            "content": "Let's talk later when we're less busy about how to do better.",
        },
        {
            "role": "user",
            "content": "This late pivot means we don't have time to boil the ocean for the client deliverable.",
        },
    ]
    for model, total in (("gpt-4", 129), ("gpt-4o", 124)):
        counted = framing_of(model).measure(messages, [], FramingOptions())
        assert (counted.total, counted.exact) == (total, False)


@given(text=TEXT, tokens=st.sets(st.sampled_from([*PIECES, "<think>", "<|im", "<", "</", "<<|"]), min_size=1))
def test_control_tokens_are_found_leftmost_and_longest(text, tokens):
    found, at = [], 0
    while at < len(text):
        longest = max((token for token in tokens if text.startswith(token, at)), key=len, default="")
        if longest:
            found.append((at, at + len(longest)))
        at += len(longest) or 1
    assert Controls(tokens).find(text) == found


def test_a_system_prompt_of_several_is_given_to_each():
    texts, keys = placed([("a1\n\nb2",)], [{"role": "system", "content": "a1"}, {"role": "system", "content": "b2"}])
    assert texts == ["a1", "\n\n", "b2"]
    assert [key[:2] for key in keys] == [("content", 0), ("framing", 1), ("content", 1)]
