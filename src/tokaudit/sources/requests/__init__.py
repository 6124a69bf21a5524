"""Requests and recorded conversations in JSON, JSON Lines and plain transcripts: one file a form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokaudit.model import Document

_HEAD = 1 << 16
"""Code points in which a key of a request must stand."""
_KEYS = re.compile(
    r'"(?:messages|input|contents|conversations|prompt|instruction|body|params|request|role|from|chosen)"\s*:'
)
_SPOKEN = re.compile(r"[:：]")
"""What stands behind a speaker in a transcript."""


def with_requests(document: Document, *, sure: bool = False) -> Document:
    """The document with the requests that it holds; the same one where it holds none.

    A list or lines of which most are no requests are none, unless it is ``sure`` that they are some, as of a later
    piece of a file whose beginning has them. Other records among requests are of the form ``record``. A text in which
    speakers are named is divided into their messages.
    """
    text, kind = document.text, document.kind
    if kind == "text" and text.lstrip()[:1] not in ("{", "["):
        if _SPOKEN.search(text, 0, _HEAD) is None:
            return document
        from tokaudit.sources.requests.transcript import with_transcript

        return with_transcript(document)
    if kind not in {"json", "jsonl", "text"} or not (sure or _KEYS.search(text, 0, _HEAD)):
        return document
    from tokaudit.sources.requests.records import with_records

    return with_records(document, sure=sure)
