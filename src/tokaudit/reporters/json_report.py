"""``--format json``: the versioned document of docs/formats.md, for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from tokaudit.model import Report

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def render(report: Report, *, ascii_only: bool) -> str:
    """The report's ``data``, indented by two spaces, keys in the order of the documentation.

    Raises:
        ValueError: ``data`` holds a number that JSON cannot carry, such as NaN.
    """
    return _LONE_SURROGATE.sub(_escaped, _pretty(report.data, 0, ascii_only=ascii_only)) + "\n"


_DEEPEST = 4
"""Depth from which on a value stands on one line: a segment, of which a document has many."""


def _pretty(value: object, depth: int, *, ascii_only: bool) -> str:
    """The value with its outer levels indented; the library indents all levels, and slowly, or none."""
    if depth >= _DEEPEST or not value or not isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    inner = "  " * (depth + 1)
    if isinstance(value, Mapping):
        parts = [
            f"{json.dumps(key, ensure_ascii=ascii_only)}: {_pretty(item, depth + 1, ascii_only=ascii_only)}"
            for key, item in value.items()
        ]
        opening, closing = "{}"
    else:
        parts = [_pretty(item, depth + 1, ascii_only=ascii_only) for item in value]
        opening, closing = "[]"
    separator = ",\n" + inner
    return f"{opening}\n{inner}{separator.join(parts)}\n{'  ' * depth}{closing}"


def encoded(value: object, *, indent: int | None, ascii_only: bool) -> str:
    """A JSON text that can always be written as UTF-8: a path that is not Unicode keeps its bytes as escapes."""
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, indent=indent)
    # A str holds no surrogate pair, so what is left are halves, which only an escape can carry.
    return _LONE_SURROGATE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
