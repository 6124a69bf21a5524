"""JSON and fenced code within a text: facts of several lines, which no line shows.

The ledger compares windows, of one line mostly. What an edit does to a value in JSON or to code of many lines is seen
only where the whole of it is compared, so that is done for those that edits are in.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from tokaudit.model.edits import Edit
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.windows import Accepted, Window, apply_window
from tokaudit.pipeline.facts.values import Fact, code_value, json_value
from tokaudit.pipeline.spans.find import SpanMatch, Spans

_KINDS = frozenset(("json", "fence"))


def may_change(rule: Rule) -> bool:
    """True if a rule enters JSON or code without declaring that it removes it."""
    return bool(rule.enters & _KINDS) and not rule.removes >= {"json", "code"}


def windows_changed(
    rule: Rule, text: str, spans: Spans, passing: Sequence[Window], passed: Sequence[Edit], accepted: Accepted
) -> dict[int, list[Fact]]:
    """The values of JSON and code that edits would change, by the start of each window that has such an edit.

    Args:
        rule: Whose edits they are; what it removes on purpose does not count.
        text: Before all edits of the stage.
        spans: Of the text.
        passing: Windows in order, with the edits in question.
        passed: Other edits of the rule, which have passed already.
        accepted: The edits of other rules in the stage.
    """
    edits = [*passed, *(edit for window in passing for edit in window.edits)]
    found: dict[int, list[Fact]] = {}
    starts = [window.start for window in passing]
    for fact in _changed(rule, text, spans, edits, accepted):
        first = max(0, bisect_left(starts, fact.start) - 1)
        for window in passing[first : bisect_left(starts, fact.end)]:
            if any(span_meets(fact, edit) for edit in window.edits):
                found.setdefault(window.start, []).append(fact)
    return found


def _changed(rule: Rule, text: str, spans: Spans, edits: Iterable[Edit], accepted: Accepted) -> Iterator[Fact]:
    """The facts that stretches of JSON and code are, where they are others with some edits than without."""
    for span, inside in _entered(spans, sorted(edits)):
        window = Window(span.start, span.end, [])
        there = [_clipped(edit, span) for edit in accepted.within(span.start, span.end) if span_meets(span, edit)]
        old = apply_window(text, window, there)
        kind = _kind(old, span.kind)
        if not kind or kind in rule.removes or (span.kind == "fence" and "code" in rule.removes):
            continue
        new = apply_window(text, window, sorted([*there, *(_clipped(edit, span) for edit in inside)]))
        value = _value(old, kind, span.kind)
        if value != _value(new, kind, span.kind):
            yield Fact(span.start, span.end, kind, value)


def _entered(spans: Spans, edits: Sequence[Edit]) -> Iterator[tuple[SpanMatch, list[Edit]]]:
    """The stretches of JSON and code that edits are in, with those edits."""
    starts = [edit.start for edit in edits]
    for span in spans.of(*_KINDS):
        first, last = max(0, bisect_left(starts, span.start) - 1), bisect_right(starts, span.end)
        inside = [edit for edit in edits[first:last] if span_meets(span, edit)]
        if inside:
            yield span, inside


def span_meets(span: SpanMatch | Fact, edit: Edit) -> bool:
    """True if an edit changes something of a stretch, or puts something into it."""
    if edit.start == edit.end:
        return span.start < edit.start < span.end
    return edit.start < span.end and edit.end > span.start


def _clipped(edit: Edit, span: SpanMatch) -> Edit:
    """The part of an edit within a stretch; text inserted before the stretch is not part of it."""
    start, end, new = edit
    return Edit(max(start, span.start), min(end, span.end), new if start >= span.start else "")


def _kind(text: str, span: str) -> str:
    """The kind of fact that a stretch is; empty for what looks like JSON and is none."""
    if span == "fence":
        return "json" if _is_json(_body(text)) else "code"
    return "json" if _is_json(text) else ""


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except RecursionError:  # too deep for the parser, and whole all the same
        return True
    except ValueError:
        return False
    return True


def _body(fence: str) -> str:
    lines = fence.rstrip().split("\n")
    return "\n".join(lines[1:-1] if len(lines) > 2 else lines[1:])


def _value(text: str, kind: str, span: str) -> str:
    if span == "fence":
        return json_value(_body(text)) if kind == "json" else code_value(text)
    return json_value(text)
