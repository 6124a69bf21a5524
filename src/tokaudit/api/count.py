"""The public Python API of ``count``: names to objects to features. The command line calls the same functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from tokaudit.features.count.evaluate import BY, SORT, By, Counted, Sort, Wanted
from tokaudit.features.count.report import CountResult, report
from tokaudit.jobs.inputs import Reading, found, load_models
from tokaudit.model import InputError, ModelColumn, Report, Skipped, Tokenizer, TokenizerError, UsageError
from tokaudit.tokenizers.registry import load_tokenizer

if TYPE_CHECKING:
    from contextlib import ExitStack

    from tokaudit.jobs.count import Progress
    from tokaudit.sources import SourceFile

__all__ = ["count", "count_paths", "load_tokenizer"]


def count(
    text: str,
    models: Sequence[str] | None = None,
    *,
    by: By = "file",
    kind: str = "text",
    top: int | None = None,
    sort: Sort = "order",
    density_threshold: float = 0.8,
    special: bool = False,
) -> Mapping[str, Any]:
    """Count the tokens of a text for several models.

    Args:
        text: What to count.
        models: Model or tokenizer names, paths, or ``hf:org/repo``; None for the default models.
        by: ``file`` for the text as a whole, or its parts: segment, section, page, kind (of segments), line, class.
        kind: How to divide the text: text, markdown, json, jsonl, code, template.
        top: Most parts to return; None or 0 for all.
        sort: Order of the parts: order, tokens, density, chars, name.
        density_threshold: Tokens per character above which a part is flagged.
        special: Count control tokens in the text as such; by default they are ordinary text.

    Returns:
        The document that ``tokaudit count --format json`` prints (docs/formats.md). Counts are tokens, ``chars`` are
        Unicode code points, ``bytes`` are of UTF-8.

    Raises:
        TokenizerError: An unknown model, or one whose tokenizer cannot be used.
        InputError: The text has lone surrogates.
        UsageError: An unknown ``by``, ``sort`` or ``kind``.
    """
    wanted = wanted_of(by, top, sort, density_threshold)
    reading = Reading(kind=kind, special=special)
    return report(count_result((), [("<text>", text)], models, wanted, reading), people=False).data


def count_paths(
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None = None,
    *,
    by: By = "file",
    top: int | None = None,
    sort: Sort = "order",
    density_threshold: float = 0.8,
    special: bool = False,
    charset: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_file_size: int | None = None,
    use_gitignore: bool = True,
    download: bool = False,
    jobs: int = 1,
    password: str = "",
    pdf_engine: str = "auto",
    tables: bool = True,
) -> Mapping[str, Any]:
    """Count the tokens of files, folders and globs for several models.

    Args:
        paths: Files, folders (recursive, obeying .gitignore) and globs.
        models: As in ``count``.
        by: As in ``count``.
        top: As in ``count``; of all files together.
        sort: As in ``count``.
        density_threshold: As in ``count``.
        special: As in ``count``.
        charset: Charset of all files; None to detect each.
        include: Patterns (as in .gitignore) of files in folders to read; all by default.
        exclude: Patterns of files in folders to leave out.
        max_file_size: Bytes above which a file is skipped, and said so.
        use_gitignore: Obey .gitignore files.
        download: Let ``hf:`` models be fetched from the hub.
        jobs: Most processes for large inputs; 0 for as many as there are cores. Above 1 on platforms that do not
            fork, the calling script needs the ``if __name__ == "__main__"`` guard of multiprocessing.
        password: Of PDF files that are encrypted.
        pdf_engine: What reads PDF files: auto (pdfium, and pdfplumber where there are tables), pdfium, pdfplumber.
        tables: Whether tables in PDF files are looked for.

    Returns:
        As in ``count``. What could not be read is in ``skipped``.

    Raises:
        InputError: A path does not exist, an input named by itself cannot be read, or none can.
        TokenizerError: As in ``count``.
        UsageError: As in ``count``.
    """
    wanted = wanted_of(by, top, sort, density_threshold)
    reading = Reading(
        charset=charset,
        special=special,
        include=include,
        exclude=exclude,
        max_file_size=max_file_size,
        use_gitignore=use_gitignore,
        download=download,
        jobs=jobs,
        password=password,
        pdf_engine=pdf_engine,
        tables=tables,
    )
    return report(count_result(paths, (), models, wanted, reading), people=False).data


def wanted_of(by: str, top: int | None, sort: str, density_threshold: float) -> Wanted:
    """Check what is wanted of a count. Raises ``UsageError`` with the values that would be right."""
    if by not in BY:
        raise UsageError(f"unknown division '{by}'", hint=f"--by takes {', '.join(BY)}")
    if sort not in SORT:
        raise UsageError(f"unknown order '{sort}'", hint=f"--sort takes {', '.join(SORT)}")
    if top is not None and top < 0:
        raise UsageError(f"--top {top} is negative", hint="0 shows all")
    if not 0 < density_threshold < float("inf"):
        raise UsageError(f"a density threshold of {density_threshold}", hint="give tokens per character, such as 0.8")
    return Wanted(by, top, sort, density_threshold)


def count_result(
    paths: Sequence[str | PathLike[str]],
    texts: Sequence[tuple[str, str | bytes]],
    models: Sequence[str] | None,
    wanted: Wanted,
    reading: Reading,
    *,
    progress: Progress | None = None,
) -> CountResult:
    """Count files, and texts, each with the path under which it is reported.

    Raises:
        InputError: A path does not exist, an input named by itself cannot be read, or nothing can be counted.
        TokenizerError: A model is unknown or cannot be used.
    """
    from contextlib import ExitStack

    from tokaudit.jobs.count import CUT_FROM, Unmeasured

    paths = [paths] if isinstance(paths, str | PathLike) else paths
    reading.pdf()  # an unknown engine is an error before anything is read
    files, skipped = found(paths, reading)
    named = {os.path.abspath(path) for path in paths}  # noqa: PTH100 - as ``discover`` does
    loaded, tokenizers = load_models(models, special=reading.special, download=reading.download)
    if wanted.by != "file":
        loaded, tokenizers, left_out = _placing(loaded, tokenizers)
        skipped += left_out
    with ExitStack() as stack:
        if any(isinstance(data, bytes) and len(data) >= CUT_FROM for _, data in texts):
            texts, spooled = _spooled(texts, CUT_FROM, stack)
            files = [*spooled, *files]
            named |= {file.location for file in spooled}
        documents, unread = _counted_texts(texts, tokenizers, wanted, reading)
        skipped += unread
        for result in _counted_files(files, loaded, tokenizers, wanted, reading, progress):
            if not isinstance(result, Skipped):
                documents.append(result)
                continue
            by_name = any(file.path == result.what and file.location in named for file in files)
            if by_name and not isinstance(result, Unmeasured):
                raise _unreadable(f"{result.what}: {result.reason}", result.hint)
            skipped.append(result)
    if not documents:
        reasons = "; ".join(f"{item.what}: {item.reason}" for item in skipped[:3]) or "no file is left to read"
        hints = {item.hint for item in skipped} if all(isinstance(item, Unmeasured) for item in skipped) else set()
        raise InputError(f"nothing could be counted: {reasons}", hint=hints.pop() if hints else "name files of text")
    return _result(loaded, documents, skipped, wanted, reading.special)


def _placing(
    models: Sequence[ModelColumn], tokenizers: Sequence[Tokenizer]
) -> tuple[list[ModelColumn], list[Tokenizer], list[Skipped]]:
    """The models whose parts can be counted, and why the others are left out.

    Raises:
        TokenizerError: There is no such model.
    """
    kept = [column for column, tokenizer in enumerate(tokenizers) if getattr(tokenizer, "places", True)]
    if len(kept) == len(tokenizers):
        return [*models], [*tokenizers], []
    left_out = []
    for model in models:
        if model.column not in kept:
            try:
                tokenizers[model.column].encoding("")
            except TokenizerError as error:
                if not kept:
                    raise
                reason = error.message.removeprefix(f"{model.ref.name}: ")
                left_out.append(Skipped(model.name, f"not counted by parts: {reason}", error.hint))
    return (
        [ModelColumn(model.name, model.ref, kept.index(model.column)) for model in models if model.column in kept],
        [tokenizers[column] for column in kept],
        left_out,
    )


def _spooled(
    texts: Sequence[tuple[str, str | bytes]], least: int, stack: ExitStack
) -> tuple[list[tuple[str, str | bytes]], list[SourceFile]]:
    """Large bytes as files that are gone with ``stack``, so that they are counted in pieces as files are."""
    import tempfile

    from tokaudit.sources import SourceFile

    kept: list[tuple[str, str | bytes]] = []
    files = []
    for path, data in texts:
        if isinstance(data, str) or len(data) < least:
            kept.append((path, data))
            continue
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tokaudit-"))
            location = os.path.join(folder, "input")  # noqa: PTH118 - pathlib is slow to import
            with open(location, "wb") as stream:  # noqa: PTH123
                stream.write(data)
        except OSError:  # nowhere to write, or no room: then as a whole
            kept.append((path, data))
        else:
            files.append(SourceFile(path, location, len(data)))
    return kept, files


def _counted_texts(
    texts: Sequence[tuple[str, str | bytes]], tokenizers: Sequence[Tokenizer], wanted: Wanted, reading: Reading
) -> tuple[list[Counted], list[Skipped]]:
    from tokaudit.jobs.count import Unmeasured, measure, structured
    from tokaudit.sources import load

    documents: list[Counted] = []
    skipped: list[Skipped] = []
    for path, data in texts:
        structure = structured(path, wanted, reading.kind)
        try:
            document = load(
                data, path, charset=reading.charset, kind=reading.kind, structure=structure, pdf=reading.pdf()
            )
        except InputError as error:
            raise _unreadable(error.message, error.hint) from error
        try:
            documents.append(measure(document, tokenizers, wanted))
        except TokenizerError as error:
            skipped.append(Unmeasured(path, error.message, error.hint))
    return documents, skipped


def _counted_files(
    files: Sequence[SourceFile],
    models: Sequence[ModelColumn],
    tokenizers: Sequence[Tokenizer],
    wanted: Wanted,
    reading: Reading,
    progress: Progress | None,
) -> Iterable[Counted | Skipped]:
    from tokaudit.jobs.count import Task, count_files

    if not files:
        return ()
    names = [next(model.name for model in models if model.column == column) for column in range(len(tokenizers))]
    pdf = reading.pdf(jobs=1)
    task = Task(names, wanted, reading.charset, reading.kind, reading.special, reading.download, pdf)
    return count_files(files, tokenizers, task, jobs=reading.jobs, progress=progress)


def _unreadable(message: str, hint: str) -> InputError:
    """The error for an input that was named and cannot be read."""
    if not hint and ": binary file" in message:
        hint = "text and PDF files are counted; convert it to one of them, or if it is text, name its --charset"
    return InputError(message, hint=hint)


def count_report(result: CountResult, *, people: bool) -> Report:
    """The report of a count, with tables to be read by people or parsed by programs."""
    return report(result, people=people)


def _result(
    models: Sequence[ModelColumn],
    documents: Sequence[Counted],
    skipped: Sequence[Skipped],
    wanted: Wanted,
    special: bool,
) -> CountResult:
    from tokaudit import __version__

    return CountResult(models, documents, skipped, wanted, special, __version__)
