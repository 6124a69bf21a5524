"""Options of reading PDF files: apart from their readers, which are imported only for a PDF."""

from __future__ import annotations

from tokaudit.model.record import record


@record
class PdfOptions:
    """Options of reading PDF files."""

    password: str = ""
    engine: str = "auto"
    """auto, pdfium or pdfplumber."""
    tables: bool = True
    """Tables are looked for, and become Markdown."""
    jobs: int = 1
    """Maximum processes for the pages of one file; 0 for as many as there are cores."""


AS_USUAL = PdfOptions()
