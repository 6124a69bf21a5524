"""Count the tokens of a document for several tokenizers, whole and by part.

A document is encoded once, whole, and each token belongs to the part in which its first byte lies: byte-pair counts are
not additive, so that counting parts by themselves would not sum to the whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from operator import is_not, sub
from typing import Literal

from tokaudit.features.count.control_text import control_text_finder
from tokaudit.model import Document, Encoding, Segment, Segments, Skipped, Tokenizer, TokenizerError
from tokaudit.model.text import Box

By = Literal["file", "segment", "section", "page", "kind", "line", "class"]
BY: tuple[By, ...] = ("file", "segment", "section", "page", "kind", "line", "class")
SPREAD = frozenset(("kind", "class"))
"""Divisions whose parts are spread over the text: each has no place of its own."""
Sort = Literal["order", "tokens", "density", "chars", "name"]
SORT: tuple[Sort, ...] = ("order", "tokens", "density", "chars", "name")

Columns = Sequence[Sequence[int]]
"""For each tokenizer the tokens of every part: lists, or arrays where the text is large."""

FLAGGED_CHARS = 20
"""A part of fewer characters is never flagged: a lone brace is one token a character, and tells nothing."""
_MANY_PARTS = 1 << 12
_LARGE_TEXT = 1 << 16
"""Parts, and code points, from which on numpy pays for its import."""
LARGE_SHARE, LARGE_FACTOR = 0.1, 4
"""A part is flagged ``large`` from a tenth of the document's tokens on, if that is four times what the other parts have
on average."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a document with its tokens, in the order of the tokenizers."""

    id: str
    kind: str
    label: str
    start: int | None
    """Code point, half-open with ``end``; None for the parts of ``SPREAD`` divisions."""
    end: int | None
    line: int | None
    chars: int
    size: int
    """UTF-8 bytes."""
    tokens: tuple[int, ...]
    share: tuple[float, ...]
    """Of the document's tokens, 0 to 1, for each tokenizer."""
    flags: tuple[str, ...] = ()
    page: int | None = None
    """Of a PDF, or of a text with form feeds by page, 1-based; such a part has no line."""
    box: Box | None = None
    """Of a part of a PDF: where it stands on its page."""
    sha256: str = ""
    """Of a part of a PDF: of its text's UTF-8 bytes, in hex."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One document, or a piece of one, with its tokens in the order of the tokenizers."""

    path: str
    kind: str
    charset: str
    sha256: str
    chars: int
    size: int
    tokens: tuple[int, ...]
    parts: Sequence[Part]
    parts_total: int
    """How many parts there are, of which ``parts`` may be a selection."""
    skipped: Sequence[Skipped] = ()
    by_kind: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """For a PDF or a template by segment, the tokens of all its segments of each kind, of which ``parts`` may have a
    selection."""
    pages: Sequence[Mapping[str, int]] = ()
    """For a PDF by file, of each page the tokens of each kind of segment, for the first tokenizer."""
    control: str = ""
    """A control token of one of the tokenizers that stands in the text; empty where none was found."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a count."""

    by: By = "file"
    top: int | None = None
    """Most parts to keep of all documents; 0 for all; None for all, of which a table for people shows some."""
    sort: Sort = "order"
    density_threshold: float = 0.8
    """Tokens per character above which a part is flagged ``dense``."""


@dataclass(frozen=True, slots=True)
class Classes:
    """How the characters of a text are told apart for ``--by class``; the classifier belongs to the tokenizers."""

    names: Sequence[str]
    of_bytes: Callable[[str], bytes]
    """For each UTF-8 byte of a text the index in ``names`` of its character's class."""
    of_chars: Callable[[str], bytes]
    """The same for each code point."""


def count_document(
    document: Document,
    tokenizers: Sequence[Tokenizer],
    wanted: Wanted,
    classes: Classes,
    lines: Callable[[str], list[int]],
) -> Counted:
    """Measure one document.

    Args:
        document: What to measure.
        tokenizers: Each counts the same text; the results keep their order.
        wanted: By which parts, and how many of them.
        classes: For ``--by class``.
        lines: Code-point offsets of the lines of a text, for ``--by line``.

    Raises:
        TokenizerError: A tokenizer cannot say where its tokens are, and parts are wanted.
    """
    text = document.text
    utf8 = None if text.isascii() else text.encode()
    size = len(text if utf8 is None else utf8)
    parts: Sequence[Part] = ()
    by_kind: Mapping[str, tuple[int, ...]] = {}
    total = 0
    pages: Sequence[Mapping[str, int]] = ()
    if wanted.by == "file":
        tokens = tuple(tokenizer.count(text) for tokenizer in tokenizers)
        if document.kind == "pdf" and tokenizers:
            pages = _page_kinds(document.segments, byte_offsets(text, utf8, document.segments.starts), tokenizers[0])
    elif wanted.by == "class":
        encodings = [tokenizer.encoding(text) for tokenizer in tokenizers]
        tokens = tuple(map(len, encodings))
        parts = _class_parts(document, encodings, tokens, classes)
        total = len(parts)
    else:
        division = _division(document, wanted, lines)
        offsets = byte_offsets(text, utf8, division.starts)
        columns, counts = [], []
        for tokenizer in tokenizers:  # one encoding at a time: of a large text each is as large as the text
            encoding = tokenizer.encoding(text)
            columns.append(encoding.within(offsets))
            counts.append(len(encoding))
        tokens = tuple(counts)
        if document.kind in {"pdf", "template"} and wanted.by in {"segment", "kind"}:
            by_kind = _by_kind(division, columns)
        if wanted.by == "kind":
            parts = _kind_parts(division, [*offsets, size], columns, tokens)
            total = len(parts)
        else:
            total = len(division)
            parts = _parts(division, [*offsets, size], columns, tokens, wanted)
    return Counted(
        document.path, document.kind, document.charset, document.sha256, len(text), size, tokens, parts, total,
        document.skipped, by_kind, pages, _control_in(text, tokenizers),
    )  # fmt: skip


_finder: tuple[Sequence[Tokenizer], Callable[[str], str]] = ((), lambda _: "")


def _control_in(text: str, tokenizers: Sequence[Tokenizer]) -> str:
    global _finder  # noqa: PLW0603 - made once for all documents of a run
    finder = _finder
    if len(finder[0]) != len(tokenizers) or any(map(is_not, finder[0], tokenizers)):
        finder = _finder = (tuple(tokenizers), control_text_finder(tokenizers))
    return finder[1](text)


def _page_kinds(division: Segments, offsets: array[int], tokenizer: Tokenizer) -> list[Mapping[str, int]]:
    """Of each page the tokens of each kind of segment; nothing where the tokenizer cannot say where its tokens are."""
    try:
        counts = tokenizer.encoding(division.text).within(offsets)
    except TokenizerError:
        return []
    found: list[dict[str, int]] = [{} for _ in range(max(division.pages, default=0))]
    for at, page in enumerate(division.pages):
        kinds = found[page - 1]
        kinds[division.kind(at)] = kinds.get(division.kind(at), 0) + int(counts[at])
    return [*found]


def _by_kind(division: Segments, columns: Columns) -> dict[str, tuple[int, ...]]:
    """The tokens of the segments of each kind, in the order in which the kinds first stand."""
    sums: dict[str, list[int]] = {}
    for at in range(len(division)):
        row = sums.setdefault(division.kind(at), [0] * len(columns))
        for column, counts in enumerate(columns):
            row[column] += int(counts[at])
    return {kind: tuple(row) for kind, row in sums.items()}


def _kind_parts(division: Segments, offsets: Sequence[int], columns: Columns, totals: tuple[int, ...]) -> list[Part]:
    """The segments of each kind together, in the order in which the kinds first stand."""
    chars: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for at in range(len(division)):
        kind = division.kind(at)
        chars[kind] = chars.get(kind, 0) + len(division.bounds(at))
        sizes[kind] = sizes.get(kind, 0) + offsets[at + 1] - offsets[at]
    parts = []
    for kind, tokens in _by_kind(division, columns).items():
        share = tuple(count / total if total else 0.0 for count, total in zip(tokens, totals, strict=True))
        identity = f"{division.path}#{kind}"
        parts.append(Part(identity, kind, kind, None, None, None, chars[kind], sizes[kind], tokens, share))
    return parts


def _pages(document: Document) -> Segments:
    """The pages of a text, which form feeds end; of any other text the whole."""
    if document.kind == "pdf":
        return document.sections
    text = document.text
    starts = [0] if text else []
    at = text.find("\f")
    while 0 <= at < len(text) - 1:
        starts.append(at + 1)
        at = text.find("\f", at + 1)
    numbers = range(1, len(starts) + 1)
    ids = [f"page-{number}" for number in numbers]
    return Segments(document.path, text, starts, ("page",), ids=ids, pages=numbers)


def _division(document: Document, wanted: Wanted, lines: Callable[[str], list[int]]) -> Segments:
    if wanted.by in {"segment", "kind"}:
        return document.segments
    if wanted.by == "section":
        return document.sections
    if wanted.by == "page":
        return _pages(document)
    if document.kind == "pdf":
        return _page_lines(document)
    starts = lines(document.text)
    numbers: Sequence[int] = range(document.first_line, document.first_line + len(starts))
    if document.gaps:
        shifted, gaps, missing = [], iter([*document.gaps, (len(document.text) + 1, 0)]), 0
        offset, gone = next(gaps)
        for number, start in zip(numbers, starts, strict=True):
            while offset <= start:
                missing += gone
                offset, gone = next(gaps)
            shifted.append(number + missing)
        numbers = shifted
    return Segments(document.path, document.text, starts, ("line",), ids=_LineIds(numbers), lines=numbers)


def _page_lines(document: Document) -> Segments:
    """The lines of a text with pages, numbered by page; a form feed belongs to the line that it ends."""
    text = document.text
    starts, ids, pages = [], [], []
    at, page, line = 0, 1, 1
    while at < len(text):
        starts.append(at)
        ids.append(f"page-{page}.line-{line}")
        pages.append(page)
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        feed = text.find("\f", at, end)
        at, line = (end, line + 1) if feed < 0 else (feed + 1, 1)
        page += feed >= 0
    return Segments(document.path, text, starts, ("line",), ids=ids, pages=pages)


class _LineIds(Sequence[str]):
    """``L1``, ``L2``, ... made when asked for."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        return f"L{self._numbers[index]}"


def byte_offsets(text: str, utf8: bytes | None, starts: Sequence[int]) -> array[int]:
    """Code-point offsets as byte offsets in ``utf8``, which is None for a text that is all ASCII.

    An array, so that a bulk encoding reads it in place.
    """
    if utf8 is None:
        return array("q", starts)
    if len(text) < _LARGE_TEXT:
        parts = map(text.__getitem__, map(slice, starts, [*starts[1:], len(text)]))
        return array("q", accumulate(map(len, map(str.encode, parts)), initial=0))[:-1]
    import numpy as np

    # A code point has moved by the bytes before it that continue another (10xxxxxx, which no code point begins with).
    moved = np.flatnonzero(np.frombuffer(utf8, np.int8) < -64)
    moved -= np.arange(len(moved))  # now code points: the k-th such byte belongs to the one before moved[k]
    wanted = np.fromiter(starts, np.int64, len(starts))
    return array("q", (wanted + moved.searchsorted(wanted, "right")).tobytes())


def _parts(
    division: Segments, offsets: Sequence[int], columns: Columns, totals: tuple[int, ...], wanted: Wanted
) -> list[Part]:
    chosen: Sequence[int] = range(len(division))
    if wanted.top and wanted.top < len(division):
        chosen = _first_parts(division, columns, wanted.top, wanted.sort)
    parts = [_part(division[at], offsets[at + 1] - offsets[at], columns, at, totals, wanted) for at in chosen]
    return _with_places(division, chosen, parts) if division.boxes else parts


def _with_places(division: Segments, chosen: Sequence[int], parts: Sequence[Part]) -> list[Part]:
    """Parts of a PDF with where they stand on their pages, and with what tells the same text from another."""
    from hashlib import sha256

    return [
        replace(part, box=division.boxes[at], sha256=sha256(division.text[part.start : part.end].encode()).hexdigest())
        for at, part in zip(chosen, parts, strict=True)
    ]


def _part(segment: Segment, size: int, columns: Columns, at: int, totals: tuple[int, ...], wanted: Wanted) -> Part:
    tokens = tuple(int(column[at]) for column in columns)
    share = tuple(count / total if total else 0.0 for count, total in zip(tokens, totals, strict=True))
    chars = len(segment.span)
    flags = []
    if chars >= FLAGGED_CHARS:
        if max(tokens) / chars > wanted.density_threshold:
            flags.append("dense")
        if _is_large(max(share), len(columns[0])):
            flags.append("large")
    return Part(
        segment.id, segment.kind, segment.label, segment.span.start, segment.span.end, segment.place.line, chars, size,
        tokens, share, tuple(flags), segment.place.page,
    )  # fmt: skip


def _is_large(share: float, parts: int) -> bool:
    """Whether a share of a document of so many parts is out of proportion to that of the others."""
    return parts > 1 and share >= LARGE_SHARE and share * (parts - 1) >= LARGE_FACTOR * (1 - share)


def _first_parts(division: Segments, columns: Columns, top: int, sort: Sort) -> Sequence[int]:
    """The ``top`` parts that come first by ``sort``, in the order of the text."""
    if sort == "order":
        return range(top)
    if sort == "name":
        return sorted(sorted(range(len(division)), key=lambda at: division[at].label)[:top])
    if len(division) < _MANY_PARTS:
        most = list(map(max, *columns)) if len(columns) > 1 else columns[0]
        chars = list(map(sub, [*division.starts[1:], len(division.text)], division.starts))
        values: Sequence[float] = list(map(partial(_sort_value, sort), most, chars))
        candidates: Sequence[int] = range(len(values))
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


def _class_parts(
    document: Document, encodings: Sequence[Encoding], totals: tuple[int, ...], classes: Classes
) -> list[Part]:
    of_bytes = classes.of_bytes(document.text)
    of_chars = classes.of_chars(document.text)
    tallies = [encoding.tally(of_bytes, len(classes.names), classes.names.index("space")) for encoding in encodings]
    parts = []
    for index, name in enumerate(classes.names):
        size = of_bytes.count(index)
        tokens = tuple(tally[index] for tally in tallies)
        if not size and not any(tokens):  # SentencePiece sets a space before a text, which is a token of no character
            continue
        share = tuple(count / total if total else 0.0 for count, total in zip(tokens, totals, strict=True))
        chars = of_chars.count(index)
        parts.append(Part(f"{document.path}#{name}", "class", name, None, None, None, chars, size, tokens, share))
    return parts


def merged(pieces: Sequence[Counted], sha256: str, wanted: Wanted, classes: Sequence[str]) -> Counted:
    """One document of its pieces, in order. Shares are of the whole document, and offsets count on.

    Args:
        pieces: What was measured.
        sha256: Of the whole text.
        wanted: By which parts.
        classes: Names of all classes of ``--by class``, in their order.
    """
    numbered = wanted.by in {"segment", "section"} and pieces[0].kind != "jsonl"  # records are named by their lines
    totals = tuple(map(sum, zip(*(piece.tokens for piece in pieces), strict=True)))
    total_parts = sum(piece.parts_total for piece in pieces)
    chars = size = ordinal = 0
    parts: list[Part] = []
    for piece in pieces:
        for part in piece.parts:
            share = tuple(count / total if total else 0.0 for count, total in zip(part.tokens, totals, strict=True))
            flags = tuple(flag for flag in part.flags if flag != "large")
            if _is_large(max(share, default=0.0), total_parts):
                flags = (*flags, "large") if part.chars >= FLAGGED_CHARS and wanted.by not in SPREAD else flags
            start = None if part.start is None else part.start + chars
            end = None if part.end is None else part.end + chars
            identity = _counted_on(part, ordinal) if numbered else part.id
            parts.append(
                Part(
                    identity, part.kind, part.label, start, end, part.line, part.chars, part.size, part.tokens, share,
                    flags,
                )
            )  # fmt: skip
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
    skipped = [item for piece in pieces for item in piece.skipped]
    control = next(filter(None, (piece.control for piece in pieces)), "")
    return Counted(
        first.path, first.kind, first.charset, sha256, chars, size, totals, parts, total_parts, skipped, control=control
    )


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
        share = tuple(count / total if total else 0.0 for count, total in zip(tokens, totals, strict=True))
        chars, size = sum(row.chars for row in rows), sum(row.size for row in rows)
        result.append(Part(rows[0].id, rows[0].kind, name, None, None, None, chars, size, tokens, share))
    return result


def all_classes(documents: Sequence[Counted]) -> list[Part]:
    """The classes, or kinds, of all documents together."""
    totals = tuple(map(sum, zip(*(document.tokens for document in documents), strict=True)))
    merged_parts = _merged_classes([part for document in documents for part in document.parts], totals)
    if len(documents) > 1:
        merged_parts = [replace(part, id=part.label) for part in merged_parts]  # no document's own
    return sorted(merged_parts, key=lambda part: -max(part.tokens, default=0))
