"""``--format json``: the versioned document of docs/formats.md, for programs."""

from __future__ import annotations

import json
import re

from tokaudit.model import Report

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def render(report: Report, *, width: int, color: bool, ascii_only: bool = False) -> str:
    """The report's ``data``, indented by two spaces, keys in the order of the documentation.

    Args:
        report: What a command found.
        width: Not used: lines are as long as their strings.
        color: Not used.
        ascii_only: Escape every character outside ASCII; the document stays the same.

    Raises:
        ValueError: ``data`` holds a number that JSON cannot carry, such as NaN.
    """
    del width, color
    return encoded(report.data, indent=2, ascii_only=ascii_only) + "\n"


def encoded(value: object, *, indent: int | None, ascii_only: bool) -> str:
    """A JSON text that can always be written as UTF-8: a path that is not Unicode keeps its bytes as escapes."""
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, indent=indent)
    # A str holds no surrogate pair, so what is left are halves, which only an escape can carry.
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
