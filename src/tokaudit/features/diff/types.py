"""The options and the results of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tokaudit.features.diff.pairing import Status
from tokaudit.features.diff.text_diff import Kind
from tokaudit.model import Decoding, ModelColumn, Skipped, Span
from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr

By = Literal["segment", "section", "file"]
BY: tuple[By, ...] = ("segment", "section", "file")


@record
class Wanted:
    """Options of a comparison."""

    by: By = "segment"
    top: int | None = None
    """Most rows of each table; 0 for all; None for all, of which a table for people shows some."""
    changes: bool = True
    """Report the changes of the text."""
    texts: bool = False
    """Keep the texts, to show them with their changes marked."""


@record(kw_only=True)
class Side:
    """One version of a document, with its tokens in the order of the tokenizers."""

    path: str
    kind: str
    charset: str
    sha256: str
    chars: int
    size: int
    """UTF-8 bytes."""
    tokens: tuple[int, ...]
    segments_total: int
    """Number of its segments in the division asked for; 0 for ``file``."""
    decoding: Decoding
    """How the charset was decided."""


@record(kw_only=True)
class Part:
    """One version of a segment."""

    id: str
    kind: str
    label: str
    start: int
    end: int
    line: int | None
    size: int
    tokens: tuple[int, ...]
    page: int | None = None
    """Of a PDF; such a part has no line."""


@record
class SegmentPair:
    """A segment before and after; None on the side where it is not."""

    status: Status
    """``equal`` only where a token boundary at its edge moved."""
    before: Part | None
    after: Part | None
    delta: tuple[int, ...]


@record(kw_only=True)
class TextChange(ShortRepr):
    """One change of the text, with its lines (1-based; pages for a PDF) and a little of what is around it."""

    kind: Kind
    before: Span
    after: Span
    line_before: int | None
    line_after: int | None
    old: str
    new: str
    lead: str
    trail: str
    delta: tuple[int, ...]
    page_before: int | None = None
    page_after: int | None = None


@record(kw_only=True)
class Compared:
    """Two versions of a document; None on the side where it is not."""

    path: str
    status: Literal["equal", "changed", "added", "removed"]
    before: Side | None
    after: Side | None
    delta: tuple[int, ...]
    segments: Sequence[SegmentPair] = ()
    """Those that changed, in the order of the text."""
    changes: Sequence[TextChange] = ()
    texts: tuple[str, str] = ("", "")
    """Both texts, where they are wanted and differ."""


@record(kw_only=True)
class DiffResult:
    """All that a run of ``diff`` found."""

    before: str
    """Name of the older side: a path or a revision."""
    after: str
    several: bool
    """True where folders or revisions were compared, not one file with another."""
    models: Sequence[ModelColumn]
    documents: Sequence[Compared]
    skipped: Sequence[Skipped]
    wanted: Wanted
    special: bool
    version: str
