"""The public Python API of ``diff``: pairs of files, folders and revisions to documents to features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from tokaudit.features.diff.report import report
from tokaudit.features.diff.types import BY, By, Wanted
from tokaudit.jobs.diff import diff_result
from tokaudit.jobs.inputs import Reading
from tokaudit.model import UsageError
from tokaudit.model.message import Message

__all__ = ["diff", "diff_git", "diff_paths"]


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
        kind: How to divide the texts: text, markdown, json, jsonl, yaml, toml, code, template.
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
    from tokaudit.jobs.versions import of_texts

    source = of_texts(before, after)
    result = diff_result(source, models, wanted_of(by, top, changes=changes), Reading(kind=kind, special=special))
    return report(result, people=False).data


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
    errors: str = "strict",
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
        errors: As in ``count_paths``.
        kind: As in ``diff``; None to decide by the name of each file.
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
    from tokaudit.jobs.versions import of_paths

    reading = Reading(
        kind=kind,
        charset=charset,
        errors=errors,
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
    source = of_paths(before, after, reading)
    wanted = wanted_of(by, top, changes=changes, several=source.several)
    return report(diff_result(source, models, wanted, reading), people=False).data


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
    errors: str = "strict",
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
        errors: As in ``count_paths``.
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
    from tokaudit.jobs.git_versions import of_git

    reading = Reading(
        charset=charset, errors=errors, special=special, include=include, exclude=exclude, download=download
    )
    source = of_git(revisions, paths, reading)
    wanted = wanted_of(by, top, changes=changes, several=True)
    return report(diff_result(source, models, wanted, reading), people=False).data


def wanted_of(
    by: str | None,
    top: int | None,
    *,
    changes: bool | None = None,
    texts: bool = False,
    several: bool = False,
) -> Wanted:
    """Check what is wanted of a comparison. Raises ``UsageError`` with the values that would be right."""
    chosen = by or ("file" if several else "segment")
    if chosen not in BY:
        raise UsageError(Message("invalid --by '{by}'", by=by), hint=Message("--by takes {choices}", choices=tuple(BY)))
    if top is not None and top < 0:
        raise UsageError(Message("--top {top} is negative", top=top), hint="0 shows all")
    return Wanted(chosen, top, chosen != "file" if changes is None else changes, texts)
