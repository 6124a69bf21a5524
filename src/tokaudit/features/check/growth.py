"""The files that growth came from."""

from __future__ import annotations

from tokaudit.features.check.targets import sized
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.model.gates import Budget, MeasuredFile


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
