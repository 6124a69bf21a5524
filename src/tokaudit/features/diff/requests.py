"""Compare two versions of requests as they are billed: message by message, tools, media and framing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import sub

from tokaudit.features.count.contents import as_json
from tokaudit.features.count.types import Counted
from tokaudit.features.count.types import Part as Counting
from tokaudit.features.diff.pairing import paired
from tokaudit.features.diff.text_diff import changes_of
from tokaudit.features.diff.types import Compared, Part, SegmentPair, Side, Wanted
from tokaudit.model import Document, Segments
from tokaudit.model.request import TRANSCRIPT


def holds_requests(document: Document | None) -> bool:
    """True for a document that is counted as requests."""
    return document is not None and bool(document.requests) and document.requests[0].form != TRANSCRIPT


def compare_requests(
    path: str, before: Document, after: Document, counted: tuple[Counted, Counted], wanted: Wanted
) -> Compared:
    """Compare two documents of requests; the deltas of all pairs sum exactly to that of what is billed.

    Args:
        path: As the pair is reported.
        before: The older version.
        after: The newer version.
        counted: Both by segment.
        wanted: Options; changes of the text are not reported, since framing is no text of the file.
    """
    sides = tuple(map(_side, (before, after), counted))
    return Compared(
        path=path,
        status="equal" if before.sha256 == after.sha256 else "changed",
        before=sides[0],
        after=sides[1],
        delta=tuple(map(sub, counted[1].tokens, counted[0].tokens)),
        segments=list(_pairs(before, after, counted)) if wanted.by != "file" else (),
    )


def _side(document: Document, counted: Counted) -> Side:
    return Side(
        path=document.path,
        kind=document.kind,
        charset=document.charset,
        sha256=document.sha256,
        chars=counted.chars,
        size=counted.size,
        tokens=counted.tokens,
        segments_total=counted.parts_total,
        decoding=document.decoding,
    )


def _pairs(before: Document, after: Document, counted: tuple[Counted, Counted]) -> Iterator[SegmentPair]:
    """The messages by what they say; tools, media and framing by their names."""
    messages = [[part for part in one.parts if part.kind == "message"] for one in counted]
    said = [_said(document, parts) for document, parts in zip((before, after), messages, strict=True)]
    for status, old, new in paired(said[0], said[1], changes_of(said[0].text, said[1].text)):
        pair = (
            None if old is None else messages[0][old],
            None if new is None else messages[1][new],
        )
        if status != "equal" or (pair[0] and pair[1] and pair[0].tokens != pair[1].tokens):
            yield _pair(status, *pair)
    others = [{part.id: part for part in one.parts if part.kind != "message"} for one in counted]
    for name in {**others[0], **others[1]}:
        old_part, new_part = others[0].get(name), others[1].get(name)
        if old_part is None or new_part is None or old_part.tokens != new_part.tokens:
            yield _pair(
                "added" if old_part is None else "removed" if new_part is None else "changed", old_part, new_part
            )


def _said(document: Document, parts: Sequence[Counting]) -> Segments:
    """The texts of the messages one after the other, each ended by a newline, as segments."""
    texts = []
    for request in document.requests:
        for message in request.messages:
            calls = [content.name + content.text for content in message.contents]
            texts.append(f"{message.role}\n{''.join(calls) or as_json(message.path)}\n")
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text)
    labels = [part.label for part in parts]
    return Segments(document.path, "".join(texts), starts, ("message",), labels=labels, lines=[1] * len(texts))


def _pair(status: object, old: Counting | None, new: Counting | None) -> SegmentPair:
    zero = (0,) * len((old or new).tokens)  # type: ignore[union-attr]
    delta = tuple(map(sub, new.tokens if new else zero, old.tokens if old else zero))
    return SegmentPair(status, _part(old), _part(new), delta)  # type: ignore[arg-type]


def _part(part: Counting | None) -> Part | None:
    if part is None:
        return None
    return Part(
        id=part.id,
        kind=part.kind,
        label=part.label,
        start=0,
        end=part.chars,
        line=part.line,
        size=part.size,
        tokens=part.tokens,
    )
