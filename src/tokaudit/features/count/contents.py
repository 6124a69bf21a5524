"""The tokens of one request, each content, the tools and the framing by themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tokaudit.model import Tokenizer
from tokaudit.model.framing import Framing, FramingOptions
from tokaudit.model.message import Message
from tokaudit.model.request import Content, Request, RequestMessage

_RECORDED = frozenset(("sharegpt", "alpaca", "preference", "completion"))
"""Forms of recorded conversations, to which no answer is wanted."""

_KINDS = {"content": ("text", "result", "passage"), "thinking": ("thinking",), "call": ("call",)}
"""Parts of a rendered message to the kinds of contents that they are."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The tokens of a request for one model; they sum to the total."""

    total: int
    contents: Sequence[Sequence[int]]
    """For each message the tokens of each of its contents; 0 for media."""
    tools: int
    schema: int
    framing: int
    notes: Sequence[str] = ()
    error: str = ""
    """What is known of the error where the total is an estimate; empty where it is exact."""


class Measure(Protocol):
    """Counts the requests of one model."""

    @property
    def template(self) -> str:
        """Name of the chat template; ``contents`` where nothing is added."""
        ...

    def measure(self, request: Request) -> Measured:
        """Count a request. Raises ``TokenizerError`` where its chat template refuses it."""
        ...


class ContentsAlone:
    """Counts each content by itself, and nothing around it (``--no-template``)."""

    template = "contents"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.count = tokenizer.count

    def measure(self, request: Request) -> Measured:
        """Count texts, names and arguments of calls, and the JSON of tools and schema as it is shortest."""
        count = self.count
        contents = [
            [count(content.name) + count(content.text) for content in message.contents] for message in request.messages
        ]
        tools = sum(count(as_json(tool["function"])) for tool in request.tools)
        schema = count(as_json(request.schema)) if request.schema is not None else 0
        return Measured(tools + schema + sum(map(sum, contents)), contents, tools, schema, 0)


class AsFramed:
    """Counts requests as a model's chat template writes them."""

    def __init__(self, framing: Framing, tokenizer: Tokenizer) -> None:
        self._framing = framing
        self._tokenizer = tokenizer
        self.template = framing.name

    def measure(self, request: Request) -> Measured:
        """Count a request, each token where its first byte lies in what the template writes."""
        wants_answer = not (request.form in _RECORDED or (request.has_answer and not request.model))
        options = FramingOptions(thinking=request.thinking, generation_prompt=wants_answer)
        found = self._framing.measure(request.template_messages(), request.tools, options)
        error = "" if found.exact else next(iter(found.notes), Message("an estimate"))
        sums: dict[tuple[int | None, str], int] = {}
        for part in found.parts:
            sums[part.message, part.kind] = sums.get((part.message, part.kind), 0) + part.tokens
        contents = [self._divided(message, at, sums) for at, message in enumerate(request.messages)]
        tools = found.tokens_of("tools")
        notes = [*(found.notes if found.exact else found.notes[1:])]
        for message, tokens in zip(request.messages, contents, strict=True):
            if message.text.strip() and not any(tokens):
                notes.append(
                    Message(
                        "the chat template of {name} leaves out a message of {role}",
                        name=self.template,
                        role=message.role,
                    )
                )
        framing = found.total - tools - sum(map(sum, contents))
        return Measured(found.total, contents, tools, 0, framing, notes, error)

    def _divided(self, message: RequestMessage, number: int, sums: Mapping[tuple[int | None, str], int]) -> list[int]:
        """Tokens of a message's contents: the template knows what is said, thought and called, not each text of it."""
        tokens = [0] * len(message.contents)
        for part, kinds in _KINDS.items():
            total = sums.get((number, part), 0)
            places = [at for at, content in enumerate(message.contents) if content.kind in kinds]
            if not places:
                continue
            shares = self._shares([message.contents[at] for at in places], total) if len(places) > 1 else [total]
            for at, share in zip(places, shares, strict=True):
                tokens[at] = share
        return tokens

    def _shares(self, contents: Sequence[Content], total: int) -> list[int]:
        """Tokens of texts that are written one after the other; what the template changes of them is the last one's."""
        texts = [content.name + content.text for content in contents]
        offsets = [0]
        for text in texts[:-1]:
            offsets.append(offsets[-1] + len(text.encode()))
        found = [int(tokens) for tokens in self._tokenizer.encoding("".join(texts)).within(offsets)]
        for at in range(len(found) - 1):
            found[at] = min(found[at], total - sum(found[:at]))
        return [*found[:-1], total - sum(found[:-1])]


def as_json(value: object) -> str:
    """JSON as it is shortest, without escapes of other scripts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
