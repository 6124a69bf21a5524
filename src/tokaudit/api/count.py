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
from tokaudit.model.message import Message
from tokaudit.tokenizers.registry import load_tokenizer

__all__ = ["count", "count_many", "count_paths", "load_tokenizer"]


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
    """Count the tokens of a text for several models; ``count_many`` does so for several texts.

    Args:
        text: What to count.
        models: Model or tokenizer names, paths, or ``hf:org/repo``; None for the default models.
        by: ``file`` for the text as a whole, or its parts: segment, section, page, kind (of segments), line, class; of
            requests also role and turn.
        kind: How to divide the text: text, markdown, json, jsonl, yaml, toml, code, template.
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
    if not isinstance(text, str):
        raise TypeError(_not_a_text(text))
    wanted = wanted_of(by, top, sort, density_threshold, words=True)
    reading = Reading(kind=kind, special=special)
    return report(count_result((), [("<text>", text)], models, wanted, reading), people=False).data


def count_many(
    texts: Sequence[str] | Mapping[str, str],
    models: Sequence[str] | None = None,
    *,
    by: By = "file",
    kind: str = "text",
    top: int | None = None,
    sort: Sort = "order",
    density_threshold: float = 0.8,
    special: bool = False,
) -> Mapping[str, Any]:
    """Count the tokens of several texts for several models.

    Args:
        texts: What to count; a mapping names each text, by its key, in ``documents``. Without names they are
            ``<text 1>``, ``<text 2>``, ....
        models: As in ``count``.
        by: As in ``count``.
        kind: As in ``count``.
        top: As in ``count``; of all texts together.
        sort: As in ``count``.
        density_threshold: As in ``count``.
        special: As in ``count``.

    Returns:
        As in ``count``, with one of ``documents`` for each text, in order.

    Raises:
        TokenizerError: As in ``count``.
        InputError: A text has lone surrogates, or there is none.
        UsageError: As in ``count``.
        TypeError: ``texts`` is no sequence of str.
    """
    if isinstance(texts, (str, bytes)):
        raise TypeError(
            Message(
                "count_many takes several texts (a list of str), not {name}: use count for one",
                name=type(texts).__name__,
            )
        )
    named = (
        list(texts.items())
        if isinstance(texts, Mapping)
        else [(f"<text {at}>", text) for at, text in enumerate(texts, 1)]
    )
    for name, text in named:
        if not isinstance(text, str):
            raise TypeError(Message("{name}: {problem}", name=name, problem=_not_a_text(text)))
    wanted = wanted_of(by, top, sort, density_threshold, words=True)
    return report(count_result((), named, models, wanted, Reading(kind=kind, special=special)), people=False).data


def _not_a_text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return Message("count takes one text (str), not {name}: use count_many for several", name=type(value).__name__)
    from tokaudit.tokenizers.encoding import not_a_text

    return not_a_text(value)


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
    errors: str = "strict",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_file_size: int | None = None,
    use_gitignore: bool = True,
    download: bool = False,
    jobs: int = 1,
    password: str = "",
    pdf_engine: str = "auto",
    tables: bool = True,
    depth: int | None = None,
    template: bool = True,
    hidden: int = 0,
) -> Mapping[str, Any]:
    """Count the tokens of files, folders and globs for several models.

    Args:
        paths: Files, folders (recursive, obeying .gitignore) and globs.
        models: As in ``count``.
        by: As in ``count``, or ``folder``.
        top: As in ``count``; of all files together.
        sort: As in ``count``.
        density_threshold: As in ``count``.
        special: As in ``count``.
        charset: Charset of all files; None to detect each.
        errors: What becomes of bytes that are not in the charset: ``strict`` makes them an error, ``replace`` reads
            them as U+FFFD, and says in ``skipped`` how many.
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
        depth: By ``folder``: most levels below the folder that holds everything; None for all.
        template: Count what chat templates put around the contents of requests.
        hidden: Tokens that a provider is known to add to each request.

    Returns:
        As in ``count``. What could not be read is in ``skipped``.

    Raises:
        InputError: A path does not exist, an input named by itself cannot be read, or none can.
        TokenizerError: As in ``count``.
        UsageError: As in ``count``.
    """
    wanted = wanted_of(by, top, sort, density_threshold, depth, template=template, hidden=hidden, words=True)
    reading = Reading(
        charset=charset,
        errors=errors,
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


def wanted_of(
    by: str,
    top: int | None,
    sort: str,
    density_threshold: float,
    depth: int | None = None,
    *,
    template: bool = True,
    hidden: int = 0,
    words: bool = False,
) -> Wanted:
    """Check what is wanted of a count. Raises ``UsageError`` with the values that would be right."""
    if by not in BY:
        raise UsageError(Message("invalid --by '{by}'", by=by), hint=Message("--by takes {choices}", choices=tuple(BY)))
    if sort not in SORT:
        raise UsageError(
            Message("invalid --sort '{sort}'", sort=sort),
            hint=Message("--sort takes {choices}", choices=tuple(SORT)),
        )
    if top is not None and top < 0:
        raise UsageError(Message("--top {top} is negative", top=top), hint="0 shows all")
    if not 0 < density_threshold < float("inf"):
        raise UsageError(
            Message("invalid --density-threshold {density_threshold}", density_threshold=density_threshold),
            hint="give tokens per character, such as 0.8",
        )
    if depth is not None and by != "folder":
        raise UsageError("--depth is for folders", hint="add --by folder, or leave --depth out")
    if depth is not None and depth < 0:
        raise UsageError(Message("--depth {depth} is negative", depth=depth), hint="0 shows the first folder alone")
    if hidden < 0:
        raise UsageError(Message("--hidden {hidden} is negative", hidden=hidden), hint="give tokens of each request")
    return Wanted(by, top, sort, density_threshold, depth, template, hidden, words or by == "class")
