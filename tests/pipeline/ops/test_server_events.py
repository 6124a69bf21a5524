"""Server-sent events: deltas joined, and what repeats left out."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stream_samples
from tokaudit import slim
from tokaudit.model.edits import Edit
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.spans.find import Spans
from tokaudit.pipeline.views.view import View
from tokaudit.sources.text_kinds import text_evidence
from tokaudit.store.packs import load_pack, own_rules
from work import assert_linear

RULES = {rule.id: rule for rule in own_rules(load_pack("log"))}
STREAMS = [stream_samples.anthropic, stream_samples.openai_chat, stream_samples.openai_responses]


def slimmed(text: str, *ids: str) -> str:
    return slim_text(text, [RULES[name] for name in ids], kind="log").text


def data(text: str) -> list[Any]:
    return [json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: {")]


def said(text: str) -> dict[str, str]:
    """All pieces that a stream brings, joined, by the key that they stand under."""
    found: dict[str, str] = {}
    for event in data(text):
        for piece in (event.get("delta"), *(choice["delta"] for choice in event.get("choices", ()))):
            for key, value in piece.items() if isinstance(piece, dict) else [("delta", piece)]:
                if key in {"text", "partial_json", "content", "delta"} and value is not None:
                    found[key] = found.get(key, "") + value
    return found


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.__name__)
def test_a_stream_says_the_same_in_a_tenth(stream):
    text = stream()
    result = slim(text, kind="log", models="o200k_base")
    assert text_evidence(text)[0].kind == "log"
    assert said(result.text) == said(text)
    assert stream_samples.TEXT in said(text).values()
    assert result.tokens_after[0] < 0.2 * result.tokens_before[0]
    counted = sum(int(count) - 1 for count in re.findall(r"^… ×(\d+) joined$", result.text, re.MULTILINE))
    assert len(data(result.text)) + counted == len(data(text))
    assert slim(result.text, kind="log", models="o200k_base").text == result.text


def test_the_input_of_a_tool_stays_json():
    slim = slimmed(stream_samples.anthropic(), "log.sse-deltas")
    assert json.loads(said(slim)["partial_json"]) == json.loads(stream_samples.INPUT)


def event(**values: Any) -> str:
    return "data: " + json.dumps(values) + "\n\n"


@pytest.mark.parametrize(
    "other",
    [
        event(index=1, delta={"text": "b"}),
        event(index=0, at=1.5, delta={"text": "b"}),
        event(index=0, delta={"text": "b", "id": "x"}),
        event(index=0, delta={"other": "b"}),
        event(index=0, delta={"text": "b", "more": "c"}),
        event(index=0, delta={"text": None}),
        "event: error\n" + event(index=0, delta={"text": "b"}),
        "INFO waiting\n" + event(index=0, delta={"text": "b"}),
        'data: {"index":0,"delta":{"text":"b"},"delta":{"text":"b"}}\n\n',
        'data: {"index":0.0,"delta":{"text":"b"}}\n\n',
        'data: {"index":0,"delta":{"text":"b"}\n\n',
    ],
)
def test_events_that_differ_in_more_stay(other: str):
    text = event(index=0, delta={"text": "a"}) + other
    assert slimmed(text, "log.sse-deltas") == text


def test_numbers_of_events_must_count_on():
    texts = [event(sequence_number=number, delta=piece) for number, piece in ((3, "a"), (4, "b"), (9, "c"))]
    joined = event(sequence_number=3, delta="ab").rstrip() + "\n… ×2 joined\n\n"
    assert slimmed("".join(texts), "log.sse-deltas") == joined + texts[2]


def test_lines_may_end_as_those_of_windows():
    text = (event(delta={"text": "a"}) + event(delta={"text": "b"})).replace("\n", "\r\n")
    joined = event(delta={"text": "ab"}).rstrip() + "\n… ×2 joined\n\n"
    assert slimmed(text, "log.sse-deltas") == joined.replace("\n", "\r\n")


@given(st.lists(st.text(max_size=3), min_size=2, max_size=6), st.booleans())
def test_joined_pieces_are_the_text(pieces: list[str], ascii_only: bool):
    events = [json.dumps({"i": 1, "delta": {"content": piece}}, ensure_ascii=ascii_only) for piece in pieces]
    text = "".join(f"data: {one}\n" for one in events)
    slim = slimmed(text, "log.sse-deltas")
    assert said(slim) == {"content": "".join(pieces)}
    assert slim.endswith(f"… ×{len(pieces)} joined\n")


def test_half_characters_are_joined_to_whole_ones():
    text = 'data: {"delta":"\\ud83d"}\ndata: {"delta":"\\ude00"}\n'
    assert said(slimmed(text, "log.sse-deltas")) == {"delta": "😀"}
    changed = 'data: {"model":"the same model in all","a":1,"b":"\\ud83d"}\n' * 2 + text.replace("delta", "b")
    assert slimmed(changed, "log.sse-changed").encode()


KEYS = ("id", "model", "created", "value")
SCALARS = st.one_of(st.integers(), st.text(max_size=4), st.none())
NESTED = st.dictionaries(st.sampled_from(["a", "b", "c.d", "7", ""]), SCALARS, max_size=2)
VALUES = st.one_of(SCALARS, st.lists(st.one_of(SCALARS, NESTED), max_size=2), NESTED)


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(KEYS, VALUES)), min_size=2, max_size=6))
def test_what_an_event_repeats_can_be_told(events: list[dict[str, Any]]):
    text = "".join(f"data: {json.dumps(one)}\n\n" for one in events)
    slim = slimmed(text, "log.sse-changed").replace(" (…: all else as in the event above)", "")
    told: list[Any] = []
    for line in slim.split("\n"):
        if line.startswith("data: "):
            own = json.loads(line[6:].removeprefix("… "))
            told.append(patched(told[-1], own) if line[6] == "…" else own)
    assert told == events


def patched(before: Any, changes: dict[str, Any]) -> Any:
    after = deepcopy(before)
    for path, value in changes.items():
        *keys, last = path.split(".")
        place = after
        for key in keys:
            place = place[int(key) if isinstance(place, list) else key]
        place[int(last) if isinstance(place, list) else last] = value
    return after


def test_of_states_that_grow_the_last_stays():
    texts = ["He", "Hello", "Hello", "Hello you", "Hi"]
    events = [event(part={"id": 7, "text": text}) for text in texts]
    joined = event(part={"id": 7, "text": "Hello"}).rstrip() + "\n… ×2 joined\n\n"
    other = event(part={"id": 7, "text": "Hello you"}).rstrip() + "\n… ×2 joined\n\n"
    assert slimmed("".join(events), "log.sse-deltas") == joined + other + events[-1]


@pytest.mark.parametrize("name", ["sse-deltas", "sse-changed"])
@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.__name__)
def test_work_is_linear(name: str, stream):
    find, text = op(name).prepare({}), stream()

    def edits(text: str) -> list[Edit]:
        return list(find(View(text, "log", frozenset(), no_spans)))

    assert_linear(edits, lambda times: text * times, 4)


def no_spans() -> Spans:
    raise AssertionError
