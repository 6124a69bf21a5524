"""A request to a model: messages with their roles, tool definitions, media; one shape for every provider's form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from tokaudit.model.record import record

ContentKind = Literal["text", "thinking", "call", "result", "passage", "media"]
"""``passage`` is retrieved text that the request itself marks as such; ``call`` and ``result`` are those of tools."""
MediaKind = Literal["image", "audio", "video", "file"]

ROLES = ("system", "developer", "user", "assistant", "tool")
"""Roles of a request, in the order in which reports name them; others keep their own name and come after."""


RECORD = "record"
"""The form of a record among requests that is none: a text without framing."""

TRANSCRIPT = "transcript"
"""The form of a plain text in which speakers are named: it is counted as the text that it is."""


@record
class Media:
    """An image, a recording or a file in a request, which a provider prices by a rule of its own, never as text."""

    kind: MediaKind
    mime: str = ""
    """As in ``image/png``; empty where it is not said and not seen."""
    width: int = 0
    """Pixels, read from the header; 0 where they are not known, as with an address."""
    height: int = 0
    detail: str = "auto"
    """OpenAI's ``low``, ``high`` or ``auto``."""
    seconds: float = 0.0
    """Of a recording whose header says so; else 0."""
    pages: int = 0
    """Of a PDF; 0 where they are not known."""
    size: int = 0
    """Bytes of the decoded data; 0 for an address or an id."""
    encoded: int = 0
    """Characters of its base64 in the request; 0 for an address or an id."""
    reference: str = ""
    """The address or id that stands for it, without credentials and queries; empty for data."""


@record
class Content:
    """One part of a message."""

    kind: ContentKind
    text: str
    """What the model is sent, unescaped; the arguments as JSON text of a call; empty for media."""
    path: str
    """JSON path of the value in its record: ``$.messages[3].content[0].text``."""
    name: str = ""
    """Of the tool that is called."""
    call_id: str = ""
    """Of a call, or of the call that a result answers."""
    media: Media | None = None


@record
class RequestMessage:
    """A message of a request."""

    role: str
    """system, developer, user, assistant or tool; any other as the request has it."""
    contents: Sequence[Content]
    path: str
    """JSON path in its record: ``$.messages[3]``, ``$.system``; ``L4`` in a transcript."""
    name: str = ""
    """Of the participant, where the request gives one."""
    turn: int = 0
    """1-based: a user's message and all that answers it; 0 for what stands before the first user's message."""
    is_example: bool = False
    """True for a few-shot example that the request marks as such."""
    line: int | None = None
    """1-based line of the file at which it begins."""

    @property
    def text(self) -> str:
        """The text of the message without calls, results' envelopes and media."""
        return "".join(content.text for content in self.contents if content.kind not in {"call", "thinking", "media"})

    @property
    def media(self) -> Iterator[Media]:
        """Images, recordings and files, in order."""
        return (content.media for content in self.contents if content.media is not None)


@record
class Problem:
    """What is wrong with a request, which was counted all the same."""

    path: str
    """JSON path in the record."""
    reason: str
    line: int | None = None
    """1-based line of the file."""


@record
class Request:
    """One request, or one recorded conversation; a system prompt beside the list of messages comes first."""

    form: str
    """openai-chat, openai-responses, anthropic, gemini, sharegpt, alpaca, preference, completion, messages,
    transcript, record."""
    messages: Sequence[RequestMessage]
    tools: Sequence[Mapping[str, Any]] = ()
    """Definitions in OpenAI's shape: ``{"type": "function", "function": {"name", "description", "parameters"}}``."""
    schema: Mapping[str, Any] | None = None
    """The JSON Schema of ``response_format``, if there is one."""
    model: str = ""
    """As the request names it; empty where it does not."""
    max_output: int | None = None
    """``max_tokens``, ``max_completion_tokens`` or ``max_output_tokens``."""
    line: int = 1
    """1-based line of the file at which it begins."""
    id: str = "request-1"
    """Within its document: by its line in JSON Lines, else by its number."""
    problems: Sequence[Problem] = ()
    thinking: bool | None = None
    """Whether the request asks for reasoning; None where it does not say."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields that change what is billed and have no place above, such as ``service_tier``."""

    @property
    def turns(self) -> int:
        """Number of turns."""
        return max((message.turn for message in self.messages), default=0)

    @property
    def has_answer(self) -> bool:
        """True where the last message is the assistant's: a recorded conversation, which needs no generation prompt."""
        return bool(self.messages) and self.messages[-1].role == "assistant"

    def template_messages(self) -> list[dict[str, Any]]:
        """The messages in OpenAI's shape, as chat templates take them: texts joined, arguments of calls as objects.

        Media are left out: they are priced by their provider's rule.
        """
        return [_template_message(message) for message in self.messages]


def _template_message(message: RequestMessage) -> dict[str, Any]:
    import json

    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.name:
        found["name"] = message.name
    thinking = "".join(content.text for content in message.contents if content.kind == "thinking")
    if thinking:
        found["reasoning_content"] = thinking
    calls = []
    for content in message.contents:
        if content.kind == "call":
            try:
                arguments = json.loads(content.text)
            except ValueError:  # a model may have written anything
                arguments = content.text
            function = {"name": content.name, "arguments": arguments}
            calls.append({"id": content.call_id, "type": "function", "function": function})
        elif content.kind == "result":
            found["tool_call_id"] = content.call_id
            if content.name:
                found["name"] = content.name
    if calls:
        found["tool_calls"] = calls
    return found
