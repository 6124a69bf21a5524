from __future__ import annotations

import base64
import json
import random

import pytest

from tokaudit.api.count import count
from tokaudit.features.count.base64_runs import base64_runs

BYTES = random.Random(7).randbytes(600)
ENCODED = base64.b64encode(BYTES).decode()
LINES = "\n".join(ENCODED[at : at + 76] for at in range(0, len(ENCODED), 76))


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in base64_runs(text)]


@pytest.mark.parametrize(
    "run",
    [
        ENCODED,
        base64.urlsafe_b64encode(BYTES).decode(),
        base64.b64encode(BYTES[:599]).decode(),
        LINES,
        LINES.replace("\n", "\r\n"),
        base64.b64encode(b"The quick brown fox jumps over the lazy dog. " * 5).decode(),
        base64.b64encode("你好，世界，这是一段话。".encode() * 8).decode(),
    ],
)
def test_base64_in_a_text(run: str) -> None:
    assert found(run) == [run]
    assert found(f"图：{run} 完") == [run]
    assert found(f'{{"image": "{run}", "n": 1}}\n{run}。') == [run, run]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ENCODED[:199],
        "A" * 5000,
        BYTES.hex(),
        BYTES.hex().upper(),
        "getTheNameOfTheVeryLongIdentifier2" * 20,
        "getOrderById8FromWarehouseWithQuantity10AndJoinZoneUserKeyMaxPriceVatBoxQuickJumpsFoxLazy" * 4,
        "/usr/local/lib/python3/SitePackages/" * 20,
        "\n".join(f"word{number}" for number in range(500)),
        "ACGT" * 100,
        "_" * 300,
        "0123456789" * 30,
        "a-very-long-slug-of-many-words-2024-" * 10,
    ],
)
def test_what_is_no_base64(text: str) -> None:
    assert found(text) == []


def test_the_data_of_an_address_may_be_short() -> None:
    assert found(f"![x](data:image/png;base64,{ENCODED[:80]})") == [ENCODED[:80]]
    assert found(f"data:image/png;base64,{ENCODED}") == [ENCODED]
    assert found(f"data:image/png;base64,{ENCODED[:40]}") == []


def test_tokens_are_those_that_begin_in_it() -> None:
    text = f"请看这张图\n\n{ENCODED}\n\n谢谢"
    document = count(text, ["gpt-4o"], by="line")["documents"][0]
    lines = {line["line"]: line for line in document["segments"]}
    assert document["base64"]["chars"] == len(ENCODED)
    assert document["base64"]["lines"] == [3]
    whole = lines[3]["counts"]["gpt-4o"]["tokens"]
    assert whole - 2 <= document["base64"]["tokens"]["gpt-4o"] <= whole  # but the line end
    assert [number for number, line in lines.items() if "base64" in line["flags"]] == [3]
    assert "base64" not in count("没有", ["gpt-4o"])["documents"][0]


def test_in_a_message_it_is_text_and_in_an_image_it_is_not() -> None:
    parts = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{ENCODED}"}}]
    messages = [{"role": "user", "content": f"看 {ENCODED}"}, {"role": "user", "content": parts}]
    text = json.dumps({"model": "gpt-4o", "messages": messages})
    document = count(text, ["gpt-4o"], by="segment", kind="json")["documents"][0]
    assert document["base64"]["chars"] == len(ENCODED)
    assert [part["id"] for part in document["segments"] if "base64" in part["flags"]] == ["message-1"]
