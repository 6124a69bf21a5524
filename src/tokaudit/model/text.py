"""Documents, their segments, and the places of those in a file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar, overload

from tokaudit.model.errors import NOTES, Code, InputError, TokauditError
from tokaudit.model.message import Message, counted
from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr

if TYPE_CHECKING:
    from tokaudit.model.pages import Mark
    from tokaudit.model.request import Request


@record
class Span:
    """A half-open range ``[start, end)`` in Unicode code points of the named text."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@record
class Place:
    """A place in a file. All numbers are 1-based; None where they do not apply."""

    line: int | None = None
    column: int | None = None
    page: int | None = None
    message: int | None = None


Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a place on a page, in points (1/72 inch) from its top left corner."""


@record
class Segment:
    """A part of a document that is measured by itself."""

    id: str
    """Stable from run to run: the document's path, ``#``, and the section's slug and the ordinal in it."""
    kind: str
    """paragraph, heading, list, table, code, html, front-matter, quote, record, field, comment, string, ..."""
    span: Span
    label: str
    """Its name for people: a heading, a JSON pointer, the first words. One line, never empty."""
    place: Place


T = TypeVar("T")


class LazyColumn(Sequence[T]):
    """A read-only sequence whose items come from ``item``; subclasses hold plain data, so that they can be pickled."""

    __slots__ = ()

    @abstractmethod
    def item(self, index: int) -> T:
        """The item at ``index``, which is in range and not negative."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self.item(i) for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.item(index)


@record
class Segments(LazyColumn[Segment]):
    """The segments of one document, kept as columns: a corpus has millions, a report shows twenty.

    ``starts`` ascends, begins with 0 (or is empty for an empty text), and a segment ends where the next one starts,
    so that segments never overlap and always cover the whole text. ``Segment`` objects are made when asked for.
    """

    path: str
    text: str
    starts: Sequence[int]
    """Code-point offset of each segment."""
    kinds: Sequence[str]
    """Kind of each segment, parallel to ``starts``; a sequence of one element speaks for all of them."""
    labels: Sequence[str] = ()
    """Label of each segment; empty: the first words of the segment's text."""
    ids: Sequence[str] = ()
    """Local id of each segment (without the path); empty: ``kind-ordinal``, the ordinal 1-based."""
    lines: Sequence[int] = ()
    """1-based line of each segment; empty: counted from the text, unless there are pages."""
    pages: Sequence[int] = ()
    """1-based page of each segment; empty where the document has none."""
    boxes: Sequence[Box] = ()
    """Place of each segment on its page; empty where that is not known."""

    def __repr__(self) -> str:
        return f"Segments({self.path!r}, {len(self):,} segments of {len(self.text):,} characters)"

    def __len__(self) -> int:
        return len(self.starts)

    def bounds(self, index: int) -> Span:
        """Span of one segment, without making the ``Segment``."""
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return Span(int(self.starts[index]), int(end))

    def kind(self, index: int) -> str:
        """Kind of one segment."""
        return self.kinds[0] if len(self.kinds) == 1 else self.kinds[index]

    def item(self, index: int) -> Segment:
        """The segment at ``index``."""
        span = self.bounds(index)
        kind = self.kind(index)
        local = self.ids[index] if self.ids else f"{kind}-{index + 1}"
        label = self.labels[index] if self.labels else first_words(self.text, span)
        return Segment(f"{self.path}#{local}", kind, span, label, self._place(index, span.start))

    def _place(self, index: int, start: int) -> Place:
        if self.pages:
            return Place(page=self.pages[index])
        return Place(line=self.lines[index] if self.lines else self.text.count("\n", 0, start) + 1)

    def __iter__(self) -> Iterator[Segment]:
        for index in range(len(self)):
            yield self[index]


def line_end(text: str, at: int, limit: int | None = None) -> int:
    """Offset of the next line feed from ``at`` on; ``limit``, or the end of the text, where there is none before."""
    limit = len(text) if limit is None else limit
    found = text.find("\n", at, limit)
    return limit if found < 0 else found


def first_words(text: str, span: Span, limit: int = 48) -> str:
    """The first words of a span on one line, at most ``limit`` code points, ``…`` where cut; never empty."""
    head = " ".join(text[span.start : min(span.end, span.start + 8 * limit)].split())
    if not head:
        return "(blank)"
    return head if len(head) <= limit else head[: limit - 1] + "…"


@record
class Skipped:
    """An input that could not be read or counted. Data in every report, never only a log line."""

    what: str
    """Path, or ``path:line:column`` for a part of a file."""
    reason: str
    hint: str = ""
    """The remedy: a command or an edit."""
    code: Code = field(kw_only=True)

    @property
    def is_note(self) -> bool:
        """True where nothing is left out: it is in the figures, in another way than was to be expected."""
        return self.code in NOTES

    @classmethod
    def by(cls, error: TokauditError, what: str) -> Skipped:
        """An input that is skipped for an error, whose message need not name it again."""
        reason = error.reason if error.what == what else error.message
        return cls(what, reason, error.hint, code=error.code)

    def error(self, *, hint: str = "") -> InputError:
        """The error where it may not be skipped; ``hint`` is for one that has none."""
        return InputError(self.reason, what=self.what, code=self.code, hint=self.hint or hint)


_CUT = (
    "the file begins within a character: {bytes} left out",
    "the file ends within a character: {bytes} left out",
)


@record
class Decoding:
    """The decoding of a file: how its charset was decided, and which of its bytes are no characters of it."""

    decided: str = ""
    """declared (by the user), mark (a byte-order mark), detected (no other reads as a text), guessed; or empty."""
    alternatives: tuple[str, ...] = ()
    """Other charsets in which a guessed text may be, the likeliest first."""
    replaced: int = 0
    """Invalid bytes that became U+FFFD."""
    cut: tuple[int, int] = (0, 0)
    """Bytes at the beginning and at the end that are a part of a character, and are left out."""

    def described(self, charset: str) -> str:
        """The charset for people: a guess is called one, with what else it may be."""
        if self.decided != "guessed":
            return charset
        return Message("guessed: {charset}", charset=self.guess(charset))

    def guess(self, charset: str) -> str:
        """A guessed charset with what else it may be."""
        if not self.alternatives:
            return charset
        return Message("{charset}, else {others}", charset=charset, others=self.alternatives[:2])

    def notes(self, path: str) -> list[Skipped]:
        """Notes on bytes that are not in the text as they stand in the file."""
        found = []
        if self.replaced:
            reason = Message(
                "{bytes} replaced by U+FFFD", bytes=counted(self.replaced, "1 invalid byte", "{n:,} invalid bytes")
            )
            found.append(Skipped(path, reason, code="replaced-bytes"))
        for size, where in zip(self.cut, _CUT, strict=True):
            if size:
                reason = Message(where, bytes=_bytes(size))
                found.append(Skipped(path, reason, code="cut-character"))
        return found


def _bytes(size: int) -> Message:
    return counted(size, "1 byte", "{n:,} bytes")


@record
class Document(ShortRepr):
    """A text as it is counted, with what is known of the file it came from."""

    path: str
    """Relative, forward slashes; ``<text>`` for literal text and ``<stdin>`` for standard input."""
    text: str
    kind: str
    """text, markdown, json, jsonl, code, template, pdf."""
    charset: str
    """The charset the bytes were decoded from, as in ``utf-8``; empty for text that was never bytes, and for PDF."""
    segments: Segments
    """The fine division: paragraphs, lists, fields, comments."""
    sections: Segments
    """The coarse division: a heading with what follows, a record; the whole document where it has none."""
    sha256: str
    """Of the text's UTF-8 bytes, in hex."""
    skipped: Sequence[Skipped] = field(default=())
    """Parts of the file that are not in ``text``, such as a broken line of a JSONL file."""
    first_line: int = 1
    """The 1-based line of the file at which ``text`` begins."""
    gaps: Sequence[tuple[int, int]] = ()
    """Lines of the file that are not in ``text``: code-point offset in ``text``, and their number."""
    marks: Sequence[Mark] = ()
    """Parts of ``text`` that are not body, by the geometry of a PDF's pages."""
    decoding: Decoding = field(default=Decoding())
    """How the charset was decided."""
    requests: Sequence[Request] = ()
    """The requests or recorded conversations that the document is; empty for any other."""
