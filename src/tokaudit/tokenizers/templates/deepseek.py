"""DeepSeek V3.2 and V4, whose framing is published as a program: encoding_dsv32.py and encoding_dsv4.py (MIT).

Written anew from these; the texts that the model is given for tools are data of the manifest. Where neither says
whether to reason, they are asked not to, as vLLM and SGLang do. Tools go to the first system message, which is added
where there is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model import TokenizerError
from tokaudit.model.framing import FramingOptions
from tokaudit.tokenizers.templates.chat_template import Messages, Shape, refused_role
from tokaudit.tokenizers.templates.stream import FRAMING, Key

_BOS, _EOS = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
_USER, _ASSISTANT = "<｜User｜>", "<｜Assistant｜>"
_THINK, _DONE = "<think>", "</think>"
_DSML = "｜DSML｜"


class DeepSeekTemplate:
    """The encoding of one version, ``v3.2`` or ``v4``."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        """Take the version and its texts: ``tools`` with ``{tool_schemas}``, and ``max_effort``."""
        self._settings = settings
        self._merges = settings["version"] == "v4"

    def render(self, messages: Messages, tools: Messages, options: FramingOptions) -> tuple[list[str], list[Key]]:
        prepared = [Shape().message(message) for message in messages]
        rendering = _Rendering(self._settings, prepared, tools, options)
        if self._merges:
            rendering.write_v4()
        else:
            rendering.write_v32()
        return rendering.texts, rendering.keys


class _Turn:
    """One or, for V4's users and tools, several messages that are written together."""

    def __init__(self, role: str, at: int, message: Mapping[str, Any]) -> None:
        self.role = role
        self.at = at
        self.message = message
        self.blocks: list[tuple[int, Mapping[str, Any]]] = [(at, message)]
        self.thinks = True


class _Rendering:
    """One request as it is written."""

    def __init__(
        self, settings: Mapping[str, Any], messages: Messages, tools: Messages, options: FramingOptions
    ) -> None:
        self.texts: list[str] = []
        self.keys: list[Key] = []
        self._settings = settings
        self._messages = messages
        self._tools = tools
        self._prompt = options.generation_prompt
        asked = options.variables.get("thinking", options.thinking)
        self._thinking = bool(asked)
        self._effort = options.variables.get("reasoning_effort")
        self._add(_BOS, FRAMING)

    def _add(self, text: str, key: Key) -> None:
        if text:
            self.texts.append(text)
            self.keys.append(key)

    def _system(self, at: int | None) -> None:
        """A system prompt; the first has the tools."""
        if at is not None:
            self._add(_content(self._messages[at]), ("content", at, None))
        if not self._tools:
            return
        before, after = self._settings["tools"].split("{tool_schemas}")
        self._add(f"\n\n{before}", ("tools", None, None))
        for number, tool in enumerate(self._tools):
            self._add("\n" if number else "", ("tools", None, None))
            self._add(_json(tool.get("function", tool)), ("tools", None, number))
        self._add(after, ("tools", None, None))
        self._tools = ()

    def _turns(self) -> list[_Turn]:
        turns = []
        for at, message in enumerate(self._messages):
            role = message.get("role")
            if role not in {"system", "developer", "user", "assistant", "tool"}:
                raise refused_role(role)
            turns.append(_Turn(str(role), at, message))
        if self._tools and not (turns and turns[0].role == "system"):
            turns.insert(0, _Turn("system", -1, {}))
        return turns

    def _assistant(self, turn: _Turn, block: str, *, thinks: bool) -> None:
        if thinks:
            self._add(str(turn.message.get("reasoning_content") or ""), ("thinking", turn.at, None))
            self._add(_DONE, ("framing", turn.at, None))
        self._add(_content(turn.message), ("content", turn.at, None))
        if turn.message.get("tool_calls"):
            calls = "\n".join(map(_call, turn.message["tool_calls"]))
            self._add(f"\n\n<{_DSML}{block}>\n{calls}\n</{_DSML}{block}>", ("call", turn.at, None))
        self._add(_EOS, ("framing", turn.at, None))

    def _hand_over(self, turns: Sequence[_Turn], number: int, text: str) -> None:
        """What lets the model answer: the framing of the answer that follows, or else the generation prompt."""
        if number + 1 < len(turns):
            self._add(text, ("framing", turns[number + 1].at, None))
        elif self._prompt:
            self._add(text, ("prompt", None, None))

    # V3.2

    def write_v32(self) -> None:
        turns = self._turns()
        if self._thinking:
            last = _last(turns, "user", "developer")
            turns = [turn for at, turn in enumerate(turns) if turn.role != "developer" or at >= last]
        last = _last(turns, "user", "developer")
        for number, turn in enumerate(turns):
            own: Key = ("framing", turn.at, None)
            if turn.role == "system":
                self._system(turn.at if turn.at >= 0 else None)
            elif turn.role in {"user", "developer"}:
                self._add(_USER, own)
                if turn.role == "developer":
                    self._add("\n\n# The user's message is: ", own)
                self._add(_content(turn.message), ("content", turn.at, None))
                thinks = self._thinking and number == last
                self._hand_over(turns, number, _ASSISTANT + (_THINK if thinks else _DONE))
            elif turn.role == "tool":
                self._result_v32(turns, number, last)
            else:
                thinks = self._thinking and number > last
                if thinks and not (turn.message.get("reasoning_content") or turn.message.get("tool_calls")):
                    raise TokenizerError("an answer after the last question has neither reasoning nor tool calls")
                self._assistant(turn, "function_calls", thinks=thinks)

    def _result_v32(self, turns: Sequence[_Turn], number: int, last: int) -> None:
        caller = number - 1
        while caller >= 0 and turns[caller].role == "tool":
            caller -= 1
        calls = turns[caller].message.get("tool_calls") if caller >= 0 else None
        order = number - caller
        if not calls or len(calls) < order or turns[caller].role != "assistant":
            raise TokenizerError("a tool result without its call", what=f"messages[{turns[number].at}]")
        own: Key = ("framing", turns[number].at, None)
        self._add("\n\n<function_results>" if order == 1 else "", own)
        self._add("\n<result>", own)
        self._add(_content(turns[number].message), ("content", turns[number].at, None))
        self._add("</result>", own)
        if order == len(calls):
            self._add("\n</function_results>", own)
            thinks = self._thinking and number >= last
            self._hand_over(turns, number, "\n\n" + (_THINK if thinks else _DONE))

    # V4

    def write_v4(self) -> None:
        drops = self._thinking and not self._tools
        turns = _merged(self._turns())
        if drops:
            last = _last(turns, "user", "developer")
            turns = [turn for at, turn in enumerate(turns) if turn.role != "developer" or at >= last]
        last = _last(turns, "user", "developer")
        if self._thinking and self._effort == "max":
            self._add(self._settings["max_effort"], FRAMING)
        for number, turn in enumerate(turns):
            if turn.role == "system":
                self._system(turn.at if turn.at >= 0 else None)
            elif turn.role == "assistant":
                self._assistant(turn, "tool_calls", thinks=self._thinking and (not drops or number > last))
            else:
                self._blocks_v4(turn)
                if number + 1 == len(turns) or turns[number + 1].role == "assistant":
                    thinks = self._thinking and (not drops or number >= last)
                    self._hand_over(turns, number, _ASSISTANT + (_THINK if thinks else _DONE))

    def _blocks_v4(self, turn: _Turn) -> None:
        self._add(_USER, ("framing", turn.at, None))
        for number, (at, message) in enumerate(turn.blocks):
            own: Key = ("framing", at, None)
            self._add("\n\n" if number else "", own)
            result = message.get("role") == "tool"
            self._add("<tool_result>" if result else "", own)
            self._add(_content(message, between="\n\n"), ("content", at, None))
            self._add("</tool_result>" if result else "", own)


def _merged(turns: Sequence[_Turn]) -> list[_Turn]:
    """V4 writes results and the questions after them as one turn of the user, results in the order of their calls."""
    merged: list[_Turn] = []
    order: dict[str, int] = {}
    for turn in turns:
        if turn.role == "tool":
            turn.role = "user"
        if turn.role == "user" and merged and merged[-1].role == "user":
            merged[-1].blocks += turn.blocks
        else:
            merged.append(turn)
    for turn in merged:
        if turn.role == "assistant" and turn.message.get("tool_calls"):
            order = {str(call.get("id") or ""): at for at, call in enumerate(turn.message["tool_calls"])}
            order.pop("", None)
        elif turn.role == "user" and order:
            results = [block for block in turn.blocks if block[1].get("role") == "tool"]
            results.sort(key=lambda block: order.get(str(block[1].get("tool_call_id", "")), 0))
            following = iter(results)
            turn.blocks = [next(following) if one[1].get("role") == "tool" else one for one in turn.blocks]
    return merged


def _last(turns: Sequence[_Turn], *roles: str) -> int:
    return max((at for at, turn in enumerate(turns) if turn.role in roles), default=-1)


def _content(message: Mapping[str, Any], between: str = "") -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text", "") if isinstance(part, Mapping) else part for part in content]
        return between.join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _call(call: Mapping[str, Any]) -> str:
    function = call.get("function", call)
    given = function.get("arguments")
    try:
        arguments = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        arguments = None
    if not isinstance(arguments, Mapping):
        arguments = {"arguments": given}
    rows = [
        f'<{_DSML}parameter name="{key}" string="{"true" if isinstance(value, str) else "false"}">'
        f"{value if isinstance(value, str) else _json(value)}</{_DSML}parameter>"
        for key, value in arguments.items()
    ]
    return f'<{_DSML}invoke name="{function.get("name")}">\n' + "\n".join(rows) + f"\n</{_DSML}invoke>"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
