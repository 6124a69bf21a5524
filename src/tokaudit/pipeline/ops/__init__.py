"""The kinds of rules: one file an op.

An op is a module with ``SUMMARY``, ``PARAMETERS`` and ``prepare``. ``prepare`` is called once for a rule and gives a
function that finds edits in a view of a text; everything else (what is protected, the guard, the ledger, the order) is
the pipeline's. To add an op, add a file here and its name to ``NAMES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from tokaudit.pipeline.views.view import Find, Parameter


class Op(Protocol):
    """A module in this folder."""

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
