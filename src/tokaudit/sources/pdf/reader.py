"""A document as one process reads it: page by page, each by the engine that it needs."""

from __future__ import annotations

from tokaudit.model.message import Message
from tokaudit.model.pages import Page
from tokaudit.sources.pdf.layout import laid_out
from tokaudit.sources.pdf.pdfium import PdfiumDocument
from tokaudit.sources.pdf.plumber import PlumberDocument, grids
from tokaudit.sources.pdf.tables import take_tables
from tokaudit.sources.pdf.turned import upright


class Reader:
    """An open document."""

    def __init__(self, data: bytes, password: str, engine: str, *, tables: bool) -> None:
        # Opened first whatever the engine: it says what is wrong with a file.
        self._pdfium = PdfiumDocument(data, password)
        self.count = self._pdfium.count
        self.encrypted = self._pdfium.encrypted
        self._tables = tables and engine != "pdfium"
        self._engine: PdfiumDocument | PlumberDocument = self._pdfium
        if engine == "pdfplumber":
            self._engine = PlumberDocument(data, password)

    def page(self, index: int) -> Page:
        """Read a page. Whatever is wrong with it is a problem of this page only."""
        try:
            sheet = self._engine.sheet(index)
            others = upright(sheet)
            tables = take_tables(sheet, grids) if self._tables else []
            return laid_out(sheet, index + 1, tables, others)
        except MemoryError:
            return Page(index + 1, 0, 0, (), problem="needs too much memory")
        except Exception as error:  # noqa: BLE001 - damaged pages make the engines raise anything
            return Page(
                index + 1,
                0,
                0,
                (),
                problem=Message("damaged: {kind}: {error}", kind=type(error).__name__, error=error)[:200],
            )

    def close(self) -> None:
        """Give back what the engines hold."""
        if self._engine is not self._pdfium:
            self._engine.close()
        self._pdfium.close()
