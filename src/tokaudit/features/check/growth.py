"""The table of where growth came from: files, their parts, and the lines in those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.check.figures import difference, signed
from tokaudit.features.check.parts import within
from tokaudit.features.check.targets import sized
from tokaudit.features.check.types import Cause, CheckResult, FileRow, Gate, PartGrowth
from tokaudit.features.model_columns import TABLE_ROWS
from tokaudit.model import Cell, Column, ModelColumn, Table
from tokaudit.model.gates import Budget, MeasuredFile

_PARTS, _PLACES = 3, 3
"""Parts of a file that grew, and places in each, that people are shown."""


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


def growth_table(result: CheckResult, failed: Sequence[Gate]) -> Table:
    """The parts and lines that made the failed files grow, the largest first.

    The tokens of a file include those of its parts, and these those of their lines.
    """
    gates = [gate for gate in failed if gate.rule in {"max-growth", "max-tokens"}]
    alone = {gate.path for gate in gates if not gate.is_total}
    behind = {path for gate in gates if gate.is_total for path in grown_in(gate, result)}
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    for row in result.files:
        path = row.file.path
        if result.before is None or path not in alone | behind:
            continue
        inside = [] if row.before is None else list(_inside(row, result.models))
        # The change of a file with a limit of its own is in the table above.
        figures: list[Cell] = [""] * len(result.models) if path in alone else _changes(row, result.models)
        if inside or path not in alone:
            marks[len(rows), 0] = "total"
            rows += [[f"{path} (new)" if row.status == "new" else path, *figures], *inside]
    shown, notes = rows[:TABLE_ROWS], []
    while len(shown) < len(rows) and shown and (len(shown) - 1, 0) in marks:  # a file with nothing under it
        marks.pop((len(shown) - 1, 0))
        shown.pop()
    if len(shown) < len(rows):
        notes = [f"{len(shown)} of {len(rows):,} rows shown; --format json has all"]
        marks = {place: mark for place, mark in marks.items() if place[0] < len(shown)}
    columns = [Column("where", "Where"), *(Column(model.name, model.name, "right") for model in result.models)]
    return Table("What grew", columns, shown, marks, notes, key="growth")


def _changes(row: FileRow, models: Sequence[ModelColumn]) -> list[Cell]:
    cells: list[Cell] = []
    for model in models:
        was = 0 if row.before is None else row.before.tokens[model.column]
        cells.append(_signed(difference(was, row.file.tokens[model.column]), model))
    return cells


def _inside(row: FileRow, models: Sequence[ModelColumn]) -> Iterator[list[Cell]]:
    """The parts of a file that grew, each with the lines in it; the lines alone where it has no parts."""
    columns = [model.column for model in models]
    causes = [cause for cause in row.causes if any(cause.deltas[column] > 0 for column in columns)]
    parts = [part for part in row.parts if any((part.delta(column) or 0) > 0 for column in columns)]
    labels = [part.label for part in parts]
    for part in parts[:_PARTS]:
        label = part.label
        if labels.count(label) > 1 and part.line is not None:
            label += f" (line {part.line})"
        lines = within(causes, row.file, {part.line})
        if len(lines) == 1 and _equal(part, lines[0], columns):
            yield [f"  {label}, {_place(lines[0])}", *_figures(lines[0], models)]
            continue
        yield [f"  {label}", *(_signed(part.delta(model.column), model) for model in models)]
        for cause in lines[:_PLACES]:
            yield [f"    of which {_place(cause)}", *_figures(cause, models)]
    if not parts:
        for cause in causes[:_PLACES]:
            yield [f"  {_place(cause)}", *_figures(cause, models)]


def _equal(part: PartGrowth, cause: Cause, columns: Sequence[int]) -> bool:
    return all(part.delta(column) == cause.deltas[column] for column in columns)


def _place(cause: Cause) -> str:
    lines = f"line {cause.line}" if cause.line == cause.end_line else f"lines {cause.line}-{cause.end_line}"
    return f"{lines}: {cause.text}"


def _figures(cause: Cause, models: Sequence[ModelColumn]) -> list[Cell]:
    return [_signed(cause.deltas[model.column], model) for model in models]


def _signed(delta: int | None, model: ModelColumn) -> Cell:
    return None if delta is None else signed(delta, model)
