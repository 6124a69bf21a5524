"""Recorded streams of models, in the shapes of three interfaces: server-sent events as they come."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

_TEXT = (
    "I will look at the failing test first. The order is written before the stock is checked, so two requests can take "
    "the same item. 先检查库存，再写入订单。 It's fixed by one lock: `with stock.lock(item):` around both. "
) * 3
_INPUT = '{"path": "src/shop/order.py", "old": "write(order)", "new": "with stock.lock(item):\\n    write(order)"}'


def _pieces(text: str, rng: random.Random) -> Iterator[str]:
    while text:
        size = rng.randint(1, 6)
        yield text[:size]
        text = text[size:]


def anthropic() -> str:
    """One turn: a text, and the input of a tool."""
    rng = random.Random(1)
    message = {"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "model": "claude-sonnet-4"}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": {"input_tokens": 25}}}]
    block: dict[str, Any] = {"type": "text", "text": ""}
    tool = {"type": "tool_use", "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "name": "edit", "input": {}}
    for index, (start, text, kind, key) in enumerate(
        ((block, _TEXT, "text_delta", "text"), (tool, _INPUT, "input_json_delta", "partial_json"))
    ):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        for number, piece in enumerate(_pieces(text, rng)):
            events.append({"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}})
            if number == 0:
                events.append({"type": "ping"})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 15}})
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def openai_chat() -> str:
    """One answer of the interface for chats."""
    chunk = {"id": "chatcmpl-9lMgfRSWPHcw51s6wxKT1YEO2CKpd", "object": "chat.completion.chunk", "created": 1720000000}
    chunk |= {"model": "gpt-4o-2024-05-13", "system_fingerprint": "fp_d576307f90"}
    deltas: list[dict[str, str]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(_TEXT, random.Random(2))]
    choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"})
    events = [
        json.dumps({**chunk, "choices": [choice]}, ensure_ascii=False, separators=(",", ":")) for choice in choices
    ]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])


def openai_responses() -> str:
    """One answer of the interface for responses, whose events are numbered and padded."""
    rng = random.Random(3)
    name = "response.output_text.delta"
    lines = []
    for number, piece in enumerate(_pieces(_TEXT, rng), 4):
        event = {"type": name, "sequence_number": number, "item_id": "msg_67c9fdcf37fc8190ba82116e33fb28c507b8b0ad4"}
        event |= {"output_index": 0, "content_index": 0, "delta": piece, "obfuscation": f"{rng.getrandbits(64):x}"}
        lines.append(f"event: {name}\ndata: {json.dumps(event)}\n\n")
    return "".join(lines)


TEXT = _TEXT
"""What each of them says."""
INPUT = _INPUT
"""The input of the tool, in JSON."""
