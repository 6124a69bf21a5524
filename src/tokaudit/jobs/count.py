"""Count texts and files: as units of work, in this process or over the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, cast

from tokaudit.features.count.evaluate import DocumentCounter
from tokaudit.features.count.merge import merged
from tokaudit.features.count.types import WHOLE, Classes, Counted, CountResult, Wanted
from tokaudit.features.model_columns import with_estimates
from tokaudit.jobs.inputs import (
    Item,
    Progress,
    Reading,
    TextInput,
    column_names,
    found,
    nothing,
    usable_models,
)
from tokaudit.jobs.steps import Steps, Watched
from tokaudit.jobs.units import Task, Unit, read_piece, read_unit, spooled, units_of
from tokaudit.model import Decoding, Document, InputError, Skipped, Tokenizer, TokenizerError
from tokaudit.model.message import Message
from tokaudit.sources import SourceFile, line_starts, load
from tokaudit.tokenizers.registry import load_tokenizer

if TYPE_CHECKING:
    from tokaudit.features.count.requests import RequestCounter

PIECE = 4 << 20
"""Bytes of a piece: large enough that cutting costs nothing, small enough that every core has one."""
SPREAD_FROM = 6 << 20
"""Bytes of all inputs together from which on a second process pays for its start."""


def count_result(
    paths: Sequence[str | PathLike[str]],
    texts: Sequence[tuple[str, str | bytes]],
    models: Sequence[str] | None,
    wanted: Wanted,
    reading: Reading,
    *,
    progress: Progress | None = None,
) -> CountResult:
    """Count texts, each with the path under which it is reported, and files.

    Raises:
        InputError: A path does not exist, an input named by itself cannot be read, or nothing can be counted.
        TokenizerError: A model is unknown or cannot be used.
    """
    from tokaudit import __version__

    paths = [paths] if isinstance(paths, str | PathLike) else paths
    pdf = reading.pdf(jobs=1)  # an unknown engine is an error before anything is read
    files, skipped = found(paths, reading)
    named = {os.path.abspath(path) for path in paths}  # noqa: PTH100 - as ``discover`` does
    loaded, tokenizers, left_out = usable_models(models, reading, parts=wanted.by not in WHOLE, apart=True)
    skipped += left_out
    names = column_names(loaded)
    task = Task(names, wanted, reading.charset, reading.kind, reading.special, reading.download, pdf, reading.errors)
    documents: list[Counted] = []
    with ExitStack() as stack:
        sources = [*(spooled(TextInput(*text), stack) for text in texts), *files]
        results = count_sources(sources, tokenizers, task, jobs=reading.jobs, progress=progress)
        for number, (source, result) in enumerate(zip(sources, results, strict=True)):
            if not isinstance(result, Skipped):
                documents.append(result)
            elif result.code == "tokenizer" or not (number < len(texts) or _location(source) in named):
                skipped.append(result)
            else:
                raise _unreadable(result)
    if not documents:
        hints = {item.hint for item in skipped} if all(item.code == "tokenizer" for item in skipped) else set()
        raise nothing("counted", skipped, hints.pop() if hints else "")
    return CountResult(
        models=with_estimates(loaded, _errors(documents, len(tokenizers))),
        by_themselves=loaded,
        documents=documents,
        skipped=skipped,
        wanted=wanted,
        special=reading.special,
        version=__version__,
    )


def _errors(documents: Sequence[Counted], columns: int) -> list[list[str]]:
    """For each column what is estimated in the requests of the documents."""
    found = [document.request for document in documents if document.request is not None]
    return [[request.estimates(column) for request in found] for column in range(columns)]


def _location(source: SourceFile | TextInput) -> str:
    return source.location if isinstance(source, SourceFile) else ""


def _unreadable(item: Skipped) -> InputError:
    """The error for an input that was named and cannot be read."""
    hint = item.hint
    if not hint and item.code == "binary":
        hint = Message(
            "text and PDF files are counted; convert it to one of them, or if it is text, name its --charset"
        )
    return item.error(hint=hint)


def counter_of(tokenizers: Sequence[Tokenizer], wanted: Wanted, names: Sequence[str]) -> DocumentCounter:
    """A counter of documents, with the classes and lines that it needs; ``names`` are those of the models."""
    words: Callable[[str], Sequence[int]] | None = None
    if wanted.words:
        from tokaudit.tokenizers.words import words_by_class

        words = words_by_class
    classes = Classes((), str.encode, str.encode, words)
    if wanted.by == "class":
        from tokaudit.tokenizers.unicode_classes import SCRIPTS, script_of_bytes, script_of_chars

        classes = Classes(SCRIPTS, script_of_bytes, script_of_chars, words)
    return DocumentCounter(tokenizers, wanted, classes, line_starts, partial(_requests, names, tokenizers, wanted))


def _requests(names: Sequence[str], tokenizers: Sequence[Tokenizer], wanted: Wanted) -> RequestCounter:
    """A counter of requests, for which most runs load nothing."""
    from tokaudit.jobs.framings import request_counter

    return request_counter(names, tokenizers, wanted)


def measure(document: Document, tokenizers: Sequence[Tokenizer], wanted: Wanted) -> Counted:
    """Measure one document that is already loaded."""
    return counter_of(tokenizers, wanted, [one.info.ref.name for one in tokenizers]).count(document)


def count_sources(
    sources: Sequence[SourceFile | TextInput],
    tokenizers: Sequence[Tokenizer],
    task: Task,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[Counted | Skipped]:
    """Measure inputs in order; what could not be read or measured comes back as ``Skipped``.

    Each is opened when it is its turn. ``tokenizers`` are the loaded ones of ``task.models``, ``jobs`` most processes
    (0: one per core), and ``progress`` is called after every unit, and in one
    process after every tokenizer.
    """
    total = sum(source.size for source in sources)
    units = units_of(sources, tokenizers, task, PIECE)
    counter = counter_of(tokenizers, task.wanted, task.models)
    workers = min(jobs or os.cpu_count() or 1, len(units))
    results: Iterable[Counted | Skipped]
    if workers > 1 and total >= SPREAD_FROM:
        results = _followed(_spread(units, counter, task, workers), units, progress)
    else:
        task = replace(task, pdf=replace(task.pdf, jobs=jobs))  # the cores are free for a PDF's pages
        steps = Steps(units, progress, len(set(map(id, tokenizers))))
        if progress is not None:
            once = {id(tokenizer): cast("Tokenizer", Watched(tokenizer, steps)) for tokenizer in tokenizers}
            watched = [once[id(tokenizer)] for tokenizer in tokenizers]
            counter = counter_of(watched, task.wanted, task.models)
        results = steps.followed(_read_and_measured(unit, counter, task) for unit in units)
    for pieces in _gathered(units, results):
        yield _whole(pieces, counter, task)


def _followed(items: Iterable[Item], units: Sequence[Unit], progress: Progress | None) -> Iterator[Item]:
    """The items of the units, with progress reported."""
    total = sum(unit.size for unit in units)
    done = 0
    for item, unit in zip(items, units, strict=True):
        done += unit.size
        if progress is not None:
            progress(done, total)
        yield item


def _read_and_measured(unit: Unit, counter: DocumentCounter, task: Task) -> Counted | Skipped:
    return _measured(unit, read_unit(unit, task), counter)


def _measured(unit: Unit, document: Document | Skipped, counter: DocumentCounter) -> Counted | Skipped:
    if isinstance(document, Skipped):
        return document
    try:
        return _of_piece(counter, unit.first_char).count(document)
    except TokenizerError as error:
        return Skipped(document.path, error.message, error.hint, code=error.code)


def _of_piece(counter: DocumentCounter, first_char: int) -> DocumentCounter:
    """The counter for a piece before which so many code points stand."""
    if not first_char:
        return counter
    from tokaudit.tokenizers.kimi import PieceTokenizer

    tokenizers = [
        PieceTokenizer(one, first_char) if getattr(one, "seams", False) else one for one in counter.tokenizers
    ]
    return DocumentCounter(tokenizers, counter.wanted, counter.classes, line_starts, counter.make_requests)


def _gathered(
    units: Sequence[Unit], results: Iterable[Counted | Skipped]
) -> Iterator[list[tuple[Unit, Counted | Skipped]]]:
    """The pieces of each input, in order."""
    pieces: list[tuple[Unit, Counted | Skipped]] = []
    for unit, result in zip(units, results, strict=True):
        if pieces and pieces[0][0].number != unit.number:
            yield pieces
            pieces = []
        pieces.append((unit, result))
    if pieces:
        yield pieces


def _whole(pieces: Sequence[tuple[Unit, Counted | Skipped]], counter: DocumentCounter, task: Task) -> Counted | Skipped:
    """One file of its pieces."""
    first, only = pieces[0]
    if not first.end:
        return only
    counted = [(unit, piece) for unit, piece in pieces if isinstance(piece, Counted)]
    # Without broken lines, later pieces begin at other characters than the file says.
    moved = any(piece.skipped for _, piece in counted) and any(unit.first_char for unit, _ in pieces)
    if len(counted) < len(pieces) or moved:
        # Not UTF-8 after all: read whole it is decoded from what it is, or the error has the place in the file.
        return _read_and_measured(Unit(first.number, first.source), counter, task)
    result = merged([piece for _, piece in counted], _hash(counted), task.wanted, counter.classes.names)
    decided = "declared" if task.charset else "mark" if first.charset == "utf-8-sig" else "detected"
    return replace(result, charset=first.charset, decoding=Decoding(decided))


def _hash(pieces: Sequence[tuple[Unit, Counted]]) -> str:
    """SHA-256 of a large file's text, read once more: the pieces were hashed by themselves."""
    import hashlib

    digest = hashlib.sha256()
    for unit, piece in pieces:
        assert isinstance(unit.source, SourceFile)  # a text is never cut
        data = read_piece(unit.source, unit.start, unit.end)
        if piece.skipped:  # broken lines are not in the text
            data = load(data.decode("utf-8"), unit.source.path, kind=unit.kind, structure=False).text.encode()
        digest.update(data)
    return digest.hexdigest()


def _spread(units: Sequence[Unit], counter: DocumentCounter, task: Task, workers: int) -> Iterator[Counted | Skipped]:
    """Measure the units in several processes, in order; this one takes part."""
    from tokaudit.processes import WorkerLostError, spread

    def work(unit: Unit) -> Counted | Skipped:
        return _read_and_measured(unit, counter, task)

    try:
        yield from spread(units, work, partial(_loaded, task), processes=workers - 1, take_part=True)
    except WorkerLostError as error:
        raise InputError(
            "a counting process was killed, perhaps for lack of memory",
            code="process-lost",
            hint="try --jobs 1",
        ) from error


def _loaded(task: Task) -> Callable[[Unit], Counted | Skipped]:
    """Load in a process that was not forked what the first one has loaded."""
    once: dict[tuple[str, str], Tokenizer] = {}
    tokenizers = []
    for name in task.models:
        tokenizer = load_tokenizer(name, special=task.special, download=task.download)
        ref = tokenizer.info.ref
        tokenizers.append(once.setdefault((ref.name, ref.sha256), tokenizer) if ref.exact else tokenizer)
    return partial(_read_and_measured, counter=counter_of(tokenizers, task.wanted, task.models), task=task)
