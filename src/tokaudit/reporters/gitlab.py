"""``--format gitlab``: a Code Quality report, which GitLab compares between the branches of a merge request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.model import Finding, Level, Report
from tokaudit.reporters.cells import one_line
from tokaudit.reporters.json_report import encoded
from tokaudit.reporters.places import fingerprints, line_of, repository_path

_SEVERITIES: Mapping[Level, str] = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report, *, ascii_only: bool) -> str:
    """A JSON array with an object for each finding.

    GitLab takes findings with the same fingerprint for one, so no two are alike. What was skipped is in no place that
    this format has.
    """
    marks = fingerprints(report)
    found = [_issue(report, finding, mark) for finding, mark in zip(report.findings, marks, strict=True)]
    return encoded(found, indent=2, ascii_only=ascii_only) + "\n"


def _issue(report: Report, finding: Finding, mark: str) -> dict[str, Any]:
    return {
        "description": one_line(finding.message) or finding.rule,
        "check_name": f"tokaudit/{finding.rule}",
        "fingerprint": mark,
        "severity": _SEVERITIES[finding.level],
        # A path is required; that of the folder stands for what is in no file of the repository.
        "location": {"path": repository_path(report, finding.path) or ".", "lines": {"begin": line_of(finding)}},
    }
