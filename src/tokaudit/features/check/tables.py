"""The tables of a check for programs: files, gates, and one table of all for ``--format csv``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.check.document import gate_data
from tokaudit.features.check.figures import by_path, difference
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.model import Cell, Column, Table
from tokaudit.model.message import Message

_COLUMNS = (
    *("path", "line", "what", "model", "rule", "level", "status", "before", "measured", "limit", "allowed", "files"),
    *("requests_per_month", "message"),
)
_OF_GATES = {"max-tokens", "max-growth", "max-density", "window", "slim", "warn-at"}
"""Rules of findings that repeat a gate."""


def gate_table(gates: Sequence[Gate]) -> Table:
    """Each gate, for programs."""
    keys = ("rule", "level", "path", "what", "model", "before", "measured", "limit", "allowed", "files", "line")
    data = [gate_data(gate) for gate in gates]
    return Table(
        "Gates", [Column(key, key) for key in keys], [[item[key] for key in keys] for item in data], key="gates"
    )


def file_table(result: CheckResult) -> Table:
    """Each file, for programs."""
    columns = [Column("path", "File"), Column("status", "Status"), Column("chars", "Chars", "right", ",")]
    columns += [Column("requests_per_month", "Requests", "right", ",")]
    columns += [
        Column(f"{model.name} {what}", Message("{model} {what}", model=model.name, what=Message(what)), "right", ",")
        for model in result.models
        for what in ("before", "now", "delta")
    ]
    rows: list[list[Cell]] = []
    for row in result.files:
        cells: list[Cell] = [row.file.path, row.status, row.file.chars, row.requests]
        for model in result.models:
            was, now = None if row.before is None else row.before.tokens[model.column], row.file.tokens[model.column]
            cells += [was, now, difference(was, now)]
        rows.append(cells)
    return Table("Files", columns, rows, key="files")


def check_rows(result: CheckResult) -> Table:
    """A row for each gate, passed or not, by path.

    Each file has a row with its tokens for each model, also where no limit is of them. After those of a file come the
    other findings, and skipped inputs.
    """
    rows = [*_gates(result), *_without_gate(result), *_others(result)]
    rows.sort(key=lambda row: by_path(str(row["path"])))
    table = [[row.get(name) for name in _COLUMNS] for row in rows]
    return Table("Check", [Column(name, name) for name in _COLUMNS], table, key="check")


def _gates(result: CheckResult) -> Iterator[dict[str, Cell]]:
    known = {row.file.path: row for row in result.files}
    for gate in result.gates:
        row = known.get(gate.path) if gate.files == 1 else None
        yield {
            **gate_data(gate),
            "status": None if row is None else row.status,
            "requests_per_month": None if row is None else row.requests,
            "message": gate.message or None,
        }


def _without_gate(result: CheckResult) -> Iterator[dict[str, Cell]]:
    """The tokens of files that are in no row of a limit."""
    shown = {
        (gate.path, gate.model.name)
        for gate in result.gates
        if gate.rule in {"max-tokens", "max-growth"} and not gate.what and gate.files == 1
    }
    for row in result.files:
        for model in result.models:
            if (row.file.path, model.name) not in shown:
                yield {
                    "path": row.file.path,
                    "model": model.name,
                    "status": row.status,
                    "before": None if row.before is None else row.before.tokens[model.column],
                    "measured": row.file.tokens[model.column],
                    "files": 1,
                    "requests_per_month": row.requests,
                }


def _others(result: CheckResult) -> Iterator[dict[str, Cell]]:
    for finding in result.findings:
        if finding.rule not in _OF_GATES:
            row: dict[str, Cell] = {"path": finding.path, "line": finding.place.line, "message": finding.message}
            yield {**row, "rule": finding.rule, "level": finding.level}
    for item in result.settings.skipped:
        yield {"path": item.what, "rule": "skipped", "level": "note", "message": item.reason}
