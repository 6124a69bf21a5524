"""What a check found, as tables for people, at a terminal or in a pull request, and as rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tokaudit.features.check.document import baseline_data, data_of
from tokaudit.features.check.growth import growth_table, is_total
from tokaudit.features.check.hints import advice, notes, total_before, total_now
from tokaudit.features.check.limits import failures, gate_table, slim_failures
from tokaudit.features.check.rows import baseline_rows, check_rows
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.features.check.words import change_of, counted, files_of
from tokaudit.model import Cell, Column, ModelColumn, Report, Table
from tokaudit.model.gates import Baseline

_COUNTED = {
    "unmatched": ("1 entry matches nothing", "{} entries match nothing"),
    "unmeasured": ("1 gate could not be judged", "{} gates could not be judged"),
    "incomparable": ("1 model could not be compared", "{} models could not be compared"),
}


def report(result: CheckResult, *, people: bool) -> Report:
    """The report of a run.

    For people a table of what failed, one of where it came from, and a summary; where nothing failed, the totals.
    What is only worth a note is told below the tables. For programs all files, all gates and all findings.
    """
    skipped = result.settings.skipped
    data = data_of(result)
    if not people:
        tables = [_file_table(result), gate_table(result.gates)]
        return Report("check", tables, data, result.findings, skipped, rows=check_rows(result))
    failed = [gate for gate in result.gates if gate.level == "error"]
    findings = [finding for finding in result.findings if finding.level != "note"]
    tables = list(_failures(result, failed)) if failed else [_totals(result)]
    lines = [*tables[-1].notes, _summary(result, failed), *notes(result, failed)]
    tables[-1] = replace(tables[-1], notes=lines, advice=tuple(advice(result, failed)))
    return Report("check", tables, data, findings, skipped)


def _failures(result: CheckResult, failed: Sequence[Gate]) -> Iterator[Table]:
    """The limits that do not hold, and where what is too much came from."""
    slim = [gate for gate in failed if gate.rule == "slim"]
    others = [gate for gate in failed if gate.rule != "slim"]
    if others:
        yield failures(result, others)
        growth = growth_table(result, others)
        if growth.rows:
            yield growth
    if slim:
        yield slim_failures(result, slim)


def _totals(result: CheckResult) -> Table:
    """All files together, for each model."""
    columns = [Column("model", "Model")]
    columns += [Column("before", "Before", "right")] if result.before is not None else []
    columns += [Column("now", "Now", "right")]
    columns += [Column("change", "Change", "right")] if result.before is not None else []
    rows: list[list[Cell]] = []
    for model in result.models:
        now = total_now(result, model)
        cells: list[Cell] = [counted(now, model)]
        if result.before is not None:
            was = total_before(result, model)
            cells = [None if was is None else counted(was, model), *cells]
            cells.append(None if was is None else change_of(was, now, model))
        rows.append([model.name, *cells])
    return Table(f"Tokens of {files_of(len(result.files))}", columns, rows, key="totals")


def _summary(result: CheckResult, failed: Sequence[Gate]) -> str:
    """One line: how it ended, and what was compared with what."""
    total = files_of(len(result.files))
    paths = {gate.path for gate in failed if not is_total(gate, result)}
    groups = {gate.budget for gate in failed if is_total(gate, result)}
    what = total
    if failed:
        what = f"{len(paths):,} of {total}" if paths else total
        what += f", {len(groups):,} total{'' if len(groups) == 1 else 's'}" if groups else ""
    what += f", {len(result.models)} model{'' if len(result.models) == 1 else 's'}"
    if result.before is not None:
        what += f", against {result.before.name}"
    elif not result.settings.budgets and not result.settings.slim:
        what += ", no budget and nothing to compare with"
    doubts = []
    for rule, (one, several) in _COUNTED.items():
        number = sum(finding.rule == rule for finding in result.findings)
        doubts += [one if number == 1 else several.format(f"{number:,}")] if number else []
    how = "not judged" if result.outcome == "unmeasured" else result.outcome
    return f"{how}: {what}" + (f"; {', '.join(doubts)}" if doubts else "")


def _file_table(result: CheckResult) -> Table:
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
            cells += [was, now, None if was is None or now is None else now - was]
        rows.append(cells)
    return Table("Files", columns, rows, key="files")


def baseline_report(
    baseline: Baseline,
    models: Sequence[ModelColumn],
    *,
    people: bool,
    name: str = "tokaudit-baseline.json",
    version: str = "",
) -> Report:
    """What a baseline records.

    Args:
        baseline: Its content.
        models: The models to show; ``column`` is the place of their tokenizers in ``baseline.tokenizers``.
        people: Whether the tables are to be read rather than parsed.
        name: Of the baseline's file.
        version: Of tokaudit.
    """
    columns = [Column("path", "File"), Column("chars", "Chars", "right", ",")]
    counts = [Column(model.name, model.name, "right", ",") for model in models]
    data = baseline_data(baseline, models, name, version)
    if not people:
        rows: list[list[Cell]] = [
            [file.path, file.chars, *(file.tokens[model.column] for model in models), file.sha256]
            for file in baseline.files
        ]
        files = Table("Files", [*columns, *counts, Column("sha256", "SHA-256")], rows, key="files")
        tables = [files, _baseline_parts(baseline, models, counts)]
        return Report("baseline", tables, data, (), baseline.skipped, rows=baseline_rows(baseline, models))
    shown: list[list[Cell]] = [
        [file.path, file.chars, *(_counted(file.tokens[model.column], model) for model in models)]
        for file in baseline.files
    ]
    total: list[Cell] = [f"total ({files_of(len(shown))})", sum(file.chars for file in baseline.files)]
    for model in models:
        known = [file.tokens[model.column] for file in baseline.files]
        total.append(None if None in known else _counted(sum(count or 0 for count in known), model))
    several = [total] if len(shown) > 1 else []
    marks = {(len(shown), at): "total" for at in range(len(total))} if several else {}
    about = [
        f"{model.name}: {model.ref.name}, vocabulary {model.ref.sha256[:12]}"
        if model.ref.exact
        else f"≈ {model.name}: {model.ref.error}"
        for model in models
    ]
    title = f"{name}: {files_of(len(shown))}"
    table = Table(title, [*columns, *counts], [*shown, *several], marks, about, key="files")
    return Report("baseline", [table], data, (), baseline.skipped)


def _counted(tokens: int | None, model: ModelColumn) -> Cell:
    return None if tokens is None else counted(tokens, model)


def _baseline_parts(baseline: Baseline, models: Sequence[ModelColumn], counts: Sequence[Column]) -> Table:
    named = [Column(key, key) for key in ("path", "id", "kind", "label")]
    rows: list[list[Cell]] = [
        [file.path, part.id, part.kind, part.label, part.chars, *(part.tokens[model.column] for model in models)]
        for file in baseline.files
        for part in file.parts
    ]
    return Table("Parts", [*named, Column("chars", "Chars", "right", ","), *counts], rows, key="parts")
