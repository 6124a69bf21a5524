"""Measure files with the parts that a gate knows: sections, chat messages, fields.

Measurements are cached by content, so that a run in which nothing changed counts nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from tokaudit.features.count.divisions import byte_offsets
from tokaudit.model import Document, InputError, Segments, Skipped, Tokenizer, TokenizerError
from tokaudit.model.gates import MeasuredFile, MeasuredPart
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.sources import AS_USUAL, PdfOptions, SourceFile, decoded, is_pdf, load, read_bytes
from tokaudit.sources.columns import WHOLE_LABEL
from tokaudit.sources.headings import heading_level

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Progress
    from tokaudit.sources.chat import Chat
    from tokaudit.store.measure_cache import MeasureCache

LineEnds = Literal["lf", "keep"]
LINE_ENDS: tuple[LineEnds, ...] = ("lf", "keep")

_NAMED = frozenset(("class", "function", "method", "prompt"))
"""Kinds of segments by which code, YAML and TOML are measured in parts; without any they are measured whole."""
_UNTITLED = frozenset(("preamble", WHOLE_LABEL))
"""Labels of sections without a heading."""
_PLACE = re.compile(r":([0-9]+):([0-9]+)")


@record
class ReadOptions:
    """Options for reading files to measure."""

    charset: str | None = None
    special: bool = False
    line_ends: LineEnds = "lf"
    """``lf``: as git keeps them, whatever it makes of them in a working tree."""
    pdf: PdfOptions = AS_USUAL

    @property
    def key(self) -> str:
        """Everything but content and tokenizer that a measurement depends on."""
        pdf = self.pdf
        return f"{self.charset or ''}|{self.special:d}|{self.line_ends}|{pdf.engine}|{pdf.tables:d}"


class Measurer:
    """Measures files with the same tokenizers; results keep the tokenizers' order."""

    def __init__(
        self, tokenizers: Sequence[Tokenizer], options: ReadOptions, cache: MeasureCache | None = None
    ) -> None:
        self._tokenizers = list(tokenizers)
        self._refs = [tokenizer.info.ref for tokenizer in tokenizers]
        self._options = options
        self._cache = cache

    @property
    def tokenizers(self) -> Sequence[Tokenizer]:
        """The tokenizers, in the order of all counts."""
        return self._tokenizers

    def document(self, data: bytes, path: str) -> Document:
        """A file's bytes as they are measured: line ends are newlines, and every line is there.

        Raises:
            InputError: It is no text, not in the charset, or has a line that cannot be read, which a gate must not
                leave out.
        """
        options = self._options
        if is_pdf(data):
            document = load(data, path, charset=options.charset, pdf=options.pdf)
            if document.skipped:
                raise document.skipped[0].error()
            return document
        read = decoded(data, options.charset, path)
        for note in read.decoding.notes(path):
            raise note.error(hint="mend the file; a gate leaves nothing out")
        text, charset = read.text, read.charset
        if options.line_ends == "lf" and "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        document = document_of(text, path, charset)
        if len(document.text) != len(text):  # a broken line of JSON Lines
            raise document.skipped[0].error(hint="mend the line")
        return replace(document, charset=charset, decoding=read.decoding)

    def measured(
        self, files: Iterable[tuple[str, int, Callable[[], bytes]]], progress: Progress | None = None
    ) -> tuple[list[MeasuredFile], list[Skipped]]:
        """Measure files, each a path, its size in bytes, and a function that reads it."""
        listed = list(files)
        total = sum(size for _, size, _ in listed)
        done = 0
        found: list[MeasuredFile] = []
        skipped: list[Skipped] = []
        for path, size, read in listed:
            try:
                data = read()
                measured = self._cached(data, path)
                if measured is None:
                    document = self.document(data, path)
                    measured = self._counted(data, path, document)
                    skipped += document.skipped
            except (InputError, OSError) as error:
                skipped.append(_skipped(path, error))
                continue
            found.append(measured)
            done += size
            if progress is not None:
                progress(done, total)
        return found, skipped

    def of_files(
        self, files: Sequence[SourceFile], progress: Progress | None = None
    ) -> tuple[list[MeasuredFile], list[Skipped]]:
        """Measure files of the working tree."""
        return self.measured(((file.path, file.size, _reader(file)) for file in files), progress)

    def _cached(self, data: bytes, path: str) -> MeasuredFile | None:
        if self._cache is None:
            return None
        return self._cache.get(self._key(data, path), self._refs, path)

    def _counted(self, data: bytes, path: str, document: Document) -> MeasuredFile:
        result = measured_document(document, self._tokenizers)
        if self._cache is not None and not document.skipped:  # skipped parts are to be reported the next time too
            self._cache.put(self._key(data, path), self._refs, result)
        return result

    def _key(self, data: bytes, path: str) -> bytes:
        assert self._cache is not None
        return self._cache.key(data, path, self._options.key + _readers_of(data))


def _readers_of(data: bytes) -> str:
    """The versions of the readers of PDF: another one may read another text."""
    return f"|{_version('pypdfium2')}|{_version('pdfplumber')}" if is_pdf(data) else ""


@cache
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def document_of(text: str, path: str, charset: str = "utf-8") -> Document:
    """The document of a text; of Markdown it has sections as its only parts."""
    from tokaudit.sources.kinds import kind_of

    if kind_of(path, ask_pygments=False) != "markdown":
        return load(text, path)
    from tokaudit.sources.markdown import sections

    found = sections(path, text)
    return Document(path, text, "markdown", charset, found, found, sha256(text.encode()).hexdigest())


def _reader(file: SourceFile) -> Callable[[], bytes]:
    return lambda: read_bytes(file)


def _skipped(path: str, error: InputError | OSError) -> Skipped:
    if isinstance(error, OSError):
        return Skipped(path, error.strerror or str(error), code="unreadable")
    place = _PLACE.fullmatch(error.what.removeprefix(path))
    if place is None:
        return Skipped.by(error, path)
    return Skipped(
        path,
        Message("line {line}, column {column}: {reason}", line=place[1], column=place[2], reason=error.reason),
        error.hint,
        code=error.code,
    )


def measured_document(document: Document, tokenizers: Sequence[Tokenizer]) -> MeasuredFile:
    """A document with the tokens of its parts, which sum exactly to its own.

    A tokenizer that cannot say where its tokens are has None for the parts. This is ``features.count`` without the
    figures that a gate does not need, since a run measures hundreds of small files.
    """
    if document.kind in {"json", "jsonl"}:
        from tokaudit.sources.chat import chat

        found = chat(document)
        if found is not None:
            measured = _divided(document, found.segments, tokenizers)
            return replace(measured, roles=_roles(found, tokenizers))
    division = parts_of(document)
    return _undivided(document, tokenizers) if division is None else _divided(document, division, tokenizers)


def _divided(document: Document, division: Segments, tokenizers: Sequence[Tokenizer]) -> MeasuredFile:
    text = document.text
    offsets = byte_offsets(text, None if text.isascii() else text.encode(), division.starts)
    totals: list[int] = []
    columns: list[Sequence[int | None]] = []
    for tokenizer in tokenizers:  # one encoding at a time: of a large text each is as large as the text
        try:
            encoding = tokenizer.encoding(text)
        except TokenizerError:
            totals.append(tokenizer.count(text))
            columns.append([None] * len(division))
            continue
        columns.append([int(count) for count in encoding.within(offsets)])
        totals.append(len(encoding))
    parts = []
    for segment, tokens in zip(division, zip(*columns, strict=True), strict=True):
        level = heading_level(text, segment.span) if segment.kind == "section" and segment.label not in _UNTITLED else 0
        line = segment.place.line
        parts.append(MeasuredPart(segment.id, segment.kind, segment.label, line, len(segment.span), tokens, level))
    return MeasuredFile(document.path, document.sha256, len(text), tuple(totals), tuple(parts))


def _undivided(document: Document, tokenizers: Sequence[Tokenizer]) -> MeasuredFile:
    tokens = tuple(tokenizer.count(document.text) for tokenizer in tokenizers)
    return MeasuredFile(document.path, document.sha256, len(document.text), tokens)


def _roles(chat: Chat, tokenizers: Sequence[Tokenizer]) -> tuple[MeasuredPart, ...]:
    """The texts of the messages of each role; each text is counted by itself, as ``--text`` counts it."""
    segments = chat.segments
    texts: dict[str, Counter[str]] = {}
    lines: dict[str, int | None] = {}
    for index, segment in enumerate(segments):
        if segment.kind == "message":
            lines.setdefault(segment.label, segment.place.line)
            texts.setdefault(segment.label, Counter()).update(chat.contents(index))
    return tuple(
        MeasuredPart(
            f"{segments.path}#role-{role}",
            "role",
            role,
            lines[role],
            sum(len(text) * times for text, times in found.items()),
            tuple(sum(tokenizer.count(text) * times for text, times in found.items()) for tokenizer in tokenizers),
        )
        for role, found in texts.items()
    )


def parts_of(document: Document) -> Segments | None:
    """The parts of a document, which is no chat, that a gate knows; None where it is measured as a whole only."""
    if document.kind == "json":
        sections = document.sections
        return sections if len(sections) and sections.kind(0) == "field" else None
    if document.kind in {"code", "yaml", "toml"}:
        named = any(document.segments.kind(index) in _NAMED for index in range(len(document.segments)))
        return document.segments if named else None
    if document.kind in {"markdown", "template"}:
        sections = document.sections
        return sections if len(sections) > 1 or (len(sections) and sections.kind(0) == "section") else None
    return None
