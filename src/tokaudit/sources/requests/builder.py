"""A request in the making: messages in order, their turns, and what is wrong with them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model.message import Message
from tokaudit.model.request import Content, Problem, Request, RequestMessage

_HALF = re.compile("[\ud800-\udfff]")
_RENAMED = {
    "human": "user",
    "gpt": "assistant",
    "bing": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatgpt": "assistant",
    "function": "tool",
    "observation": "tool",
    "function_response": "tool",
}
"""Roles of ShareGPT, Gemini and older requests to those of the others."""
_FIRST = frozenset(("system", "developer"))
_KNOWN = frozenset(("system", "developer", "user", "assistant", "tool"))
_LONGEST_ROLE = 64


class Builder:
    """Collects a request; nothing that a record holds makes it fail."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.messages: list[RequestMessage] = []
        self.problems: list[Problem] = []
        self.tools: list[Mapping[str, Any]] = []
        self.schema: Mapping[str, Any] | None = None
        self.thinking: bool | None = None
        self._turn = 0

    def problem(self, path: str, reason: str) -> None:
        """Note what is wrong; the same at the same place once."""
        found = Problem(path, reason)
        if found not in self.problems:
            self.problems.append(found)

    def text(self, value: Any, path: str) -> str:
        """A text as a tokenizer takes it: escapes of half a character become U+FFFD, and that is noted."""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text.isascii() or _HALF.search(text) is None:
            return text
        self.problem(path, Message("an escape of half a character (UTF-16), counted as U+FFFD"))
        return _HALF.sub("\ufffd", text)

    def role(self, value: Any, path: str) -> str:
        """A role as reports name it; one that is not known stays, and is noted."""
        if not isinstance(value, str) or not 0 < len(value.strip()) <= _LONGEST_ROLE or not value.isprintable():
            self.problem(path, Message("no role, counted as user's"))
            return "user"
        role = _RENAMED.get(value, value)
        if role not in _KNOWN:
            self.problem(path, Message("unknown role {role!r}", role=role))
        return role

    def add(
        self, role: str, contents: Sequence[Content], path: str, *, name: str = "", is_example: bool = False
    ) -> None:
        """Add a message. A user's one begins a turn, unless the one before it is a user's as well."""
        if role == "user" and not is_example and (not self.messages or self.messages[-1].role != "user"):
            self._turn += 1
        turn = 0 if role in _FIRST or is_example else self._turn
        self.messages.append(RequestMessage(role, contents, path, name, turn, is_example))

    def built(self, value: Mapping[str, Any]) -> Request:
        """The request, with what the fields of its record ``value`` say of it."""
        self._check_pairs()
        systems = [message for message in self.messages if message.role in _FIRST]
        if len(systems) > 1:
            self.problem(systems[1].path, Message("{n} system prompts", n=len(systems)))
        return Request(
            self.form,
            self.messages,
            tools=self.tools,
            schema=self.schema,
            model=value["model"] if isinstance(value.get("model"), str) else "",
            max_output=self._max_output(value),
            problems=self.problems,
            thinking=self.thinking,
            extra={key: value[key] for key in ("service_tier", "speed") if isinstance(value.get(key), str)},
        )

    def _max_output(self, value: Mapping[str, Any]) -> int | None:
        config = value.get("generationConfig") or value.get("generation_config") or value.get("config")
        inner = config if isinstance(config, Mapping) else {}
        for key in ("max_completion_tokens", "max_output_tokens", "max_tokens", "maxOutputTokens", "max_output"):
            number = value.get(key, inner.get(key))
            if isinstance(number, int) and not isinstance(number, bool):
                if number > 0:
                    return number
                self.problem(f"$.{key}", Message("{key} is {number}", key=key, number=number))
        return None

    def _check_pairs(self) -> None:
        """Note results of tools without their call, and calls that nothing answers although more follows."""
        calls: dict[str, str] = {}
        has_named = False
        for message in self.messages:
            for content in message.contents:
                if content.kind == "call":
                    has_named = True
                    if content.call_id:
                        calls[content.call_id] = content.path
                elif content.kind == "result" and content.call_id:
                    if calls.pop(content.call_id, None) is None:
                        self.problem(
                            content.path, Message("a tool result without its call {call!r}", call=content.call_id)
                        )
                elif content.kind == "result" and not has_named:
                    self.problem(content.path, Message("a tool result without a call"))
        last = self.messages[-1].path if self.messages else ""
        for call, path in calls.items():
            if not path.startswith(last):
                self.problem(path, Message("a tool call without its result {call!r}", call=call))
