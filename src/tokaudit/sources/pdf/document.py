"""The pages of a PDF as one text: form feeds between pages, and what is body and what is not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from tokaudit.model import Document, InputError, Segments, Skipped
from tokaudit.model.message import Message
from tokaudit.model.pages import LineKind, Mark, MarkKind, Page
from tokaudit.model.text import Box
from tokaudit.pipeline.pages.furniture import families
from tokaudit.pipeline.pages.unreadable import UNREADABLE
from tokaudit.sources.pdf.read import PdfPages, read_pages

if TYPE_CHECKING:
    from tokaudit.pipeline.pages.slots import RowKind
    from tokaudit.sources.pdf_options import PdfOptions

_OCR = "run OCR on it first, as in: ocrmypdf --force-ocr in.pdf out.pdf"


def pdf_document(data: bytes, path: str, options: PdfOptions) -> Document:
    """The document of a PDF's bytes; ``path`` as reports show it.

    Raises:
        InputError: It is encrypted or damaged, or there is no text in it.
        UsageError: There is no such engine.
    """
    return document_of(_read(data, path, options), path)


def read_with_furniture(
    data: bytes, path: str, options: PdfOptions
) -> tuple[PdfPages, Mapping[tuple[int, int], RowKind], list[Skipped]]:
    """The pages of a PDF's bytes, what is furniture by index of page and line, and what could not be read.

    Raises:
        InputError: As of ``pdf_document``.
        UsageError: There is no such engine.
    """
    read = _read(data, path, options)
    if not any(line.text.strip() for page in read.pages for line in page.lines):
        raise _no_text(read, path)
    return read, families(read.pages), _skipped(read, path)


def _read(data: bytes, path: str, options: PdfOptions) -> PdfPages:
    try:
        return read_pages(
            data, password=options.password, engine=options.engine, tables=options.tables, jobs=options.jobs
        )
    except InputError as error:
        raise InputError(error.reason, what=path, code=error.code, hint=error.hint) from error


def _skipped(read: PdfPages, path: str) -> list[Skipped]:
    """Pages that were not read, and those that were but need OCR."""
    skipped = [replace(item, what=f"{path}:{item.what}") for item in read.problems]
    return skipped + [
        Skipped(f"{path}:page {page.number}", why, _OCR, code="needs-ocr") for page, why in _unreadable(read.pages)
    ]


def document_of(read: PdfPages, path: str) -> Document:
    """The document of pages that were read.

    Raises:
        InputError: There is no text on any of them.
    """
    if not any(line.text.strip() for page in read.pages for line in page.lines):
        raise _no_text(read, path)
    layout = _Layout()
    for page, lines in zip(read.pages, _lines(read.pages), strict=True):
        layout.take(page.number, lines)
    text = "".join(layout.pieces)
    segments = Segments(path, text, layout.starts, layout.kinds, ids=layout.ids, pages=layout.pages, boxes=layout.boxes)
    skipped = _skipped(read, path)
    digest = hashlib.sha256(text.encode()).hexdigest()
    sections = _sections(path, text, read.pages)
    return Document(path, text, "pdf", "", segments, sections, digest, skipped, marks=layout.marks)


class _Line(NamedTuple):
    text: str
    kind: LineKind
    family: str
    box: Box
    parted: bool


@dataclass(slots=True)
class _Layout:
    """The text so far, and the parts of it."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    taken: int = 0
    """Pages."""
    in_table: bool = False
    """The last line is of a table: in Markdown all lines up to a blank one are."""
    starts: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def take(self, page: int, lines: Sequence[_Line]) -> None:
        if self.taken:
            self._add("\n\n\f" if self.in_table else "\f")
            self.in_table = False
        self.taken += 1
        ordinals: dict[str, int] = {}
        last: tuple[str, str] | None = None
        for at, line in enumerate(lines):
            if at:
                self._add("\n\n" if self.in_table and line.kind != "table" else "\n")
            self.in_table = line.kind == "table"
            if (line.kind, line.family) != last:
                last = (line.kind, line.family)
                self._begin(page, line.kind, ordinals)
                self.boxes.append(line.box)
            self.boxes[-1] = _around(self.boxes[-1], line.box)
            start = self.length
            self._add(line.text)
            if line.kind != "body" or line.parted:
                kind: MarkKind = "parted" if line.kind == "body" else line.kind
                self.marks.append(Mark(start, self.length, kind, page, line.family))

    def _begin(self, page: int, kind: str, ordinals: dict[str, int]) -> None:
        ordinals[kind] = ordinals.get(kind, 0) + 1
        # The first part begins with the text, whatever empty pages are before it.
        self.starts.append(self.length if self.starts else 0)
        self.kinds.append(kind)
        self.ids.append(f"page-{page}.{kind}-{ordinals[kind]}")
        self.pages.append(page)

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _lines(pages: Sequence[Page]) -> Iterator[list[_Line]]:
    found = families(pages)
    for number, page in enumerate(pages):
        lines = []
        for at, line in enumerate(page.lines):
            text = _clean(line.text)
            if text:
                known = found.get((number, at))
                own = line.text.strip() if line.kind == "watermark" else ""
                kind, family = (line.kind, own) if known is None else known
                box = (line.left, line.top, line.right, line.bottom)
                lines.append(_Line(text, kind, family, box, line.parted))
        yield lines


def _clean(text: str) -> str:
    """A line without what would be a line's or page's end, and without half characters, which cannot be counted."""
    if text.isprintable():
        return text
    text = " ".join(text.splitlines()) if "\n" in text or "\f" in text or "\r" in text else text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sections(path: str, text: str, pages: Sequence[Page]) -> Segments:
    """A section for each page; an empty one at the end is none."""
    starts = [0, *(found.end() for found in re.finditer("\f", text))]
    numbers = [page.number for page in pages][: len(starts)]
    while len(starts) > 1 and starts[-1] >= len(text):
        starts.pop()
        numbers.pop()
    ids = [f"page-{number}" for number in numbers]
    boxes = [(0.0, 0.0, page.width, page.height) for page in pages][: len(starts)]
    return Segments(path, text, starts, ("page",), ids=ids, pages=numbers, boxes=boxes)


def _unreadable(pages: Sequence[Page]) -> Iterator[tuple[Page, str]]:
    for page in pages:
        if page.glyphs and page.unmapped > UNREADABLE * page.glyphs:
            share = page.unmapped / page.glyphs
            yield page, Message("needs OCR: {share:.0%} of its glyphs have no character; counted as it is", share=share)


def _no_text(read: PdfPages, path: str) -> InputError:
    if read.problems:
        first = read.problems[0]
        return InputError(
            Message("no text could be read: {what}: {reason}", what=first.what, reason=first.reason),
            what=path,
            code=first.code,
            hint=first.hint,
        )
    count = len(read.pages)
    pages = Message("its one page") if count == 1 else Message("any of its {count:,} pages", count=count)
    return InputError(
        Message("no text on {pages}: a scan, or drawings only", pages=pages), what=path, code="no-text", hint=_OCR
    )
