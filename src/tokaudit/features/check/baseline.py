"""The report of a baseline: its entries for people and programs, and its document (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokaudit.features.check.document import SPECIAL_TOKENS
from tokaudit.features.check.figures import counted, files_of
from tokaudit.features.documents import by_model, json_document
from tokaudit.features.model_columns import count_columns
from tokaudit.model import Cell, Column, ModelColumn, Report, Table
from tokaudit.model.gates import Baseline, MeasuredPart
from tokaudit.model.message import Message, as_message, joined


def baseline_report(
    baseline: Baseline,
    models: Sequence[ModelColumn],
    *,
    people: bool,
    name: str = "tokaudit-baseline.json",
    version: str = "",
) -> Report:
    """The report of a baseline.

    Args:
        baseline: Its content.
        models: The models to show; ``column`` is the place of their tokenizers in ``baseline.tokenizers``.
        people: True for tables to be read, which have the names of models that were asked for; false for programs.
        name: Of the baseline's file.
        version: Of tokaudit.
    """
    columns = [Column("path", "File"), Column("chars", "Chars", "right", ",")]
    figures = count_columns(models)
    data = _data(baseline, models, name, version)
    if not people:
        rows: list[list[Cell]] = [
            [file.path, file.chars, *(file.tokens[model.column] for model in models), file.sha256]
            for file in baseline.files
        ]
        files = Table("Files", [*columns, *figures, Column("sha256", "SHA-256")], rows, key="files")
        tables = [files, _parts(baseline, models, figures)]
        return Report("baseline", tables, data, (), baseline.skipped, rows=_rows(baseline, models))
    if len(baseline.models) == len(baseline.tokenizers):  # else two of them have one tokenizer
        models = [replace(model, name=baseline.models[model.column]) for model in models]
    columns[2:] = count_columns(models)
    shown: list[list[Cell]] = [
        [file.path, file.chars, *(_counted(file.tokens[model.column], model) for model in models)]
        for file in baseline.files
    ]
    total: list[Cell] = [
        Message("total ({files})", files=files_of(len(shown))),
        sum(file.chars for file in baseline.files),
    ]
    for model in models:
        known = [file.tokens[model.column] for file in baseline.files]
        total.append(None if None in known else _counted(sum(count or 0 for count in known), model))
    several = [total] if len(shown) > 1 else []
    marks = {(len(shown), at): "total" for at in range(len(total))} if several else {}
    about = [
        Message(
            "{names}: vocabulary {sha256}",
            names=" = ".join(dict.fromkeys([model.name, model.ref.name])),
            sha256=model.ref.sha256[:12],
        )
        if model.ref.exact
        else Message("≈ {model}: {error}", model=model.name, error=as_message(model.ref.error))
        for model in models
    ]
    title = joined(": ", name, files_of(len(shown)))
    table = Table(title, columns, [*shown, *several], marks, about, key="files")
    return Report("baseline", [table], data, (), baseline.skipped)


def _counted(tokens: int | None, model: ModelColumn) -> Cell:
    return None if tokens is None else counted(tokens, model)


def _parts(baseline: Baseline, models: Sequence[ModelColumn], figures: Sequence[Column]) -> Table:
    named = [Column(key, key) for key in ("path", "id", "kind", "label")]
    rows: list[list[Cell]] = [
        [file.path, part.id, part.kind, part.label, part.chars, *(part.tokens[model.column] for model in models)]
        for file in baseline.files
        for part in file.parts
    ]
    return Table("Parts", [*named, Column("chars", "Chars", "right", ","), *figures], rows, key="parts")


def _part_data(part: MeasuredPart, models: Sequence[ModelColumn]) -> Mapping[str, Any]:
    return {
        "id": part.id,
        "kind": part.kind,
        "label": part.label,
        "level": part.level or None,
        "line": part.line,
        "chars": part.chars,
        "tokens": by_model(part.tokens, models),
    }


def _data(baseline: Baseline, models: Sequence[ModelColumn], name: str, version: str) -> Mapping[str, Any]:
    fields = {
        "name": name,
        "files": [
            {
                "path": file.path,
                "sha256": file.sha256,
                "chars": file.chars,
                "tokens": by_model(file.tokens, models),
                "parts": [_part_data(part, models) for part in file.parts],
                "roles": [_part_data(role, models) for role in file.roles],
            }
            for file in baseline.files
        ],
    }
    return json_document("baseline", version, fields, options=SPECIAL_TOKENS, models=models, skipped=baseline.skipped)


def _rows(baseline: Baseline, models: Sequence[ModelColumn]) -> Table:
    """A row for each file, each followed by one for each of its parts; then skipped inputs."""
    names = ("path", "id", "kind", "label", "chars", *(model.name for model in models), "sha256")
    rows: list[list[Cell]] = []
    for file in baseline.files:
        counts = [file.tokens[model.column] for model in models]
        rows.append([file.path, None, "file", None, file.chars, *counts, file.sha256])
        for part in file.parts:
            counts = [part.tokens[model.column] for model in models]
            rows.append([file.path, part.id, part.kind, part.label, part.chars, *counts, None])
    none = [None] * (len(models) + 2)
    rows += [[item.what, None, "skipped", item.reason, *none] for item in baseline.skipped]
    return Table("Baseline", [Column(name, name) for name in names], rows, key="baseline")
