from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from tokaudit.features.count.contents import ContentsAlone
from tokaudit.features.count.requests import RequestCounter
from tokaudit.features.count.types import By, Counted, Wanted
from tokaudit.features.diff.requests import compare_requests
from tokaudit.features.diff.types import Wanted as DiffWanted
from tokaudit.features.media_rules import MediaCount, media_tokens
from tokaudit.jobs.framings import request_counter
from tokaudit.model import Document
from tokaudit.model.request import Media
from tokaudit.sources import load
from tokaudit.sources.requests import with_requests
from tokaudit.tokenizers.registry import load_tokenizer

NAMES = ("gpt-4o", "qwen3")
DIVISIONS: tuple[By, ...] = ("role", "turn", "segment", "kind")
CALL = {"id": "a", "type": "function", "function": {"name": "查询", "arguments": '{"x": 1}'}}
REQUEST: dict[str, Any] = {
    "model": "gpt-4o",
    "max_tokens": 9,
    "messages": [
        {"role": "system", "content": "简短"},
        {"role": "user", "content": [{"type": "text", "text": "你好"}, {"type": "text", "text": " world"}]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "a", "content": "42"},
        {"role": "user", "content": "谢谢"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "查询", "description": "查", "parameters": {"type": "object"}}}
    ],
}
IMAGE = {"type": "image_url", "image_url": {"url": "https://a.example/x.png", "detail": "low"}}


def document(*requests: Any) -> Document:
    lines = "".join(json.dumps(request, ensure_ascii=False) + "\n" for request in requests)
    return with_requests(load(lines, "a.jsonl", kind="jsonl"))


def counter(wanted: Wanted) -> RequestCounter:
    return request_counter(NAMES, [load_tokenizer(name) for name in NAMES], wanted)


def counted(wanted: Wanted, *requests: Any) -> Counted:
    return counter(wanted).count(document(*requests))


def both_counted(before: Document, after: Document) -> tuple[Counted, Counted]:
    each = counter(Wanted("segment"))
    return each.count(before), each.count(after)


def with_image() -> dict[str, Any]:
    return {**REQUEST, "messages": [*REQUEST["messages"], {"role": "user", "content": [IMAGE]}]}


@pytest.mark.parametrize("by", DIVISIONS)
@pytest.mark.parametrize("template", [True, False])
@pytest.mark.parametrize("hidden", [0, 50])
def test_parts_sum_to_the_total(by: By, template: bool, hidden: int) -> None:
    found = counted(Wanted(by, template=template, hidden=hidden), REQUEST, with_image(), {"note": "no request"})
    assert [sum(part.tokens[column] for part in found.parts) for column in (0, 1)] == list(found.tokens)
    assert sum(part.chars for part in found.parts) == found.chars
    assert found.tokens == counted(Wanted(template=template, hidden=hidden), *[REQUEST, with_image()], {
        "note": "no request"
    }).tokens  # fmt: skip


def test_hidden_tokens_are_of_each_request_but_not_of_records() -> None:
    record = {"note": "no request"}
    plain, hidden = (counted(Wanted("role", hidden=number), REQUEST, REQUEST, record) for number in (0, 50))
    assert [after - before for after, before in zip(hidden.tokens, plain.tokens, strict=True)] == [100, 100]
    assert hidden.request is not None
    assert (hidden.request.requests, hidden.request.hidden) == (2, 100)


def test_contents_alone_are_the_tokens_of_the_texts() -> None:
    tokenizer = load_tokenizer("qwen3")
    found = counted(Wanted("role", template=False), REQUEST)
    texts = ["简短", "你好", " world", "查询", '{"x": 1}', "42", "谢谢"]
    tools = json.dumps(REQUEST["tools"][0]["function"], ensure_ascii=False, separators=(",", ":"))
    assert found.tokens[1] == sum(map(tokenizer.count, [*texts, tools]))
    alone = ContentsAlone(tokenizer).measure(document(REQUEST).requests[0])
    assert (alone.total, alone.framing) == (found.tokens[1], 0)


def test_an_image_is_priced_by_its_rule_where_there_is_one() -> None:
    plain, image = (counted(Wanted("role", template=False), request) for request in (REQUEST, with_image()))
    assert image.tokens[0] - plain.tokens[0] == 85
    assert image.tokens[1] == plain.tokens[1]
    assert image.request is not None
    assert image.request.unpriced == (0, 1)
    assert image.request.estimates(0)


def test_a_record_among_requests_is_its_text() -> None:
    text = '{"note": "三 records"}'
    both, one = counted(Wanted("role"), REQUEST, json.loads(text)), counted(Wanted("role"), REQUEST)
    assert both.tokens[1] - one.tokens[1] == load_tokenizer("qwen3").count(text)


def test_pairs_of_a_difference_sum_to_the_delta() -> None:
    changed = {**with_image(), "messages": [{"role": "system", "content": "长一些"}, *with_image()["messages"][2:]]}
    before, after = document(REQUEST), document({**changed, "tools": []})
    found = compare_requests("a", before, after, both_counted(before, after), DiffWanted("segment"))
    assert [sum(pair.delta[column] for pair in found.segments) for column in (0, 1)] == list(found.delta)
    assert found.delta == tuple(new - old for new, old in zip(found.after.tokens, found.before.tokens, strict=True))
    assert "removed" in {pair.status for pair in found.segments}


def test_equal_requests_differ_in_nothing() -> None:
    one = document(REQUEST)
    found = compare_requests("a", one, one, both_counted(one, document(REQUEST)), DiffWanted("segment"))
    assert (found.status, found.delta, list(found.segments)) == ("equal", (0, 0), [])


LATE = {"messages": [{"role": role, "content": "晚到的"} for role in ("system", "user", "system")]}
"""A request that the template of qwen3.5 refuses: system prompts must be at the beginning."""


def counting_qwen(wanted: Wanted) -> RequestCounter:
    return request_counter(["qwen3.5"], [load_tokenizer("qwen3.5")], wanted)


def test_a_request_that_a_template_refuses_is_its_contents_alone() -> None:
    found = counting_qwen(Wanted("role")).count(document(LATE))
    assert found.tokens == counting_qwen(Wanted("role", template=False)).count(document(LATE)).tokens
    assert [(one.code, one.what) for one in found.skipped if one.code == "framing"] == [("framing", "a.jsonl:1")]
    assert found.request is not None
    assert found.request.errors[0].startswith("the chat template refuses")


def test_an_estimate_is_of_the_document_that_has_it() -> None:
    counting = counting_qwen(Wanted("role"))
    found = [counting.count(document(request)).request for request in (LATE, REQUEST)]
    assert [one is not None and bool(one.errors[0]) for one in found] == [True, False]


def test_notes_on_requests_are_a_few_for_each_reason() -> None:
    found = counting_qwen(Wanted("role")).count(document(*[LATE] * 40))
    notes = [one for one in found.skipped if one.code == "framing"]
    assert len(notes) == 6
    assert notes[-1].what == "a.jsonl"
    assert notes[-1].reason.endswith("and 35 times more")


IMAGE_OF = partial(Media, "image", "image/png")


@pytest.mark.parametrize(
    ("provider", "model", "media", "tokens"),
    [
        ("openai", "gpt-4o", IMAGE_OF(1024, 1024, "high"), 765),  # these three are OpenAI's own examples
        ("openai", "gpt-4o", IMAGE_OF(2048, 4096, "high"), 1105),
        ("openai", "gpt-4o", IMAGE_OF(4096, 8192, "low"), 85),
        ("openai", "gpt-4.1-mini", IMAGE_OF(1024, 1024), 1659),  # 1,024 patches by 1.62, rounded up
        ("openai", "gpt-4o", Media("audio", seconds=2.5), 25),
        ("anthropic", "claude-sonnet-4-5", IMAGE_OF(200, 200), 54),  # these three are Anthropic's own, about
        ("anthropic", "claude-sonnet-4-5", IMAGE_OF(1000, 1000), 1334),
        ("anthropic", "claude-sonnet-4-5", IMAGE_OF(8000, 8000), 1568),
        ("google", "gemini-2.0-flash", IMAGE_OF(384, 300), 258),  # these three are Google's own
        ("google", "gemini-2.0-flash", IMAGE_OF(960, 540), 258 * 6),
        ("google", "gemini-2.0-flash", Media("audio", seconds=60), 1920),
        ("openai", "gpt-4o", Media("video"), None),
        ("deepseek", "deepseek-v3", IMAGE_OF(10, 10), None),
        ("", "unknown", IMAGE_OF(10, 10), None),
    ],
)
def test_media_by_the_examples_of_their_providers(provider: str, model: str, media: Media, tokens: int | None) -> None:
    assert media_tokens(provider, model, media).tokens == tokens


def test_anthropic_about_1590() -> None:
    found = media_tokens("anthropic", "claude-sonnet-4-5", IMAGE_OF(1092, 1092))
    assert found.tokens is not None
    assert abs(found.tokens - 1590) / 1590 < 0.015


def test_what_is_assumed_is_said() -> None:
    known, unknown = (media_tokens("openai", "gpt-4o", IMAGE_OF(side, side)) for side in (1024, 0))
    assert known == MediaCount(765)
    assert unknown.tokens == 765
    assert "1024 by 1024" in unknown.note


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "o4-mini"])
@pytest.mark.parametrize(("width", "height"), [(100_000, 1), (1, 100_000), (60_000, 20), (8_000, 1), (1, 1)])
def test_no_shape_of_an_image_is_free(model, width, height):
    found = media_tokens("openai", model, Media("image", width=width, height=height)).tokens
    assert found is not None
    assert found > (85 if model == "gpt-4o" else 0)
