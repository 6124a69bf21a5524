"""The report of a check: a table for people, at a terminal or in a pull request, and rows for programs."""

from __future__ import annotations

from dataclasses import replace

from tokaudit.features.check.document import data_of
from tokaudit.features.check.overview import overview
from tokaudit.features.check.summary import advice, notes, summary
from tokaudit.features.check.tables import check_rows, file_table, gate_table
from tokaudit.features.check.types import CheckResult
from tokaudit.model import Report


def report(result: CheckResult, *, people: bool) -> Report:
    """The report of a run.

    For people a table of limits and totals, notes, commands that help, and the verdict. For programs all files, all
    gates and all findings.
    """
    skipped = result.settings.skipped
    data = data_of(result)
    if not people:
        tables = [file_table(result), gate_table(result.gates)]
        return Report("check", tables, data, result.findings, skipped, rows=check_rows(result))
    failed = [gate for gate in result.gates if gate.level == "error"]
    findings = [finding for finding in result.findings if finding.level != "note"]
    table = overview(result)
    lines = [*table.notes, *notes(result, failed)]
    table = replace(table, notes=lines, advice=tuple(advice(result, failed)))
    return Report("check", [table], data, findings, skipped, verdict=summary(result, failed))
