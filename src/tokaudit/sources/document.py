"""A file or a text to a ``Document``: decoded, divided, with its hash."""

from __future__ import annotations

import os
from typing import Any

from tokaudit.model import Decoding, Document, InputError
from tokaudit.model.message import Message
from tokaudit.sources.charset import Decoded, decoded
from tokaudit.sources.charset_detection import is_binary
from tokaudit.sources.columns import whole
from tokaudit.sources.discover import SourceFile
from tokaudit.sources.kinds import checked_kind, kind_of
from tokaudit.sources.pdf_options import AS_USUAL, PdfOptions
from tokaudit.sources.signatures import is_pdf

_LARGE, _HEAD = 4 << 20, 1 << 16
"""Bytes from which on a file's head is looked at before the rest is read, and of that head."""


def load(
    data: bytes | str,
    path: str,
    *,
    charset: str | None = None,
    errors: str = "strict",
    kind: str | None = None,
    structure: bool = True,
    by_kind: bool = False,
    first_line: int = 1,
    pdf: PdfOptions = AS_USUAL,
) -> Document:
    """The document of a file's bytes, or of a text.

    Args:
        data: bytes are decoded, or read as a PDF where they are one; a text is taken as it is.
        path: as reports show it; its name decides the kind.
        charset: None to detect it.
        errors: what becomes of bytes that are not in the charset: ``strict`` or ``replace``.
        kind: text, markdown, json, jsonl, yaml, toml, code or template; None to tell by the name.
        structure: False for one segment only, where the parts are not asked for. The text is the same either way:
            broken lines of a JSONL file are left out of it.
        by_kind: True for segments of source code that are of one kind each (comment, string, docstring, code), instead
            of functions and classes.
        first_line: 1-based line at which ``data`` begins, for a later piece of a large file.
        pdf: how a PDF is read. It is known by its bytes, whatever ``kind`` and ``charset`` say.

    Raises:
        InputError: the bytes are no text (the code is ``binary``) or not in the charset, or the text has lone
            surrogates, which no tokenizer takes.
        UsageError: unknown charset or kind.
    """
    checked_kind(kind)
    if isinstance(data, bytes) and is_pdf(data):
        from tokaudit.sources.pdf.document import pdf_document

        return pdf_document(data, path, pdf)
    found = Decoded(data, "", Decoding()) if isinstance(data, str) else decoded(data, charset, path, errors=errors)
    text, name = found.text, found.charset
    chosen = kind or kind_of(path, ask_pygments=structure)
    counted, chosen, segments, sections, skipped, *gaps = _divide(path, text, chosen, structure, by_kind, first_line)
    # Hashing the bytes themselves saves a copy of the text, where they are its UTF-8.
    same = name == "utf-8" and isinstance(data, bytes) and counted is text and not data.startswith(b"\xef\xbb\xbf")
    digest = _sha256(data if same and isinstance(data, bytes) else _utf8(counted, path))
    left_out = gaps[0] if gaps else ()
    skipped = [*found.decoding.notes(path), *skipped]
    return Document(
        path, counted, chosen, name, segments, sections, digest, skipped, first_line, left_out, decoding=found.decoding
    )


def _divide(path: str, text: str, kind: str, structure: bool, by_kind: bool, first_line: int) -> tuple[Any, ...]:
    if kind == "jsonl":
        from tokaudit.sources import json_records

        return json_records.lines(path, text, structure=structure, first_line=first_line)
    if kind == "template":
        from tokaudit.sources import jinja

        return jinja.document(path, text, structure=structure, first_line=first_line)
    # A broken document of JSON, like a broken template, is reported however it is counted.
    if not text or not (structure or kind == "json"):
        return text, kind, whole(path, text, kind, first_line), whole(path, text, kind, first_line), ()
    if kind == "json":
        from tokaudit.sources import json_records

        return json_records.document(path, text, first_line=first_line)
    if kind == "markdown":
        from tokaudit.sources import markdown

        return text, kind, *markdown.divide(path, text, first_line), ()
    if kind in {"yaml", "toml"}:
        from tokaudit.sources import keyed

        return keyed.document(path, text, kind, first_line=first_line)
    if kind == "code":
        from tokaudit.sources import code

        divide = code.divide_by_kind if by_kind else code.divide
        return text, kind, *divide(path, text, first_line), ()
    from tokaudit.sources import plain

    return text, kind, *plain.divide(path, text, first_line), ()


def _utf8(text: str, path: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise InputError(
            Message(
                "the text has a lone surrogate (U+{code:04X}) at character {start}, line {line}, "
                "which is no character and cannot be counted",
                code=ord(text[error.start]),
                start=error.start,
                line=line,
            ),
            what=path,
            code="charset",
            hint="decode the text with errors='replace', or remove it",
        ) from error


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def read(
    file: SourceFile,
    *,
    charset: str | None = None,
    errors: str = "strict",
    kind: str | None = None,
    structure: bool = True,
    by_kind: bool = False,
    pdf: PdfOptions = AS_USUAL,
) -> Document:
    """The document of a file that ``discover`` found; the rest is as in ``load``.

    Raises:
        InputError: also where the file has vanished, is a folder or may not be read.
    """
    return load(
        read_bytes(file),
        file.path,
        charset=charset,
        errors=errors,
        kind=kind,
        structure=structure,
        by_kind=by_kind,
        pdf=pdf,
    )


def read_bytes(file: SourceFile) -> bytes:
    """The file's bytes; of one that grows meanwhile, the lines that it had when it was opened."""
    try:
        with open(file.location, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
            size = os.fstat(stream.fileno()).st_size
            if not size:
                return stream.read()  # virtual files report no size
            if size > _LARGE:
                head = stream.read(_HEAD)
                if b"%PDF-" not in head[:1024] and is_binary(head):
                    raise InputError("binary file", what=file.path, code="binary")
                stream.seek(0)
            data = stream.read(size)
            if len(data) == size and stream.read(1):
                whole_lines = data.rfind(b"\n") + 1
                return data[:whole_lines] if whole_lines and b"\0" not in data else data
            return data
    except FileNotFoundError as error:
        raise InputError("vanished before it was read", what=file.path, code="missing") from error
    except IsADirectoryError as error:
        raise InputError("is a folder, not a file", what=file.path, code="not-a-file") from error
    except PermissionError as error:
        raise InputError("permission denied", what=file.path, hint="make it readable, or --exclude it") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(Message("cannot be read: {reason}", reason=reason), what=file.path) from error
