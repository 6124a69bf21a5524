"""The public Python API of ``diff``: pairs of files, folders and revisions to documents to features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from tokaudit.model import InputError, Report, Skipped, UsageError

if TYPE_CHECKING:
    from tokaudit.api import Reading
    from tokaudit.features.diff import Wanted
    from tokaudit.features.diff_data import DiffResult
    from tokaudit.jobs import Progress
    from tokaudit.model import Document
    from tokaudit.versions import Choice, Source, Version

__all__ = ["diff", "diff_git", "diff_paths"]

By = Literal["segment", "section", "file"]


def diff(
    before: str,
    after: str,
    models: Sequence[str] | None = None,
    *,
    by: By = "segment",
    kind: str = "text",
    top: int | None = None,
    special: bool = False,
    changes: bool = True,
) -> Mapping[str, Any]:
    """Compare the tokens of two versions of a text for several models.

    Args:
        before: The older version.
        after: The newer version.
        models: Model or tokenizer names, paths, or ``hf:org/repo``; None for the default models.
        by: ``segment`` or ``section`` for what became of each part, or ``file`` for the texts as wholes.
        kind: How to divide the texts: text, markdown, json, jsonl, code, template.
        top: Most segments, and most changes, to return: those with the largest deltas; None or 0 for all.
        special: Count control tokens in the texts as such; by default they are ordinary text.
        changes: Whether to return the changes of the text by word, each with its delta.

    Returns:
        The document that ``tokaudit diff --format json`` prints (docs/formats.md). The deltas of all segments sum
        exactly to that of the document, and so do those of all changes.

    Raises:
        TokenizerError: An unknown model, or one whose tokenizer cannot be used, or not by segment.
        InputError: A text has lone surrogates.
        UsageError: An unknown ``by`` or ``kind``.
    """
    from tokaudit.api import Reading
    from tokaudit.versions import of_texts

    source = of_texts(before, after)
    result = diff_result(source, models, wanted_of(by, top, changes=changes), Reading(kind=kind, special=special))
    return diff_report(result, people=False).data


def diff_paths(
    before: str | PathLike[str],
    after: str | PathLike[str],
    models: Sequence[str] | None = None,
    *,
    by: By | None = None,
    top: int | None = None,
    special: bool = False,
    changes: bool | None = None,
    charset: str | None = None,
    kind: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    use_gitignore: bool = True,
    download: bool = False,
    password: str = "",
    pdf_engine: str = "auto",
    tables: bool = True,
) -> Mapping[str, Any]:
    """Compare two files, or two folders whose files are paired by their paths in them.

    Args:
        before: The older file or folder.
        after: The newer file or folder.
        models: As in ``diff``.
        by: As in ``diff``; None for ``segment`` where files are compared and ``file`` where folders are.
        top: As in ``diff``; of all files together.
        special: As in ``diff``.
        changes: As in ``diff``; None for true unless ``by`` is ``file``.
        charset: Charset of all files; None to detect each.
        kind: As in ``diff``; None to tell by the name of each file.
        include: Patterns (as in .gitignore) of files in folders to read; all by default.
        exclude: Patterns of files in folders to leave out.
        use_gitignore: Obey .gitignore files.
        download: Let ``hf:`` models be fetched from the hub.
        password: Of PDF files that are encrypted.
        pdf_engine: What reads PDF files: auto, pdfium or pdfplumber.
        tables: Whether tables in PDF files are looked for.

    Returns:
        As in ``diff``. A file that is on one side only counts fully. What could not be read is in ``skipped``.

    Raises:
        InputError: A path does not exist, one is a file and the other a folder, or nothing can be compared.
        TokenizerError: As in ``diff``.
        UsageError: As in ``diff``.
    """
    from tokaudit.api import Reading
    from tokaudit.versions import of_paths

    reading = Reading(
        kind=kind,
        charset=charset,
        special=special,
        include=include,
        exclude=exclude,
        use_gitignore=use_gitignore,
        download=download,
        jobs=0,
        password=password,
        pdf_engine=pdf_engine,
        tables=tables,
    )
    source = of_paths(before, after, choice_of(reading))
    wanted = wanted_of(by, top, changes=changes, several=source.several)
    return diff_report(diff_result(source, models, wanted, reading), people=False).data


def diff_git(
    revisions: str,
    paths: Sequence[str | PathLike[str]] = (),
    models: Sequence[str] | None = None,
    *,
    by: By = "file",
    top: int | None = None,
    special: bool = False,
    changes: bool | None = None,
    charset: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    download: bool = False,
) -> Mapping[str, Any]:
    """Compare files as they were in a revision of a git repository with the working tree or another revision.

    Args:
        revisions: ``REV`` for its files and those of the working tree, or ``REV1..REV2``.
        paths: Files and folders to compare; all of the working directory by default.
        models: As in ``diff``.
        by: As in ``diff``.
        top: As in ``diff_paths``.
        special: As in ``diff``.
        changes: As in ``diff_paths``.
        charset: As in ``diff_paths``.
        include: As in ``diff_paths``.
        exclude: As in ``diff_paths``.
        download: As in ``diff_paths``.

    Returns:
        As in ``diff_paths``.

    Raises:
        InputError: Not in a repository, no such revision, or a path that is on neither side.
        TokenizerError: As in ``diff``.
        UsageError: As in ``diff``, or git is not installed.
    """
    from tokaudit.api import Reading
    from tokaudit.git_versions import of_git

    reading = Reading(charset=charset, special=special, include=include, exclude=exclude, download=download)
    source = of_git(revisions, paths, choice_of(reading))
    wanted = wanted_of(by, top, changes=changes, several=True)
    return diff_report(diff_result(source, models, wanted, reading), people=False).data


def wanted_of(
    by: str | None,
    top: int | None,
    *,
    changes: bool | None = None,
    texts: bool = False,
    several: bool = False,
) -> Wanted:
    """Check what is wanted of a comparison. Raises ``UsageError`` with the values that would be right."""
    from tokaudit.features.diff import BY, Wanted

    chosen = by or ("file" if several else "segment")
    if chosen not in BY:
        raise UsageError(f"unknown division '{by}'", hint=f"--by takes {', '.join(BY)}")
    if top is not None and top < 0:
        raise UsageError(f"--top {top} is negative", hint="0 shows all")
    return Wanted(chosen, top, chosen != "file" if changes is None else changes, texts)


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
    from tokaudit.api import load_models
    from tokaudit.features.diff import compare
    from tokaudit.features.diff_data import DiffResult

    loaded, tokenizers = load_models(models, special=reading.special, download=reading.download)
    sizes = [sum(side.size for side in (pair.before, pair.after) if side) for pair in source.pairs]
    for tokenizer in tokenizers:
        tokenizer.expect(sum(sizes))
    skipped = list(source.skipped)
    compared = []
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
                    skipped.append(Skipped(side.path, error.message.removeprefix(f"{side.path}: "), error.hint))
            if len(versions) < 2:  # a delta of one side is no delta
                continue
            before, after = versions
            compared.append(compare(pair.path, before, after, tokenizers, wanted))
            skipped += [item for document in (before, after) if document for item in document.skipped]
            done += size
            if progress is not None:
                progress(done, sum(sizes))
    if not compared:
        reasons = "; ".join(f"{item.what}: {item.reason}" for item in skipped[:3]) or "no file is left to read"
        raise InputError(f"nothing could be compared: {reasons}", hint="name files of text")
    return DiffResult(
        source.before, source.after, source.several, loaded, compared, skipped, wanted, reading.special, __version__
    )


def diff_report(result: DiffResult, *, people: bool) -> Report:
    """The report of a comparison, with tables to be read by people or parsed by programs."""
    from tokaudit.features.diff_report import report

    return report(result, people=people)


def _read(side: Version | None, reading: Reading, wanted: Wanted) -> Document | None:
    if side is None:
        return None
    if reading.max_file_size is not None and side.size > reading.max_file_size:
        raise InputError(f"{side.path}: {side.size:,} bytes, over the maximum of {reading.max_file_size:,}")
    return side.document(reading.charset, reading.kind, wanted.by != "file", reading.pdf())


def choice_of(reading: Reading) -> Choice:
    """Which files in folders are compared."""
    from tokaudit.versions import Choice

    return Choice(reading.include, reading.exclude, reading.use_gitignore)
