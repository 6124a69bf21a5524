"""``--format github``: annotations, as commands that the runner of GitHub Actions reads from the output of a step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tokaudit.model import Finding, Level, Report, plural
from tokaudit.reporters.cells import one_line, place_of
from tokaudit.reporters.places import repository_path
from tokaudit.reporters.summary import LEVELS, summary

_COMMANDS: Mapping[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}
_SHOWN = 10
"""Annotations of each command that GitHub takes from a step; it drops the others silently."""
_LISTED = 10
"""Maximum of skipped inputs that are listed."""
_LINE_END = re.compile(r"\r\n|\r|\n")


def render(report: Report, *, ascii_only: bool) -> str:
    """An annotation for each finding, as many as GitHub shows; then, as plain lines, the others and a summary.

    What is said of several models is one annotation: GitHub shows ten of each level.
    """
    lines: list[str] = []
    others: list[Finding] = []
    for level in LEVELS:
        found = list(_joined([finding for finding in report.findings if finding.level == level]))
        shown = found if len(found) <= _SHOWN else found[: _SHOWN - 1]
        lines += [_annotation(report, finding, ascii_only) for finding in shown]
        left = found[len(shown) :]
        if left:
            text = f"{plural(len(left), f'more {level}')} of tokaudit: GitHub shows no more here, the log lists them"
            lines.append(_command(_COMMANDS[level], {"title": "tokaudit"}, text))
        others += left
    for finding in others:
        message = "; ".join(finding.message.split("\n"))
        lines.append(_plain(f"{finding.level} {place_of(finding)}: {message}", ascii_only))
    lines += [_plain(line, ascii_only) for line in _skipped(report)]
    return "\n".join([*lines, _plain(summary(report), ascii_only)]) + "\n"


def _joined(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings that say the same of several models, on the same line, as one: each model is a line of it."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for at, finding in enumerate(findings):
        place = (finding.path, finding.place) if finding.group else at
        groups.setdefault((finding.group, place), []).append(finding)
    for group in groups.values():
        yield replace(group[0], message="\n".join(finding.message for finding in group))


def _annotation(report: Report, finding: Finding, ascii_only: bool) -> str:
    path = repository_path(report, finding.path)
    properties = {}
    if path:
        # The runner drops equals signs that a value begins with, and there is no escape for them.
        properties["file"] = f"./{path}" if path.startswith("=") else path
        if finding.place.line is not None:
            properties["line"] = str(finding.place.line)
            if finding.place.column is not None:
                properties["col"] = str(finding.place.column)
    properties["title"] = one_line(f"tokaudit {finding.rule}", ascii_only=ascii_only)
    # The log shows the message only, without the file.
    message = f"{place_of(finding)}: {finding.message}" if finding.path else finding.message
    shown = "\n".join(one_line(line, ascii_only=ascii_only) for line in _LINE_END.split(message))
    return _command(_COMMANDS[finding.level], properties, shown)


def _command(name: str, properties: Mapping[str, str], data: str) -> str:
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_data(data)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    text = text if text.isprintable() else text.encode(errors="backslashreplace").decode()
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _skipped(report: Report) -> Iterator[str]:
    for skipped in report.skipped[:_LISTED]:
        yield f"{'note on' if skipped.is_note else 'skipped'} {skipped.what}: {skipped.reason}"
    if len(report.skipped) > _LISTED:
        yield f"and {len(report.skipped) - _LISTED:,} more"


def _plain(text: str, ascii_only: bool) -> str:
    """A line that is no command: the runner would take ``##[name]`` anywhere in it for one, and ``::`` at its start."""
    return one_line(text, ascii_only=ascii_only).replace("##[", "## [")
