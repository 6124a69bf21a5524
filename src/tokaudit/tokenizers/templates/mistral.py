"""Mistral's instruct models of version 1 and 3, whose framing is the program of mistral-common 1.13.1 (Apache-2.0).

Written anew from its ``InstructRequestNormalizer``, ``InstructTokenizerV1`` and ``V3``. Control tokens are written by
the program alone: what a user types is text, unlike with a template. Each text between two of them is encoded by
itself. Its checks of a request (order of roles, form of ids) are left to its servers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from tokaudit.model import TokenizerError
from tokaudit.model.framing import FramingOptions
from tokaudit.tokenizers.templates.chat_template import Messages, Shape, refused_role
from tokaudit.tokenizers.templates.measuring import Control
from tokaudit.tokenizers.templates.stream import FRAMING, Key

_BETWEEN = "\n\n"
"""Joins system prompts, messages of one role in a row, and a system prompt to the user's message."""

Numbered = tuple[int, Mapping[str, Any]]


class MistralTemplate:
    """The program of one version, ``v1`` or ``v3``."""

    def __init__(self, version: str) -> None:
        self._version = version

    def render(self, messages: Messages, tools: Messages, options: FramingOptions) -> tuple[list[str], list[Key]]:
        del options
        return _Rendering(self._version, [Shape().message(message) for message in messages], tools).written()


class _Rendering:
    """One request as it is written."""

    def __init__(self, version: str, messages: Messages, tools: Messages) -> None:
        self._first = version == "v1"
        self._tools = tools
        self._texts: list[str] = [Control("<s>")]
        self._keys: list[Key] = [FRAMING]
        self._system: list[Numbered] = []
        self._turns: list[tuple[str, list[Numbered]]] = []
        for role, group in groupby(enumerate(messages), key=lambda one: one[1].get("role")):
            if role not in {"system", "user", "assistant", "tool"}:
                raise refused_role(role)
            if role == "system":
                self._system += [one for one in group if _content(one[1])]
            else:
                self._turns.append((str(role), list(group)))
        if not self._turns or self._turns[0][0] != "user":
            self._turns.insert(0, ("user", []))

    def written(self) -> tuple[list[str], list[Key]]:
        users = [at for at, (role, _) in enumerate(self._turns) if role == "user"]
        with_system = users[0] if self._first else users[-1]
        for number, (role, group) in enumerate(self._turns):
            if role == "user":
                self._user(group, with_system=number == with_system, with_tools=number == users[-1])
            elif role == "assistant":
                self._assistant(group)
            else:
                for at, message in group:
                    self._result(at, message)
        return self._texts, self._keys

    def _add(self, text: str, key: Key) -> None:
        self._texts.append(text)
        self._keys.append(key)

    def _user(self, group: Sequence[Numbered], *, with_system: bool, with_tools: bool) -> None:
        own: Key = ("framing", group[0][0] if group else None, None)
        if with_tools and self._tools and not self._first:
            self._definitions()
        self._add("[INST] " if self._first else Control("[INST]"), own)
        contents = [(at, _content(message)) for at, message in group if _content(message)]
        system = [(at, _content(message)) for at, message in self._system] if with_system else []
        for number, (at, text) in enumerate([*system, *contents]):
            self._add(_BETWEEN if number else "", ("framing", at, None))
            self._add(text, ("content", at, None))
        if system and not contents:
            self._add(_BETWEEN, own)
        self._add(" [/INST]" if self._first else Control("[/INST]"), own)
        self._add(Control(""), own)

    def _definitions(self) -> None:
        key: Key = ("tools", None, None)
        self._add(Control("[AVAILABLE_TOOLS]"), key)
        for number, tool in enumerate(self._tools):
            function = tool.get("function", tool)
            shape = {
                "name": function.get("name", ""),
                "description": function.get("description") or "",
                "parameters": function.get("parameters") or {},
            }
            self._add(", " if number else "[", key)
            self._add(_json({"type": "function", "function": shape}), ("tools", None, number))
        self._add("]", key)
        self._add(Control("[/AVAILABLE_TOOLS]"), key)

    def _assistant(self, group: Sequence[Numbered]) -> None:
        calls = [call for _, message in group for call in message.get("tool_calls") or ()]
        contents = [(at, _content(message)) for at, message in group if _content(message)]
        last = group[-1][0]
        if calls and (contents or self._first):
            reason = "this model takes no tools" if self._first else "this model takes no text beside tool calls"
            raise TokenizerError(reason, what=f"messages[{last}]", hint="correct the request")
        if not calls and not contents:
            raise TokenizerError("an answer without content", what=f"messages[{last}]", hint="correct the request")
        if calls:
            self._add(Control("[TOOL_CALLS]"), ("framing", last, None))
            self._add(_json([_call(call) for call in calls]), ("call", last, None))
        for number, (at, text) in enumerate(contents):
            ends = number == len(contents) - 1 and not self._first
            self._add(_BETWEEN if number else "", ("framing", at, None))
            self._add(text.rstrip(" ") if ends else text, ("content", at, None))
        self._add(Control("</s>"), ("framing", last, None))

    def _result(self, at: int, message: Mapping[str, Any]) -> None:
        if self._first:
            raise TokenizerError("this model takes no tools", what=f"messages[{at}]", hint="correct the request")
        own: Key = ("framing", at, None)
        self._add(Control("[TOOL_RESULTS]"), own)
        content = _json(_parsed(_content(message) or "{}"))
        self._add('{"content": ', own)
        self._add(content, ("content", at, None))
        self._add(f', "call_id": {_json(message.get("tool_call_id"))}}}', own)
        self._add(Control("[/TOOL_RESULTS]"), own)


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function", call)
    given = function.get("arguments")
    made = {
        "name": function.get("name"),
        "arguments": _parsed(given or "{}") if isinstance(given, str) else given or {},
    }
    if call.get("id") and call["id"] != "null":
        made["id"] = call["id"]
    return made


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text", "") if isinstance(part, Mapping) else part for part in content]
        return _BETWEEN.join(part for part in parts if isinstance(part, str) and part)
    return content if isinstance(content, str) else ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
