"""One document of its pieces, and the classes of several documents together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from tokaudit.features.count.parts import FLAGGED_CHARS, is_large, shares, spread_part
from tokaudit.features.count.request_parts import each_reason_a_few_times, flagged_anew, in_order
from tokaudit.features.count.types import SPREAD, Counted, Encoded, Part, RequestSums, Wanted


def merged(pieces: Sequence[Counted], sha256: str, wanted: Wanted, classes: Sequence[str]) -> Counted:
    """One document of its pieces, in order. Shares are of the whole document, and offsets count on.

    ``sha256`` is of the whole text; ``classes`` are the names of ``--by class``, in their order.
    """
    numbered = wanted.by in {"segment", "section"} and pieces[0].kind != "jsonl"  # records are named by their lines
    totals = tuple(map(sum, zip(*(piece.tokens for piece in pieces), strict=True)))
    total_parts = sum(piece.parts_total for piece in pieces)
    chars = size = ordinal = 0
    parts: list[Part] = []
    for piece in pieces:
        for part in piece.parts:
            share = shares(part.tokens, totals)
            flags = tuple(flag for flag in part.flags if flag != "large")
            if is_large(max(share, default=0.0), total_parts):
                flags = (*flags, "large") if part.chars >= FLAGGED_CHARS and wanted.by not in SPREAD else flags
            start = None if part.start is None else part.start + chars
            end = None if part.end is None else part.end + chars
            identity = _counted_on(part, ordinal) if numbered else part.id
            parts.append(replace(part, id=identity, start=start, end=end, share=share, flags=flags))
        chars += piece.chars
        size += piece.size
        ordinal += piece.parts_total
    if wanted.by in SPREAD:
        parts = _merged_classes(parts, totals)
        if wanted.by == "class":
            parts.sort(key=lambda part: classes.index(part.label))
        total_parts = len(parts)
    first = pieces[0]
    if wanted.by == "section" and first.kind != "jsonl":
        parts, total_parts = [_one_section(parts)], 1
    requests = _all_requests(pieces)
    if requests is not None and wanted.by in SPREAD:
        parts = flagged_anew(parts, wanted)
        parts = in_order(parts) if wanted.by in {"role", "kind"} else parts
    skipped = each_reason_a_few_times(first.path, (item for piece in pieces for item in piece.skipped))
    control = next(filter(None, (piece.control for piece in pieces)), "")
    return replace(
        first,
        sha256=sha256,
        chars=chars,
        size=size,
        tokens=totals,
        parts=parts,
        parts_total=total_parts,
        skipped=skipped,
        by_kind={},
        control=control,
        request=requests,
        words=added_words(piece.words for piece in pieces),
        encoded=reduce(Encoded.plus, encoded) if (encoded := [one.encoded for one in pieces if one.encoded]) else None,
    )


def added_words(words: Iterable[int | None]) -> int | None:
    """The words of all; None where those of any are not counted."""
    total = 0
    for number in words:
        if number is None:
            return None
        total += number
    return total


def _all_requests(pieces: Sequence[Counted]) -> RequestSums | None:
    """What is known of the requests of all pieces."""
    found = [piece.request for piece in pieces if piece.request is not None]
    return reduce(RequestSums.plus, found) if found else None


def _one_section(parts: Sequence[Part]) -> Part:
    """The whole of a plain text, of the wholes of its pieces."""
    first = parts[0]
    tokens = tuple(map(sum, zip(*(part.tokens for part in parts), strict=True)))
    return replace(
        first,
        end=parts[-1].end,
        chars=sum(part.chars for part in parts),
        size=sum(part.size for part in parts),
        tokens=tokens,
        share=tuple(1.0 if count else 0.0 for count in tokens),
        flags=(),
        words=added_words(part.words for part in parts),
    )


def _counted_on(part: Part, before: int) -> str:
    """The id of a part of a later piece: its ordinal counts on from the pieces before."""
    stem, dash, ordinal = part.id.rpartition("-")
    return f"{stem}{dash}{int(ordinal) + before}" if before and ordinal.isdigit() else part.id


def _merged_classes(parts: Sequence[Part], totals: tuple[int, ...]) -> list[Part]:
    by_name: dict[str, list[Part]] = {}
    for part in parts:
        by_name.setdefault(part.label, []).append(part)
    result = []
    for name, rows in by_name.items():
        tokens = tuple(map(sum, zip(*(row.tokens for row in rows), strict=True)))
        chars, size = sum(row.chars for row in rows), sum(row.size for row in rows)
        words = added_words(row.words for row in rows)
        part = spread_part(rows[0].id, rows[0].kind, name, chars, size, tokens, totals, words)
        encoded = any("base64" in row.flags for row in rows)
        result.append(replace(part, flags=("base64",)) if encoded else part)
    return result


def all_classes(documents: Sequence[Counted], *, in_order: bool = False) -> list[Part]:
    """The classes, kinds, roles or turns of all documents together: the largest first, or ``in_order``."""
    totals = tuple(map(sum, zip(*(document.tokens for document in documents), strict=True)))
    merged_parts = _merged_classes([part for document in documents for part in document.parts], totals)
    if len(documents) > 1:
        merged_parts = [replace(part, id=part.label) for part in merged_parts]  # no document's own
    if in_order:
        return merged_parts
    return sorted(merged_parts, key=lambda part: -max(part.tokens, default=0))
