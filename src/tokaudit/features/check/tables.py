"""The tables of a check: limits for people, gates and files for programs, one table of all for ``--format csv``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.check.document import gate_data
from tokaudit.features.check.figures import (
    by_path,
    change_of,
    counted,
    difference,
    files_of,
    growth_text,
    percent,
    signed,
)
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.features.model_columns import TABLE_ROWS
from tokaudit.model import Cell, Column, Table

_COLUMNS = (
    *("path", "line", "what", "model", "rule", "level", "status", "before", "measured", "limit", "allowed", "files"),
    *("requests_per_month", "message"),
)
_OF_GATES = {"max-tokens", "max-growth", "max-density", "slim", "warn-at"}
"""Rules of findings that repeat a gate."""


def failures(failed: Sequence[Gate]) -> Table:
    """A row for each broken limit of tokens, by file."""
    shown = failed[:TABLE_ROWS]
    rows: list[list[Cell]] = [[*_subject(gate), gate.model.name, *figures_of(gate)] for gate in shown]
    columns = [Column("path", "File"), Column("part", "Part"), Column("model", "Model")]
    columns += [Column("before", "Before", "right"), Column("now", "Now", "right")]
    columns += [Column("change", "Change", "right"), Column("limit", "Limit", "right")]
    used = [at for at in range(len(columns)) if any(row[at] not in {None, ""} for row in rows)]
    marks = {
        (number, at): "dear"
        for number, gate in enumerate(shown)
        for at, column in enumerate(used)
        if columns[column].key == ("change" if gate.rule == "max-growth" else "now")
    }
    table = [[row[at] for at in used] for row in rows]
    return Table("Over the limit", [columns[at] for at in used], table, marks, _left_out(failed), key="gates")


def _subject(gate: Gate) -> list[Cell]:
    """The file or files of a limit, and the part of them."""
    if gate.is_total:
        patterns = gate.target.group
        return [f"{patterns} ({files_of(gate.files)})", gate.what.removeprefix(patterns).strip()]
    return [gate.path if gate.line is None else f"{gate.path}:{gate.line}", gate.what]


def figures_of(gate: Gate) -> list[Cell]:
    """Before, now, the change and the limit; of slim the saving and the allowance."""
    model = gate.model
    if gate.rule == "slim":
        return [None, f"{counted(int(gate.measured), model)} to save", None, growth_text(gate.allowed)]
    if gate.rule == "max-density":
        measured, limit = gate.exact
        return [None, model.marked(str(measured)), None, f"{limit}/char"]
    now = int(gate.measured)
    change = None
    if gate.before is not None:
        growth = gate.rule == "max-growth"
        change = change_of(gate.before, now, model, gate.allowed) if growth else signed(now - gate.before, model)
    before = None if gate.before is None else counted(gate.before, model)
    return [before, counted(now, model), change, limit_of(gate)]


def limit_of(gate: Gate) -> str:
    """The limit of tokens or growth as it stands in a table: ``1,200``, ``+5%``, ``+50``, ``0%``."""
    if gate.allowed is None:
        return f"{int(gate.limit):,}"
    bare = growth_text(gate.allowed).partition(" ")[0]
    return bare if bare in {"0", "0%"} else f"+{bare}"


def slim_failures(failed: Sequence[Gate]) -> Table:
    """A row for each pack that would save more than it may."""
    rows: list[list[Cell]] = []
    for gate in failed[:TABLE_ROWS]:
        saved, whole = int(gate.measured), gate.target.tokens[gate.model.column] or 0
        share = f" ({percent(saved, whole, gate.allowed)})" if whole else ""
        row: list[Cell] = [gate.path, gate.what, gate.model.name, counted(whole, gate.model)]
        rows.append([*row, f"{counted(saved, gate.model)}{share}", growth_text(gate.allowed)])
    columns = [Column("path", "File"), Column("pack", "Pack"), Column("model", "Model")]
    columns += [Column("tokens", "Tokens", "right"), Column("saved", "Would save", "right")]
    columns += [Column("allowed", "Allowed", "right")]
    marks = {(number, 4): "dear" for number in range(len(rows))}
    return Table("Slimming would save too much", columns, rows, marks, _left_out(failed), key="slim")


def gate_table(gates: Sequence[Gate]) -> Table:
    """Each gate, for programs."""
    keys = ("rule", "level", "path", "what", "model", "before", "measured", "limit", "allowed", "files", "line")
    data = [gate_data(gate) for gate in gates]
    return Table(
        "Gates", [Column(key, key) for key in keys], [[item[key] for key in keys] for item in data], key="gates"
    )


def _left_out(failed: Sequence[Gate]) -> list[str]:
    return [] if len(failed) <= TABLE_ROWS else [f"{TABLE_ROWS} of {len(failed):,} shown; --format json has all"]


def file_table(result: CheckResult) -> Table:
    """Each file, for programs."""
    columns = [Column("path", "File"), Column("status", "Status"), Column("chars", "Chars", "right", ",")]
    columns += [Column("requests_per_month", "Requests", "right", ",")]
    columns += [
        Column(f"{model.name} {what}", f"{model.name} {what}", "right", ",")
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
