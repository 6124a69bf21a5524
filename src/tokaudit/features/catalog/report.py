"""The reports of ``tokaudit tokenizers`` and ``tokaudit models``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.features.documents import json_document
from tokaudit.model import Cell, Column, Report, Table, TokenizerInfo
from tokaudit.model.message import Message

Row = tuple[TokenizerInfo, bool, str, str, str]
"""A tokenizer, whether it can be used now, the command that makes it so, what people know it as, and what else it needs
where no command can."""
_WIDE, _WIDER, _NOT_SHOWN = 120, 180, 1 << 20
"""Columns of a terminal from which on its table has more: the sources, the aliases; the rest is for other formats."""


def tokenizers_report(rows: Sequence[Row], version: str, *, people: bool = True) -> Report:
    """Every tokenizer: name, models, size, exactness, source, hash, and whether it can be used now.

    Args:
        rows: The tokenizers.
        version: Of tokaudit.
        people: Whether the table is to be read rather than parsed; signs and notes are for people.
    """
    columns = [
        Column("name", "Tokenizer"),
        Column("family", "Used by"),
        Column("vocabulary_size", "Vocabulary", "right", ","),
        Column("exact", "Count"),
        Column("usable", "Now"),
        Column("sha256", "SHA-256", cut=8),
        Column("source", "Source", wide=_WIDE),
        Column("licence", "Licence", wide=_WIDER),
        Column("aliases", "Aliases", wide=_NOT_SHOWN),
        Column("models", "Models", wide=_NOT_SHOWN),
        Column("command", "To use it", wide=_NOT_SHOWN),
    ]
    cells: list[list[Cell]] = []
    marks = {}
    for at, (info, usable, command, family, needs) in enumerate(rows):
        exact = Message("exact") if info.ref.exact else "≈" if people else "approximate"
        cells.append(
            [
                *(info.ref.name, family, info.vocabulary_size or None, exact, Message("yes" if usable else "no")),
                *(info.ref.sha256 or None, info.source, info.licence, " ".join(info.aliases), " ".join(info.models)),
                command or needs or None,
            ]
        )
        if not usable:
            marks.update({(at, column): "dim" for column in range(len(columns))})
    data = json_document("tokenizers", version, {"listing": [_tokenizer_data(row) for row in rows]})
    bare = "\n".join(info.ref.name for info, usable, *_ in rows if usable)
    notes = _to_use(rows) if people else []
    return Report("tokenizers", [Table("Tokenizers", columns, cells, marks, notes)], data, bare=bare)


def _to_use(rows: Sequence[Row]) -> list[str]:
    """The commands that make the others usable, and how to see more columns."""
    ways: dict[str, list[str]] = {}
    for info, usable, command, _, needs in rows:
        if not usable:
            ways.setdefault(command or needs, []).append(info.ref.name)
    notes = [Message("{names}: {reason}", names=tuple(names), reason=way) for way, names in ways.items()]
    return [*notes, Message("more columns, with sources and whole hashes: a wider terminal, or --format csv")]


def _tokenizer_data(row: Row) -> dict[str, Any]:
    info, usable, command, family, needs = row
    return {
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
        "needs": needs or None,
    }


def models_report(
    rows: Sequence[Mapping[str, Any]], version: str, *, people: bool = True, filtered: bool = False
) -> Report:
    """The catalog: each model's tokenizer, context window and output limit; ``people`` as in ``tokenizers_report``.

    ``filtered`` says that these are not all models.
    """
    columns = [
        Column("id", "Model"),
        Column("provider", "Provider"),
        Column("tokenizer", "Tokenizer"),
        *([] if people else [Column("exact", "Count")]),
        Column("context", "Context", "right", ","),
        Column("max_output", "Output", "right", ","),
        Column("checked", "Checked", wide=_WIDE),
        Column("source", "Source", wide=_WIDE),
        Column("aliases", "Aliases", wide=_WIDER),
        Column("note", "Note", wide=_NOT_SHOWN),
    ]
    cells: list[list[Cell]] = []
    for row in rows:
        sign = "" if row["exact"] or not row["tokenizer"] else "≈"
        if people:
            tokenizer: list[Cell] = [f"{sign}{row['tokenizer']}" if row["tokenizer"] else Message("none public")]
        else:
            tokenizer = [row["tokenizer"], None if not row["tokenizer"] else "approximate" if sign else "exact"]
        cells.append(
            [
                *(row["id"], row["provider"], *tokenizer, row["context"], row["max_output"]),
                *(row["checked"], row["source"], " ".join(row["aliases"]), row["note"] or None),
            ]
        )
    dates = sorted({row["checked"] for row in rows})
    checked = Message("{n} models, checked {first}", n=len(rows), first=dates[0])
    if len(dates) > 1:
        checked = Message("{n} models, checked {first} to {last}", n=len(rows), first=dates[0], last=dates[-1])
    notes: list[str] = [checked]
    if any(row["tokenizer"] and not row["exact"] for row in rows):
        notes.append("≈ the model's tokenizer is not public or not confirmed: its counts are approximations")
    if not filtered:
        notes.append("tokaudit models NAME lists those with NAME in their name or provider")
    notes.append("Context and Output are tokens; more columns: a wider terminal, or --format csv")
    data = json_document("models", version, {"models": [dict(row, aliases=list(row["aliases"])) for row in rows]})
    bare = "\n".join(row["id"] for row in rows)
    return Report("models", [Table("Models", columns, cells, {}, notes if people else [])], data, bare=bare)
