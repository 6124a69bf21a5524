from __future__ import annotations

import copy
import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from places import ROOT

SCHEMA = json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
SHA = "0123456789abcdef" * 4
ONE = {"tokens": 5, "tokens_per_char": 0.5, "bytes_per_token": 2.4}

EXAMPLE = {
    "schema_version": "1.0",
    "tool": {"name": "tokaudit", "version": "0.1.0"},
    "command": "count",
    "special_tokens": "text",
    "by": "segment",
    "density_threshold": 0.8,
    "tokenizers": [
        {"model": "gpt-4o", "name": "o200k_base", "backend": "byte-bpe", "sha256": SHA, "exact": True, "error": None},
        {"model": "claude", "name": "claude", "backend": "ctok", "sha256": None, "exact": False, "error": "about 3 %"},
    ],
    "documents": [
        {
            "path": "a.md",
            "kind": "markdown",
            "charset": "utf-8",
            "charset_decided": "detected",
            "charset_alternatives": [],
            "sha256": SHA,
            "chars": 10,
            "bytes": 12,
            "counts": {"gpt-4o": ONE, "claude": ONE},
            "segments_total": 7,
            "segments": [
                {
                    "id": "a.md#paragraph-1",
                    "kind": "paragraph",
                    "label": "退款政策",
                    "start": 0,
                    "end": 10,
                    "line": 1,
                    "page": None,
                    "chars": 10,
                    "bytes": 12,
                    "counts": {"gpt-4o": ONE, "claude": ONE},
                    "share": {"gpt-4o": 1.0, "claude": 0.12},
                    "flags": ["dense", "large"],
                }
            ],
        }
    ],
    "totals": {"documents": 1, "chars": 10, "bytes": 12, "counts": {"gpt-4o": ONE, "claude": ONE}},
    "cheapest": "gpt-4o",
    "dearest": "claude",
    "ratio": 1.19,
    "skipped": [{"what": "b.png", "code": "binary", "reason": "binary file", "hint": None}],
    "findings": [
        {
            "rule": "density",
            "level": "warning",
            "message": "too dense",
            "path": "a.md",
            "place": {"line": 3, "column": None, "page": None, "message": None},
            "measured": 0.9,
            "limit": 0.8,
            "fingerprint": "f1",
        }
    ],
}


def changed(path: str, value: object) -> dict:
    """The example with the value at a dotted path replaced, or its key removed where the value is ``...``."""
    document = copy.deepcopy(EXAMPLE)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    target = document
    for part in parents:
        target = target[part]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return document


def required(value: object, path: str = "") -> list[str]:
    """Dotted path of every named field in the example (models are keys of a mapping, not fields)."""
    if isinstance(value, list):
        return [p for index, item in enumerate(value) for p in required(item, f"{path}{index}/")]
    if not isinstance(value, dict):
        return []
    named = [] if path.endswith(("counts/", "share/")) else [path + key for key in value]
    return named + [p for key, item in value.items() for p in required(item, f"{path}{key}/")]


def test_the_schema_is_valid_and_accepts_the_example():
    Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(EXAMPLE)


@pytest.mark.parametrize("path", required(EXAMPLE))
def test_every_field_is_required(path):
    assert not VALIDATOR.is_valid(changed(path, ...))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema_version", "1.12"),
        ("new_field", {"of": "a later minor version"}),
        ("documents", []),
        ("documents/0/segments", []),
        ("documents/0/charset", None),
        ("documents/0/segments/0/start", None),
        ("documents/0/segments/0/line", None),
        ("cheapest", None),
        ("skipped/0/hint", "convert it"),
        ("ratio", None),
        ("by", "class"),
        ("special_tokens", "control"),
    ],
)
def test_accepted(path, value):
    VALIDATOR.validate(changed(path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema_version", "2.0"),
        ("schema_version", 1.0),
        ("tool/name", "other"),
        ("command", ""),
        ("special_tokens", True),
        ("by", "word"),
        ("by", None),
        ("density_threshold", 0),
        ("tokenizers", []),
        ("tokenizers/0/sha256", None),
        ("tokenizers/0/sha256", "abc"),
        ("tokenizers/0/error", "exact and yet with an error"),
        ("tokenizers/1/error", None),
        ("documents/0/chars", -1),
        ("documents/0/chars", 1.5),
        ("documents/0/sha256", SHA.upper()),
        ("documents/0/charset", ""),
        ("documents/0/counts", {}),
        ("documents/0/counts/gpt-4o", 5),
        ("documents/0/counts/gpt-4o/tokens", "5"),
        ("documents/0/segments/0/line", 0),
        ("documents/0/segments/0/label", ""),
        ("documents/0/segments/0/share/gpt-4o", 1.2),
        ("documents/0/segments/0/flags", ["dense", "dense"]),
        ("ratio", 0.9),
        ("skipped/0/reason", ""),
        ("skipped/0/hint", ""),
        ("findings/0/level", "fatal"),
        ("findings/0/place/line", 0),
    ],
)
def test_refused(path, value):
    assert not VALIDATOR.is_valid(changed(path, value))


def test_another_command_needs_the_envelope_only():
    envelope = {key: EXAMPLE[key] for key in SCHEMA["required"]} | {"command": "another"}
    VALIDATOR.validate(envelope)
    assert not VALIDATOR.is_valid(envelope | {"command": "count"})


def test_every_field_is_documented():
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    names = {path.rsplit("/", 1)[-1] for path in required(EXAMPLE)}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []
