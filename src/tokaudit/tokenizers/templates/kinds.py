"""The kinds of framing: by a template, and none at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model import Tokenizer
from tokaudit.model.framing import FramedCount, FramedPart, FramingOptions
from tokaudit.model.message import Message
from tokaudit.tokenizers.templates.chat_template import ChatTemplate
from tokaudit.tokenizers.templates.measuring import PartCounter


class TemplateFraming:
    """A model whose template is known: exact, if its tokenizer is."""

    def __init__(
        self,
        name: str,
        template: ChatTemplate,
        counter: PartCounter,
        *,
        exact: bool,
        source: str,
        notes: Sequence[str] = (),
        writes_tools: bool = True,
    ) -> None:
        self.name = name
        self.exact = exact
        self.source = source
        self._template = template
        self._counter = counter
        self._notes = tuple(notes)
        self._writes_tools = writes_tools

    def measure(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], options: FramingOptions
    ) -> FramedCount:
        """Count a request in OpenAI's shape. Raises ``TokenizerError`` where the template refuses it."""
        texts, keys = self._template.render(messages, tools, options)
        text, parts, typed = self._counter.count(texts, keys)
        notes = self._notes
        if tools and not self._writes_tools:
            notes = (*notes, Message("the chat template of {name} writes no tool definitions", name=self.name))
        return FramedCount(sum(part.tokens for part in parts), parts, text, self.exact, typed, notes)


class ContentsFraming:
    """A model whose framing nobody publishes: its contents alone, which the result says."""

    exact = False
    source = ""

    def __init__(self, name: str, tokenizer: Tokenizer, reason: str) -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._reason = reason

    def measure(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], options: FramingOptions
    ) -> FramedCount:
        """Count contents, calls and tool definitions as they stand in the request, and nothing around them."""
        from tokaudit.tokenizers.templates.estimates import plain_parts

        del options
        parts = [
            FramedPart(kind, message, tool, 0, 0, self._tokenizer.count(text))
            for kind, message, tool, text in plain_parts(messages, tools)
        ]
        return FramedCount(sum(part.tokens for part in parts), parts, "", exact=False, notes=(self._reason,))
