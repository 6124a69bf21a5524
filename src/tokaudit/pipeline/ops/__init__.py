"""The kinds of rules: one file an op.

An op is a module with ``SUMMARY``, ``PARAMETERS`` and ``prepare``. ``prepare`` is called once for a rule and gives a
function that finds edits in a view of a text; everything else (what is protected, the guard, the ledger, the order) is
the pipeline's. To add an op, add a file here and its name to ``NAMES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Protocol

from tokaudit.model.edits import Edit
from tokaudit.pipeline.view import View

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


class Op(Protocol):
    """What a module in this folder offers."""

    SUMMARY: str
    PARAMETERS: Mapping[str, Parameter]

    def prepare(self, values: Mapping[str, Any]) -> Find:
        """A finder for one rule's parameters, defaults filled in.

        Raises:
            RuleError: A parameter is not what the op can use; the message names it.
        """
        ...


NAMES: tuple[str, ...] = (
    "amounts",
    "blob",
    "code-comments",
    "collapse",
    "convert",
    "dates",
    "delete",
    "doubled",
    "drop-empty-json",
    "drop-lines",
    "emoji-runs",
    "entities",
    "fields",
    "garbled-paragraphs",
    "half-width",
    "html-comments",
    "html-table",
    "join-lines",
    "join-words",
    "json-rows",
    "license-header",
    "log-columns",
    "log-hoist",
    "log-runs",
    "minify-json",
    "mojibake",
    "page-furniture",
    "phrases",
    "progress",
    "repeated-paragraphs",
    "replace",
    "sentence-marks",
    "spaced-lines",
    "stack",
    "table-compact",
    "table-tsv",
    "translate",
    "trim-lines",
    "unreadable-glyphs",
    "url-percent",
    "url-query",
)
"""All ops, as files in this folder, with ``-`` for ``_``."""


def op(name: str) -> Op:
    """The op of a name in ``NAMES``."""
    module: Any = import_module(f"tokaudit.pipeline.ops.{name.replace('-', '_')}")
    return module  # type: ignore[no-any-return]
