"""What a check found, as tables for people, at a terminal or in a pull request, and as rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.check_data import Cause, CheckResult, FileRow, Gate, Monthly
from tokaudit.features.check_json import baseline_data, data_of
from tokaudit.features.check_notes import renamed_from, shell
from tokaudit.features.check_parts import holds
from tokaudit.features.check_words import change_of, counted, files_of, growth_text, money, signed
from tokaudit.features.count_report import TABLE_ROWS, Measured
from tokaudit.model import Cell, Column, Report, Table
from tokaudit.model.gates import Baseline

_NAMED = 3
"""Files that a note names before it only counts them."""
_PARTS, _PLACES = 3, 3
"""Parts of a file that grew, and places in each, that people are shown."""
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
        return Report("check", [_file_table(result), _gate_table(result)], data, result.findings, skipped)
    failed = [gate for gate in result.gates if gate.level == "error"]
    findings = [finding for finding in result.findings if finding.level != "note"]
    lines = [_summary(result, failed), *_notes(result, failed)]
    if not failed:
        return Report("check", [_totals(result, lines)], data, findings, skipped)
    growth = _growth_table(result, failed, lines)
    tables = [_failures(result, failed, () if growth.rows else lines)]
    return Report("check", [*tables, *([growth] if growth.rows else [])], data, findings, skipped)


def _grouped(gate: Gate, result: CheckResult) -> bool:
    return gate.budget is not None and result.settings.budgets[gate.budget].total


def _failures(result: CheckResult, failed: Sequence[Gate], notes: Sequence[str]) -> Table:
    """A row for each limit that does not hold, by file."""
    shown = failed[:TABLE_ROWS]
    rows = [_failure(gate, result) for gate in shown]
    columns = [
        Column("path", "File"),
        Column("part", "Part"),
        Column("model", "Model"),
        Column("before", "Before", "right"),
        Column("now", "Now", "right"),
        Column("change", "Change", "right"),
        Column("limit", "Limit", "right"),
    ]
    used = [at for at in range(len(columns)) if any(row[at] not in {None, ""} for row in rows)]
    marks = {
        (number, at): "dear"
        for number, gate in enumerate(shown)
        for at, column in enumerate(used)
        if columns[column].key == ("change" if gate.rule == "max-growth" else "now")
    }
    if len(shown) < len(failed):
        notes = [f"{len(shown)} of {len(failed):,} shown; --format json has all", *notes]
    table = [[row[at] for at in used] for row in rows]
    return Table("Over the limit", [columns[at] for at in used], table, marks, notes, key="gates")


def _failure(gate: Gate, result: CheckResult) -> list[Cell]:
    model = gate.model
    budget = None if gate.budget is None else result.settings.budgets[gate.budget]
    name, part = gate.path if gate.line is None else f"{gate.path}:{gate.line}", gate.what
    if budget is not None and _grouped(gate, result):
        patterns = ", ".join(budget.paths)
        name, part = f"{patterns} ({files_of(gate.files)})", gate.what.removeprefix(patterns).strip()
    before = None if gate.before is None else counted(gate.before, model)
    if gate.rule == "slim":
        limit = f"-{_bare(gate)}"
        return [name, f"pack {part}", model.name, None, None, f"-{counted(int(gate.measured), model)}", limit]
    if gate.rule == "max-density":
        measured, limit = gate.exact
        now = measured if model.ref.exact else f"≈{measured}"
        return [name, part, model.name, None, now, None, f"{limit}/char"]
    now = counted(int(gate.measured), model)
    change = None if gate.before is None else signed(int(gate.measured) - gate.before, model)
    if gate.before is not None and gate.rule == "max-growth":
        change = change_of(gate.before, int(gate.measured), model, gate.allowed)
    limit = f"{int(gate.limit):,}" if gate.allowed is None else f"+{_bare(gate)}"
    return [name, part, model.name, before, now, change, limit]


def _bare(gate: Gate) -> str:
    return growth_text(gate.allowed).partition(" ")[0]


def _growth_table(result: CheckResult, failed: Sequence[Gate], notes: Sequence[str]) -> Table:
    """Which parts and which lines made the files grow that failed, the largest first."""
    paths = {gate.path for gate in failed if gate.rule in {"max-growth", "max-tokens"}}
    rows: list[list[Cell]] = []
    for row in result.files:
        if row.file.path in paths and row.before is not None:
            rows += [[row.file.path, *cells] for cells in _grown(row, result.models)]
    columns = [Column("path", "File"), Column("where", "Where")]
    columns += [Column(model.name, model.name, "right") for model in result.models]
    if len(rows) > TABLE_ROWS:
        notes = [f"{TABLE_ROWS} of {len(rows):,} shown; --format json has all", *notes]
    return Table("What grew", columns, rows[:TABLE_ROWS], notes=notes, key="growth")


def _grown(row: FileRow, models: Sequence[Measured]) -> Iterator[list[Cell]]:
    """The parts of a file that grew, each with the lines in it; the lines alone where it has no parts."""
    columns = [model.column for model in models]
    causes = [cause for cause in row.causes if any(cause.deltas[column] > 0 for column in columns)]
    parts = [part for part in row.parts if any((part.delta(column) or 0) > 0 for column in columns)]
    for part in parts[:_PARTS]:
        yield [part.label, *(_signed(part.delta(model.column), model) for model in models)]
        inside = [cause for cause in causes if holds(row.file, part.line, cause.line)]
        yield from (_place(cause, models) for cause in inside[:_PLACES])
    if not parts:
        yield from (_place(cause, models) for cause in causes[:_PLACES])


def _place(cause: Cause, models: Sequence[Measured]) -> list[Cell]:
    lines = f"line {cause.line}" if cause.line == cause.end_line else f"lines {cause.line}-{cause.end_line}"
    return [f"{lines}: {cause.text}", *(_signed(cause.deltas[model.column], model) for model in models)]


def _signed(delta: int | None, model: Measured) -> Cell:
    return None if delta is None else signed(delta, model)


def _totals(result: CheckResult, notes: Sequence[str]) -> Table:
    """All files together, for each model."""
    columns = [Column("model", "Model")]
    columns += [Column("before", "Before", "right")] if result.before is not None else []
    columns += [Column("now", "Now", "right")]
    columns += [Column("change", "Change", "right")] if result.before is not None else []
    rows: list[list[Cell]] = []
    for model in result.models:
        now = sum(row.file.tokens[model.column] or 0 for row in result.files)
        cells: list[Cell] = [counted(now, model)]
        if result.before is not None:
            was = _total_before(result, model)
            cells = [None if was is None else counted(was, model), *cells]
            cells.append(None if was is None else change_of(was, now, model))
        rows.append([model.name, *cells])
    return Table(f"Tokens of {files_of(len(result.files))}", columns, rows, notes=notes, key="totals")


def _total_before(result: CheckResult, model: Measured) -> int | None:
    if result.before is None or model.column in result.before.incomparable:
        return None
    gone = [result.before.files[path] for path in result.before.gone if path in result.before.files]
    kept = [file for file in gone if result.settings.checked(file.path)]
    counts = [row.before.tokens[model.column] for row in result.files if row.before is not None]
    counts += [file.tokens[model.column] for file in kept]
    return None if None in counts else sum(count or 0 for count in counts)


def _summary(result: CheckResult, failed: Sequence[Gate]) -> str:
    """One line: how it ended, and what was compared with what."""
    total = files_of(len(result.files))
    paths = {gate.path for gate in failed if not _grouped(gate, result)}
    groups = {gate.budget for gate in failed if _grouped(gate, result)}
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


def _notes(result: CheckResult, failed: Sequence[Gate]) -> Iterator[str]:
    before = result.before
    if before is not None:
        new = [row.file.path for row in result.files if row.status == "new"]
        renamed = [f"{renamed_from(row)} → {row.file.path}" for row in result.files if row.status == "renamed"]
        removed = [finding.path for finding in result.findings if finding.rule == "removed"]
        for title, names in (("new", new), ("renamed", renamed), ("removed", removed)):
            if names:
                yield f"{title}: {_some(names)}"
    for model in result.models:
        month = result.monthly.get(model.name)
        text = "" if month is None else _monthly(month, result.settings.currency, model)
        if text:
            yield f"{model.name}: {text}"
    limits = {gate.budget: None for gate in failed if gate.budget is not None}
    for number in limits:
        budget = result.settings.budgets[number or 0]
        if budget.note:
            yield f"the budget of {', '.join(budget.paths)}: {budget.note}"
    if before is not None:
        yield from before.notes
        grown = dict.fromkeys(gate.path for gate in failed if gate.rule == "max-growth" and not _grouped(gate, result))
        if grown and before.kind == "baseline":
            yield f"to accept what grew: tokaudit baseline update {' '.join(map(shell, list(grown)[:TABLE_ROWS]))}"
    for model in result.models:
        if not model.ref.exact:
            yield f"≈ {model.name}: {model.ref.error}"
    if result.settings.skipped:
        yield f"skipped: {len(result.settings.skipped):,}, see below"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _monthly(month: Monthly, currency: str, model: Measured) -> str:
    """What all files make together in a month: what changes, or, with nothing before, what there is."""
    if month.delta is None:
        tokens = f"{counted(month.now, model)} tokens a month"
        return tokens if month.cost is None else f"{tokens}, about {money(month.cost, currency).lstrip('+')}"
    if not month.delta:
        return ""
    tokens = f"{signed(month.delta, model)} tokens a month"
    return tokens if month.more is None else f"about {money(month.more, currency)} a month ({tokens})"


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


def _gate_table(result: CheckResult) -> Table:
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
        for gate in result.gates
    ]
    return Table("Gates", [Column(key, key) for key in keys], rows, key="gates")


def baseline_report(
    baseline: Baseline,
    models: Sequence[Measured],
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
        return Report("baseline", [files, _baseline_parts(baseline, models, counts)], data, (), baseline.skipped)
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
    notes = [
        f"{model.name}: {model.ref.name}, vocabulary {model.ref.sha256[:12]}"
        if model.ref.exact
        else f"≈ {model.name}: {model.ref.error}"
        for model in models
    ]
    title = f"{name}: {files_of(len(shown))}"
    table = Table(title, [*columns, *counts], [*shown, *several], marks, notes, key="files")
    return Report("baseline", [table], data, (), baseline.skipped)


def _counted(tokens: int | None, model: Measured) -> Cell:
    return None if tokens is None else counted(tokens, model)


def _baseline_parts(baseline: Baseline, models: Sequence[Measured], counts: Sequence[Column]) -> Table:
    named = [Column(key, key) for key in ("path", "id", "kind", "label")]
    rows: list[list[Cell]] = [
        [file.path, part.id, part.kind, part.label, part.chars, *(part.tokens[model.column] for model in models)]
        for file in baseline.files
        for part in file.parts
    ]
    return Table("Parts", [*named, Column("chars", "Chars", "right", ","), *counts], rows, key="parts")
