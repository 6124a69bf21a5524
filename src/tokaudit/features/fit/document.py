"""The document of a fitted conversation: ``--format json`` (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.features.documents import json_document
from tokaudit.features.fit.types import Dropped, FitRun, FittedRequest, Measured
from tokaudit.features.turns import slot_of
from tokaudit.model.request import Request

PARTS = ("prompt", "summary", "facts", "turns", "rest")
"""Parts of a request: the system prompt and examples, slots, turns, and what belongs to no message."""


def parts_of(request: Request, turns: list[int], measured: Measured) -> dict[str, int]:
    """Tokens of each part; they sum to the total."""
    parts = dict.fromkeys(PARTS, 0)
    for turn, message, tokens in zip(turns, request.messages, measured.messages, strict=True):
        parts["turns" if turn else slot_of(message) or "prompt"] += tokens
    parts["rest"] = measured.rest
    return parts


def data_of(run: FitRun, *, with_text: bool) -> Mapping[str, Any]:
    """The document; with the fitted text where it is not written elsewhere."""
    fields: dict[str, Any] = {
        "path": run.path,
        "requests": [_request_data(item) for item in run.requests],
        "totals": {
            "requests": len(run.requests),
            "changed": sum(item.plan.changed for item in run.requests),
            "before": sum(item.plan.before.total for item in run.requests),
            "after": sum(item.plan.after.total for item in run.requests),
        },
    }
    if with_text:
        fields["text"] = run.text
        fields["dropped_text"] = run.dropped_text
    options = {"slots": sorted(run.slots)}
    return json_document("fit", run.version, fields, options=options, models=run.models, skipped=run.skipped)


def _request_data(item: FittedRequest) -> dict[str, Any]:
    plan = item.plan
    return {
        "id": item.id,
        "line": item.line,
        "form": item.form,
        "model": item.model.name,
        "window": item.window,
        "reserve": item.reserve,
        "budget": item.goal.budget,
        "keep_last": item.goal.keep_last,
        "top_k": item.goal.top_k,
        "tokens": {"before": plan.before.total, "after": plan.after.total},
        "turns": {
            "before": max(plan.turns, default=0),
            "after": len({turn for at, turn in enumerate(plan.turns) if turn and at not in plan.gone}),
        },
        "dropped": [_dropped_data(row) for row in plan.dropped],
    }


def _dropped_data(row: Dropped) -> dict[str, Any]:
    return {
        "turn": row.turn,
        "role": row.role,
        "path": row.path,
        "reason": row.reason,
        "tokens": row.tokens,
        "head": row.head,
    }
