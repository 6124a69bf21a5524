"""Gemini's requests, and records of training data: ShareGPT, Alpaca, prompts with completions, preferences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.model.message import Message
from tokaudit.model.request import Request
from tokaudit.sources.requests.builder import Builder
from tokaudit.sources.requests.chat_form import add_message, add_messages, add_tools
from tokaudit.sources.requests.contents import contents_of

_ANSWERS = ("completion", "chosen", "rejected", "preferred_output", "non_preferred_output")


def gemini_request(value: Mapping[str, Any], path: str) -> Request:
    """``contents`` with ``parts``; a text is a user's message."""
    builder = Builder("gemini")
    config = value.get("config")
    for holder, where in ((value, path), (config, f"{path}.config")):
        for key in ("systemInstruction", "system_instruction"):
            if isinstance(holder, Mapping) and holder.get(key) is not None:
                builder.add("system", list(contents_of(builder, holder[key], f"{where}.{key}")), f"{where}.{key}")
    contents = value["contents"]
    contents = contents if isinstance(contents, list) else [contents]
    for at, one in enumerate(contents):
        where = f"{path}.contents[{at}]"
        if isinstance(one, dict):
            add_message(builder, {"role": "user", **one}, where)
        else:
            builder.add("user", list(contents_of(builder, one, where)), where)
    for holder, where in ((value, path), (config, f"{path}.config")):
        if isinstance(holder, Mapping):
            add_tools(builder, holder, where)
    settings = value.get("generationConfig") or value.get("generation_config") or config
    if isinstance(settings, Mapping):
        schema = settings.get("responseSchema") or settings.get("response_schema")
        builder.schema = schema if isinstance(schema, dict) else None
    return builder.built(value)


def sharegpt_request(value: Mapping[str, Any], path: str) -> Request:
    """``conversations`` with ``from`` and ``value``."""
    builder = Builder("sharegpt")
    _add_text(builder, value, "system", "system", path)
    add_messages(builder, value["conversations"], f"{path}.conversations")
    add_tools(builder, value, path)
    return builder.built(value)


def alpaca_request(value: Mapping[str, Any], path: str) -> Request:
    """``instruction`` and ``input`` as a user's message each, ``output`` as the answer, ``history`` before them."""
    builder = Builder("alpaca")
    _add_text(builder, value, "system", "system", path)
    history = value.get("history")
    for at, pair in enumerate(history if isinstance(history, list) else ()):
        for side, role in enumerate(("user", "assistant")):
            if isinstance(pair, list) and side < len(pair):
                where = f"{path}.history[{at}][{side}]"
                builder.add(role, list(contents_of(builder, pair[side], where)), where)
    _add_text(builder, value, "instruction", "user", path)
    _add_text(builder, value, "input", "user", path)
    _add_text(builder, value, "output", "assistant", path)
    return builder.built(value)


def prompt_request(value: Mapping[str, Any], path: str) -> Request:
    """``prompt`` with a completion or with answers that are compared, each of them a text, a message or a list."""
    answers = [key for key in _ANSWERS if key in value]
    builder = Builder("completion" if answers in (["completion"], []) else "preference")
    _add_text(builder, value, "system", "system", path)
    for key in ("prompt", *answers):
        found = value.get(key)
        where = f"{path}.{key}"
        if isinstance(found, list) and any(isinstance(one, dict) for one in found):
            add_messages(builder, found, where)
        elif isinstance(found, dict):
            add_message(builder, {"role": "user" if key == "prompt" else "assistant", **found}, where)
        else:
            _add_text(builder, value, key, "user" if key == "prompt" else "assistant", path)
    return builder.built(value)


def preference_request(value: Mapping[str, Any], path: str) -> Request:
    """OpenAI's preferences: ``input`` with ``messages``, and two outputs."""
    builder = Builder("preference")
    inner = value["input"]
    add_messages(builder, inner["messages"], f"{path}.input.messages")
    add_tools(builder, inner, f"{path}.input")
    for key in _ANSWERS:
        if isinstance(value.get(key), list):
            add_messages(builder, value[key], f"{path}.{key}")
    return builder.built(value)


def _add_text(builder: Builder, value: Mapping[str, Any], key: str, role: str, path: str) -> None:
    found = value.get(key)
    if found is None or found == "":
        return
    if not isinstance(found, str | list | dict):
        builder.problem(f"{path}.{key}", Message("no text, left out"))
        return
    builder.add(role, list(contents_of(builder, found, f"{path}.{key}")), f"{path}.{key}")
