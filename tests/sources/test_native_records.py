"""The walk in C and the Python reader give the same of any JSON: valid, broken and odd."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.sources import load, native
from tokaudit.sources.chat import chat
from tokaudit.tokenizers.native import engine_name

pytestmark = pytest.mark.skipif(engine_name() == "python", reason="there is nothing to compare with")
KEYS = [
    *("role", "content", "from", "value", "type", "messages", "conversations", "contents", "parts", "input", "body"),
    *("instructions", "prompt", "completion", "chosen", "rejected", "config", "systemInstruction", "system", "tools"),
    *("request", "params", "custom_id", "model", "tool_calls", "a", "名", "", 'q"', "\u2028", "\x7f"),
]
TEXTS = [
    "user",
    "system",
    "assistant",
    "gpt",
    "u" * 70,
    " ",
    "你好",
    "😀",
    "",
    "\n",
    '\\"role\\"',
    '{"role": "user"}',
    "é" * 30,
]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=True), st.sampled_from(TEXTS)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=8,
)
MESSAGES = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"role": st.sampled_from(TEXTS[:4]), "content": st.one_of(st.sampled_from(TEXTS), VALUES)}
        ),
        VALUES,
    ),
    max_size=4,
)
REQUESTS = st.dictionaries(st.sampled_from(KEYS), st.one_of(MESSAGES, VALUES), max_size=5)
RECORDS = st.one_of(
    VALUES,
    MESSAGES,
    REQUESTS,
    st.fixed_dictionaries({"messages": MESSAGES}, optional={"tools": VALUES, "id": VALUES}),
    st.fixed_dictionaries({"custom_id": SCALARS, "body": REQUESTS}),
)
ODD = [
    *'{}[]",:\\ \t\r\n-+.eE01u/',
    '"',
    '""',
    "\\u12",
    "\\ud83d\\ude00",
    "null",
    "NaN",
    "\x00",
    "\x1f",
    "名",
    '"role"',
]
WAYS = st.tuples(st.booleans(), st.sampled_from([None, (",", ":"), (" , ", " : "), ("\t,\r", ":  ")]))


def written(value: Any, way: tuple[bool, tuple[str, str] | None]) -> str:
    ascii_only, separators = way
    return json.dumps(value, ensure_ascii=ascii_only, separators=separators)


def seen(text: str, path: str, *, structure: bool = True) -> Any:
    """All that readers say of a text."""
    document = load(text, path, structure=structure)
    found = chat(document)
    places = None if found is None else [*found.places]
    messages = (
        [] if found is None else [at for at in range(len(found.segments)) if found.segments.kind(at) == "message"]
    )
    texts = [[*found.contents(at)] for at in messages] if found else []
    divisions = (document.segments, document.sections, *([] if found is None else [found.segments]))
    rows = [[*division] for division in divisions]
    said = [(one.what, str(one.reason), one.code) for one in document.skipped]
    return document.text, document.kind, document.gaps, said, rows, places, texts


def agree(text: str) -> None:
    for path in ("a.jsonl", "a.json"):
        for structure in (True, False):
            found = seen(text, path, structure=structure)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(native, "_module", lambda: None)
                assert found == seen(text, path, structure=structure)


def test_the_walk_is_built_with_the_core() -> None:
    scanned = native.scan_document('{"a": [1], "b": "é"}', native.FIELDS)
    assert scanned is not None
    assert scanned.names == ["a", "b"]
    assert [*scanned.others] == [0, 0, 11, 1]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(RECORDS, WAYS, st.sampled_from(["\n", "\r\n", "\n\n", " \n\t\n", ""])), max_size=6))
def test_lines(records: list[Any]) -> None:
    agree("".join(written(value, way) + end for value, way, end in records))


@settings(max_examples=300, deadline=None)
@given(RECORDS, WAYS, st.sampled_from([None, 0, 1]))
def test_documents(value: Any, way: Any, indent: int | None) -> None:
    agree(written(value, way) if indent is None else json.dumps(value, ensure_ascii=way[0], indent=indent))
    agree(json.dumps([value, value], ensure_ascii=way[0], indent=indent) + "\n")


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(RECORDS, WAYS), min_size=1, max_size=4), st.integers(0, 2**32), st.integers(1, 4))
def test_broken(records: list[Any], seed: int, times: int) -> None:
    text = "\n".join(written(value, way) for value, way in records)
    dice = random.Random(seed)
    for _ in range(times):
        at = dice.randrange(len(text) + 1)
        text = text[:at] + dice.choice([*ODD, ""]) + text[at + dice.randrange(3) :]
    agree(text)


ASK = {"role": "user", "content": "你好"}


@pytest.mark.parametrize(
    "lines",
    [
        [{"messages": [ASK]}, "x", {"messages": [ASK]}],
        [{"messages": [ASK]}, {"text": "plain"}, {"messages": [ASK, ASK]}, {"messages": [ASK]}],
        [{"messages": [ASK]}, {"text": '"role"'}],
        [{"messages": [ASK]}, {"text": 'no \\"role\\"'}],
        [{"messages": [ASK]}] * 3 + [{"text": "plain"}, {"text": '"role"'}],
        [{"messages": [ASK]}] * 3 + [{"text": "plain"}, {"text": "role"}],
        [{"messages": [ASK]}, {"messages": []}],
        [{"messages": [ASK], "rejected": ["a"]}, {"messages": [ASK], "rejected": ["a", '"role"']}],
        [{"messages": [ASK] * 3}, {"messages": [ASK, 1]}],
        [ASK, ASK, {**ASK, "role": "tool"}],
        [[ASK], [ASK], []],
        [{"messages": [ASK], "tools": [{}]}, {"messages": [ASK], "tools": [{}]}],
        [{"body": {"messages": [ASK]}, "custom_id": "1"}] * 2,
    ],
)
def test_records_of_one_shape(lines: list[Any]) -> None:
    agree("\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    agree(json.dumps(lines, ensure_ascii=False))


@pytest.mark.parametrize("depth", [200, 255, 256, 257, 1200])
def test_depth(depth: int) -> None:
    agree('{"a": ' + "[" * depth + "]" * depth + "}\n" + '{"a": 1}')


def test_numbers_and_places_after_broken_lines() -> None:
    agree('{"名": 1}\n{"broken\n\n{"messages": [{"role": "user", "content": "好"}]}\n{"\\u0061": 1}\n{"b": 2}\n')
