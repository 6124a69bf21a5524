"""Glyphs and drawn lines by pdfium, the fast engine."""

from __future__ import annotations

import re
from typing import Any

from tokaudit.sources.pdf.glyphs import Glyph, OpenError, Sheet, Transform
from tokaudit.sources.pdf.pdfium_fields import read_fields
from tokaudit.sources.pdf.pdfium_fonts import hide_fonts, left_out, show_fonts
from tokaudit.sources.pdf.pdfium_glyphs import read_glyphs
from tokaudit.sources.pdf.pdfium_rules import read_rules

_CATALOGUE = re.compile(rb"\b(\d{1,9}) (\d{1,5}) obj\s*<<[^<>]{0,500}/Type\s*/Catalog\b")


class PdfiumDocument:
    """A document opened by pdfium."""

    def __init__(self, data: bytes, password: str) -> None:
        import pypdfium2
        from pypdfium2 import raw

        self._raw: Any = raw
        hide_fonts(raw)
        try:
            self._document: Any = pypdfium2.PdfDocument(data, password=password or None)
        except pypdfium2.PdfiumError as error:
            code = int(getattr(error, "err_code", 0) or raw.FPDF_GetLastError())
            kinds = {raw.FPDF_ERR_PASSWORD: "password", raw.FPDF_ERR_SECURITY: "security"}
            if code in kinds:
                raise OpenError(kinds[code]) from error
            self._document = self._mended(data)
        self.count = len(self._document)
        if not self.count:
            raise OpenError("empty")
        self._form = self._opened_form()
        self.encrypted = int(raw.FPDF_GetSecurityHandlerRevision(self._document.raw)) > 0

    def _mended(self, data: bytes) -> Any:
        """The document where only its end is lost, which tells where the catalogue is: that is looked for."""
        import pypdfium2

        catalogue = _CATALOGUE.search(data)
        if not catalogue:
            raise OpenError("its structure cannot be read")
        # What is cut may be a stream or a dictionary; an object that begins is taken for whole then.
        end = b"\nendstream >>\nendobj\ntrailer\n<< /Size 1000000 /Root %s %s R >>\nstartxref\n0\n%%%%EOF\n"
        try:
            return pypdfium2.PdfDocument(data + end % catalogue.groups())
        except pypdfium2.PdfiumError as error:
            raise OpenError("its structure cannot be read") from error

    def _opened_form(self) -> Any:
        """The document's form as the engine has it; None where there is none."""
        import pypdfium2

        if self._raw.FPDF_GetFormType(self._document.raw) == self._raw.FORMTYPE_NONE:
            return None
        try:
            self._document.init_forms()
        except pypdfium2.PdfiumError:
            return None
        return self._document.formenv

    def fields(self, index: int) -> list[list[Glyph]]:
        """The values of a page's form fields, as glyphs."""
        if self._form is None:
            return []
        page = self._document[index]
        try:
            return read_fields(self._raw, self._form.raw, page.raw, _transform(*self._box(page.raw)))
        finally:
            page.close()

    def sheet(self, index: int) -> Sheet:
        """Read a page."""
        page = self._document[index]
        try:
            text = page.get_textpage()
            try:
                return self._read(page.raw, text.raw)
            finally:
                text.close()
        finally:
            page.close()

    def _read(self, page: Any, text: Any) -> Sheet:
        box, turn = self._box(page)
        width, height = abs(box.right - box.left), abs(box.top - box.bottom)
        sheet = Sheet(*((height, width) if turn % 2 else (width, height)))
        transform = _transform(box, turn)
        read_glyphs(self._raw, text, transform, sheet)
        sheet.rules = list(read_rules(self._raw, page, transform))
        sheet.lost = left_out(self._raw, page)
        return sheet

    def _box(self, page: Any) -> tuple[Any, int]:
        """The box of a page, in the file's coordinates, and how it is turned."""
        box = self._raw.FS_RECTF()
        if not self._raw.FPDF_GetPageBoundingBox(page, box):
            box.left, box.bottom, box.right, box.top = 0, 0, 612, 792
        return box, int(self._raw.FPDFPage_GetRotation(page)) % 4

    def close(self) -> None:
        """Close the document."""
        self._document.close()
        show_fonts(self._raw)


def _transform(box: Any, turn: int) -> Transform:
    """From the file's coordinates to those of the page as it is shown: turned, from the top, downwards."""
    transforms: tuple[Transform, ...] = (
        (1, 0, 0, -1, -box.left, box.top),
        (0, 1, 1, 0, -box.bottom, -box.left),
        (-1, 0, 0, 1, box.right, -box.bottom),
        (0, -1, -1, 0, box.top, box.right),
    )
    return transforms[turn]
