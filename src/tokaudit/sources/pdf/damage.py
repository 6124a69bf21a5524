"""Files that are cut short or were mended on opening: told, since what is read of them may be a part of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokaudit.model.message import Message
from tokaudit.model.pages import Page
from tokaudit.model.text import Skipped

_COUNT = re.compile(rb"/Count\s+(\d{1,7})\b")
_PAGES = re.compile(rb"/Type\s*/Pages\b")
_OBJECT = re.compile(rb"\b\d{1,9} \d{1,5} obj\b")
_START = re.compile(rb"startxref\s+(\d{1,12})")
_TABLE = re.compile(rb"\s*(?:xref\b|\d{1,9}\s+\d{1,5}\s+obj\b)")
_AROUND = 100_000
"""Bytes of a dictionary before and after its type that are looked at for the number of pages."""


def damage(data: bytes, pages: Sequence[Page]) -> list[Skipped]:
    """Tell that a file is damaged, and how many of its pages have text; nothing where it is whole."""
    found = faults(data)
    if not found:
        return []
    announced = max(_announced(data), len(pages))
    filled = [page.number for page in pages if page.glyphs]
    first = filled[-1] + 1 if filled else 1
    lost = Message("end of file")
    if first < announced:
        lost = Message("pages {first}-{last}", first=first, last=announced)
    elif first == announced:
        lost = Message("page {first}", first=first)
    have = Message("{filled:,} of {announced:,} pages have text", filled=len(filled), announced=announced)
    if len(filled) == announced:
        have = Message("all of its pages have text")
    reason = Message("the file is damaged: {fault}; {pages}", fault=found, pages=have)
    return [Skipped(lost, reason, Message("get the whole file again; what could be read is counted"), code="damaged")]


def faults(data: bytes) -> str:
    """The fault of a file's end, in words; empty for a whole file."""
    end = data.rfind(b"%%EOF")
    start = data.rfind(b"startxref")
    if end < 0 and start < 0:
        return Message("its end is missing (no startxref and no %%EOF)")
    if end < 0 or start < 0:
        return Message("its end is missing (no {missing})", missing="%%EOF" if end < 0 else "startxref")
    if _OBJECT.search(data, end):  # of an update, or of a file whose beginning has an end too
        return Message("its end is missing (objects after the last %%EOF)")
    match = _START.match(data, start)
    if match is None:
        return Message("startxref does not say where the table of its objects is")
    # Bytes before the header do not count for most writers.
    header = max(0, data.find(b"%PDF-", 0, 1024))
    place = int(match[1])
    if any(_TABLE.match(data, at) for at in {place, place + header}):
        return ""
    return Message("the table of its objects is not where startxref says, and was made anew")


def _announced(data: bytes) -> int:
    """Number of pages that the page tree announces, as far as it is not compressed: that of its root is the largest."""
    most = 0
    for match in _PAGES.finditer(data):
        start = max(data.rfind(b" obj", max(0, match.start() - _AROUND), match.start()), 0)
        end = data.find(b"endobj", match.end(), match.end() + _AROUND)
        part = data[start : end if end >= 0 else match.end() + _AROUND]
        most = max([most, *(int(count[1]) for count in _COUNT.finditer(part))])
    return most
