"""Files to documents and segments; one file a format.

Importing this package imports nothing heavy: it is on the path of every start. The parsers (markdown-it, Pygments,
pathspec, json) are imported by the function that first needs one.
"""

from __future__ import annotations

from tokaudit.sources.charset import decode, decoded, encode_like
from tokaudit.sources.charset_detection import detect, is_binary
from tokaudit.sources.columns import line_starts
from tokaudit.sources.discover import Discovery, SourceFile, discover
from tokaudit.sources.document import load, read, read_bytes
from tokaudit.sources.kinds import checked_kind, kind_of
from tokaudit.sources.pdf_options import AS_USUAL, PdfOptions
from tokaudit.sources.pieces import cut_points, iter_text, safe_cut
from tokaudit.sources.signatures import is_pdf

__all__ = [
    "AS_USUAL",
    "Discovery",
    "PdfOptions",
    "SourceFile",
    "checked_kind",
    "cut_points",
    "decode",
    "decoded",
    "detect",
    "discover",
    "encode_like",
    "is_binary",
    "is_pdf",
    "iter_text",
    "kind_of",
    "line_starts",
    "load",
    "read",
    "read_bytes",
    "safe_cut",
]
