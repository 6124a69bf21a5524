"""What a count found, as tables for people and as the document of ``--format json`` (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tokaudit.features.count.evaluate import SPREAD, Counted, Part, Wanted, all_classes, part_key
from tokaudit.features.count.page_table import page_table
from tokaudit.features.documents import json_document
from tokaudit.model import Cell, Column, ModelColumn, Report, Skipped, Table

TABLE_ROWS = 40
"""Rows of parts that a table for people shows unless ``--top`` says otherwise."""


@dataclass(frozen=True, slots=True)
class CountResult:
    """All that a run of ``count`` found."""

    models: Sequence[ModelColumn]
    documents: Sequence[Counted]
    skipped: Sequence[Skipped]
    wanted: Wanted
    special: bool
    version: str


def report(result: CountResult, *, people: bool) -> Report:
    """The report of a run.

    Args:
        result: What was found.
        people: Whether tables are to be read rather than parsed. For people they have totals and notes, and show at
            most ``TABLE_ROWS`` parts unless asked for more; for programs their shape depends on the options only.
    """
    totals = _totals(result)
    chosen = _chosen_documents(result)
    skipped = [*result.skipped, *(item for document in result.documents for item in document.skipped)]
    parts = result.wanted.by != "file"
    tables = []
    if not people:
        tables = [_part_table(result, totals, people=False) if parts else _parsed_documents(result, chosen)]
    else:
        if not parts or len(result.documents) > 1:
            tables.append(_document_table(result, chosen, totals))
        if not parts and len(result.documents) == 1:
            pages = page_table(result.documents[0], result.models[0].name)
            tables += [pages] if pages is not None else []
        if parts:
            tables.append(_part_table(result, totals, people=True))
    first = _of(totals, result.models[0])
    return Report("count", tables, _data(result, chosen, totals, skipped), (), skipped, str(first))


def _chosen_documents(result: CountResult) -> Sequence[Counted]:
    """The documents to list: with ``--by file`` they are what ``--sort`` and ``--top`` are about."""
    wanted = result.wanted
    if wanted.by != "file":
        return result.documents
    documents = list(result.documents)
    if wanted.sort == "name":
        documents.sort(key=lambda document: document.path)
    elif wanted.sort == "chars":
        documents.sort(key=lambda document: -document.chars)
    elif wanted.sort == "tokens":
        documents.sort(key=lambda document: -max(document.tokens))
    elif wanted.sort == "density":
        documents.sort(key=lambda document: -_density(max(document.tokens), document.chars))
    return documents[: wanted.top] if wanted.top else documents


def _totals(result: CountResult) -> list[int]:
    width = 1 + max(model.column for model in result.models)
    return [sum(document.tokens[column] for document in result.documents) for column in range(width)]


def _of(tokens: Sequence[int], model: ModelColumn) -> int:
    return tokens[model.column]


def _extremes(result: CountResult, totals: Sequence[int]) -> tuple[str | None, str | None, float | None]:
    """The cheapest and dearest model and the ratio between them; None where there is nothing to compare."""
    if len({model.column for model in result.models}) < 2 or not any(totals):
        return None, None, None
    cheapest = min(result.models, key=lambda model: _of(totals, model))
    dearest = max(result.models, key=lambda model: _of(totals, model))
    low = _of(totals, cheapest)
    return cheapest.name, dearest.name, round(_of(totals, dearest) / low, 3) if low else None


def _count(tokens: int, model: ModelColumn) -> Cell:
    """A count as a cell: text with the sign of approximation where it is one."""
    return tokens if model.ref.exact else f"≈{tokens:,}"


def _density(tokens: int, chars: int) -> float:
    return tokens / chars if chars else 0.0


def _parsed_documents(result: CountResult, chosen: Sequence[Counted]) -> Table:
    """The documents for programs: the same columns for one as for many, and no total among the rows."""
    columns = [
        Column("path", "File"),
        Column("kind", "Kind"),
        Column("charset", "Charset"),
        Column("chars", "Chars", "right", ","),
        Column("bytes", "Bytes", "right", ","),
        *(Column(model.name, model.name, "right", ",") for model in result.models),
    ]
    rows: list[list[Cell]] = [
        [
            *(document.path, document.kind, document.charset or None, document.chars, document.size),
            *(_of(document.tokens, model) for model in result.models),
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


def _document_table(result: CountResult, chosen: Sequence[Counted], totals: Sequence[int]) -> Table:
    notes = _notes(result, totals)
    if len(chosen) < len(result.documents):
        notes = [f"{len(chosen)} of {len(result.documents):,} shown; --top 0 for all", *notes]
    if len(result.documents) == 1:
        return _model_table(result, result.documents[0], notes)
    columns = [Column("path", "File"), Column("chars", "Chars", "right", ",")]
    columns += [Column(model.name, model.name, "right", ",") for model in result.models]
    rows: list[list[Cell]] = []
    for document in chosen:
        counts = [_count(_of(document.tokens, model), model) for model in result.models]
        rows.append([document.path, document.chars, *counts])
    chars = sum(document.chars for document in result.documents)
    what = "inputs" if any(document.path.startswith("<") for document in result.documents) else "files"
    total = f"total ({len(result.documents):,} {what})"
    rows.append([total, chars, *(_count(_of(totals, model), model) for model in result.models)])
    marks = {(len(rows) - 1, column): "total" for column in range(len(columns))}
    cheapest, dearest, _ = _extremes(result, totals)
    for at, model in enumerate(result.models):
        if model.name in {cheapest, dearest} and cheapest != dearest:
            marks[len(rows) - 1, at + 2] = "cheap" if model.name == cheapest else "dear"
    return Table("Tokens by file", columns, rows, marks, notes, key="documents")


def _model_table(result: CountResult, document: Counted, notes: Sequence[str]) -> Table:
    """One document: a row for each model."""
    cheapest, dearest, _ = _extremes(result, document.tokens)
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
        tokens = _of(document.tokens, model)
        per_token = document.size / tokens if tokens else 0.0
        rows.append([model.name, _count(tokens, model), _density(tokens, document.chars), per_token, model.ref.name])
        if model.name in {cheapest, dearest} and cheapest != dearest:
            marks[at, 1] = "cheap" if model.name == cheapest else "dear"
    what = ", ".join(filter(None, [document.kind, document.charset]))
    title = f"{document.path} ({what}): {document.chars:,} characters, {document.size:,} bytes"
    return Table(title, columns, rows, marks, notes, key="documents")


def _notes(result: CountResult, totals: Sequence[int]) -> list[str]:
    notes = []
    cheapest, dearest, ratio = _extremes(result, totals)
    if cheapest == dearest and cheapest is not None:
        notes.append("all models: the same number of tokens")
    elif cheapest is not None and ratio is not None:
        times = f"{ratio:.2f} times as many tokens" if ratio >= 1.01 else "less than 1% more tokens"
        notes.append(f"cheapest {cheapest}, dearest {dearest}: {times}")
    notes += [f"≈ {model.name}: {model.ref.error}" for model in result.models if not model.ref.exact]
    if result.special:
        notes.append("control tokens in the text are counted as control tokens (--special)")
    elif control := next(filter(None, (document.control for document in result.documents)), ""):
        notes.append(f"control tokens in the text, such as {control}, are counted as ordinary text; see --special")
    skipped = len(result.skipped) + sum(len(document.skipped) for document in result.documents)
    if skipped:
        notes.append(f"skipped: {skipped:,}, see below")
    return notes


def selected(result: CountResult, limit: int) -> list[Part]:
    """The parts to show: of all documents, in the order asked for, at most ``limit`` (0 for all)."""
    if result.wanted.by in SPREAD:
        parts, limit = all_classes(result.documents), result.wanted.top or 0
    else:
        parts = [part for document in result.documents for part in document.parts]
    if result.wanted.sort != "order":
        parts.sort(key=lambda part: part_key(part, result.wanted.sort))
    return parts[:limit] if limit else parts


def _part_table(result: CountResult, totals: Sequence[int], *, people: bool) -> Table:
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
    columns += [Column(model.name, model.name, "right", ",") for model in result.models]
    columns += [Column("tokens_per_char", "Tok/char", "right", ".2f"), Column("share", "Share", "right", ".1%")]
    if not people:
        columns += [Column("flags", "Flags")]
        return _marked_special(result, Table(f"Tokens by {wanted.by}", columns, rows, key="segments"))
    marks = {(at, column): "high" for at, part in enumerate(parts) if part.flags for column in range(len(columns))}
    title = f"Tokens by {wanted.by}"
    notes = [*_furniture_notes(result, totals), *_comment_notes(result, totals), *_part_notes(result, parts)]
    if len(result.documents) == 1:
        document = result.documents[0]
        title = f"{document.path}: {title[0].lower()}{title[1:]}"
        total: list[Cell] = [document.chars, *(_count(_of(totals, model), model) for model in result.models)]
        densest = max(_of(totals, model) for model in result.models)
        rows.append(["total", *total, _density(densest, document.chars), None])
        marks |= {(len(rows) - 1, column): "total" for column in range(len(columns))}
        notes = [*_notes(result, totals), *notes]
    return Table(title, columns, rows, marks, notes, key="segments")


def _part_notes(result: CountResult, parts: Sequence[Part]) -> list[str]:
    notes = []
    total = sum(document.parts_total for document in result.documents)
    if result.wanted.by in SPREAD:
        total = len(all_classes(result.documents))
    if len(parts) < total:
        notes.append(f"{len(parts)} of {total:,} shown; --top N for more, 0 for all")
    if len(result.models) > 1:
        notes.append(f"Tok/char is the densest model's, Share is of {result.models[0].name}")
    flags = {flag for part in parts for flag in part.flags}
    if "dense" in flags:
        notes.append(f"! after Tok/char: above {result.wanted.density_threshold:g} tokens a character")
    if "large" in flags:
        notes.append("! after Share: at least 10%, and four times the average of the other parts")
    return notes


_FURNITURE = {"running": "running lines", "number": "page numbers", "watermark": "watermark"}
_OTHER = {"body": "body", "table": "tables", "footnote": "footnotes", "vertical": "vertical text"}


def _furniture_notes(result: CountResult, totals: Sequence[int]) -> list[str]:
    """What the parts of PDF files that are not body cost, for the first model."""
    if result.wanted.by == "kind":
        return []  # the table says so
    column = result.models[0].column
    sums: dict[str, int] = {}
    for document in result.documents:
        if document.kind != "pdf":
            continue
        for kind, tokens in document.by_kind.items():
            sums[kind] = sums.get(kind, 0) + tokens[column]
    if not sums:
        return []
    total = totals[column]

    def told(names: Mapping[str, str]) -> list[str]:
        return [
            f"{name} {sums[kind]:,}{f' ({sums[kind] / total:.1%})' if total else ''}"
            for kind, name in names.items()
            if kind in sums
        ]

    furniture, other = told(_FURNITURE), told(_OTHER)
    of_model = f" (tokens of {result.models[0].name})" if len(result.models) > 1 else ""
    notes = [f"furniture{of_model}: {', '.join(furniture) or 'none found'}"]
    return [*notes, f"content{of_model}: {', '.join(other)}"] if other else notes


def _comment_notes(result: CountResult, totals: Sequence[int]) -> list[str]:
    """What the comments of templates cost in the file, for the first model."""
    first = result.models[0]
    templates = [document for document in result.documents if document.kind == "template" and document.by_kind]
    if not templates:
        return []
    comments = sum(document.by_kind.get("comment", (0,) * (first.column + 1))[first.column] for document in templates)
    if not comments:
        return []
    of_model = f" (tokens of {first.name})" if len(result.models) > 1 else ""
    return [f"template comments{of_model}: {comments:,} ({comments / totals[first.column]:.1%}), never sent to a model"]


def _numbers(part: Part, result: CountResult, *, people: bool) -> tuple[list[Cell], float, float]:
    """Characters and tokens of each model, then the density of the densest and the share for the first model."""
    densest = max((_of(part.tokens, model) for model in result.models), default=0)
    counts = [_count(_of(part.tokens, model), model) if people else _of(part.tokens, model) for model in result.models]
    return [part.chars, *counts], _density(densest, part.chars), part.share[result.models[0].column]


def _people_row(part: Part, result: CountResult) -> list[Cell]:
    """A row that is narrow: line or page stand before the label, and a flag behind the number that it is about."""
    numbers, density, share = _numbers(part, result, people=True)
    label = placed(part.label, part.line, part.page, part.kind)
    dense = f"{density:.2f} !" if "dense" in part.flags else density
    large = f"{share:.1%} !" if "large" in part.flags else share
    return [label, *numbers, dense, large]


def placed(label: str, line: int | None, page: int | None, kind: str) -> str:
    """A label with its line or page before it; of what is not the body of a page, also what it is."""
    if page is not None:
        return f"p. {page}: {label}" if kind in {"body", "line", "page"} else f"p. {page}, {kind}: {label}"
    return label if line is None else f"{line}: {label}"


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


def _counts(tokens: Sequence[int], chars: int, size: int, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        model.name: {
            "tokens": _of(tokens, model),
            "tokens_per_char": round(_density(_of(tokens, model), chars), 4),
            "bytes_per_token": round(size / _of(tokens, model), 4) if _of(tokens, model) else 0.0,
        }
        for model in models
    }


def _data(
    result: CountResult, documents: Sequence[Counted], totals: Sequence[int], skipped: Sequence[Skipped]
) -> Mapping[str, Any]:
    """The document of ``--format json``."""
    models = result.models
    cheapest, dearest, ratio = _extremes(result, totals)
    chosen = _chosen_parts(result)
    chars = sum(document.chars for document in result.documents)
    size = sum(document.size for document in result.documents)
    options = {
        "special_tokens": "control" if result.special else "text",
        "by": result.wanted.by,
        "density_threshold": result.wanted.density_threshold,
    }
    fields = {
        "documents": [
            {
                "path": document.path,
                "kind": document.kind,
                "charset": document.charset or None,
                "sha256": document.sha256,
                "chars": document.chars,
                "bytes": document.size,
                "counts": _counts(document.tokens, document.chars, document.size, models),
                "segments_total": document.parts_total,
                "segments": [_part_data(part, models) for part in chosen[at]],
            }
            for at, document in enumerate(documents)
        ],
        "totals": {
            "documents": len(result.documents),
            "chars": chars,
            "bytes": size,
            "counts": _counts(totals, chars, size, models),
        },
        "cheapest": cheapest,
        "dearest": dearest,
        "ratio": ratio,
    }
    return json_document("count", result.version, fields, options=options, models=models, skipped=skipped)


def _chosen_parts(result: CountResult) -> list[Sequence[Part]]:
    """The parts of each document that are to be told, in the order asked for."""
    if result.wanted.by in SPREAD:  # each document's own, since those of all documents together are no document's
        sort, top = result.wanted.sort, result.wanted.top or None
        return [sorted(document.parts, key=lambda part: part_key(part, sort))[:top] for document in result.documents]
    if not result.wanted.top and result.wanted.sort == "order":
        return [document.parts for document in result.documents]
    kept = {id(part) for part in selected(result, result.wanted.top or 0)}
    chosen = []
    for document in result.documents:
        parts = [part for part in document.parts if id(part) in kept]
        parts.sort(key=lambda part: part_key(part, result.wanted.sort))
        chosen.append(parts)
    return [list(parts) for parts in chosen]


def _part_data(part: Part, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "id": part.id,
        "kind": part.kind,
        "label": part.label,
        "start": part.start,
        "end": part.end,
        "line": part.line,
        "page": part.page,
        "chars": part.chars,
        "bytes": part.size,
        "counts": _counts(part.tokens, part.chars, part.size, models),
        "share": {model.name: round(part.share[model.column], 4) for model in models},
        "flags": list(part.flags),
        **({} if part.box is None else {"box": [round(side, 2) for side in part.box], "sha256": part.sha256}),
    }
