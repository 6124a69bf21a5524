"""Figures of a whole run: totals, the models with the fewest and the most tokens, the parts to show."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.features.count.merge import all_classes
from tokaudit.features.count.parts import part_key
from tokaudit.features.count.types import SPREAD, CountResult, Part


def totals_of(result: CountResult) -> list[int]:
    width = 1 + max(model.column for model in result.models)
    return [sum(document.tokens[column] for document in result.documents) for column in range(width)]


def extremes(result: CountResult, totals: Sequence[int]) -> tuple[str | None, str | None, float | None]:
    """The cheapest and dearest model and the ratio between them; None where there is nothing to compare."""
    # Requests differ by model where the tokenizer is one; texts do not.
    requests = any(document.request for document in result.documents)
    different = {model.column if requests else (model.ref.name, model.ref.sha256) for model in result.models}
    if len(different) < 2 or not any(totals):
        return None, None, None
    cheapest = min(result.models, key=lambda model: totals[model.column])
    dearest = max(result.models, key=lambda model: totals[model.column])
    low = totals[cheapest.column]
    return cheapest.name, dearest.name, round(totals[dearest.column] / low, 3) if low else None


def density(tokens: int, chars: int) -> float:
    return tokens / chars if chars else 0.0


def fertility(tokens: int, words: int) -> float | None:
    """Tokens for each word; None where there is no word."""
    return round(tokens / words, 4) if words else None


def selected(result: CountResult, limit: int) -> list[Part]:
    """The parts to show: of all documents, in the order asked for, at most ``limit`` (0 for all)."""
    if result.wanted.by in SPREAD:
        parts, limit = all_classes(result.documents, in_order=result.wanted.by == "turn"), result.wanted.top or 0
    else:
        parts = [part for document in result.documents for part in document.parts]
    if result.wanted.sort != "order":
        parts.sort(key=lambda part: part_key(part, result.wanted.sort))
    return parts[:limit] if limit else parts
