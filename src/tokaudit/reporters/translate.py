"""A report in the language of a catalogue. Its document for programs stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tokaudit.model import Advice, Cell, Report, Table
from tokaudit.model.message import Message, translated


def translated_report(report: Report, words: Mapping[str, str]) -> Report:
    """The report with titles, notes, findings and reasons in another language; what is data stays as it is."""
    if not words:
        return report
    return replace(
        report,
        tables=[_table(table, words) for table in report.tables],
        findings=[replace(finding, message=translated(finding.message, words)) for finding in report.findings],
        skipped=[
            replace(
                item,
                what=translated(item.what, words) if isinstance(item.what, Message) else item.what,
                reason=translated(item.reason, words),
                hint=translated(item.hint, words),
            )
            for item in report.skipped
        ],
        verdict=translated(report.verdict, words),
        words=words,
    )


def _table(table: Table, words: Mapping[str, str]) -> Table:
    return replace(
        table,
        title=translated(table.title, words),
        columns=[replace(column, title=translated(column.title, words)) for column in table.columns],
        rows=[[_cell(cell, words) for cell in row] for row in table.rows],
        notes=[translated(note, words) for note in table.notes],
        advice=[_advice(advice, words) for advice in table.advice],
        narrower=[_table(form, words) for form in table.narrower],
    )


def _advice(advice: Advice, words: Mapping[str, str]) -> Advice:
    return replace(advice, text=translated(advice.text, words))


def _cell(cell: Cell, words: Mapping[str, str]) -> Cell:
    """Only what is marked as a message: a file may be called ``total``."""
    return translated(cell, words) if isinstance(cell, Message) else cell
