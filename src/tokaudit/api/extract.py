"""``tokaudit.extract``: the text of a PDF with the place and kind of each line, and what of it is furniture."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from tokaudit.model import InputError, Skipped, UsageError
from tokaudit.model.message import Message
from tokaudit.model.pages import LineKind
from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr
from tokaudit.model.text import Box

Keep = Literal["none", "first", "distinct", "all"]
KEEP: tuple[Keep, ...] = ("none", "first", "distinct", "all")


@record
class ExtractedLine(ShortRepr):
    """One line of a page, in reading order."""

    text: str
    box: Box
    """Left, top, right and bottom, in points from the page's top left corner."""
    size: float
    """Of the type, in points."""
    kind: LineKind
    """body, running, number, watermark, table, footnote or vertical."""
    family: str
    """Common to the running lines that belong together; empty for other lines."""
    kept: bool
    reason: str
    """The reason for dropping it, or for keeping it though it is furniture; empty for all else."""


@record
class ExtractedPage(ShortRepr):
    """One page."""

    number: int
    """1-based, as it stands in the file."""
    width: float
    height: float
    lines: Sequence[ExtractedLine]
    unmapped: int
    """Glyphs without a character, of ``glyphs``."""
    glyphs: int
    problem: str
    """The reason why it has no text; empty where it was read."""

    @property
    def text(self) -> str:
        """The lines that are kept."""
        return "\n".join(line.text for line in self.lines if line.kept)


@record
class Extraction(ShortRepr):
    """A PDF as it was read."""

    path: str
    pages: Sequence[ExtractedPage]
    encrypted: bool
    skipped: Sequence[Skipped]
    """Pages that could not be read, or not well."""

    @property
    def text(self) -> str:
        """The lines that are kept, with a form feed between pages."""
        return "\f".join(page.text for page in self.pages)

    @property
    def dropped(self) -> Sequence[tuple[int, ExtractedLine]]:
        """The lines that are not kept, each with the number of its page."""
        return [(page.number, line) for page in self.pages for line in page.lines if not line.kept]


def extract(
    path: str | os.PathLike[str] | bytes,
    *,
    keep: Keep = "first",
    password: str = "",
    pdf_engine: str = "auto",
    tables: bool = True,
    jobs: int = 0,
) -> Extraction:
    """Read a PDF: its pages, the lines on them, and which of these are furniture.

    Args:
        path: A file, or its bytes.
        keep: What stays of running lines and watermarks that belong together: nothing, the first, the first of each
            wording, or all. Of page numbers none stays, but with ``all``.
        password: Of a file that is encrypted.
        pdf_engine: What reads it: auto (pdfium, and pdfplumber where there are tables), pdfium, pdfplumber.
        tables: Whether tables are looked for.
        jobs: Most processes; 0 for as many as there are cores.

    Raises:
        InputError: It cannot be read, or there is no text in it.
        UsageError: There is no such engine, or nothing like ``keep``.
    """
    from tokaudit.sources import PdfOptions
    from tokaudit.sources.pdf.document import read_with_furniture

    if keep not in KEEP:
        raise UsageError(
            Message("unknown value '{keep}' of keep", keep=keep), hint=Message("keep takes {choices}", choices=KEEP)
        )
    name = "<bytes>" if isinstance(path, bytes) else Path(path).as_posix()
    data = path if isinstance(path, bytes) else _bytes(path, name)
    read, families, skipped = read_with_furniture(data, name, PdfOptions(password, pdf_engine, tables, jobs))
    keeper = _Keeper(keep, families)
    pages = [
        ExtractedPage(
            page.number,
            page.width,
            page.height,
            [keeper.line(line, families.get((at, number))) for number, line in enumerate(page.lines)],
            page.unmapped,
            page.glyphs,
            page.problem,
        )
        for at, page in enumerate(read.pages)
    ]
    return Extraction(name, pages, read.encrypted, skipped)


def _bytes(path: str | os.PathLike[str], name: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError.unreadable(error, name) from error


class _Keeper:
    """Says of each line whether it stays, in the order of the pages."""

    def __init__(self, keep: Keep, families: Mapping[tuple[int, int], Any]) -> None:
        self._keep = keep
        self._seen: set[tuple[str, str, str]] = set()
        self._pages: dict[tuple[str, str], set[int]] = {}
        for (page, _), found in families.items():
            self._pages.setdefault((found.kind, found.family), set()).add(page)

    def line(self, line: Any, found: Any) -> ExtractedLine:
        """A line as it is given to callers."""
        kind = line.kind if found is None else found.kind
        family = found.family if found is not None else line.text.strip() if kind == "watermark" else ""
        kept, reason = self._judged(kind, family, line.text)
        box = (line.left, line.top, line.right, line.bottom)
        return ExtractedLine(line.text, box, line.size, kind, family, kept, reason)

    def _judged(self, kind: str, family: str, text: str) -> tuple[bool, str]:
        if kind not in _SAID:
            return True, ""
        if self._keep == "all":
            return True, Message("{what}: all are kept", what=_SAID[kind])
        if kind == "number":
            return False, "page number"
        on = len(self._pages.get((kind, family), ()))
        said = Message("{what}, on {n} pages", what=_SAID[kind], n=on) if on > 1 else _SAID[kind]
        from tokaudit.pipeline.pages.edge_lines import wording

        group = (kind, family, wording(text) if self._keep == "distinct" else "")
        if self._keep != "none" and group not in self._seen:
            self._seen.add(group)
            return True, Message(
                "{what}: the first of its wording" if self._keep == "distinct" else "{what}: the first", what=said
            )
        return False, said


_SAID = {"running": Message("running line"), "number": Message("page number"), "watermark": Message("watermark")}
