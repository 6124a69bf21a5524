"""The text of a comparison with its changes marked, in hunks of lines: what ``--word-diff`` shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from tokaudit.features.diff.types import TextChange
from tokaudit.model.message import Message
from tokaudit.model.record import record

Mark = Literal["", "-", "+", "…"]
Piece = tuple[Mark, str]
"""A text that is in both versions, removed, or added; or a place where unchanged text is left out."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LONG = 160
"""Code points of a line of unchanged text above which its middle is left out."""


@record
class Hunk:
    """Changes that are near to each other, with lines of unchanged text around them."""

    place: str
    """Of its first change, before and after: lines, or pages of a PDF."""
    delta: tuple[int, ...]
    """Of all its changes together, in the order of the tokenizers."""
    pieces: Sequence[Piece]
    """In the order of the text; what stands in the place of something follows it."""


def hunks(before: str, changes: Sequence[TextChange], context: int) -> Iterator[Hunk]:
    """All changes of the older text, which ascend, in hunks with ``context`` lines of unchanged text around each."""
    group: list[TextChange] = []
    until = 0
    for change in changes:
        near = change.before.start < until or until == len(before)  # a long line is not searched for each change
        if group and not near and _line_start(before, change.before.start, context) > until:
            yield _hunk(before, group, context)
            group = []
        if not group or until < len(before):
            until = _line_end(before, change, context)
        group.append(change)
    if group:
        yield _hunk(before, group, context)


def _hunk(before: str, changes: Sequence[TextChange], context: int) -> Hunk:
    at = _line_start(before, changes[0].before.start, context)
    pieces: list[Piece] = []
    for change in changes:
        pieces += _unchanged(before[at : change.before.start])
        pieces += [("-", change.old)] if change.old else []
        pieces += [("+", change.new)] if change.new else []
        at = change.before.end
    pieces += _unchanged(before[at : _line_end(before, changes[-1], context)])
    delta = tuple(map(sum, zip(*(change.delta for change in changes), strict=True)))
    return Hunk(_place(changes[0]), delta, pieces)


def _place(change: TextChange) -> str:
    if change.page_before is None and change.page_after is None:
        return Message("line {before} → {after}", before=change.line_before, after=change.line_after)
    if change.page_before is not None and change.page_after is not None:
        return Message("page {before} → {after}", before=change.page_before, after=change.page_after)
    before, after = (
        Message("line {line}", line=line) if page is None else Message("page {page}", page=page)
        for line, page in ((change.line_before, change.page_before), (change.line_after, change.page_after))
    )
    return Message("{before} → {after}", before=before, after=after)


def _line_start(text: str, at: int, context: int) -> int:
    """Start of the line that is ``context`` lines before the one at a place."""
    for _ in range(context + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _line_end(text: str, change: TextChange, context: int) -> int:
    """End of the line that is ``context`` lines after a change."""
    at = change.before.end
    ended = (change.old or change.new).endswith("\n")
    for _ in range(context + (not ended)):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at


def _unchanged(text: str) -> Iterator[Piece]:
    for line in _LINE.findall(text):
        if len(line) <= _LONG:
            yield "", line
        else:
            yield "", line[: _LONG // 2]
            yield "…", line[_LONG // 2 : -_LONG // 2]
            yield "", line[-_LONG // 2 :]
