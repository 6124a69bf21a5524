"""``--format sarif``: SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model import Finding, Report
from tokaudit.model.gate_rules import GATE_RULES, GateRule, gate_rule
from tokaudit.reporters.cells import one_line
from tokaudit.reporters.json_report import encoded
from tokaudit.reporters.places import fingerprints, line_of, repository_path

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_TOP = "%SRCROOT%"
"""The name that services have for the top of the repository."""
_SKIPPED = "skipped"
_UNPLACED = "unplaced"
_NOTIFICATIONS = (
    (_SKIPPED, "An input that is in no figure", "The input could not be read or counted; the message says why."),
    (_UNPLACED, "A finding without a place", "The finding is in no file of the git repository."),
)
_SEVERITIES = {"error": "error", "warning": "warning", "note": "recommendation"}
_PLACEHOLDER = re.compile(r"\{([0-9]+)\}")
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def render(report: Report, *, ascii_only: bool) -> str:
    """A log with one run: its rules, a result for each finding, a notification for each skipped input.

    A finding that is in no file of the repository is a notification too, since services refuse a result without place.
    """
    rules = _rules(report.findings)
    index = {rule.id: at for at, rule in enumerate(rules)}
    results, notices = [], []
    for finding, mark in zip(report.findings, fingerprints(report), strict=True):
        path = repository_path(report, finding.path)
        if path:
            results.append(_result(finding, path, index[finding.rule], mark))
        else:
            notices.append(_notification(_UNPLACED, finding.level, finding.message, finding.rule))
    notices += [_notification(_SKIPPED, "warning", f"{item.what}: {item.reason}") for item in report.skipped]
    run = {
        "tool": {"driver": _driver(report, rules)},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notices}],
        "originalUriBaseIds": {_TOP: {"description": {"text": "The top of the git repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return encoded({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ascii_only=ascii_only) + "\n"


def _rules(findings: Sequence[Finding]) -> list[GateRule]:
    """All rules of a check, so that their indexes stay the same from run to run, then those of other findings."""
    others = {finding.rule: finding.level for finding in findings if finding.rule not in GATE_RULES}
    return [*GATE_RULES.values(), *(gate_rule(rule_id, others[rule_id]) for rule_id in sorted(others))]


def _driver(report: Report, rules: Sequence[GateRule]) -> dict[str, Any]:
    tool = report.data.get("tool")
    version = str(tool.get("version") or "") if isinstance(tool, Mapping) else ""
    return {
        "name": "tokaudit",
        **({"version": version, "semanticVersion": version} if version else {}),
        "rules": [_rule(rule) for rule in rules],
        "notifications": [{"id": key, **_described(title, text)} for key, title, text in _NOTIFICATIONS],
    }


def _rule(rule: GateRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        **_described(rule.title, rule.help),
        "defaultConfiguration": {"level": rule.level},
        "properties": {
            "problem.severity": _SEVERITIES[rule.level],
            "precision": "very-high",
            "tags": ["maintainability", "tokens"],
        },
    }


def _described(title: str, text: str) -> dict[str, Any]:
    """The fields that GitHub requires of a rule; by convention a name is one word, and it may not be the id."""
    plain = _text(text.replace("`", ""))
    words = [word for word in re.split(r"[^0-9A-Za-z]+", title) if word.lower() not in {"a", "an", "the"}]
    return {
        "name": "".join(word[:1].upper() + word[1:] for word in words),
        "shortDescription": {"text": f"{_text(title)}."},
        "fullDescription": {"text": plain},
        "help": {"text": plain, "markdown": text},
    }


def _result(finding: Finding, path: str, rule_index: int, mark: str) -> dict[str, Any]:
    region = {"startLine": line_of(finding)}
    if finding.place.line is not None and finding.place.column is not None:
        region["startColumn"] = finding.place.column
    figures = {"measured": finding.measured, "limit": finding.limit}
    known = {key: value for key, value in figures.items() if value is not None}
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": finding.level,
        "message": {"text": _text(finding.message) or finding.rule},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": _uri(path), "uriBaseId": _TOP}, "region": region}}
        ],
        # GitHub looks at the first only. Without it, it takes a hash of the line for it, so that findings of several
        # models on one line would be one, and a finding whose line was rewritten another one.
        "partialFingerprints": {"primaryLocationLineHash": f"{mark}:1", "tokaudit/v1": mark},
        **({"properties": known} if known else {}),
    }


def _notification(kind: str, level: str, message: str, rule: str = "") -> dict[str, Any]:
    return {
        "descriptor": {"id": kind},
        **({"associatedRule": {"id": rule}} if rule else {}),
        "level": level,
        "message": {"text": _text(message) or kind},
    }


def _uri(path: str) -> str:
    """A relative reference; a name that is not UTF-8 keeps its bytes."""
    from urllib.parse import quote

    return quote(path.encode(errors="surrogateescape" if _escaped_bytes(path) else "backslashreplace"))


def _escaped_bytes(path: str) -> bool:
    return not any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in path)


def _text(message: str) -> str:
    """A message as it is, although ``{0}`` in it would be an argument and ``[a](1)`` a link."""
    shown = "\n".join(one_line(line) for line in message.split("\n"))
    return _LINK.sub(r"\\[", _PLACEHOLDER.sub(r"{{\1}}", shown))
