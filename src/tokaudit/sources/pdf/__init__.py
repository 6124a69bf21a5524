"""PDF files to pages of lines. Importing this package imports no engine: reading does, in processes of its own."""

from __future__ import annotations

from tokaudit.sources.pdf.read import ENGINES, PdfError, PdfPages, read_pages

__all__ = ["ENGINES", "PdfError", "PdfPages", "read_pages"]
