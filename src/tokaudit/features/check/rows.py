"""What a check found, and what a baseline has, as one table each: ``--format csv``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.check.notes import by_path
from tokaudit.features.check.types import CheckResult
from tokaudit.features.check.words import growth_text
from tokaudit.model import Cell, Column, ModelColumn, Table
from tokaudit.model.gates import Baseline

_COLUMNS = (
    *("path", "line", "what", "model", "rule", "level", "status", "before", "measured", "limit", "allowed", "files"),
    *("requests_per_month", "message"),
)
_OF_GATES = {"max-tokens", "max-growth", "max-density", "slim", "warn-at"}
"""Rules of findings that say what a gate says."""


def check_rows(result: CheckResult) -> Table:
    """A row for each limit that was held against something, by path, also those that held.

    Each file has a row with its tokens for each model, also where no limit is of them. After those of a file come the
    findings that are no limit's, and what was skipped.
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
            "path": gate.path,
            "line": gate.line,
            "what": gate.what or None,
            "model": gate.model.name,
            "rule": gate.rule,
            "level": gate.level,
            "status": None if row is None else row.status,
            "before": gate.before,
            "measured": gate.measured,
            "limit": gate.limit,
            "allowed": None if gate.allowed is None else growth_text(gate.allowed),
            "files": gate.files,
            "requests_per_month": None if row is None else row.requests,
            "message": gate.message or None,
        }


def _without_gate(result: CheckResult) -> Iterator[dict[str, Cell]]:
    """The tokens of files that are in no row of a limit."""
    held = {
        (gate.path, gate.model.name)
        for gate in result.gates
        if gate.rule in {"max-tokens", "max-growth"} and not gate.what and gate.files == 1
    }
    for row in result.files:
        for model in result.models:
            if (row.file.path, model.name) not in held:
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
            told: dict[str, Cell] = {"path": finding.path, "line": finding.place.line, "message": finding.message}
            yield {**told, "rule": finding.rule, "level": finding.level}
    for item in result.settings.skipped:
        yield {"path": item.what, "rule": "skipped", "level": "note", "message": item.reason}


def baseline_rows(baseline: Baseline, models: Sequence[ModelColumn]) -> Table:
    """A row for each file, and behind it one for each of its parts; then what was skipped."""
    names = ("path", "id", "kind", "label", "chars", *(model.name for model in models), "sha256")
    rows: list[list[Cell]] = []
    for file in baseline.files:
        counts = [file.tokens[model.column] for model in models]
        rows.append([file.path, None, "file", None, file.chars, *counts, file.sha256])
        for part in file.parts:
            counts = [part.tokens[model.column] for model in models]
            rows.append([file.path, part.id, part.kind, part.label, part.chars, *counts, None])
    none = [None] * (len(models) + 2)
    rows += [[item.what, None, "skipped", item.reason, *none] for item in baseline.skipped]
    return Table("Baseline", [Column(name, name) for name in names], rows, key="baseline")
