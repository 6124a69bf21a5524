"""JSON and templates that no rule touches, with the reason: the meaning of what is not plain JSON is not certain."""

from __future__ import annotations

from tokaudit.model import Skipped
from tokaudit.model.message import Message
from tokaudit.pipeline.spans.keyed_text import values_of
from tokaudit.pipeline.spans.keyed_values import BrokenError
from tokaudit.pipeline.spans.template_tags import find_tags
from tokaudit.pipeline.views.json_values import not_plain


def left_alone(path: str, text: str, kind: str) -> list[Skipped]:
    """One entry for a JSON document, lines of JSON or a template that no rule touches; none if it is plain."""
    if kind == "template":
        tags, whole = find_tags(text)
        at = 1 if whole else text.count("\n", 0, tags[-1].start) + 1
        why = Message("left as it is from here on: not a valid Jinja template")
        return [] if whole else [Skipped(f"{path}:{at}", why, code="invalid-template")]
    if kind in {"yaml", "toml"}:
        try:
            values_of(text, kind)
        except BrokenError as broken:
            place = f"{path}:{broken.line}:{broken.column}"
            why = Message("left as it is: not valid {kind}: {reason}", kind=kind.upper(), reason=broken.reason)
            return [Skipped(place, why, code="invalid-keyed")]
        return []
    if kind == "json":
        reason = not_plain(text) if text.strip() else ""
        return [Skipped(path, Message("left as it is: {reason}", reason=reason), code="invalid-json")] if reason else []
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        reason = not_plain(line, number) if line.strip() else ""
        if reason:
            found.append((number, reason))
    if not found:
        return []
    number, reason = found[0]
    more = (
        Message("; and {n:,} more lines", n=len(found) - 1)
        if len(found) > 2
        else Message("; and one more line")
        if len(found) > 1
        else ""
    )
    return [
        Skipped(
            f"{path}:{number}", Message("left as it is: {reason}{more}", reason=reason, more=more), code="invalid-json"
        )
    ]
