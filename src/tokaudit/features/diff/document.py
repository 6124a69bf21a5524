"""The document of a comparison: ``--format json`` (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tokaudit.features.diff.types import Compared, DiffResult, Part, SegmentPair, Side, TextChange
from tokaudit.features.documents import by_model, charset_data, json_document
from tokaudit.model import ModelColumn

STATUSES = ("equal", "changed", "added", "removed")
_Row = TypeVar("_Row", SegmentPair, TextChange)


def total_delta(result: DiffResult) -> list[int]:
    width = 1 + max(model.column for model in result.models)
    return [sum(document.delta[column] for document in result.documents) for column in range(width)]


def side_total(sides: Sequence[Side | None], column: int) -> int:
    return sum(side.tokens[column] for side in sides if side is not None)


def by_status(documents: Sequence[Compared]) -> dict[str, int]:
    return {status: sum(document.status == status for document in documents) for status in STATUSES}


def largest(result: DiffResult, deltas: Sequence[Sequence[int]], limit: int | None) -> list[int]:
    """Indices of the largest deltas, the largest first: by the first model, then by the others."""
    columns = [model.column for model in result.models]
    order = sorted(range(len(deltas)), key=lambda at: [-abs(deltas[at][column]) for column in columns])
    return order[:limit]


def listed(result: DiffResult, deltas: Sequence[Sequence[int]]) -> list[int]:
    """Indices for programs: of the largest deltas with ``--top``, in the order of the text."""
    return sorted(largest(result, deltas, result.wanted.top or None))


def data_of(result: DiffResult) -> Mapping[str, Any]:
    """The document of ``--format json``."""
    models, wanted = result.models, result.wanted
    segments = _listed_rows(result, [document.segments for document in result.documents])
    changes = _listed_rows(result, [document.changes for document in result.documents])
    options = {
        "special_tokens": "control" if result.special else "text",
        "by": wanted.by,
        "before": result.before,
        "after": result.after,
    }
    fields = {
        "documents": [
            {
                "path": document.path,
                "status": document.status,
                "before": _side_data(document.before, models),
                "after": _side_data(document.after, models),
                "delta": by_model(document.delta, models),
                "segments": [_segment_data(pair, models) for pair in segments[at]],
                "changes": [_change_data(change, models) for change in changes[at]],
                "segments_changed": None if wanted.by == "file" else len(document.segments),
                "changes_total": len(document.changes) if wanted.changes else None,
            }
            for at, document in enumerate(result.documents)
        ],
        "totals": _totals_data(result),
    }
    return json_document("diff", result.version, fields, options=options, models=models, skipped=result.skipped)


def _listed_rows(result: DiffResult, rows: Sequence[Sequence[_Row]]) -> list[list[_Row]]:
    """The rows of each document that are reported."""
    places = [(at, row) for at, found in enumerate(rows) for row in found]
    rows_of: list[list[_Row]] = [[] for _ in rows]
    for index in listed(result, [row.delta for _, row in places]):
        at, row = places[index]
        rows_of[at].append(row)
    return rows_of


def _totals_data(result: DiffResult) -> dict[str, Any]:
    sides = {
        "before": [document.before for document in result.documents if document.before is not None],
        "after": [document.after for document in result.documents if document.after is not None],
    }
    delta = total_delta(result)
    relative = {}
    for model in result.models:
        before = side_total(sides["before"], model.column)
        relative[model.name] = round(delta[model.column] / before, 4) if before else None
    return {
        "documents": by_status(result.documents),
        **{
            name: {
                "chars": sum(side.chars for side in found),
                "bytes": sum(side.size for side in found),
                "tokens": {model.name: side_total(found, model.column) for model in result.models},
            }
            for name, found in sides.items()
        },
        "delta": by_model(delta, result.models),
        "relative": relative,
    }


def _side_data(side: Side | None, models: Sequence[ModelColumn]) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "path": side.path,
        "kind": side.kind,
        **charset_data(side.charset, side.decoding),
        "sha256": side.sha256,
        "chars": side.chars,
        "bytes": side.size,
        "tokens": by_model(side.tokens, models),
        "segments_total": side.segments_total,
    }


def _segment_data(pair: SegmentPair, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "status": pair.status,
        "before": _part_data(pair.before, models),
        "after": _part_data(pair.after, models),
        "delta": by_model(pair.delta, models),
    }


def _part_data(part: Part | None, models: Sequence[ModelColumn]) -> dict[str, Any] | None:
    if part is None:
        return None
    return {
        "id": part.id,
        "kind": part.kind,
        "label": part.label,
        "start": part.start,
        "end": part.end,
        "line": part.line,
        "page": part.page,
        "chars": part.end - part.start,
        "bytes": part.size,
        "tokens": by_model(part.tokens, models),
    }


def _change_data(change: TextChange, models: Sequence[ModelColumn]) -> dict[str, Any]:
    sides = {
        name: {"start": span.start, "end": span.end, "line": line, "page": page, "text": text}
        for name, span, line, page, text in (
            ("before", change.before, change.line_before, change.page_before, change.old),
            ("after", change.after, change.line_after, change.page_after, change.new),
        )
    }
    return {"kind": change.kind, **sides, "delta": by_model(change.delta, models)}
