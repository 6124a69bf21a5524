"""Pages of a document that has them: lines with their places, and what is not body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from tokaudit.model.errors import Code
from tokaudit.model.record import record

LineKind = Literal["body", "running", "number", "watermark", "table", "footnote", "vertical"]
"""running: a repeated header or footer; number: a page number by itself; watermark: text across the page; vertical:
text that runs downwards beside the body."""
MarkKind = Literal[LineKind, "parted"]
"""parted: a line of the body whose parts white parts."""


class PageLine(NamedTuple):
    """One line of a page, in reading order. Places are in points (1/72 inch) from the page's top left corner."""

    text: str
    top: float
    bottom: float
    left: float
    right: float
    size: float
    """Of the font, in points; of the largest where there are several."""
    kind: LineKind = "body"
    parted: bool = False
    """True if white as wide as between columns parts it: cells of a row, or columns that were not told."""


@record
class Page:
    """One page."""

    number: int
    """1-based, as it stands in the file."""
    width: float
    height: float
    lines: Sequence[PageLine]
    unmapped: int = 0
    """Glyphs without a character: they are in the text as ``(cid:n)`` or private-use characters."""
    glyphs: int = 0
    """All glyphs of the page."""
    problem: str = ""
    """Why the page, or a part of it, has no text here: too slow, damaged; empty where it was read."""
    code: Code = "page"
    """That of its problem: ``page``, or ``not-read`` for one that was not tried."""


class Mark(NamedTuple):
    """A stretch of a text that is not body, or parted: half-open, in code points."""

    start: int
    end: int
    kind: MarkKind
    page: int
    """1-based."""
    family: str = ""
    """For running lines what they have in common, digits masked; the same for all lines that belong together."""
