"""The reports of ``tokaudit tokenizers`` and ``tokaudit models``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.model import Cell, Column, Report, Table, TokenizerInfo

Row = tuple[TokenizerInfo, bool, str, str]
"""A tokenizer, whether it can be used now, the command that makes it so, and what people know it as."""


def _envelope(command: str, version: str) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "tool": {"name": "tokaudit", "version": version},
        "command": command,
        "tokenizers": [],
        "skipped": [],
        "findings": [],
    }


def tokenizers_report(rows: Sequence[Row], version: str) -> Report:
    """Every tokenizer: name, models, size, exactness, source, hash, and whether it can be used now."""
    columns = [
        Column("name", "Tokenizer"),
        Column("family", "Used by"),
        Column("vocabulary_size", "Vocabulary", "right", ","),
        Column("exact", "Count"),
        Column("usable", "Now"),
        Column("sha256", "SHA-256"),
    ]
    cells: list[list[Cell]] = []
    marks = {}
    notes = []
    for at, (info, usable, _, family) in enumerate(rows):
        size = info.vocabulary_size or None
        exact = "exact" if info.ref.exact else "≈"
        cells.append([info.ref.name, family, size, exact, "yes" if usable else "no", info.ref.sha256[:8]])
        if not usable:
            marks.update({(at, column): "dim" for column in range(len(columns))})
    commands: dict[str, list[str]] = {}
    for info, usable, command, _ in rows:
        if not usable:
            commands.setdefault(command, []).append(info.ref.name)
    notes += [f"{', '.join(names)}: {command}" for command, names in commands.items()]
    notes.append("--format json has the sources, licences, full hashes, aliases and models")
    tokenizers = [
        {
            "name": info.ref.name,
            "backend": info.ref.backend,
            "aliases": list(info.aliases),
            "models": list(info.models),
            "family": family,
            "vocabulary_size": info.vocabulary_size or None,
            "exact": info.ref.exact,
            "error": info.ref.error or None,
            "normalization": info.normalization or None,
            "source": info.source,
            "licence": info.licence,
            "sha256": info.ref.sha256 or None,
            "usable": usable,
            "command": command or None,
        }
        for info, usable, command, family in rows
    ]
    data = _envelope("tokenizers", version) | {"listing": tokenizers}
    bare = "\n".join(info.ref.name for info, usable, *_ in rows if usable)
    return Report("tokenizers", [Table("Tokenizers", columns, cells, marks, notes)], data, bare=bare)


def models_report(rows: Sequence[Mapping[str, Any]], version: str) -> Report:
    """The catalog: each model's tokenizer, context window and output limit."""
    columns = [
        Column("id", "Model"),
        Column("provider", "Provider"),
        Column("tokenizer", "Tokenizer"),
        Column("context", "Context", "right", ","),
        Column("max_output", "Output", "right", ","),
    ]
    cells: list[list[Cell]] = []
    for row in rows:
        tokenizer = row["tokenizer"] or "none public"
        sign = "" if row["exact"] or not row["tokenizer"] else "≈"
        cells.append([row["id"], row["provider"], f"{sign}{tokenizer}", row["context"], row["max_output"]])
    dates = sorted({row["checked"] for row in rows})
    notes = [f"{len(rows)} models, checked {dates[0]}" + (f" to {dates[-1]}" if len(dates) > 1 else "")]
    if any(row["tokenizer"] and not row["exact"] for row in rows):
        notes.append("≈ the model's tokenizer is not public or not confirmed: its counts are approximations")
    notes.append("Context and Output are tokens; --format json has aliases, sources and notes")
    data = _envelope("models", version) | {"models": [dict(row, aliases=list(row["aliases"])) for row in rows]}
    bare = "\n".join(row["id"] for row in rows)
    return Report("models", [Table("Models", columns, cells, {}, notes)], data, bare=bare)
