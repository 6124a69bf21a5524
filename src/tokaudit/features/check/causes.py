"""The lines of a text that its growth came from."""

from __future__ import annotations

from operator import add

from tokaudit.features.check.types import Cause, CauseKind
from tokaudit.features.diff.types import Compared, TextChange
from tokaudit.model import Span, first_words
from tokaudit.model.message import Message

_WORDS = 48
"""Most code points of an excerpt."""


def causes(compared: Compared) -> list[Cause]:
    """The lines that changed between two versions of a text, those that added most for the first tokenizer first.

    Their deltas sum exactly to that of the document. Changes on the same or on neighbouring lines are one cause.
    """
    found: list[Cause] = []
    moved = [pair.after for pair in compared.segments if pair.status == "moved" and pair.after is not None]
    for change in compared.changes:
        inside = any(part.start <= change.after.start < part.end for part in moved if len(change.after))
        cause = _cause(change, moved=inside)
        last = found[-1] if found else None
        if last is not None and cause.line <= last.end_line + 1:
            deltas = tuple(map(add, last.deltas, cause.deltas))
            kind = last.kind if last.kind == cause.kind else "changed"
            text = max((last, cause), key=lambda one: one.deltas[:1]).text
            found[-1] = Cause(last.line, max(last.end_line, cause.end_line), text, deltas, kind)
        else:
            found.append(cause)
    return sorted(found, key=lambda cause: [-delta for delta in cause.deltas])


def _cause(change: TextChange, *, moved: bool) -> Cause:
    new = change.new
    blank = len(new) - len(new.lstrip())
    # The line end of the line before is often part of what was added after it.
    skip = new.count("\n", 0, blank) if blank < len(new) else 0
    line = (change.line_after or 1) + skip
    if not change.new.strip() and not change.trail and change.lead.endswith("\n"):
        line = max(1, line - 1)  # what was removed stood after the last line
    end = max(line, (change.line_after or 1) + new.rstrip().count("\n"))
    text = _excerpt(change, at_line=skip > 0) if new.strip() else _blank(change)
    if change.page_after is not None:
        text = f"p. {change.page_after}: {text}"
    kind: CauseKind = "moved" if moved else "added" if change.kind == "added" else "changed"
    return Cause(line, end, text, change.delta, kind)


def _excerpt(change: TextChange, *, at_line: bool) -> str:
    """The text now, from the beginning of its line where that is near."""
    _, line_end, lead = change.lead.rpartition("\n")
    within = not at_line and not line_end and change.before.start > len(change.lead)
    text = f"{'' if at_line else lead}{change.new}{change.trail.partition(chr(10))[0]}"
    return ("…" if within else "") + first_words(text, Span(0, len(text)), _WORDS - within)


def _blank(change: TextChange) -> str:
    """The text before, for a change that left none."""
    if not change.old.strip():
        return Message("white space")
    return Message('removed: "{words}"', words=first_words(change.old, Span(0, len(change.old)), _WORDS - 11))
