"""Framing of models whose providers publish an estimate and no template: OpenAI and Anthropic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokaudit.model import Tokenizer
from tokaudit.model.framing import FramedCount, FramedPart, Framing, FramingOptions, PartKind
from tokaudit.model.message import Message
from tokaudit.tokenizers.catalog import Model

Plain = tuple[PartKind, int | None, int | None, str]

COOKBOOK = "openai-cookbook, examples/How_to_count_tokens_with_tiktoken.ipynb, sections 6 and 7"
PER_MESSAGE, PER_NAME, PER_REPLY = 3, 1, 3
"""Tokens around a message, of a participant's name, and before the reply (``num_tokens_from_messages``)."""
FUNCTION_END = 12
"""Tokens after all definitions (``num_tokens_for_tools``)."""
FUNCTION_START = {"o200k_base": 7, "cl100k_base": 10}
"""Tokens of a definition: 7 for gpt-4o and gpt-4o-mini, 10 for gpt-3.5-turbo and gpt-4."""
PROPERTIES, PROPERTY, ENUM, ENUM_ITEM = 3, 3, -3, 3
"""Tokens of a definition that has properties, of each of them, of an ``enum``, and of each item of one."""

ANTHROPIC_SOURCE = "Anthropic, Tool use, Pricing: tokens of the system prompt for tool use, tool_choice auto"
TOOL_PROMPT = (
    (r"claude-opus-4-[78]|claude-(opus|sonnet|haiku|fable)-5", 346),
    (r"claude-(opus|sonnet|haiku)-4|claude-3-7-sonnet|claude-3-5-sonnet", 346),
    (r"claude-3-5-haiku|claude-3-haiku", 264),
    (r"claude-3-opus", 530),
    (r"claude-3-sonnet", 159),
)
"""Tokens that Anthropic adds where a request has tools, by model; for later models that of the latest it names."""


def plain_parts(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Iterator[Plain]:
    """Texts of a request as they stand in it, with what they are of; calls and tools as JSON."""
    for at, tool in enumerate(tools):
        yield "tools", None, at, json.dumps(tool.get("function", tool), ensure_ascii=False)
    for at, message in enumerate(messages):
        content = message.get("content")
        texts = [content] if isinstance(content, str) else list(_texts(content))
        if any(texts):
            yield "content", at, None, "".join(texts)
        thought = message.get("reasoning_content")
        if isinstance(thought, str) and thought:
            yield "thinking", at, None, thought
        for call in message.get("tool_calls") or ():
            function = call.get("function") if isinstance(call, Mapping) else None
            if isinstance(function, Mapping):
                arguments = function.get("arguments", "")
                text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
                yield "call", at, None, f"{function.get('name', '')}{text}"


def _texts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text


def estimated_framing(model: Model, tokenizer: Tokenizer) -> Framing | None:
    """The estimate of a chat model; None for a model that is sent no messages."""
    if model.provider == "anthropic":
        return AnthropicEstimate(model, tokenizer)
    chat = re.match(r"gpt-(?!3\.5-turbo-instruct|oss)|o\d|chatgpt", model.id)
    return OpenAIEstimate(model, tokenizer) if chat and model.tokenizer in FUNCTION_START else None


class OpenAIEstimate:
    """OpenAI's own estimate for chat requests; its billing is the only exact count, hence ≈.

    Source: ``num_tokens_from_messages`` and ``num_tokens_for_tools`` of the openai-cookbook. It says nothing of tool
    calls and results in messages: their texts are counted, with the framing of a message. The Responses API has no
    figures of its own.
    """

    exact = False
    source = COOKBOOK

    def __init__(self, model: Model, tokenizer: Tokenizer) -> None:
        self.name = model.id
        self._tokenizer = tokenizer
        self._function_start = FUNCTION_START[str(model.tokenizer)]

    def measure(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], options: FramingOptions
    ) -> FramedCount:
        """Count a request in OpenAI's shape."""
        count = self._tokenizer.count
        parts = []
        for at, tool in enumerate(tools):
            end = FUNCTION_END if at == len(tools) - 1 else 0
            parts.append(FramedPart("tools", None, at, 0, 0, self._definition(tool) + end))
        for at, message in enumerate(messages):
            name = message.get("name")
            framing = PER_MESSAGE + count(str(message.get("role", "")))
            framing += PER_NAME + count(name) if isinstance(name, str) and name else 0
            parts.append(FramedPart("framing", at, None, 0, 0, framing))
        parts += [FramedPart(kind, at, tool, 0, 0, count(text)) for kind, at, tool, text in plain_parts(messages, ())]
        if options.generation_prompt:
            parts.append(FramedPart("prompt", None, None, 0, 0, PER_REPLY))
        note = Message("framing by OpenAI's published estimate; only its billing is exact")
        return FramedCount(sum(part.tokens for part in parts), parts, "", exact=False, notes=(note,))

    def _definition(self, tool: Mapping[str, Any]) -> int:
        """Tokens of a tool definition, ``num_tokens_for_tools``."""
        count = self._tokenizer.count
        function = tool.get("function", tool)
        total = self._function_start
        total += count(f"{function.get('name', '')}:{_description(function)}")
        parameters = function.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        if not isinstance(properties, Mapping) or not properties:
            return total
        total += PROPERTIES
        for key, value in properties.items():
            schema = value if isinstance(value, Mapping) else {}
            total += PROPERTY
            if isinstance(schema.get("enum"), list):
                total += ENUM + sum(ENUM_ITEM + count(str(item)) for item in schema["enum"])
            total += count(f"{key}:{schema.get('type', '')}:{_description(schema)}")
        return total


def _description(value: Mapping[str, Any]) -> str:
    text = value.get("description")
    return text.removesuffix(".") if isinstance(text, str) else ""


class AnthropicEstimate:
    """Contents, definitions as JSON, and the system prompt that Anthropic publishes for tool use, hence ≈."""

    exact = False
    source = ANTHROPIC_SOURCE

    def __init__(self, model: Model, tokenizer: Tokenizer) -> None:
        self.name = model.id
        self._tokenizer = tokenizer
        self._prompt = next(
            (tokens for pattern, tokens in TOOL_PROMPT if re.match(pattern, model.id)), TOOL_PROMPT[0][1]
        )

    def measure(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], options: FramingOptions
    ) -> FramedCount:
        """Count a request in OpenAI's shape."""
        del options
        parts = [
            FramedPart(kind, message, tool, 0, 0, self._tokenizer.count(text))
            for kind, message, tool, text in plain_parts(messages, tools)
        ]
        notes: list[str] = [Message("Anthropic publishes no framing of messages: contents are counted")]
        if tools:
            parts.append(FramedPart("tools", None, None, 0, 0, self._prompt))
            notes.append(Message("{n} tokens of Anthropic's own prompt for tool use are added", n=self._prompt))
        return FramedCount(sum(part.tokens for part in parts), parts, "", exact=False, notes=tuple(notes))
