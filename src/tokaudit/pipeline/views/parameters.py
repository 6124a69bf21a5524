"""The parameters of ops, and what an op is prepared to: a finder of edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.view import View

Find = Callable[[View], Iterable[Edit]]
"""Finds edits in a text, in ascending order. It may propose edits inside of what is protected; they are left out.

Raises:
    TimeoutError: A pattern took longer than ``View.seconds_left``.
"""


Type = Literal["pattern", "template", "text", "texts", "mapping", "integer", "number", "boolean", "choice"]
"""pattern: a regular expression of the ``regex`` module; template: what ``\\1`` and ``\\g<name>`` are expanded in;
texts: a list of texts, or the name of one of the pack's lists; mapping: texts to texts."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an op, as the pack's loader checks it and the schema describes it."""

    type: Type
    what: str
    """One sentence for docs and the schema."""
    required: bool = False
    default: Any = None
    choices: Sequence[str] = ()
