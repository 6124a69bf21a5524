"""The public Python API of ``count``: names to objects to features. The command line calls the same functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from tokaudit.features.count.report import report
from tokaudit.features.count.types import BY, SORT, By, Sort, Wanted
from tokaudit.jobs.count import count_result
from tokaudit.jobs.inputs import Reading
from tokaudit.model import UsageError
from tokaudit.tokenizers.registry import load_tokenizer

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
        raise UsageError(f"invalid --by '{by}'", hint=f"--by takes {', '.join(BY)}")
    if sort not in SORT:
        raise UsageError(f"invalid --sort '{sort}'", hint=f"--sort takes {', '.join(SORT)}")
    if top is not None and top < 0:
        raise UsageError(f"--top {top} is negative", hint="0 shows all")
    if not 0 < density_threshold < float("inf"):
        raise UsageError(
            f"invalid --density-threshold {density_threshold}", hint="give tokens per character, such as 0.8"
        )
    return Wanted(by, top, sort, density_threshold)
