"""The options and the results of a count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from tokaudit.model import Decoding, ModelColumn, Skipped
from tokaudit.model.record import record
from tokaudit.model.text import Box

By = Literal["file", "folder", "segment", "section", "page", "kind", "line", "class"]
BY: tuple[By, ...] = ("file", "folder", "segment", "section", "page", "kind", "line", "class")
WHOLE = frozenset(("file", "folder"))
"""Divisions that need no parts of documents."""
SPREAD = frozenset(("kind", "class"))
"""Divisions whose parts are spread over the text: each has no place of its own."""
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


@record
class Classes:
    """Character classes for ``--by class``; the classifier belongs to the tokenizers."""

    names: Sequence[str]
    of_bytes: Callable[[str], bytes]
    """For each UTF-8 byte of a text the index in ``names`` of its character's class."""
    of_chars: Callable[[str], bytes]
    """The same for each code point."""


@record(kw_only=True)
class CountResult:
    """All that a run of ``count`` found."""

    models: Sequence[ModelColumn]
    documents: Sequence[Counted]
    skipped: Sequence[Skipped]
    wanted: Wanted
    special: bool
    version: str
