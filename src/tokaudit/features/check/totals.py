"""Tokens of several files together, and the files that growth came from."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.features.check.targets import sized
from tokaudit.features.check.types import CheckResult, FileRow, Gate
from tokaudit.model import ModelColumn
from tokaudit.model.gates import Budget, MeasuredFile


def tokens_of(files: Sequence[FileRow], model: ModelColumn) -> int:
    """Tokens of some files together."""
    return sum(row.file.tokens[model.column] or 0 for row in files)


def total_before(result: CheckResult, model: ModelColumn) -> int | None:
    """Tokens of the files before, those that are gone included; None where they are not known."""
    if result.before is None or model.column in result.before.incomparable:
        return None
    gone = [result.before.files[path] for path in result.before.gone if path in result.before.files]
    gone = [file for file in gone if file.path not in result.settings.unasked]
    counts = [row.before.tokens[model.column] for row in result.files if row.before is not None]
    counts += [file.tokens[model.column] for file in gone]
    return None if None in counts else sum(count or 0 for count in counts)


def grown_in(gate: Gate, result: CheckResult) -> list[str]:
    """The files that grew behind a limit; the one that it stands at where none is known to have grown."""
    if gate.budget is None or result.before is None or not gate.is_total:
        return [gate.path]
    budget, scope = result.settings.budgets[gate.budget], result.settings.scopes[gate.budget]
    column = gate.model.column
    paths = [
        row.file.path
        for row in result.files
        if row.file.path in scope.paths
        and _tokens(row.file, budget, column) > (0 if row.before is None else _tokens(row.before, budget, column))
    ]
    return paths or [gate.path]


def _tokens(file: MeasuredFile, budget: Budget, column: int) -> int:
    selected = sized(file, budget)
    return 0 if selected is None else selected[0][column] or 0
