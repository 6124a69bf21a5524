"""The parts of a message: texts, calls and results of tools, reasoning, retrieved passages, media."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tokaudit.model.message import Message
from tokaudit.model.request import Content
from tokaudit.sources.requests.builder import Builder
from tokaudit.sources.requests.media import media_of

_TEXTS = frozenset(("text", "input_text", "output_text", "summary_text", "refusal", "tool_reference"))
_THOUGHTS = frozenset(("thinking", "reasoning", "reasoning_text", "redacted_thinking"))


def contents_of(builder: Builder, value: Any, path: str, *, kind: str = "text") -> Iterator[Content]:
    """The contents that a value stands for: a text, a list of parts, one part, or nothing."""
    if value is None:
        return
    if isinstance(value, str):
        yield Content("result" if kind == "result" else "text", builder.text(value, path), path)
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from contents_of(builder, part, f"{path}[{at}]", kind=kind)
    elif isinstance(value, dict):
        yield from _part(builder, value, path, kind)
    else:
        builder.problem(path, Message("a content that is neither text nor parts, counted as JSON"))
        yield Content("text", builder.text(value, path), path)


def _part(builder: Builder, part: dict[str, Any], path: str, kind: str) -> Iterator[Content]:
    named = part.get("type")
    named = named if isinstance(named, str) else None
    if named in _THOUGHTS:
        # What is redacted is not readable, and is billed by its provider alone.
        text = part.get("thinking", part.get("text", part.get("content", "")))
        yield from _as("thinking", builder, text if isinstance(text, str) else part.get("summary"), path)
    elif named in {"tool_use", "server_tool_use", "mcp_tool_use", "function_call", "tool_call"}:
        yield call_of(builder, part, path)
    elif named is not None and (named.endswith("tool_result") or named == "function_call_output"):
        yield from result_of(builder, part, path)
    elif (medium := media_of(part)) is not None:
        yield Content("media", "", path, media=medium)
    elif named in {"document", "search_result"}:
        yield from _passage(builder, part, path)
    elif isinstance(part.get("functionCall"), dict):
        yield call_of(builder, part["functionCall"], f"{path}.functionCall")
    elif isinstance(part.get("functionResponse"), dict):
        inner = part["functionResponse"]
        text = builder.text(inner.get("response"), path)
        yield Content("result", text, f"{path}.functionResponse.response", name=str(inner.get("name", "")))
    else:
        yield from _texts(builder, part, path, kind)


def _texts(builder: Builder, part: dict[str, Any], path: str, kind: str) -> Iterator[Content]:
    """A part that is a text, or holds one; any other counts as the JSON that it is."""
    for key in ("text", "content", "value", "parts", "refusal", "output"):
        if isinstance(part.get(key), str | list):
            inside = f"{path}.{key}"
            as_kind = "thinking" if part.get("thought") is True else kind
            if as_kind == "thinking":
                yield from _as("thinking", builder, part[key], inside)
            else:
                yield from contents_of(builder, part[key], inside, kind=kind)
            if part.get("type") is not None and part["type"] not in (*_TEXTS, "message"):
                builder.problem(path, Message("a part of unknown type {type!r}, its text counted", type=part["type"]))
            return
    if part.get("type") in (*_TEXTS, None) or not part:
        builder.problem(path, Message("a part without text"))
        return
    builder.problem(path, Message("a part of unknown type {type!r}, counted as JSON", type=part.get("type")))
    yield Content("text", builder.text(part, path), path)


def _as(kind: Any, builder: Builder, value: Any, path: str) -> Iterator[Content]:
    for found in contents_of(builder, value, path):
        yield Content(kind, found.text, found.path)


def _passage(builder: Builder, part: dict[str, Any], path: str) -> Iterator[Content]:
    """The text of a document or search result that Anthropic's request marks as one, with title and context."""
    texts = [part[key] for key in ("title", "context") if isinstance(part.get(key), str)]
    source = part.get("source", part)
    inner = source.get("data", source.get("content")) if isinstance(source, dict) else part.get("content")
    inner = part.get("content") if inner is None else inner
    texts += [found.text for found in contents_of(builder, inner, f"{path}.source") if found.kind == "text"]
    yield Content("passage", builder.text("\n".join(texts), path), path)


def call_of(builder: Builder, call: dict[str, Any], path: str) -> Content:
    """A call of a tool: OpenAI's, Anthropic's ``tool_use``, Gemini's ``functionCall``."""
    inner = call["function"] if isinstance(call.get("function"), dict) else call
    arguments = inner.get("arguments", inner.get("input", inner.get("args", {})))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call_id = call.get("call_id") or call.get("id") or ""
    name = inner.get("name")
    if not isinstance(name, str):
        builder.problem(path, Message("a tool call without a name"))
    return Content("call", builder.text(text, path), path, name=str(name or ""), call_id=str(call_id))


def result_of(builder: Builder, part: dict[str, Any], path: str) -> Iterator[Content]:
    """The result of a tool: its texts as one, and the media in it."""
    key = "output" if "output" in part else "content"
    call_id = str(part.get("tool_use_id") or part.get("call_id") or part.get("tool_call_id") or "")
    texts: list[Content] = []
    media: list[Content] = []
    for found in contents_of(builder, part.get(key), f"{path}.{key}"):
        (media if found.kind == "media" else texts).append(found)
    yield Content("result", "\n".join(found.text for found in texts), f"{path}.{key}", call_id=call_id)
    yield from media
