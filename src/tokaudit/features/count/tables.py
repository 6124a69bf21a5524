"""The tables of a count: for people, and with columns that depend on the options only, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokaudit.features.count.figures import density, extremes, selected
from tokaudit.features.count.notes import comment_notes, document_notes, furniture_notes, part_notes
from tokaudit.features.count.types import SPREAD, Counted, CountResult, Part
from tokaudit.features.documents import by_model
from tokaudit.features.model_columns import TABLE_ROWS, count_columns, placed
from tokaudit.model import Cell, Column, ModelColumn, Table


def parsed_documents(result: CountResult, chosen: Sequence[Counted]) -> Table:
    """The documents for programs: the same columns for one as for many, and no total among the rows."""
    columns = [
        Column("path", "File"),
        Column("kind", "Kind"),
        Column("charset", "Charset"),
        Column("chars", "Chars", "right", ","),
        Column("bytes", "Bytes", "right", ","),
        *count_columns(result.models),
    ]
    rows: list[list[Cell]] = [
        [
            *(document.path, document.kind, document.charset or None, document.chars, document.size),
            *(document.tokens[model.column] for model in result.models),
        ]
        for document in chosen
    ]
    return _marked_special(result, Table("Tokens by file", columns, rows, key="documents"))


def _marked_special(result: CountResult, table: Table) -> Table:
    """A table for programs, whose rows say so where control tokens are counted as such (``--special``)."""
    if not result.special:
        return table
    columns = [*table.columns, Column("special_tokens", "Control tokens")]
    return replace(table, columns=columns, rows=[[*row, "control"] for row in table.rows])


def document_table(result: CountResult, chosen: Sequence[Counted], totals: Sequence[int]) -> Table:
    notes = document_notes(result, totals)
    if len(chosen) < len(result.documents):
        notes = [f"{len(chosen)} of {len(result.documents):,} shown; --top 0 for all", *notes]
    if len(result.documents) == 1:
        return _model_table(result, result.documents[0], notes)
    columns = [Column("path", "File"), Column("chars", "Chars", "right", ",")]
    columns += count_columns(result.models)
    rows: list[list[Cell]] = []
    for document in chosen:
        counts = [model.cell(document.tokens[model.column]) for model in result.models]
        rows.append([document.path, document.chars, *counts])
    chars = sum(document.chars for document in result.documents)
    what = "inputs" if any(document.path.startswith("<") for document in result.documents) else "files"
    total = f"total ({len(result.documents):,} {what})"
    rows.append([total, chars, *(model.cell(totals[model.column]) for model in result.models)])
    marks = {(len(rows) - 1, column): "total" for column in range(len(columns))}
    cheapest, dearest, _ = extremes(result, totals)
    for at, model in enumerate(result.models):
        if model.name in {cheapest, dearest} and cheapest != dearest:
            marks[len(rows) - 1, at + 2] = "cheap" if model.name == cheapest else "dear"
    return Table("Tokens by file", columns, rows, marks, notes, key="documents")


def _model_table(result: CountResult, document: Counted, notes: Sequence[str]) -> Table:
    """One document: a row for each model."""
    cheapest, dearest, _ = extremes(result, document.tokens)
    columns = [
        Column("model", "Model"),
        Column("tokens", "Tokens", "right", ","),
        Column("tokens_per_char", "Tokens/char", "right", ".3f"),
        Column("bytes_per_token", "Bytes/token", "right", ".2f"),
        Column("tokenizer", "Tokenizer"),
    ]
    rows: list[list[Cell]] = []
    marks = {}
    for at, model in enumerate(result.models):
        tokens = document.tokens[model.column]
        per_token = document.size / tokens if tokens else 0.0
        rows.append([model.name, model.cell(tokens), density(tokens, document.chars), per_token, model.ref.name])
        if model.name in {cheapest, dearest} and cheapest != dearest:
            marks[at, 1] = "cheap" if model.name == cheapest else "dear"
    what = ", ".join(filter(None, [document.kind, document.decoding.described(document.charset)]))
    title = f"{document.path} ({what}): {document.chars:,} characters, {document.size:,} bytes"
    return Table(title, columns, rows, marks, notes, key="documents")


def part_table(result: CountResult, totals: Sequence[int], *, people: bool) -> Table:
    wanted = result.wanted
    limit = wanted.top if wanted.top is not None else TABLE_ROWS if people else 0
    parts = selected(result, limit)
    several = len(result.documents) > 1 and wanted.by not in SPREAD
    rows = [_people_row(part, result) if people else _parsed_row(part, result) for part in parts]
    # The columns for programs depend on the options only, never on how many files there are.
    located = several or (not people and wanted.by not in SPREAD)
    if located:
        rows = [[part.id.partition("#")[0], *row] for part, row in zip(parts, rows, strict=True)]
    columns = [Column("path", "File")] if located else []
    if not people:
        columns += [Column("id", "Id"), Column("kind", "Kind"), Column("line", "Line", "right", "d")]
        columns += [Column("page", "Page", "right", "d")]
    columns += [Column("label", wanted.by.capitalize()), Column("chars", "Chars", "right", ",")]
    columns += count_columns(result.models)
    columns += [Column("tokens_per_char", "Tok/char", "right", ".2f"), Column("share", "Share", "right", ".1%")]
    if not people:
        columns += [Column("flags", "Flags")]
        return _marked_special(result, Table(f"Tokens by {wanted.by}", columns, rows, key="segments"))
    marks = {(at, column): "high" for at, part in enumerate(parts) if part.flags for column in range(len(columns))}
    title = f"Tokens by {wanted.by}"
    notes = [*furniture_notes(result, totals), *comment_notes(result, totals), *part_notes(result, parts)]
    if len(result.documents) == 1:
        document = result.documents[0]
        title = f"{document.path}: {title[0].lower()}{title[1:]}"
        total: list[Cell] = [document.chars, *(model.cell(totals[model.column]) for model in result.models)]
        densest = max(totals[model.column] for model in result.models)
        rows.append(["total", *total, density(densest, document.chars), None])
        marks |= {(len(rows) - 1, column): "total" for column in range(len(columns))}
        notes = [*document_notes(result, totals), *notes]
    return Table(title, columns, rows, marks, notes, key="segments")


def _numbers(part: Part, result: CountResult, *, people: bool) -> tuple[list[Cell], float, float]:
    """Characters and tokens of each model, then the density of the densest and the share for the first model."""
    densest = max((part.tokens[model.column] for model in result.models), default=0)
    tokens = by_model(part.tokens, result.models).values()
    counts = map(ModelColumn.cell, result.models, tokens) if people else tokens
    return [part.chars, *counts], density(densest, part.chars), part.share[result.models[0].column]


def _people_row(part: Part, result: CountResult) -> list[Cell]:
    """A row that is narrow: line or page stand before the label, and a flag behind the number that it is about."""
    numbers, density, share = _numbers(part, result, people=True)
    label = placed(part.label, part.line, part.page, part.kind)
    dense = f"{density:.2f} !" if "dense" in part.flags else density
    large = f"{share:.1%} !" if "large" in part.flags else share
    return [label, *numbers, dense, large]


def _parsed_row(part: Part, result: CountResult) -> list[Cell]:
    numbers, density, share = _numbers(part, result, people=False)
    return [
        part.id,
        part.kind,
        part.line,
        part.page,
        part.label,
        *numbers,
        round(density, 4),
        round(share, 4),
        " ".join(part.flags),
    ]
