"""``--format markdown``: GitHub tables, for pull requests and documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tokaudit.model import Finding, Report, Table
from tokaudit.model.message import Message, counted, separator, translated
from tokaudit.reporters.cells import figures, level_of, one_line, place_of, shown
from tokaudit.reporters.summary import LEVELS, ended

# Whatever could open markup or part a cell. An underscore inside a word opens nothing, so that paths stay legible.
_MARKUP = re.compile(r"[\\|`*\[\]<>&~$]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK = re.compile(r"[#+\-=]|[0-9]+[.)]")
_SIGNS: Mapping[str, str] = {"error": "❌", "not judged": "❔", "warning": "⚠️", "note": "ℹ️"}
_MORE: Mapping[str, tuple[str, str]] = {
    "error": ("1 more error", "{n:,} more errors"),
    "not judged": ("1 more not judged", "{n:,} more not judged"),
    "warning": ("1 more warning", "{n:,} more warnings"),
    "note": ("1 more note", "{n:,} more notes"),
}
_COMMAND = re.compile(r"(?<![\\`])`(tokaudit [^`]*)`(?!`)")
"""A command of ours in a sentence."""
_CALL = re.compile(r"@(?=\w)|[#!](?=[0-9])|\bGH-(?=[0-9])|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
"""Text that GitHub and GitLab would take for a person to notify, for an issue, or for an address: behind what is
matched, an invisible space makes it plain text."""
_LISTED = 50
"""Findings of a level that a judging command lists: a comment on GitHub has at most 65,536 characters."""


def render(report: Report, *, ascii_only: bool) -> str:
    """The tables with their notes, then the findings and what was skipped, all of it and not only the first.

    Of a command that judges, the report is a comment to a change: first how it ended, then the tables, what was not
    judged, warnings, and, folded away, each failure and the notes; so many that GitHub takes the comment.
    """
    colon = separator(": ", report.words)
    blocks = ["\n".join(_table(table, colon, ascii_only=ascii_only)) for table in report.tables]
    if "outcome" in report.data:
        heading = [f"## {_escaped(translated(ended(report), report.words), ascii_only)}"]
        heading += [_paragraph(report.verdict, ascii_only)] if report.verdict else []
        others = [*_listed(report, "not judged", ascii_only=ascii_only)]
        others += _listed(report, "warning", ascii_only=ascii_only)
        for title, level in (("Details", "error"), ("Notes", "note")):
            listed = _listed(report, level, ascii_only=ascii_only)
            others += (
                [f"<details><summary>{translated(title, report.words)}</summary>", *listed, "</details>"]
                if listed
                else []
            )
        blocks = [*heading, *blocks, *others]
    elif report.findings:
        lines = [
            f"- {translated(f.level, report.words)}{colon}{_escaped(_said(f, report), ascii_only)}"
            for f in report.findings
        ]
        blocks.append("\n".join([f"**{translated('Findings', report.words)}**", "", *lines]))
    for title, items in report.noted:
        lines = [f"- {_paragraph(f'{s.what}: {s.reason}', ascii_only)}" for s in items]
        blocks.append("\n".join([f"**{translated(title, report.words)}**", "", *lines]))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _listed(report: Report, level: str, *, ascii_only: bool) -> list[str]:
    """The findings of a level, or that say that something was not judged, as one list; nothing where there are none."""
    found = [finding for finding in report.findings if level_of(finding, judged=True) == level]
    lines = [_finding(finding, level, report, ascii_only=ascii_only) for finding in found[:_LISTED]]
    more = len(found) - _LISTED
    if more > 0:
        lines.append(translated(Message("- and {more}", more=counted(more, *_MORE[level])), report.words))
    return ["\n".join(lines)] if lines else []


def _said(finding: Finding, report: Report) -> str:
    return f"{translated(place_of(finding), report.words)}{separator(': ', report.words)}{finding.message}"


def _finding(finding: Finding, level: str, report: Report, *, ascii_only: bool) -> str:
    named, colon = translated(level, report.words), separator(": ", report.words)
    sign = f"{named}{colon}".rstrip() if ascii_only else _SIGNS[level]
    place = f"**{_escaped(translated(place_of(finding), report.words), ascii_only)}** " if finding.path else ""
    word = "" if level in LEVELS or ascii_only else f"{named}{colon}"
    return f"- {sign} {place}{word}{_escaped(finding.rule, ascii_only)}{colon}{_prose(finding.message, ascii_only)}"


def _table(table: Table, colon: str, *, ascii_only: bool) -> Iterator[str]:
    if table.title:
        yield f"### {_escaped(table.title, ascii_only)}"
        yield ""
    numeric = figures(table)
    if table.columns:
        yield _row([_escaped(column.title, ascii_only) for column in table.columns])
        yield _row(["---:" if right else "---" for right in numeric])
    for row in table.rows:
        cells = zip(row, table.columns, numeric, strict=True)
        yield _row([_escaped(shown(cell, column.format, figure=right), ascii_only) for cell, column, right in cells])
    for note in table.notes:
        yield ""
        yield _paragraph(note, ascii_only)
    for advice in table.advice:
        yield ""
        command = _code(f"{advice.command} {' '.join(advice.arguments)}", ascii_only)
        yield f"{_paragraph(advice.text, ascii_only)}{colon}{command}"


def _code(text: str, ascii_only: bool) -> str:
    """A command as code; one with a backtick in it, which would end the code, as text."""
    line = one_line(text, ascii_only=ascii_only)
    return _escaped(line, ascii_only) if "`" in line else f"`{line}`"


def _row(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _escaped(text: str, ascii_only: bool) -> str:
    """A text as nothing but text. It may be of a prompt, which must not link to anything, nor call anybody."""
    return _CALL.sub(r"\g<0>&#8203;", _MARKUP.sub(r"\\\g<0>", one_line(text, ascii_only=ascii_only)))


def _prose(text: str, ascii_only: bool) -> str:
    """A sentence, with the commands in it as code."""
    pieces = _COMMAND.split(text)  # text, command, text, command, ...
    return "".join((_code if at % 2 else _escaped)(piece, ascii_only) for at, piece in enumerate(pieces))


def _paragraph(text: str, ascii_only: bool) -> str:
    """A text that stands at the begin of a line, where it must not open a heading or a list either."""
    line = _prose(text.strip(), ascii_only)
    opening = _BLOCK.match(line)
    return f"{line[: opening.end() - 1]}\\{line[opening.end() - 1 :]}" if opening else line
