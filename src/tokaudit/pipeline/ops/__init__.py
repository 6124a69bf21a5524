"""The kinds of rules: one file an op.

An op is a module with ``SUMMARY``, ``PARAMETERS`` and ``prepare``. ``prepare`` is called once for a rule and gives a
function that finds edits in a view of a text; everything else (what is protected, the guard, the ledger, the order) is
the pipeline's. To add an op, add a file here.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tokaudit.pipeline.views.view import Find, Parameters, Values


class Op(Protocol):
    """A module in this folder."""

    SUMMARY: str
    PARAMETERS: Parameters

    def prepare(self, values: Values) -> Find:
        """A finder for one rule's parameters, defaults filled in.

        Raises:
            RuleError: A parameter is not what the op can use; the message names it.
        """
        ...


NAMES = tuple(sorted(file.stem.replace("_", "-") for file in Path(__file__).parent.glob("[!_]*.py")))
"""All ops: the files of this folder, with ``-`` for ``_``."""


def op(name: str) -> Op:
    """The op of a name in ``NAMES``."""
    module: Any = import_module(f"tokaudit.pipeline.ops.{name.replace('-', '_')}")
    return module  # type: ignore[no-any-return]
