"""Finds the kind of each input of ``slim``, with the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike

from tokaudit.jobs.inputs import Reading, found
from tokaudit.model import InputError, Skipped
from tokaudit.model.evidence import Evidence
from tokaudit.model.message import Message
from tokaudit.sources import decoded, is_pdf, read_bytes
from tokaudit.sources.kinds import checked_kind
from tokaudit.sources.slim_kinds import SLIM_KINDS, kind_evidence


def kinds_of(
    paths: Sequence[str | PathLike[str]], texts: Sequence[tuple[str, str | bytes]], reading: Reading
) -> Iterator[tuple[str, Sequence[Evidence]] | Skipped]:
    """For each text and file, in order, its path and what speaks for its kind; why one is left out.

    Raises:
        InputError: A path does not exist, or an input named by itself cannot be read.
        UsageError: The kind of ``reading`` is unknown.
    """
    checked_kind(reading.kind, SLIM_KINDS)
    for path, data in texts:
        yield path, _evidence(path, data, reading)
    files, skipped = found(paths, reading)
    yield from skipped
    named = {str(path) for path in paths}
    for file in files:
        try:
            evidence = _evidence(file.path, read_bytes(file), reading)
        except InputError as error:
            if file.path in named:
                raise
            yield Skipped.by(error, file.path)
        else:
            yield file.path, evidence


def _evidence(path: str, data: str | bytes, reading: Reading) -> Sequence[Evidence]:
    if isinstance(data, str):
        return kind_evidence(path, data, reading.kind or "text")
    if is_pdf(data):
        return [Evidence("pdf", Message("the bytes of a PDF"))]
    return kind_evidence(path, decoded(data, reading.charset, path, errors=reading.errors).text, reading.kind)
