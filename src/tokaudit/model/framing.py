"""The framing of a request: what a chat template writes around its contents, and the tokens of all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

PartKind = Literal["content", "thinking", "call", "framing", "tools", "prompt"]
"""A message's content, its reasoning, its tool calls, what the template writes around them, tool definitions with what
introduces them, and the generation prompt."""


@dataclass(frozen=True, slots=True)
class FramingOptions:
    """What changes a framing besides messages and tools."""

    thinking: bool | None = None
    """Asks for reasoning, or for none; None for the template's own default."""
    now: datetime | None = None
    """The time that templates with a date write; None for the present."""
    generation_prompt: bool = True
    """False for a recorded conversation, to which no answer is wanted."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    """Other variables of the template, as in ``chat_template_kwargs``: ``{"reasoning_effort": "high"}``."""


class FramedPart(NamedTuple):
    """A part of the rendered request, and the tokens whose first byte lies in it."""

    kind: PartKind
    message: int | None
    """0-based index of the message that it belongs to; None for none."""
    tool: int | None
    """0-based index of the tool definition; None for none."""
    start: int
    """Code points of the rendered text."""
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class FramedCount:
    """The tokens of a request as its model reads it; the parts' tokens sum to the total."""

    total: int
    parts: Sequence[FramedPart]
    text: str
    """What the template writes; empty for an estimate, whose parts have no places."""
    exact: bool
    typed_controls: int = 0
    """Control tokens that stand in contents, and count as such where the model reads them so."""
    notes: Sequence[str] = ()
    """Sentences on what a reader must know: tool definitions that the template leaves out, the date that it writes."""

    def tokens_of(self, *kinds: PartKind) -> int:
        """Tokens of all parts of these kinds."""
        return sum(part.tokens for part in self.parts if part.kind in kinds)


class Framing(Protocol):
    """How one model is sent requests."""

    @property
    def name(self) -> str:
        """Name of the template, as in ``qwen3``."""
        ...

    @property
    def exact(self) -> bool:
        """True where the model's own template is rendered."""
        ...

    @property
    def source(self) -> str:
        """Origin of the template, or of the estimate."""
        ...

    def measure(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], options: FramingOptions
    ) -> FramedCount:
        """Count a request in OpenAI's shape. Raises ``TokenizerError`` where the template refuses it."""
        ...
