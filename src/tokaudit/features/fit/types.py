"""Types of ``fit``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tokaudit.features.passages import Removal
from tokaudit.model import ModelColumn, Skipped
from tokaudit.model.request import Request

Reason = Literal["old-turn", "duplicate", "top-k"]
KEEP_LAST = 3
"""Turns that are kept whole unless ``--keep-last`` says otherwise."""
RESERVE = 4096
"""Tokens for the answer where neither the request nor the user says how many; at most a quarter of the window."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Tokens of a request."""

    messages: Sequence[int]
    """Of each message."""
    total: int
    """Of all that is billed: messages, tool definitions, framing."""

    @property
    def rest(self) -> int:
        """Tokens of tool definitions and framing that belong to no message."""
        return self.total - sum(self.messages)


Measure = Callable[[Request], Measured]


@dataclass(frozen=True, slots=True)
class Goal:
    """What a conversation is fitted to."""

    budget: int
    """Most tokens of the whole request."""
    keep_last: int = KEEP_LAST
    """Turns that stay whole in any case."""
    top_k: int | None = None
    """Most retrieved passages of a message; None for all."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A message or passage that the fitted request no longer has."""

    turn: int
    """1-based, of the conversation as it was."""
    role: str
    tokens: int
    head: str
    """Its first words."""
    reason: Reason
    path: str
    """JSON path in its record."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The way to make one request fit."""

    original: Request
    """As it was read."""
    request: Request
    """With its slots filled."""
    gone: frozenset[int]
    """Indexes of the messages of ``request`` that are dropped."""
    removals: Sequence[Removal]
    turns: Sequence[int]
    """Turn of each message of ``request``; 0 for the prompt, examples and slots, which always stay."""
    before: Measured
    """Of ``original``."""
    after: Measured
    fitted: Request
    dropped: Sequence[Dropped]

    @property
    def changed(self) -> bool:
        """True where anything is dropped."""
        return bool(self.gone or self.removals)


@dataclass(frozen=True, slots=True)
class FittedRequest:
    """One request of a file, fitted."""

    id: str
    """Of the request in its document."""
    line: int
    form: str
    model: ModelColumn
    window: int | None
    """Tokens of the model's window; None where the budget was given."""
    reserve: int
    goal: Goal
    plan: Plan


@dataclass(frozen=True, slots=True)
class FitRun:
    """The whole answer of ``fit``."""

    path: str
    text: str
    """The fitted file."""
    dropped_text: str
    """The turns that were dropped, in the same form."""
    requests: Sequence[FittedRequest]
    models: Sequence[ModelColumn]
    version: str
    slots: Mapping[str, str]
    encode: Callable[[str], bytes]
    """Encodes a text in the charset of the file."""
    skipped: Sequence[Skipped] = ()
