"""Files of keys and values, also those that are no tables of texts."""

from __future__ import annotations

import json

import pytest

from tokaudit.model import InputError
from tokaudit.sources.key_values import fact_lines, key_values

TENFOLD = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "when:\n  2024-01-01: {true: x}\n"),
        ("a.toml", "[when]\n2024-01-01 = {True = 'x'}\n"),
        ("a.json", '{"when": {"2024-01-01": {"True": "x"}}}'),
    ],
)
def test_keys_are_texts_at_every_level(name: str, text: str) -> None:
    values = key_values(text, name)
    assert json.dumps(values) == '{"when": {"2024-01-01": {"True": "x"}}}'
    assert fact_lines(values) == "when.2024-01-01.True: x"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.yaml", "a: &x [*x]\n", "nested too deeply"),
        ("a.yaml", "a: &x\n  b: *x\n", "nested too deeply"),
        ("a.yaml", "a: " + "[" * 5000 + "]" * 5000, "not valid YAML"),
        ("a.toml", "a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("a.json", '{"a": ' + "[" * 200 + "]" * 200 + "}", "nested too deeply"),
        ("a.yaml", TENFOLD, "too many values"),
    ],
)
def test_values_without_end_are_refused(name: str, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        key_values(text, name)
