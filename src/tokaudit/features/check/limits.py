"""The limits of a check as rows for people: those that do not hold, and those of one file."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.features.check.growth import is_total
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.features.check.words import change_of, counted, files_of, growth_text, percent, signed
from tokaudit.features.count.report import TABLE_ROWS
from tokaudit.model import Cell, Column, Table


def failures(result: CheckResult, failed: Sequence[Gate]) -> Table:
    """A row for each limit of tokens that does not hold, by file."""
    shown = failed[:TABLE_ROWS]
    rows: list[list[Cell]] = [[*_subject(gate, result), gate.model.name, *figures_of(gate)] for gate in shown]
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


def _subject(gate: Gate, result: CheckResult) -> list[Cell]:
    """The file, or files, and the part of it that a limit is of."""
    if gate.budget is not None and is_total(gate, result):
        patterns = ", ".join(result.settings.budgets[gate.budget].paths)
        return [f"{patterns} ({files_of(gate.files)})", gate.what.removeprefix(patterns).strip()]
    return [gate.path if gate.line is None else f"{gate.path}:{gate.line}", gate.what]


def figures_of(gate: Gate) -> list[Cell]:
    """Before, now, the change and the limit; of slim what it would save, and may."""
    model = gate.model
    if gate.rule == "slim":
        return [None, f"{counted(int(gate.measured), model)} to save", None, growth_text(gate.allowed)]
    if gate.rule == "max-density":
        measured, limit = gate.exact
        return [None, measured if model.ref.exact else f"≈{measured}", None, f"{limit}/char"]
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


def slim_failures(result: CheckResult, failed: Sequence[Gate]) -> Table:
    """A row for each pack that would save more than it may."""
    tokens = {row.file.path: row.file.tokens for row in result.files}
    rows: list[list[Cell]] = []
    for gate in failed[:TABLE_ROWS]:
        saved, whole = int(gate.measured), tokens[gate.path][gate.model.column] or 0
        share = f" ({percent(saved, whole, gate.allowed)})" if whole else ""
        row: list[Cell] = [gate.path, gate.what, gate.model.name, counted(whole, gate.model)]
        rows.append([*row, f"{counted(saved, gate.model)}{share}", growth_text(gate.allowed)])
    columns = [Column("path", "File"), Column("pack", "Pack"), Column("model", "Model")]
    columns += [Column("tokens", "Tokens", "right"), Column("saved", "Would save", "right")]
    columns += [Column("allowed", "Allowed", "right")]
    marks = {(number, 4): "dear" for number in range(len(rows))}
    return Table("Slimming would save too much", columns, rows, marks, _left_out(failed), key="slim")


def gate_table(gates: Sequence[Gate]) -> Table:
    """Each limit that was held against something, for programs."""
    keys = ("rule", "level", "path", "what", "model", "before", "measured", "limit", "allowed", "files", "line")
    rows: list[list[Cell]] = [
        [
            *(gate.rule, gate.level, gate.path, gate.what or None, gate.model.name, gate.before),
            *(
                gate.measured,
                gate.limit,
                None if gate.allowed is None else growth_text(gate.allowed),
                gate.files,
                gate.line,
            ),
        ]
        for gate in gates
    ]
    return Table("Gates", [Column(key, key) for key in keys], rows, key="gates")


def _left_out(failed: Sequence[Gate]) -> list[str]:
    return [] if len(failed) <= TABLE_ROWS else [f"{TABLE_ROWS} of {len(failed):,} shown; --format json has all"]
