"""Compare the versions of texts and files: pairs to documents to features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokaudit.jobs.inputs import Reading, column_names, nothing, usable_models
from tokaudit.model import InputError, Skipped
from tokaudit.model.message import Message

if TYPE_CHECKING:
    from tokaudit.features.count.types import RequestSums
    from tokaudit.features.diff.types import DiffResult, Wanted
    from tokaudit.jobs.inputs import Progress
    from tokaudit.jobs.versions import Source, Version
    from tokaudit.model import Document


def diff_result(
    source: Source,
    models: Sequence[str] | None,
    wanted: Wanted,
    reading: Reading,
    *,
    progress: Progress | None = None,
) -> DiffResult:
    """Compare all pairs.

    Raises:
        InputError: An input named by itself cannot be read, or nothing can be compared.
        TokenizerError: A model is unknown or cannot be used, or not by segment.
    """
    from tokaudit import __version__
    from tokaudit.features.count.types import Wanted as Counting
    from tokaudit.features.diff.evaluate import compare
    from tokaudit.features.diff.requests import compare_requests, holds_requests
    from tokaudit.features.diff.types import DiffResult
    from tokaudit.features.model_columns import with_estimates
    from tokaudit.jobs.framings import request_counter

    counter = None
    loaded, tokenizers, left_out = usable_models(models, reading, parts=wanted.by != "file", apart=True)
    sizes = [sum(side.size for side in (pair.before, pair.after) if side) for pair in source.pairs]
    skipped = [*source.skipped, *left_out]
    compared = []
    requests: list[RequestSums] = []
    done = 0
    with source:
        for pair, size in zip(source.pairs, sizes, strict=True):
            versions = []
            for side in (pair.before, pair.after):
                try:
                    versions.append(_read(side, reading, wanted))
                except InputError as error:
                    if side is None or not source.several:
                        raise
                    skipped.append(Skipped.by(error, side.path))
            if len(versions) < 2:  # a delta of one side is no delta
                continue
            before, after = versions
            if before and after and holds_requests(before) and holds_requests(after):
                counter = counter or request_counter(column_names(loaded), tokenizers, Counting(by="segment"))
                counted = counter.count(before), counter.count(after)
                compared.append(compare_requests(pair.path, before, after, counted, wanted))
                requests += [one.request for one in counted if one.request is not None]
                skipped += [item for one in counted for item in one.skipped]
            else:
                compared.append(compare(pair.path, before, after, tokenizers, wanted))
                skipped += [item for document in (before, after) if document for item in document.skipped]
            done += size
            if progress is not None:
                progress(done, sum(sizes))
    if not compared:
        raise nothing("compared", skipped)
    return DiffResult(
        before=source.before,
        after=source.after,
        several=source.several,
        models=with_estimates(
            loaded, [[one.estimates(column) for one in requests] for column in range(len(tokenizers))]
        ),
        documents=compared,
        skipped=skipped,
        wanted=wanted,
        special=reading.special,
        version=__version__,
    )


def _read(side: Version | None, reading: Reading, wanted: Wanted) -> Document | None:
    if side is None:
        return None
    if reading.max_file_size is not None and side.size > reading.max_file_size:
        reason = Message("{size:,} bytes, over the maximum of {limit:,}", size=side.size, limit=reading.max_file_size)
        raise InputError(reason, what=side.path, code="too-large")
    document = side.document(reading.charset, reading.errors, reading.kind, wanted.by != "file", reading.pdf())
    if wanted.by == "section" or reading.kind is not None:
        return document
    from tokaudit.sources.requests import with_requests

    return with_requests(document)
