"""Requests of one file, in the text of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokaudit.jobs.inputs import Reading, TextInput
from tokaudit.model import Document, InputError, Skipped
from tokaudit.model.message import Message
from tokaudit.model.request import RECORD, Request
from tokaudit.sources import SourceFile, decoded, encode_like, load, read_bytes
from tokaudit.sources.columns import line_starts
from tokaudit.sources.requests import with_requests


@dataclass(frozen=True, slots=True)
class RequestFile:
    """A file with requests."""

    path: str
    data: bytes
    """As they are in the file."""
    text: str
    document: Document
    charset: str | None
    """As it was given."""

    @property
    def requests(self) -> Sequence[Request]:
        """Without other records."""
        return requests_of(self.document)

    @property
    def skipped(self) -> Sequence[Skipped]:
        return self.document.skipped

    def starts(self) -> list[int]:
        """Where the record of each request begins, of which its paths are."""
        if self.document.kind != "jsonl":
            return [0] * len(self.requests)
        lines = line_starts(self.text)
        return [lines[request.line - 1] for request in self.requests]

    def read_again(self, text: str) -> Sequence[Request]:
        """The requests of another text in place of this one."""
        return requests_of(with_requests(load(text, self.path, kind=self.document.kind, structure=False)))

    def encoded(self, text: str) -> bytes:
        """A text in the charset of the file.

        Raises:
            InputError: The charset has no room for a character of it.
        """
        return encode_like(text, self.data, self.charset, self.path)


def source_of(path: str, reading: Reading) -> SourceFile:
    """The one file of a path.

    Raises:
        InputError: It does not exist, is a folder or cannot be read.
    """
    discovery = reading.discover([path])
    files, skipped = discovery.files, discovery.skipped
    if len(files) != 1:
        raise next(
            (item.error() for item in skipped), InputError("names several files", what=path, hint="name one file")
        )
    return files[0]


def request_file(source: SourceFile | TextInput, reading: Reading) -> RequestFile:
    """The requests of a file or a text.

    Raises:
        InputError: It cannot be read, is broken JSON, or holds no request; names the line where there is one.
    """
    if isinstance(source, TextInput):
        data = source.data.encode() if isinstance(source.data, str) else source.data
    else:
        data = read_bytes(source)
    document = document_of(data, source.path, reading)
    if not requests_of(document):
        raise InputError(
            Message("holds no request and no conversation"),
            what=source.path,
            code="no-input",
            hint="name a file with messages; give --kind json or jsonl where its name says other",
        )
    return RequestFile(source.path, data, document.text, document, reading.charset)


def document_of(data: bytes, path: str, reading: Reading) -> Document:
    """The document of a file's bytes, with the requests that it holds.

    Raises:
        InputError: It is no text, or it is broken JSON: what is left out of it would be lost in what is written.
    """
    text = decoded(data, reading.charset, path, errors=reading.errors)
    document = load(text.text, path, kind=reading.kind, structure=False)
    broken = next((item for item in document.skipped if item.code in {"invalid-json", "json-as-text"}), None)
    if broken is not None:
        reason = broken.reason
        why = reason.values.get("reason", reason) if isinstance(reason, Message) else reason
        raise InputError(Message("not valid JSON: {reason}", reason=why), what=broken.what, code="invalid-json")
    return with_requests(document)


def requests_of(document: Document) -> list[Request]:
    """The requests of a document, without other records."""
    return [request for request in document.requests if request.form != RECORD]
