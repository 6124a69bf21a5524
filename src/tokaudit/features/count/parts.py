"""The tokens of the parts of a document, and which of the parts are kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import sub

from tokaudit.features.count.types import Classes, Part, Sort, Wanted
from tokaudit.model import Document, Encoding, Segment, Segments

Columns = Sequence[Sequence[int]]
"""For each tokenizer the tokens of every part: lists, or arrays where the text is large."""
FLAGGED_CHARS = 20
"""A part of fewer characters is never flagged: a lone brace is one token a character, which means nothing."""
_MANY_PARTS = 1 << 16
"""Parts from which on numpy pays for its import."""
LARGE_SHARE, LARGE_FACTOR = 0.1, 4
"""A part is flagged ``large`` from a tenth of the document's tokens on, if that is four times what the other parts have
on average."""


def shares(tokens: Sequence[int], totals: Sequence[int]) -> tuple[float, ...]:
    """The part of the document's tokens, 0 to 1, for each tokenizer."""
    return tuple(count / total if total else 0.0 for count, total in zip(tokens, totals, strict=True))


def parts_of(
    division: Segments,
    offsets: Sequence[int],
    columns: Columns,
    totals: tuple[int, ...],
    wanted: Wanted,
    classes: Classes,
) -> list[Part]:
    chosen: Sequence[int] = range(len(division))
    if wanted.top and wanted.top < len(division):
        chosen = _first_parts(division, columns, wanted.top, wanted.sort)
    parts = [_part(division[at], offsets[at + 1] - offsets[at], columns, at, totals, wanted) for at in chosen]
    if wanted.words:
        text = division.text
        parts = [replace(part, words=classes.words_of(text[part.start : part.end])) for part in parts]
    return _with_places(division, chosen, parts) if division.boxes else parts


def _with_places(division: Segments, chosen: Sequence[int], parts: Sequence[Part]) -> list[Part]:
    """Parts of a PDF with their places on the pages and the hashes of their texts."""
    from hashlib import sha256

    return [
        replace(part, box=division.boxes[at], sha256=sha256(division.text[part.start : part.end].encode()).hexdigest())
        for at, part in zip(chosen, parts, strict=True)
    ]


def _part(segment: Segment, size: int, columns: Columns, at: int, totals: tuple[int, ...], wanted: Wanted) -> Part:
    tokens = tuple(int(column[at]) for column in columns)
    share = shares(tokens, totals)
    chars = len(segment.span)
    flags = []
    if chars >= FLAGGED_CHARS:
        if max(tokens) / chars > wanted.density_threshold:
            flags.append("dense")
        if is_large(max(share), len(columns[0])):
            flags.append("large")
    return Part(
        id=segment.id,
        kind=segment.kind,
        label=segment.label,
        start=segment.span.start,
        end=segment.span.end,
        line=segment.place.line,
        page=segment.place.page,
        chars=chars,
        size=size,
        tokens=tokens,
        share=share,
        flags=tuple(flags),
    )


def spread_part(
    identity: str,
    kind: str,
    label: str,
    chars: int,
    size: int,
    tokens: tuple[int, ...],
    totals: Sequence[int],
    words: int | None = None,
) -> Part:
    """A part of a ``SPREAD`` division, which has no place."""
    return Part(
        id=identity,
        kind=kind,
        label=label,
        start=None,
        end=None,
        line=None,
        chars=chars,
        size=size,
        tokens=tokens,
        share=shares(tokens, totals),
        words=words,
    )


def with_base64(parts: Sequence[Part], spans: Sequence[tuple[int, int]]) -> list[Part]:
    """The parts, those flagged ``base64`` in which some stands; both ascending or not."""
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    return [
        replace(part, flags=(*part.flags, "base64"))
        if part.start is not None
        and part.end is not None
        and bisect_right(ends, part.start) < bisect_left(starts, part.end)
        else part
        for part in parts
    ]


def is_large(share: float, parts: int) -> bool:
    """True where a part's share is out of proportion to that of the other parts of the document."""
    return parts > 1 and share >= LARGE_SHARE and share * (parts - 1) >= LARGE_FACTOR * (1 - share)


def _first_parts(division: Segments, columns: Columns, top: int, sort: Sort) -> Sequence[int]:
    """The ``top`` parts that come first by ``sort``, in the order of the text."""
    if sort == "order":
        return range(top)
    if sort == "name":
        return sorted(sorted(range(len(division)), key=lambda at: division[at].label)[:top])
    if len(division) < _MANY_PARTS:
        from heapq import nlargest

        most = list(map(max, *columns)) if len(columns) > 1 else columns[0]
        values: Sequence[float] = most
        if sort != "tokens":
            chars = list(map(sub, [*division.starts[1:], len(division.text)], division.starts))
            values = list(map(partial(_sort_value, sort), most, chars))
        limit = nlargest(top, values)[-1]
        candidates: Sequence[int] = [at for at, value in enumerate(values) if value >= limit]
    else:
        import numpy as np

        high = np.maximum.reduce(columns)
        if sort != "tokens":
            long = np.diff(np.fromiter(division.starts, np.int64, len(division)), append=len(division.text))
            short = long < FLAGGED_CHARS
            high = long if sort == "chars" else np.where(short, -1.0, high / np.maximum(long, 1))
        least = np.partition(high, -top)[-top]
        candidates = np.flatnonzero(high >= least).tolist()
        values = high
    return sorted(sorted(candidates, key=lambda at: -values[at])[:top])


def _sort_value(sort: Sort, most: int, chars: int) -> float:
    """By what a part is sorted, those wanted first the largest."""
    if sort == "tokens":
        return most
    if sort == "chars":
        return chars
    # Parts too short to be flagged come after all others, however dense.
    return most / chars if chars >= FLAGGED_CHARS else -1.0


def part_key(part: Part, sort: Sort) -> tuple[float, ...] | tuple[str, ...]:
    """The key of ``--sort`` for a part: as in choosing, so that parts of several documents merge."""
    if sort == "order":
        return ()
    if sort == "name":
        return (part.label,)
    return (-_sort_value(sort, max(part.tokens, default=0), part.chars),)


def class_parts(
    document: Document, encodings: Sequence[Encoding], totals: tuple[int, ...], classes: Classes
) -> list[Part]:
    of_bytes = classes.of_bytes(document.text)
    of_chars = classes.of_chars(document.text)
    tallies = [encoding.tally(of_bytes, len(classes.names), classes.names.index("space")) for encoding in encodings]
    words = classes.words(document.text) if classes.words is not None else None
    parts = []
    for index, name in enumerate(classes.names):
        size = of_bytes.count(index)
        tokens = tuple(tally[index] for tally in tallies)
        if not size and not any(tokens):  # SentencePiece sets a space before a text, which is a token of no character
            continue
        chars = of_chars.count(index)
        number = None if words is None else words[index]
        parts.append(spread_part(f"{document.path}#{name}", "class", name, chars, size, tokens, totals, number))
    return parts


def by_kind(division: Segments, columns: Columns) -> dict[str, tuple[int, ...]]:
    """The tokens of the segments of each kind, in the order in which the kinds first stand."""
    sums: dict[str, list[int]] = {}
    for at in range(len(division)):
        row = sums.setdefault(division.kind(at), [0] * len(columns))
        for column, counts in enumerate(columns):
            row[column] += int(counts[at])
    return {kind: tuple(row) for kind, row in sums.items()}


def kind_parts(
    division: Segments, offsets: Sequence[int], columns: Columns, totals: tuple[int, ...], classes: Classes
) -> list[Part]:
    """The segments of each kind together, in the order in which the kinds first stand."""
    chars: dict[str, int] = {}
    sizes: dict[str, int] = {}
    words: dict[str, int] = {}
    for at in range(len(division)):
        kind, span = division.kind(at), division.bounds(at)
        chars[kind] = chars.get(kind, 0) + len(span)
        sizes[kind] = sizes.get(kind, 0) + offsets[at + 1] - offsets[at]
        if classes.words is not None:
            words[kind] = words.get(kind, 0) + sum(classes.words(division.text[span.start : span.end]))
    parts = []
    for kind, tokens in by_kind(division, columns).items():
        identity = f"{division.path}#{kind}"
        parts.append(spread_part(identity, kind, kind, chars[kind], sizes[kind], tokens, totals, words.get(kind)))
    return parts
