"""The report of a check: tables for people, at a terminal or in a pull request, and rows for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tokaudit.features.check.document import data_of
from tokaudit.features.check.figures import change_of, counted, files_of
from tokaudit.features.check.growth import growth_table
from tokaudit.features.check.summary import advice, notes, summary, total_before, total_now
from tokaudit.features.check.tables import check_rows, failures, file_table, gate_table, slim_failures
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.model import Cell, Column, Report, Table


def report(result: CheckResult, *, people: bool) -> Report:
    """The report of a run.

    For people a table of what failed, one of where it came from, and a summary; where nothing failed, the totals.
    Notes stand below the tables. For programs all files, all gates and all findings.
    """
    skipped = result.settings.skipped
    data = data_of(result)
    if not people:
        tables = [file_table(result), gate_table(result.gates)]
        return Report("check", tables, data, result.findings, skipped, rows=check_rows(result))
    failed = [gate for gate in result.gates if gate.level == "error"]
    findings = [finding for finding in result.findings if finding.level != "note"]
    tables = list(_failures(result, failed)) if failed else [_totals(result)]
    lines = [*tables[-1].notes, summary(result, failed), *notes(result, failed)]
    tables[-1] = replace(tables[-1], notes=lines, advice=tuple(advice(result, failed)))
    return Report("check", tables, data, findings, skipped)


def _failures(result: CheckResult, failed: Sequence[Gate]) -> Iterator[Table]:
    """The broken limits, and the growth behind them."""
    slim = [gate for gate in failed if gate.rule == "slim"]
    others = [gate for gate in failed if gate.rule != "slim"]
    if others:
        yield failures(others)
        growth = growth_table(result, others)
        if growth.rows:
            yield growth
    if slim:
        yield slim_failures(slim)


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
