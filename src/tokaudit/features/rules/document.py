"""Rules and packs as JSON has them (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.model.rules import Pack, Rule
from tokaudit.pipeline.engine.rule_scope import PROSE_KINDS


def pack_data(pack: Pack) -> dict[str, Any]:
    """A pack as JSON has it: what identifies it."""
    return {
        "name": pack.name,
        "version": pack.version,
        "title": pack.title,
        "path": pack.path,
        "sha256": pack.sha256,
        "extends": [base.name for base in pack.extends],
    }


def rule_data(rule: Rule, pack: Pack) -> dict[str, Any]:
    """A rule as JSON has it; the parameters of its op are in ``parameters``."""
    return {
        "id": rule.id,
        "pack": pack.name,
        "title": rule.title,
        "why": rule.why,
        "not_when": rule.not_when or None,
        "class": rule.rule_class,
        "default": rule.default,
        "stage": rule.stage,
        "langs": list(rule.langs),
        "kinds": list(rule.kinds or PROSE_KINDS),
        "enters": sorted(rule.enters),
        "avoids": sorted(rule.avoids),
        "guard": rule.guard,
        "removes": sorted(rule.removes),
        "saves": rule.saves or None,
        "op": rule.op,
        "parameters": {key: _plain(value) for key, value in rule.values.items()},
        "examples": [
            {
                "in": example.before,
                "out": example.after,
                "same": example.before == example.after,
                "todo": example.todo,
                "kind": example.kind or None,
            }
            for example in rule.examples
        ],
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
