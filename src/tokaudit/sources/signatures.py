"""First bytes of files that are no plain text, and what those files are."""

from __future__ import annotations

import re

SIGNATURES = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n", "PNG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"PK\x03\x04", "ZIP archive or Office document"),
    (b"PK\x05\x06", "ZIP archive"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\x7fELF", "ELF program"),
    (b"\xca\xfe\xba\xbe", "class file or program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "older Office document"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"OggS\x00", "Ogg"),
    (b"\x00asm", "WebAssembly"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
)
STARTS = tuple(magic for magic, _ in SIGNATURES)
_PDF_HEAD, _PDF_TAIL = 1 << 10, 1 << 11
"""Bytes in which readers of PDF look for the beginning, and for the end, where something stands around the file."""


def is_pdf(data: bytes) -> bool:
    """Check for the bytes of a PDF, also where its end is missing.

    Other bytes may stand before it, as readers allow: then it must have an end with a number, for a text may speak of
    ``%PDF-`` and of ``startxref``.
    """
    at = data.find(b"%PDF-", 0, _PDF_HEAD)
    if at <= 0:
        return at == 0
    return not data[:at].strip(b"\xef\xbb\xbf \t\r\n") or bool(re.search(rb"startxref\s+\d", data[-_PDF_TAIL:]))
