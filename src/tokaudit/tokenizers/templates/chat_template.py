"""A chat template: renders a request as a stream of texts and their owners."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from tokaudit.model import TokenizerError
from tokaudit.model.framing import FramingOptions
from tokaudit.tokenizers.templates.program import TOOL, Event, Program, Runtime, Unusual
from tokaudit.tokenizers.templates.stream import FRAMING, Key, placed

Messages = Sequence[Mapping[str, Any]]
_REASONING = ("reasoning_content", "thinking", "reasoning")
"""Names of a message's reasoning; templates read the first (``transformers.utils.chat_template_utils``)."""
_SLACK = 1 << 20
"""Characters that a template may write of its own, besides eight times those of the request."""


class ChatTemplate(Protocol):
    """Renders requests of one model."""

    def render(self, messages: Messages, tools: Messages, options: FramingOptions) -> tuple[list[str], list[Key]]:
        """The texts that the model is sent, each with the part of the request that it is of.

        Raises:
            TokenizerError: The template refuses the request, with the reason.
        """
        ...


@dataclass(frozen=True, slots=True)
class Shape:
    """What a template wants of messages besides OpenAI's shape."""

    json_arguments: bool = False
    """It joins the arguments of calls to texts, so they must be JSON text and no objects."""
    null_content: bool = False
    """It writes calls only where the content beside them is null."""
    parts_content: bool = False
    """It takes contents as lists of parts only."""

    def message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A message as the template takes it, without nulls, which transformers leaves out too."""
        made = {key: value for key, value in message.items() if value is not None}
        for name in _REASONING:
            if name in made:
                made.setdefault("reasoning_content", made[name])
                made.setdefault("thinking", made["reasoning_content"])
                break
        calls = made.get("tool_calls")
        if calls and self.json_arguments:
            made["tool_calls"] = [_with_json(call) for call in calls]
        if calls and self.null_content and not made.get("content"):
            made["content"] = None
        if self.parts_content and isinstance(made.get("content"), str):
            made["content"] = [{"type": "text", "text": made["content"]}]
        return made


ANY_SHAPE = (
    Shape(),
    Shape(json_arguments=True),
    Shape(parts_content=True),
    Shape(json_arguments=True, null_content=True),
)
"""Tried in turn for a template of a user's."""


class JinjaTemplate:
    """A template in Jinja: a compiled program where it can be one, else, and where that says so, the sandbox."""

    def __init__(
        self,
        source: str,
        what: str,
        *,
        variables: Mapping[str, Any] | None = None,
        program: Program | None = None,
        shapes: Sequence[Shape] = (Shape(),),
        thinking: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """Take a template.

        Args:
            source: Its text.
            what: Its name, in errors.
            variables: The special tokens that it may write, as in ``bos_token``.
            program: Its compiled form, if there is one.
            shapes: What it wants of messages; several are tried in order, for a template that nobody has described.
            thinking: Variable with its values for reasoning and for none.
        """
        self.source = source
        self._what = what
        self._variables = dict(variables or {})
        self._program = program
        self._shapes = shapes
        self._thinking = thinking or {"enable_thinking": (True, False)}
        self._sandboxed: Any = None

    def render(self, messages: Messages, tools: Messages, options: FramingOptions) -> tuple[list[str], list[Key]]:
        refusal: TokenizerError | None = None
        for shape in self._shapes:
            try:
                return self._rendered([shape.message(message) for message in messages], tools, options)
            except TokenizerError as error:
                refusal = refusal or error
        raise refusal or TokenizerError("no messages")

    def _rendered(
        self, prepared: list[dict[str, Any]], tools: Messages, options: FramingOptions
    ) -> tuple[list[str], list[Key]]:
        given = list(tools) or None
        context = {
            **self._variables,
            "messages": prepared,
            "tools": given,
            "documents": None,
            "add_generation_prompt": options.generation_prompt,
            **self._asked(options),
        }
        now = options.now or datetime.now().astimezone()
        if self._program is not None:
            events: list[Event] = []
            marks = {id(message): at for at, message in enumerate(prepared)}
            marks |= {id(tool): TOOL + at for at, tool in enumerate(given or ())}
            try:
                self._program(context, events.append, Runtime(marks, now))
            except (Unusual, TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError):
                pass  # what this means is for jinja2 to say
            else:
                return placed(events, prepared)
        return self._by_sandbox(context, prepared, now)

    def _asked(self, options: FramingOptions) -> Mapping[str, Any]:
        """The variables of the options; reasoning under the template's own name for it."""
        asked = dict(options.variables)
        if options.thinking is not None:
            for name, (on, off) in self._thinking.items():
                asked.setdefault(name, on if options.thinking else off)
        return asked

    def _by_sandbox(self, context: dict[str, Any], messages: Messages, now: datetime) -> tuple[list[str], list[Key]]:
        from tokaudit.tokenizers.templates.sandbox import SandboxedTemplate

        if self._sandboxed is None:
            self._sandboxed = SandboxedTemplate(self.source, self._what)
        limit = 8 * _size(messages, context["tools"]) + _SLACK
        text: str = self._sandboxed.render(context, now, limit)
        texts, keys = _searched(text, messages)
        if context["add_generation_prompt"]:
            without: str = self._sandboxed.render({**context, "add_generation_prompt": False}, now, limit)
            if text.startswith(without) and len(text) - len(without) <= len(texts[-1]):
                texts[-1:] = [texts[-1][: len(texts[-1]) - len(text) + len(without)], text[len(without) :]]
                keys.append(("prompt", None, None))
        return texts, keys


def _with_json(call: Any) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or isinstance(function.get("arguments"), str | None):
        return call
    arguments = json.dumps(function["arguments"], ensure_ascii=False)
    return {**call, "function": {**function, "arguments": arguments}}


def _size(*values: Any) -> int:
    """Characters of all texts in values, nested ones too."""
    total = 0
    left = list(values)
    while left:
        value = left.pop()
        if type(value) is str:
            total += len(value)
        elif type(value) is dict:
            left.extend(value.values())
            total += sum(map(len, map(str, value)))
        elif type(value) is list:
            left.extend(value)
        else:
            total += 8
    return total


def _searched(text: str, messages: Messages) -> tuple[list[str], list[Key]]:
    """Find the contents in a text that jinja2 has rendered, in their order; what is none of them is framing.

    A content that the template changes, or a very short one that stands in the framing before it, may be missed: the
    total is exact, and then the framing has its tokens.
    """
    texts: list[str] = []
    keys: list[Key] = []
    at = 0
    for number, message in enumerate(messages):
        for part in _contents(message):
            start = text.find(part, at)
            found = part
            if start < 0 and part != part.strip():
                found = part.strip()
                start = text.find(found, at) if found else -1
            if start < 0:
                continue
            texts += [text[at:start], found]
            keys += [("framing", number, None), ("content", number, None)]
            at = start + len(found)
    texts.append(text[at:])
    keys.append(FRAMING)
    return texts, keys


def _contents(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content] if content else []
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return [text for text in texts if isinstance(text, str) and text]


def refused_role(role: object) -> TokenizerError:
    """The error of a program of ours for a role that it does not know."""
    from tokaudit.model.message import Message

    return TokenizerError(Message("this model has no role '{role}'", role=str(role)[:40]), hint="correct the request")
