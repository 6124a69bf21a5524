"""JSON and templates that no rule touches, with the reason: the meaning of what is not plain JSON is not certain."""

from __future__ import annotations

from typing import Any

from tokaudit.model import Skipped
from tokaudit.pipeline.spans.template_tags import find_tags


class _NotPlainError(ValueError):
    """Something that the ``json`` module accepts although it is ambiguous."""


def left_alone(path: str, text: str, kind: str) -> list[Skipped]:
    """One entry for a JSON document, lines of JSON or a template that no rule touches; none if it is plain."""
    if kind == "template":
        tags, whole = find_tags(text)
        at = 1 if whole else text.count("\n", 0, tags[-1].start) + 1
        reason = "left as it is from here on: not a valid Jinja template"
        return [] if whole else [Skipped(f"{path}:{at}", reason, code="invalid-template")]
    if kind == "json":
        reason = _reason(text)
        return [Skipped(path, f"left as it is: {reason}", code="invalid-json")] if reason else []
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        reason = _reason(line, number) if line.strip() else ""
        if reason:
            found.append((number, reason))
    if not found:
        return []
    number, reason = found[0]
    more = f"; and {len(found) - 1:,} more lines" if len(found) > 2 else "; and one more line" if len(found) > 1 else ""
    return [Skipped(f"{path}:{number}", f"left as it is: {reason}{more}", code="invalid-json")]


def _reason(text: str, line: int = 1) -> str:
    """The reason why a text is no plain JSON; empty if it is."""
    import json

    if not text.strip():
        return ""
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=_constant)
    try:
        decoder.decode(text)
    except json.JSONDecodeError as error:
        place = f"{line + error.lineno - 1}:{error.colno}"
        return f"a second value at {place}" if error.msg == "Extra data" else f"not valid JSON at {place}"
    except _NotPlainError as error:
        return str(error)
    except RecursionError:
        return "nested too deeply"
    return ""


def _object(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            shown = key if len(key) <= 40 else key[:39] + "…"
            raise _NotPlainError(f"the key {shown!r} stands twice")
        seen.add(key)


def _constant(name: str) -> None:
    raise _NotPlainError(f"{name} is no value of JSON")
