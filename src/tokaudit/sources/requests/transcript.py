"""Plain transcripts: lines that begin with who speaks, such as 用户： and 客服：, or User: and Assistant:."""

from __future__ import annotations

import re
from dataclasses import replace

from tokaudit.model import Document, Segments
from tokaudit.model.message import Message
from tokaudit.model.request import Content, Request
from tokaudit.sources.columns import LineNumbers
from tokaudit.sources.requests.builder import Builder

_ROLES = {
    "user": "用户|用戶|客户|客戶|顾客|顧客|买家|访客|提问者|问|user|human|customer|client|visitor|question|q",
    "assistant": "客服|助手|助理|机器人|機器人|智能客服|人工客服|商家|卖家|小助手|答|assistant|ai|bot|chatbot|gpt"
    "|chatgpt|agent|support|answer|a",
    "system": "系统|系統|系统提示|系统提示词|system",
    "tool": "工具|函数|tool|function",
}
"""Names by which transcripts call the roles; others are persons, whose role nobody can tell."""
_OF_NAME = {name: role for role, names in _ROLES.items() for name in names.split("|")}
_SPEAKER = re.compile(
    rf"^[ \t]*(?:[*_\[【<]{{1,3}})?({'|'.join(sorted(_OF_NAME, key=len, reverse=True))})"
    r"(?:[ \t]?[A-D0-9]{1,3})?(?:[*_\]】>]{1,3})?(?:[ \t]?[(（][^()（）\n]{1,20}[)）])?[ \t]?[:：](?:[*_]{1,2})?",
    re.IGNORECASE | re.MULTILINE,
)
_FEWEST = 2
"""Speaking lines of a transcript, of a user and of an assistant."""
_SHARE = 0.1
"""Least share of speaking lines among those with text: a manual may quote a question and its answer."""
_LEAD = 0.2
"""Most of the text that may stand before the first speaker."""


def with_transcript(document: Document) -> Document:
    """The document divided into messages, with a request of the form ``transcript``; the same where it is none.

    The text stays whole, speakers included: that is what is counted, for nobody says that a transcript is sent as
    messages.
    """
    text = document.text
    found = list(_SPEAKER.finditer(text))
    roles = [_OF_NAME[match[1].lower()] for match in found]
    if len(found) < _FEWEST or not {"user", "assistant"} <= set(roles):
        return document
    lines = sum(1 for line in text.splitlines() if line and not line.isspace())
    if len(found) < lines * _SHARE or found[0].start() > max(200, len(text) * _LEAD):
        return document
    starts = [match.start() for match in found]
    inner = [match.end() for match in found]
    if text[: starts[0]].strip():
        starts, inner, roles = [0, *starts], [0, *inner], ["system", *roles]
    starts[0] = 0
    builder = Builder("transcript")
    numbers = LineNumbers(text, starts, document.first_line)
    ends = [*starts[1:], len(text)]
    for role, start, end, line in zip(roles, inner, ends, numbers, strict=True):
        path = f"L{line}"
        builder.add(role, [Content("text", text[start:end].strip(), path)], path)
    request = Request(
        "transcript",
        [replace(message, line=line) for message, line in zip(builder.messages, numbers, strict=True)],
        line=numbers[0],
    )
    labels = [Message("{label} (message {number})", label=role, number=n) for n, role in enumerate(roles, 1)]
    segments = Segments(document.path, text, starts, ("message",), labels=labels, lines=numbers)
    return replace(document, segments=segments, requests=[request])
