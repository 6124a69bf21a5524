"""A document as one process reads it: page by page, each by the engine that it needs."""

from __future__ import annotations

from dataclasses import replace

from tokaudit.model.message import Message
from tokaudit.model.pages import Page
from tokaudit.sources.pdf.glyphs import Sheet
from tokaudit.sources.pdf.layout import laid_out
from tokaudit.sources.pdf.pdfium import PdfiumDocument
from tokaudit.sources.pdf.pdfium_fields import with_fields
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
        self._data, self._password = data, password
        self._always = engine == "pdfplumber"
        self._plumber = PlumberDocument(data, password) if self._always else None

    def page(self, index: int) -> Page:
        """Read a page. Whatever is wrong with it is a problem of this page only."""
        try:
            sheet, problem = self._sheet(index)
            fields = self._pdfium.fields(index)
            if fields:
                sheet.glyphs = with_fields(sheet.glyphs, fields)
                sheet.count += sum(map(len, fields))
            others = upright(sheet)
            tables = take_tables(sheet, grids) if self._tables else []
            page = laid_out(sheet, index + 1, tables, others)
            return replace(page, problem=problem) if problem else page
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

    def _sheet(self, index: int) -> tuple[Sheet, str]:
        """The glyphs of a page by the engine that has all of them, and what is wrong with them."""
        if self._always:
            return self._other().sheet(index), ""
        sheet = self._pdfium.sheet(index)
        if not sheet.lost:
            return sheet, ""
        try:
            other = self._other().sheet(index)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - damaged pages make the engine raise anything
            return sheet, Message(
                "{pieces} pieces of its text cannot be read, of a font not in the file: {error}",
                pieces=sheet.lost,
                error=f"{type(error).__name__}: {error}"[:150],
            )
        if other.count <= sheet.count:  # they are spaces
            return sheet, ""
        other.rules = sheet.rules
        return other, ""

    def _other(self) -> PlumberDocument:
        if self._plumber is None:
            self._plumber = PlumberDocument(self._data, self._password)
        return self._plumber

    def close(self) -> None:
        """Give back what the engines hold."""
        if self._plumber is not None:
            self._plumber.close()
        self._pdfium.close()
