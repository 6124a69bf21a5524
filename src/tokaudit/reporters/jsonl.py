"""``--format jsonl``: one JSON object a line for every row, for programs that read streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokaudit.model import Report
from tokaudit.reporters.json_report import encoded


def render(report: Report, *, ascii_only: bool) -> str:
    """The rows of all tables, then the findings, then what was skipped.

    Raises:
        ValueError: A cell holds a number that JSON cannot carry, such as NaN.
    """
    return "".join(encoded(row, indent=None, ascii_only=ascii_only) + "\n" for row in _rows(report))


def _rows(report: Report) -> Iterator[dict[str, Any]]:
    for table in report.tables:
        keys = [column.key for column in table.columns]
        for row in table.rows:
            yield {"table": table.key or table.title, **dict(zip(keys, row, strict=True))}
    for finding in report.findings:
        place = finding.place
        yield {
            "table": "findings",
            "rule": finding.rule,
            "level": finding.level,
            "message": finding.message,
            "path": finding.path,
            "line": place.line,
            "column": place.column,
            "measured": finding.measured,
            "limit": finding.limit,
            "fingerprint": finding.fingerprint,
        }
    for skipped in report.skipped:
        yield {
            "table": "skipped",
            "what": skipped.what,
            "code": skipped.code,
            "reason": skipped.reason,
            "counted": skipped.is_note,
        }
