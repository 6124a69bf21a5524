"""The results of a run of ``slim``, and their document of ``--format json`` (docs/formats.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tokaudit.features.documents import by_model, charset_data, json_document
from tokaudit.features.slim.types import Choice, Goal, SelectHint, Slimmed
from tokaudit.model import Finding, ModelColumn, Skipped
from tokaudit.model.edits import Delta, Silenced
from tokaudit.model.record import record
from tokaudit.model.rules import LANGUAGES, Pack
from tokaudit.pipeline.engine.changes import changes


@record(kw_only=True)
class SlimRun:
    """The results of a run of ``slim``."""

    models: Sequence[ModelColumn]
    documents: Sequence[Slimmed]
    packs: Sequence[Pack]
    """Those that were used for any document, with those that they extend."""
    skipped: Sequence[Skipped]
    choice: Choice
    goal: Goal | None
    version: str
    with_texts: bool = False
    """True to put the documents' texts and changes into the report."""
    more: SelectHint | None = None
    """For people; None where it is not worth a line, or was not looked for."""

    @property
    def saves(self) -> bool:
        """True if a text would change."""
        return self.shorter > 0

    @property
    def shorter(self) -> int:
        """Documents that would change."""
        return sum(document.result.text != document.result.before for document in self.documents)

    @property
    def met(self) -> bool:
        """True if every document meets the goal, or there is none."""
        return all(document.met is not False for document in self.documents)


def sums(run: SlimRun, side: str) -> list[int]:
    """The tokens of all documents for each tokenizer, ``tokens_before`` or ``tokens_after``."""
    width = len(run.documents[0].result.tokens_before)
    return [sum(getattr(document.result, side)[column] for document in run.documents) for column in range(width)]


def share(before: int, after: int) -> float:
    """The part that was saved; 0 of nothing."""
    return (before - after) / before if before else 0.0


def merged_deltas(documents: Sequence[Slimmed]) -> list[Delta]:
    """The rules' deltas of all documents together, in the order in which the rules first stand."""
    found: dict[str, Delta] = {}
    for document in documents:
        for delta in document.result.deltas:
            known = found.get(delta.rule)
            found[delta.rule] = delta if known is None else added_deltas(known, delta)
    return list(found.values())


def added_deltas(one: Delta, other: Delta) -> Delta:
    """The outcome of one rule on two texts together."""
    return Delta(
        rule=one.rule,
        matches=one.matches + other.matches,
        applied=one.applied + other.applied,
        refused=one.refused + other.refused,
        undone=one.undone + other.undone,
        saved=tuple(map(sum, zip(one.saved, other.saved, strict=True))),
        refused_cost=tuple(map(sum, zip(one.refused_cost, other.refused_cost, strict=True))),
        timed_out=one.timed_out or other.timed_out,
        late=one.late or other.late,
        silenced=_silenced_in_all(one.silenced, other.silenced),
    )


def _silenced_in_all(one: Sequence[Silenced], other: Sequence[Silenced]) -> list[Silenced]:
    edits: dict[str, int] = {}
    for item in (*one, *other):
        edits[item.word] = edits.get(item.word, 0) + item.edits
    return [Silenced(word, number) for word, number in edits.items()]


def data_of(run: SlimRun, findings: Sequence[Finding]) -> Mapping[str, Any]:
    """The document of ``--format json``."""
    options = {
        "classes": list(run.choice.classes),
        "select": list(run.choice.select),
        "ignore": list(run.choice.ignore),
        "goal": None if run.goal is None else {"budget": run.goal.budget, "target": run.goal.target},
    }
    fields = {
        "packs": [{"name": pack.name, "version": pack.version, "sha256": pack.sha256} for pack in run.packs],
        "documents": [_document(item, run) for item in run.documents],
        "totals": {
            "documents": len(run.documents),
            "counts": _counts(sums(run, "tokens_before"), sums(run, "tokens_after"), run.models),
            "rules": [_delta(delta, run.models) for delta in merged_deltas(run.documents)],
        },
    }
    return json_document(
        "slim", run.version, fields, options=options, models=run.models, skipped=run.skipped, findings=findings
    )


def _document(document: Slimmed, run: SlimRun) -> dict[str, Any]:
    result = document.result
    data: dict[str, Any] = {
        "path": document.path,
        "kind": document.source.kind,
        **charset_data(document.source.charset, document.source.decoding),
        "languages": [lang for lang in LANGUAGES if lang in document.source.langs],
        "packs": list(document.source.packs),
        "classes": list(document.classes),
        "met": document.met,
        "sha256_before": _sha256(result.before),
        "sha256_after": _sha256(result.text),
        "chars_before": len(result.before),
        "chars_after": len(result.text),
        "counts": _counts(result.tokens_before, result.tokens_after, run.models),
        "rules": [_delta(delta, run.models) for delta in result.deltas],
        "ledger": {
            "whole": result.ledger.whole,
            "before": dict(result.ledger.before),
            "after": dict(result.ledger.after),
            "removed": dict(result.ledger.removed),
            "undone": [
                {"rule": item.rule, "kind": item.kind, "fact": item.fact, "line": item.line}
                for item in result.ledger.lost
            ],
        },
    }
    if run.with_texts:
        data["text"] = result.text
        data["changes"] = [
            {"start": change.start, "end": change.end, "text": change.text, "rules": list(change.rules)}
            for change in changes(result.before, result.steps)
        ]
    return data


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _counts(before: Sequence[int], after: Sequence[int], models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        model.name: {
            "before": before[model.column],
            "after": after[model.column],
            "saved": before[model.column] - after[model.column],
            "share": round(share(before[model.column], after[model.column]), 4),
        }
        for model in models
    }


def _delta(delta: Delta, models: Sequence[ModelColumn]) -> dict[str, Any]:
    return {
        "rule": delta.rule,
        "matches": delta.matches,
        "applied": delta.applied,
        "refused": delta.refused,
        "undone": delta.undone,
        "saved": by_model(delta.saved, models),
        "refused_cost": by_model(delta.refused_cost, models),
        "timed_out": delta.timed_out,
        "silenced": [
            {"word": item.word, "edits": item.edits, **({"line": item.line} if item.line else {})}
            for item in delta.silenced
        ],
    }
