"""The document of ``check --format json`` (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from tokaudit.features.check.figures import difference, growth_text
from tokaudit.features.check.types import Cause, CheckResult, FileRow, Gate, PartGrowth
from tokaudit.features.documents import by_model, json_document
from tokaudit.model import ModelColumn
from tokaudit.model.gates import Before, Budget
from tokaudit.model.prices import Cost, decimal_of

SPECIAL_TOKENS = {"special_tokens": "text"}
"""A gate counts control tokens as text."""


def data_of(result: CheckResult) -> Mapping[str, Any]:
    """The document of ``check``."""
    models, settings = result.models, result.settings
    fields = {
        "outcome": result.outcome,
        "prefix": settings.prefix,
        "before": _before_data(result.before, models),
        "max_growth": growth_text(settings.max_growth),
        "files": [_file_data(row, models, compared=result.before is not None) for row in result.files],
        "budgets": [
            _budget_data(budget, files) for budget, files in zip(settings.budgets, result.matched, strict=True)
        ],
        "gates": [gate_data(gate) for gate in result.gates],
        "cost": _cost_data(result),
    }
    return json_document(
        "check",
        settings.version,
        fields,
        options=SPECIAL_TOKENS,
        models=models,
        skipped=settings.skipped,
        findings=result.findings,
    )


def cause_data(cause: Cause, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "kind": cause.kind,
        "line": cause.line,
        "end_line": cause.end_line,
        "text": cause.text,
        "delta": by_model(cause.deltas, models),
    }


def part_data(part: PartGrowth, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "id": part.id,
        "label": part.label,
        "line": part.line,
        "before": by_model(part.before, models),
        "tokens": by_model(part.now, models),
        "delta": {model.name: part.delta(model.column) for model in models},
    }


def _before_data(before: Before | None, models: Sequence[ModelColumn]) -> dict[str, Any] | None:
    if before is None:
        return None
    return {
        "name": before.name,
        "kind": before.kind,
        "gone": list(before.gone),
        "incomparable": {
            model.name: before.incomparable[model.column] for model in models if model.column in before.incomparable
        },
        "notes": list(before.notes),
    }


def _file_data(row: FileRow, models: Sequence[ModelColumn], *, compared: bool) -> dict[str, Any]:
    file, was = row.file, row.before
    before = None if was is None else by_model(was.tokens, models)
    delta = None
    if before is not None:
        delta = {name: difference(before[name], now) for name, now in by_model(file.tokens, models).items()}
    return {
        "path": file.path,
        "status": row.status,
        "renamed_from": row.renamed_from if compared and row.status == "renamed" else None,
        "sha256": file.sha256,
        "chars": file.chars,
        "tokens": by_model(file.tokens, models),
        "before": before,
        "delta": delta,
        "requests_per_month": row.requests,
        "parts": [part_data(part, models) for part in row.parts],
        "causes": [cause_data(cause, models) for cause in row.causes],
    }


def _budget_data(budget: Budget, files: int) -> dict[str, Any]:
    return {
        "paths": list(budget.paths),
        "max_tokens": dict(sorted(budget.max_tokens.items())),
        "max_growth": {model: growth_text(growth) for model, growth in sorted(budget.max_growth.items())},
        "max_density": budget.max_density,
        "window": budget.window,
        "total": budget.total,
        "segment": budget.segment or None,
        "role": budget.role or None,
        "warn_at": budget.warn_at,
        "requests_per_month": budget.requests_per_month,
        "note": budget.note or None,
        "line": budget.line,
        "files": files,
    }


def gate_data(gate: Gate) -> dict[str, Any]:
    """A gate."""
    return {
        "rule": gate.rule,
        "level": gate.level,
        "path": gate.path,
        "what": gate.what or None,
        "model": gate.model.name,
        "before": gate.before,
        "measured": gate.measured,
        "limit": gate.limit,
        "allowed": None if gate.allowed is None else growth_text(gate.allowed),
        "budget": gate.budget,
        "files": gate.files,
        "line": gate.line,
    }


def _cost_data(result: CheckResult) -> dict[str, Any] | None:
    """Tokens and money a month; the numbers are those nearest to the exact decimal amounts."""
    if not result.monthly:
        return None
    return {
        "currency": result.settings.currency,
        "models": {
            name: {
                "tokens": month.now,
                "delta": month.delta,
                "currency": None if month.price is None else month.price.currency,
                "price": _number(month.price),
                "cost": _number(month.cost),
                "cost_delta": _number(month.more),
            }
            for name, month in result.monthly.items()
        },
    }


def _number(cost: Cost | None) -> float | None:
    if cost is None:
        return None
    number = float(decimal_of(cost.total))
    return number if isfinite(number) else None  # JSON has no infinity
