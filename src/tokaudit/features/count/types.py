"""The options and the results of a count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from operator import add, sub
from typing import Literal, NamedTuple

from tokaudit.model import Decoding, ModelColumn, Skipped
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.model.request import Media
from tokaudit.model.text import Box

By = Literal["file", "folder", "segment", "section", "page", "kind", "line", "class", "role", "turn"]
BY: tuple[By, ...] = ("file", "folder", "segment", "section", "page", "kind", "line", "class", "role", "turn")
WHOLE = frozenset(("file", "folder"))
"""Divisions that need no parts of documents."""
MEDIA = frozenset(("image", "audio", "video", "file"))
"""Kinds of parts of requests that are no text."""
SPREAD = frozenset(("kind", "class", "role", "turn"))
"""Divisions whose parts are spread over the text: each has no place of its own."""
BY_REQUEST = frozenset(("file", "folder", "segment", "kind", "role", "turn"))
"""Divisions in which a request is counted as it is billed; by all others its file is a text."""
Sort = Literal["order", "tokens", "density", "chars", "name"]
SORT: tuple[Sort, ...] = ("order", "tokens", "density", "chars", "name")


@record(kw_only=True)
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
    words: int | None = None
    """Those that begin in it; None where they are not counted."""


@record
class MediaRow:
    """An image, recording or file of a request with its tokens by each provider's rule."""

    media: Media
    role: str
    place: str
    """Path and line of its message."""
    tokens: list[int | None]
    """In the order of the tokenizers; None where no rule is known."""
    notes: list[str]
    """What was assumed for each of them."""

    @property
    def label(self) -> str:
        """What it is: ``image 1024x768 (image/png)``."""
        media = self.media
        size = f" {media.width}x{media.height}" if media.width else ""
        mime = f" ({media.mime})" if media.mime else ""
        return Message("{kind}{size}{mime}", kind=Message(media.kind), size=size, mime=mime)


class TurnBill(NamedTuple):
    """What one turn of a conversation has sent; tokens in the order of the tokenizers."""

    turn: int
    requests: int
    """One for each answer: calls of tools are answers as well."""
    sent: tuple[int, ...]
    """Input tokens of all its requests."""
    largest: tuple[int, ...]
    """Of the longest of them."""


@record
class Conversation:
    """The bill of a conversation."""

    turns: Sequence[TurnBill]
    overflow: tuple[int | None, ...]
    """For each tokenizer the turn that no longer fits the model's window; after the last one a forecast by the mean of
    the turns. None where the window is not known."""
    windows: tuple[int | None, ...]
    reserve: int
    """Tokens that each request reserves for its answer."""


class BilledRequest(NamedTuple):
    """One request of a document."""

    line: int
    tokens: tuple[int, ...]
    """Of its whole input, in the order of the tokenizers."""
    max_output: int | None
    """Its ``max_tokens``."""


@record(kw_only=True)
class RequestSums:
    """What is known of the requests of a document besides their parts; tokens in the order of the tokenizers."""

    requests: int
    messages: int
    forms: tuple[str, ...]
    framing: tuple[int, ...]
    tools: tuple[int, ...]
    schema: tuple[int, ...]
    hidden: int
    """Tokens added for all requests by ``--hidden``."""
    media: Sequence[MediaRow]
    unpriced: tuple[int, ...]
    """Media for which there is no rule, and which are in no total."""
    templates: tuple[str, ...]
    errors: tuple[str, ...]
    """For each tokenizer why its framing is an estimate; empty where it is exact."""
    turns: int
    """Of the longest conversation."""
    max_output: int | None
    """The largest ``max_tokens`` of the requests."""
    notes: tuple[str, ...] = ()
    """Sentences on what chat templates add or leave out."""
    each: Sequence[BilledRequest] = ()
    """The requests one by one."""
    question: tuple[int, ...] = ()
    """Of one request with retrieved passages: tokens of the last user's own words; else empty."""
    conversation: Conversation | None = None
    """Of one conversation by turn."""

    def estimates(self, column: int) -> str:
        """Say which figures of a column are no counts; empty where all are."""
        if self.errors[column]:
            return self.errors[column]
        if any(row.tokens[column] for row in self.media):
            return Message("images, recordings and files by the provider's published rule")
        return ""

    def plus(self, other: RequestSums) -> RequestSums:
        """The sums of two pieces of one file."""

        def both(name: str) -> tuple[int, ...]:
            return tuple(map(add, getattr(self, name), getattr(other, name)))

        return replace(
            self,
            requests=self.requests + other.requests,
            messages=self.messages + other.messages,
            forms=tuple(dict.fromkeys((*self.forms, *other.forms))),
            framing=both("framing"),
            tools=both("tools"),
            schema=both("schema"),
            hidden=self.hidden + other.hidden,
            media=[*self.media, *other.media],
            unpriced=both("unpriced"),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            each=[*self.each, *other.each],
            errors=tuple(one or another for one, another in zip(self.errors, other.errors, strict=True)),
            turns=max(self.turns, other.turns),
            max_output=max(self.max_output or 0, other.max_output or 0) or None,
            question=(),  # both are of a request by itself
            conversation=None,
        )


@record
class Encoded:
    """Base64 that stands in a document as text."""

    runs: int
    chars: int
    tokens: tuple[int, ...]
    """In the order of the tokenizers."""
    lines: tuple[int, ...] = ()
    """1-based, at which the first runs begin."""
    spans: tuple[tuple[int, int], ...] = ()
    """Half-open, in code points of the text; none of requests, whose texts are not the file's."""

    def plus(self, other: Encoded) -> Encoded:
        """The base64 of two pieces of one file."""
        tokens = tuple(map(add, self.tokens, other.tokens))
        return Encoded(self.runs + other.runs, self.chars + other.chars, tokens, (*self.lines, *other.lines)[:5])


@record(kw_only=True)
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
    """Number of all parts, of which ``parts`` may be a selection."""
    skipped: Sequence[Skipped] = ()
    by_kind: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """For a PDF or a template by segment, the tokens of all its segments of each kind, of which ``parts`` may have a
    selection."""
    pages: Sequence[Mapping[str, int]] = ()
    """For a PDF by file, of each page the tokens of each kind of segment, for the first tokenizer."""
    control: str = ""
    """A control token of one of the tokenizers that stands in the text; empty where none was found."""
    decoding: Decoding = field(default=Decoding())
    """How the charset was decided."""
    request: RequestSums | None = None
    """Of requests, whose tokens are those billed; None for a text."""

    @property
    def of_text(self) -> tuple[int, ...]:
        """Its tokens without those of media, which have no characters."""
        if self.request is None or not self.request.media:
            return self.tokens
        media = [sum(filter(None, column)) for column in zip(*(row.tokens for row in self.request.media), strict=True)]
        return tuple(map(sub, self.tokens, media))

    words: int | None = None
    """None where they are not counted."""
    encoded: Encoded | None = None
    """Base64 that stands in it as text; None where there is none."""


@record
class Wanted:
    """Options of a count."""

    by: By = "file"
    top: int | None = None
    """Most parts to keep of all documents; 0 for all; None for all, of which a table for people shows some."""
    sort: Sort = "order"
    density_threshold: float = 0.8
    """Tokens per character above which a part is flagged ``dense``."""
    depth: int | None = None
    """Most levels of folders below the first; None for all."""
    template: bool = True
    """Count what chat templates put around the contents of requests."""
    hidden: int = 0
    """Tokens that a provider is known to add to each request."""
    words: bool = False
    """Count words, for tokens per word."""


@record
class Classes:
    """Character classes for ``--by class``, and words; the classifiers belong to the tokenizers."""

    names: Sequence[str]
    of_bytes: Callable[[str], bytes]
    """For each UTF-8 byte of a text the index in ``names`` of its character's class."""
    of_chars: Callable[[str], bytes]
    """The same for each code point."""
    words: Callable[[str], Sequence[int]] | None = None
    """The words of a text by the class of the first letter or digit; None where words are not counted."""

    def words_of(self, text: str) -> int | None:
        """Words of a text; None where they are not counted."""
        return None if self.words is None else sum(self.words(text))


@record(kw_only=True)
class CountResult:
    """All that a run of ``count`` found."""

    models: Sequence[ModelColumn]
    """As approximate where a figure of any document is an estimate."""
    by_themselves: Sequence[ModelColumn]
    """The same, as approximate only where the tokenizer is."""
    documents: Sequence[Counted]
    skipped: Sequence[Skipped]
    wanted: Wanted
    special: bool
    version: str

    def models_of(self, document: Counted) -> Sequence[ModelColumn]:
        """The models, as approximate where a figure of this document is an estimate."""
        if document.request is None:
            return self.by_themselves
        sums = document.request
        return [
            marked if sums.estimates(marked.column) else plain
            for marked, plain in zip(self.models, self.by_themselves, strict=True)
        ]
