"""The promises of fit, for conversations of every form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit import load_tokenizer
from tokaudit.features.turns import slot_of, turns_of
from tokaudit.jobs.fit import FitOptions, fit_run
from tokaudit.jobs.inputs import Reading, TextInput
from tokaudit.model import InputError
from tokaudit.model.request import Request
from tokaudit.sources.requests.records import request_of

WORDS = st.text('查订单 order\n"\\é😀<>', min_size=1, max_size=30).filter(str.strip)
PASSAGE = st.sampled_from(
    ["订单在七天内送达，运费由买家承担。", "Refunds take three days.", "订单在九天内送达，运费由买家承担。"]
)


@st.composite
def turn(draw: Any, number: int) -> list[dict[str, Any]]:
    """A question, perhaps with passages, calls of tools that are answered, and an answer. Ids come again."""
    passages = "".join(f"<document>{text}</document>\n" for text in draw(st.lists(PASSAGE, max_size=3)))
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"{passages}{number}: {draw(WORDS)}"}]
    for at in range(draw(st.integers(0, 2))):
        call = {"id": f"call_{at}", "type": "function", "function": {"name": "find", "arguments": '{"id": 1}'}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{at}", "content": draw(WORDS)},
        ]
    return [*messages, {"role": "assistant", "content": draw(WORDS)}]


@st.composite
def conversations(draw: Any) -> list[dict[str, Any]]:
    turns = [draw(turn(number)) for number in range(draw(st.integers(1, 7)))]
    system = [{"role": "system", "content": "你是客服。"}] if draw(st.booleans()) else []
    return [*system, *(message for one in turns for message in one)]


def in_form(messages: list[dict[str, Any]], form: str) -> dict[str, Any] | list[Any]:
    """A conversation in another form."""
    if form == "openai-chat":
        return {"model": "gpt-4o", "temperature": 0.10, "messages": messages, "max_tokens": 100}
    if form == "messages":
        return messages
    if form == "sharegpt":
        names = {"user": "human", "assistant": "gpt"}
        said = [one for one in messages if isinstance(one["content"], str) and one["role"] != "tool"]
        return {
            "conversations": [{"from": names.get(one["role"], one["role"]), "value": one["content"]} for one in said]
        }
    listed: list[dict[str, Any]] = []
    for one in messages:
        if one["role"] == "system":
            continue
        listed += getattr(_Forms, form.replace("-", "_"))(one)
    if form == "openai-responses":
        return {"model": "gpt-4o", "instructions": "你是客服。", "input": listed}
    if form == "gemini":
        return {"systemInstruction": {"parts": [{"text": "你是客服。"}]}, "contents": listed}
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "你是客服。", "messages": listed}


class _Forms:
    """One message of OpenAI's in other forms."""

    @staticmethod
    def openai_responses(one: dict[str, Any]) -> list[dict[str, Any]]:
        if one.get("tool_calls"):
            call = one["tool_calls"][0]
            return [{"type": "function_call", "call_id": call["id"], "name": "find", "arguments": "{}"}]
        if one["role"] == "tool":
            return [{"type": "function_call_output", "call_id": one["tool_call_id"], "output": one["content"]}]
        return [one]

    @staticmethod
    def gemini(one: dict[str, Any]) -> list[dict[str, Any]]:
        if one.get("tool_calls"):
            return [{"role": "model", "parts": [{"functionCall": {"name": "find", "args": {"id": 1}}}]}]
        if one["role"] == "tool":
            answer = {"name": "find", "response": {"text": one["content"]}}
            return [{"role": "user", "parts": [{"functionResponse": answer}]}]
        return [{"role": {"assistant": "model"}.get(one["role"], "user"), "parts": [{"text": one["content"]}]}]

    @staticmethod
    def anthropic(one: dict[str, Any]) -> list[dict[str, Any]]:
        if one.get("tool_calls"):
            call = one["tool_calls"][0]
            part = {"type": "tool_use", "id": call["id"], "name": "find", "input": {"id": 1}}
            return [{"role": "assistant", "content": [part]}]
        if one["role"] == "tool":
            part = {"type": "tool_result", "tool_use_id": one["tool_call_id"], "content": one["content"]}
            return [{"role": "user", "content": [part]}]
        return [{"role": one["role"], "content": [{"type": "text", "text": one["content"]}]}]


FORMS = ("openai-chat", "openai-responses", "anthropic", "gemini", "sharegpt", "messages")
SLOTS: Mapping[str, str] = {"summary": "用户问了订单。", "facts": "订单号: 7"}


def fitted(text: str, options: FitOptions, kind: str = "json") -> Any:
    """The run; None where the text cannot fit."""
    try:
        return fit_run(TextInput("<text>", text), options, Reading(kind=kind))
    except InputError as error:
        if error.code != "too-large":
            raise
        return None


def read(text: str) -> Request:
    found = request_of(json.loads(text))
    assert found is not None
    return found


@pytest.mark.parametrize("form", FORMS)
@given(
    conversations(), st.integers(20, 400), st.integers(1, 3), st.sampled_from([None, 0, 2]),
    st.booleans(), st.one_of(st.none(), st.integers(1, 2)), st.booleans(),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_promises(
    form: str,
    messages: list[dict[str, Any]],
    budget: int,
    keep_last: int,
    indent: int | None,
    escaped: bool,
    top_k: int | None,
    with_slots: bool,
) -> None:
    text = json.dumps(in_form(messages, form), ensure_ascii=escaped, indent=indent)
    slots = SLOTS if with_slots else None
    options = FitOptions("o200k_base", budget, keep_last, top_k=top_k, slots=slots)
    before = read(text)
    run = fitted(text, options)
    if run is None:
        return
    after, plan = read(run.text), run.requests[0].plan
    assert after.form == before.form == form
    assert plan.after.total <= budget
    assert fitted(run.text, options).text == run.text
    _check_turns(before, after, keep_last, with_slots=with_slots)
    _check_pairs(after)
    gone = read_or_none(run.dropped_text)
    if plan.gone:
        assert gone is not None
        _check_pairs(gone)
        said = [message.text for message in gone.messages if message.turn and not slot_of(message)]
        assert said == [before_text for before_text, is_gone in _said(before, after) if is_gone]
    if not plan.changed and not with_slots:
        assert run.text == text


def read_or_none(text: str) -> Request | None:
    return request_of(json.loads(text))


def _said(before: Request, after: Request) -> list[tuple[str, bool]]:
    """Text of each message in a turn, and whether its turn is gone: the oldest ones are."""
    turns, left = turns_of(before), len(set(turns_of(after)) - {0})
    last = max(turns)
    return [(message.text, turn <= last - left) for message, turn in zip(before.messages, turns, strict=True) if turn]


def _check_turns(before: Request, after: Request, keep_last: int, *, with_slots: bool) -> None:
    """The prompt and the last turns stay; but for passages, no text of what stays is another."""
    old, new = turns_of(before), turns_of(after)
    assert max(new) >= min(keep_last, max(old))
    prompt = [message.text for message, turn in zip(before.messages, old, strict=True) if not turn]
    slots = [name for message in after.messages if (name := slot_of(message))]
    assert slots == (list(SLOTS) if with_slots else [])
    kept = [message for message, turn in zip(after.messages, new, strict=True) if not turn and not slot_of(message)]
    assert [message.text for message in kept] == prompt
    tail = [message for message, turn in zip(before.messages, old, strict=True) if turn > max(old) - max(new)]
    rest = [message for message, turn in zip(after.messages, new, strict=True) if turn]
    assert [(one.role, [content.kind for content in one.contents]) for one in rest] == [
        (one.role, [content.kind for content in one.contents]) for one in tail
    ]
    for one, other in zip(rest, tail, strict=True):
        assert one.text == other.text or (one.role == "user" and one.text.rpartition(">\n")[2] in other.text)


def _check_pairs(request: Request) -> None:
    """Each result follows its call, with which it is paired by the id or, in Gemini's form, by the order."""
    open_calls: list[str] = []
    for message in request.messages:
        for content in message.contents:
            if content.kind == "call":
                open_calls.append(content.call_id)
            elif content.kind == "result":
                assert content.call_id in open_calls
                open_calls.remove(content.call_id)
    assert open_calls == []


@given(st.lists(conversations(), min_size=1, max_size=4), st.integers(60, 500))
@settings(max_examples=25, deadline=None)
def test_each_line_of_json_lines_is_fitted_by_itself(records: list[list[dict[str, Any]]], budget: int) -> None:
    lines = [json.dumps(in_form(one, "openai-chat"), ensure_ascii=False) for one in records]
    options = FitOptions("o200k_base", budget, keep_last=1)
    alone = [fitted(line, options) for line in lines]
    run = fitted("\n".join(lines) + "\n", options, "jsonl")
    if None in alone:
        assert run is None
        return
    assert run.text.splitlines() == [one.text for one in alone]
    dropped = [one.dropped_text for one in alone if one.requests[0].plan.gone]
    assert run.dropped_text.splitlines() == dropped


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=7), st.data())
@settings(max_examples=40, deadline=None)
def test_transcripts(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    """A transcript is counted as the text that it is, and fits as soon as the text of some last turns does."""
    turns = [f"用户：{' '.join(one.split())}\n客服：{' '.join(other.split())}\n" for one, other in pairs]
    text = "".join(turns)
    kept = data.draw(st.integers(1, len(turns)))
    count = load_tokenizer("o200k_base").count
    run = fitted(text, FitOptions("o200k_base", count("".join(turns[-kept:])), keep_last=1), "text")
    assert run.dropped_text + run.text == text
    assert run.text.endswith("".join(turns[-kept:]))
    after = run.requests[0].plan.after.total
    assert after == count(run.text)
    assert fitted(run.text, FitOptions("o200k_base", after, keep_last=1), "text").text == run.text
