"""The tokens of two versions of a text, whole, by segment, and by change.

Each version is encoded once, whole, as in ``count``. A token belongs to the segment in which its first byte lies, and
segments are paired, so that the deltas of all pairs sum exactly to the delta of the document.

For the changes both versions are cut at the middles of the equal stretches between them: every change owns a window,
in both versions, in which it is the only one. Its delta is the tokens that start in its window after minus those
before. So the deltas of the changes sum exactly to the delta of the document too, and where merging across the edge of
a change moved a token boundary in unchanged text, that is counted for the nearest change, which is what moved it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import sub
from typing import Literal

from tokaudit.features.count.divisions import byte_offsets
from tokaudit.features.diff.pairing import paired
from tokaudit.features.diff.text_diff import Change, changes_of
from tokaudit.features.diff.types import By, Compared, Part, SegmentPair, Side, TextChange, Wanted
from tokaudit.model import Document, Encoding, Segments, Tokenizer

_AROUND = 24
"""Code points of unchanged text that are kept on each side of a change."""


def compare(
    path: str,
    before: Document | None,
    after: Document | None,
    tokenizers: Sequence[Tokenizer],
    wanted: Wanted,
) -> Compared:
    """Compare two versions of a document, None for one that does not exist, reported as ``path``.

    Raises ``TokenizerError`` where a tokenizer cannot say where its tokens are, and segments or changes are wanted.
    """
    documents = (before, after)
    old, new = ("" if document is None else document.text for document in documents)
    divisions = tuple(_division(document, path, wanted.by) for document in documents)
    places = wanted.by != "file" or wanted.changes
    if old == new or not places:
        counted = {text: tuple(tokenizer.count(text) for tokenizer in tokenizers) for text in {old, new}}
        return Compared(
            path=path,
            status=_status(*documents),
            before=_side(before, counted[old], divisions[0]),
            after=_side(after, counted[new], divisions[1]),
            delta=_delta(counted[old], counted[new]),
        )
    changes = changes_of(old, new)
    windows = _windows(changes)
    totals, of_segments, of_windows = [], [], []
    for text, division, cuts in zip((old, new), divisions, windows, strict=True):
        utf8 = None if text.isascii() else text.encode()
        offsets = byte_offsets(text, utf8, division.starts), byte_offsets(text, utf8, cuts)
        rows = [_within(tokenizer.encoding(text), *offsets) for tokenizer in tokenizers]  # one encoding at a time
        totals.append(tuple(row[0] for row in rows))
        of_segments.append([row[1] for row in rows])
        of_windows.append([row[2] for row in rows])
    return Compared(
        path=path,
        status=_status(*documents),
        before=_side(before, totals[0], divisions[0]),
        after=_side(after, totals[1], divisions[1]),
        delta=_delta(*totals),
        segments=list(_segment_pairs(divisions, changes, of_segments)) if wanted.by != "file" else (),
        changes=list(_text_changes(documents, changes, of_windows)) if wanted.changes else (),
        texts=(old, new) if wanted.texts else ("", ""),
    )


def _within(
    encoding: Encoding, segments: Sequence[int], windows: Sequence[int]
) -> tuple[int, Sequence[int], Sequence[int]]:
    return len(encoding), encoding.within(segments), encoding.within(windows)


def _division(document: Document | None, path: str, by: By) -> Segments:
    if document is None or by == "file":
        return Segments(path, "" if document is None else document.text, (), ("file",))
    return document.segments if by == "segment" else document.sections


def _status(before: Document | None, after: Document | None) -> Literal["equal", "changed", "added", "removed"]:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    return "equal" if before.sha256 == after.sha256 else "changed"


def _side(document: Document | None, tokens: tuple[int, ...], division: Segments) -> Side | None:
    if document is None:
        return None
    size = len(document.text) if document.text.isascii() else len(document.text.encode())
    return Side(
        path=document.path,
        kind=document.kind,
        charset=document.charset,
        sha256=document.sha256,
        chars=len(document.text),
        size=size,
        tokens=tokens,
        segments_total=len(division),
        decoding=document.decoding,
    )


def _delta(before: Sequence[int], after: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(sub, after, before))


def _windows(changes: Sequence[Change]) -> tuple[list[int], list[int]]:
    """Start of the window of each change, in both texts: the middle of the equal text before it."""
    before, after = [0], [0]
    for last, change in pairwise(changes):
        half = (change.before.start - last.before.end) // 2
        before.append(last.before.end + half)
        after.append(last.after.end + half)
    return before, after


def _segment_pairs(
    divisions: Sequence[Segments], changes: Sequence[Change], tokens: Sequence[Sequence[Sequence[int]]]
) -> Iterator[SegmentPair]:
    """The pairs that differ in text or tokens."""
    before, after = divisions
    for status, i, j in paired(before, after, changes):
        old = tuple(0 if i is None else int(column[i]) for column in tokens[0])
        new = tuple(0 if j is None else int(column[j]) for column in tokens[1])
        if status != "equal" or old != new:
            yield SegmentPair(status, _part(before, i, old), _part(after, j, new), _delta(old, new))


def _part(division: Segments, index: int | None, tokens: tuple[int, ...]) -> Part | None:
    if index is None:
        return None
    segment = division[index]
    span = segment.span
    size = len(division.text[span.start : span.end].encode())
    place = segment.place
    return Part(
        id=segment.id,
        kind=segment.kind,
        label=segment.label,
        start=span.start,
        end=span.end,
        line=place.line,
        page=place.page,
        size=size,
        tokens=tokens,
    )


def _text_changes(
    documents: tuple[Document | None, Document | None],
    changes: Sequence[Change],
    tokens: Sequence[Sequence[Sequence[int]]],
) -> Iterator[TextChange]:
    old, new = ("" if document is None else document.text for document in documents)
    lines_before, pages_before = _places(documents[0], [change.before.start for change in changes])
    lines_after, pages_after = _places(documents[1], [change.after.start for change in changes])
    for at, change in enumerate(changes):
        start, end = change.before.start, change.before.end
        low = max(start - _AROUND, changes[at - 1].before.end if at else 0)
        high = min(end + _AROUND, changes[at + 1].before.start if at + 1 < len(changes) else len(old))
        yield TextChange(
            kind=change.kind(old, new),
            before=change.before,
            after=change.after,
            line_before=lines_before[at],
            line_after=lines_after[at],
            page_before=pages_before[at],
            page_after=pages_after[at],
            old=old[start:end],
            new=new[change.after.start : change.after.end],
            lead=old[low:start],
            trail=old[end:high],
            delta=_delta([int(column[at]) for column in tokens[0]], [int(column[at]) for column in tokens[1]]),
        )


def _places(document: Document | None, offsets: Sequence[int]) -> tuple[Sequence[int | None], Sequence[int | None]]:
    """The lines, and the pages, of the ascending offsets; a document has the one or the other."""
    none = [None] * len(offsets)
    if document is None or document.kind != "pdf":
        return _lines(document, offsets), none
    page, at = 1, 0
    pages = []
    for offset in offsets:
        page += document.text.count("\f", at, offset)
        at = offset
        pages.append(page)
    return none, pages


def _lines(document: Document | None, offsets: Sequence[int]) -> list[int]:
    """The line of the file at each of the ascending offsets."""
    if document is None:
        return [1] * len(offsets)
    gaps = iter([*document.gaps, (len(document.text) + 1, 0)])
    gap, missing = next(gaps)
    line, at = document.first_line, 0
    lines = []
    for offset in offsets:
        line += document.text.count("\n", at, offset)
        at = offset
        while gap <= offset:
            line += missing
            gap, missing = next(gaps)
        lines.append(line)
    return lines
