"""The document that ``--format json`` prints: one envelope for every command (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tokaudit.model import Decoding, Finding, ModelColumn, Skipped

SCHEMA_VERSION = "1.0"
_Value = TypeVar("_Value")


def json_document(
    command: str,
    version: str,
    fields: Mapping[str, Any],
    *,
    options: Mapping[str, Any] | None = None,
    models: Sequence[ModelColumn] = (),
    skipped: Sequence[Skipped] = (),
    findings: Sequence[Finding] = (),
) -> dict[str, Any]:
    """The envelope with the fields of one command in it.

    Args:
        command: Its name.
        version: Of tokaudit.
        fields: The results.
        options: What was asked for; these stand before the tokenizers.
        models: Those of all figures; none for a command that measures nothing.
        skipped: Inputs that are in no figure, and notes on some that are.
        findings: Those for programs.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "tokaudit", "version": version},
        "command": command,
        **(options or {}),
        "tokenizers": [
            {
                "model": model.name,
                "name": model.ref.name,
                "backend": model.ref.backend,
                "engine": model.ref.engine or model.ref.backend,
                "sha256": model.ref.sha256 or None,
                "exact": model.ref.exact,
                "error": model.ref.error or None,
            }
            for model in models
        ],
        **fields,
        "skipped": [
            {
                "what": item.what,
                "code": item.code,
                "reason": item.reason,
                "hint": item.hint or None,
                "counted": item.is_note,
            }
            for item in skipped
        ],
        "findings": [_finding(finding) for finding in findings],
    }


def by_model(values: Sequence[_Value], models: Sequence[ModelColumn]) -> dict[str, _Value]:
    """Values of the tokenizers, by the names of their models."""
    return {model.name: values[model.column] for model in models}


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "rule": finding.rule,
        "level": finding.level,
        "message": finding.message,
        "path": finding.path,
        "place": {"line": place.line, "column": place.column, "page": place.page, "message": place.message},
        "measured": finding.measured,
        "limit": finding.limit,
        "fingerprint": finding.fingerprint,
    }


def charset_data(charset: str, decoding: Decoding) -> dict[str, Any]:
    """The charset of a document, how it was decided, and what else it may be where it is a guess."""
    return {
        "charset": charset or None,
        "charset_decided": decoding.decided or None,
        "charset_alternatives": list(decoding.alternatives),
    }
