"""Tokens of all files of a check together."""

from __future__ import annotations

from tokaudit.features.check.types import CheckResult
from tokaudit.model import ModelColumn


def total_now(result: CheckResult, model: ModelColumn) -> int:
    """Tokens of all files."""
    return sum(row.file.tokens[model.column] or 0 for row in result.files)


def total_before(result: CheckResult, model: ModelColumn) -> int | None:
    """Tokens of the files before, those that are gone included; None where they are not known."""
    if result.before is None or model.column in result.before.incomparable:
        return None
    gone = [result.before.files[path] for path in result.before.gone if path in result.before.files]
    gone = [file for file in gone if file.path not in result.settings.unasked]
    counts = [row.before.tokens[model.column] for row in result.files if row.before is not None]
    counts += [file.tokens[model.column] for file in gone]
    return None if None in counts else sum(count or 0 for count in counts)
