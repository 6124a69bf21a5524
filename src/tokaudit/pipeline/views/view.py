"""A text as ops see it, and their parameters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from tokaudit.model.edits import Edit
from tokaudit.model.pages import Mark
from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr
from tokaudit.pipeline.spans.find import Spans


@record
class View(ShortRepr):
    """A text with its spans."""

    text: str
    kind: str
    """text, markdown, json, jsonl, code, log, chat, pdf, template."""
    langs: frozenset[str]
    """Of zh, ja, en: what the text is written in."""
    find_spans: Callable[[], Spans]
    """Finds protected and structural spans, for ops that work on some of them (tables, JSON); most do not."""
    deadline: float = float("inf")
    """By ``time.monotonic``: when the rule's time is up."""
    marks: Sequence[Mark] | None = None
    """Parts known not to be body, from the geometry of the pages; None where the text came without it."""

    @property
    def spans(self) -> Spans:
        """Protected and structural spans of the text."""
        return self.find_spans()

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rule may still take, as ``regex`` takes them for ``timeout``; at least a hundredth."""
        return None if self.deadline == float("inf") else max(0.01, self.deadline - time.monotonic())


Edits = Iterator[Edit]
Find = Callable[[View], Iterable[Edit]]
"""Finds edits in a text, in ascending order. It may propose edits inside of what is protected; they are left out.

Raises:
    TimeoutError: A pattern took longer than ``View.seconds_left``.
"""


Type = Literal["pattern", "template", "text", "texts", "mapping", "integer", "number", "boolean", "choice"]
"""pattern: a regular expression of the ``regex`` module; template: what ``\\1`` and ``\\g<name>`` are expanded in;
texts: a list of texts, or the name of one of the pack's lists; mapping: texts to texts."""


@record
class Parameter:
    """One parameter of an op, as the pack's loader checks it and the schema describes it."""

    type: Type
    what: str
    """One sentence for docs and the schema."""
    required: bool = False
    default: Any = None
    choices: Sequence[str] = ()


Parameters = Mapping[str, Parameter]
"""The parameters of an op by name."""
Values = Mapping[str, Any]
"""What a rule gives for them, defaults filled in."""
