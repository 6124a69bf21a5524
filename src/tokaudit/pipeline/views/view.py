"""What an op sees of a text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from tokaudit.model.pages import Mark
from tokaudit.pipeline.spans.find import Spans


@dataclass(frozen=True, slots=True)
class View:
    """A text with its spans."""

    text: str
    kind: str
    """text, markdown, json, jsonl, code, log, chat, pdf, template."""
    langs: frozenset[str]
    """Of zh, ja, en: what the text is written in."""
    spans: Spans
    """Protected and structural spans, for ops that work on some of them (tables, JSON)."""
    deadline: float = float("inf")
    """By ``time.monotonic``: when the rule's time is up."""
    marks: Sequence[Mark] | None = None
    """What is known not to be body, from the geometry of the pages; None where the text came without it."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rule may still take, as ``regex`` takes them for ``timeout``; at least a hundredth."""
        return None if self.deadline == float("inf") else max(0.01, self.deadline - time.monotonic())
