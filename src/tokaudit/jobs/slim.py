"""Slim many files and texts, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from tokaudit.features.slim.document import SlimRun
from tokaudit.features.slim.types import SelectHint, Slimmed
from tokaudit.jobs.count import SPREAD_FROM
from tokaudit.jobs.inputs import Progress, Reading, column_names, found, load_models, nothing, usable_models
from tokaudit.jobs.slim_plan import SlimPlan, load, with_bases
from tokaudit.model import InputError, Skipped, Tokenizer
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.sources import SourceFile

if TYPE_CHECKING:
    from tokaudit.model import ModelColumn


BACKUP = ".orig"
"""Suffix of the old files that ``slim --write --backup`` keeps."""


def slim_run(
    paths: Sequence[str | PathLike[str]],
    texts: Sequence[tuple[str, str | bytes]],
    models: Sequence[str] | None,
    plan: SlimPlan,
    reading: Reading,
    *,
    in_place: bool = False,
    with_texts: bool = False,
    hints: bool = False,
    leave_out: str | None = None,
    done: Callable[[Slimmed, SourceFile | None], None] | None = None,
    progress: Progress | None = None,
) -> SlimRun:
    """Slim files, and texts, each with the path under which it is reported.

    Args:
        paths: Files, folders and globs.
        texts: Texts, each with its path.
        models: The guard's; None for the default ones.
        plan: Packs, choice of rules and goal.
        reading: How the inputs are found and read.
        in_place: Skip files that cannot be written back, which are PDF.
        with_texts: Put the texts and their changes into the report.
        hints: Look for rules that are off by default and would save more (``slim_hint``).
        leave_out: A folder whose files are not read although it lies in one of the paths; no symbolic link.
        done: Called with each slimmed text and its file, in order.
        progress: Called with the bytes done and those in all.

    Raises:
        InputError: A path does not exist, an input named by itself cannot be read, or there is nothing to slim.
        RuleError: A pack does not exist or something is wrong in it.
        TokenizerError: A model is unknown or cannot be used.
    """
    from tokaudit import __version__

    choice = plan.choice
    plan = plan.checked()
    named = {str(path) for path in paths}
    files, skipped = found(paths, reading)
    files, skipped = _without_backups(files, skipped, named)
    files, skipped = _without_tool_files(files, skipped, named)
    if leave_out is not None:
        files, skipped = _outside(files, skipped, leave_out)
    columns, tokenizers, left_out = usable_models(models, reading)
    skipped = [*skipped, *left_out]
    documents: list[Slimmed] = []
    for path, data in texts:
        documents.append(plan.slimmed(plan.text_of_data(path, data, reading), tokenizers))
        skipped += documents[-1].skipped
        if done is not None:
            done(documents[-1], None)
    task = _Task(plan, reading, in_place)
    size, total = 0, sum(file.size for file in files)
    for file, result in zip(files, _slimmed_files(files, task, columns, tokenizers), strict=True):
        size += file.size
        if progress is not None:
            progress(size, total)
        if isinstance(result, Skipped):
            if file.path in named or file.location in named:
                raise result.error()
            skipped.append(result)
            continue
        documents.append(result)
        skipped += result.skipped
        if done is not None:
            done(result, file)
    if not documents:
        raise nothing("slimmed", skipped)
    names = list(dict.fromkeys(name for document in documents for name in document.source.packs))
    return SlimRun(
        models=columns,
        documents=documents,
        packs=with_bases(load(names)),
        skipped=skipped,
        choice=choice,
        goal=plan.goal,
        version=__version__,
        with_texts=with_texts,
        more=_more(documents, plan, tokenizers) if hints else None,
    )


def _more(documents: Sequence[Slimmed], plan: SlimPlan, tokenizers: Sequence[Tokenizer]) -> SelectHint | None:
    from tokaudit.jobs.slim_hint import select_hint

    return select_hint(documents, plan, tokenizers)


@record
class _Task:
    """The work on each file; sent to other processes once."""

    plan: SlimPlan
    reading: Reading
    in_place: bool

    def slimmed(self, file: SourceFile, tokenizers: Sequence[Tokenizer]) -> Slimmed | Skipped:
        from tokaudit.sources import is_pdf, read_bytes

        try:
            data = read_bytes(file)
            if self.in_place and is_pdf(data):
                reason = Message("a slimmed text cannot be written back into a PDF")
                return Skipped(file.path, reason, "use -o FILE.txt", code="not-writable")
            return self.plan.slimmed(self.plan.text_of_data(file.path, data, self.reading), tokenizers)
        except InputError as error:
            return Skipped.by(error, file.path)
        except OSError as error:
            return Skipped(file.path, str(error), code="unreadable")


def _without_backups(
    files: Sequence[SourceFile], skipped: Sequence[Skipped], named: set[str]
) -> tuple[Sequence[SourceFile], list[Skipped]]:
    """The files without backups of ``--backup``; backups that are named are reported as skipped."""
    there = {file.location for file in files}
    backups = [file for file in files if file.location.removesuffix(BACKUP) in there and file.location.endswith(BACKUP)]
    named_backups = [
        Skipped(
            file.path, Message("left out: the backup of {path}", path=file.path.removesuffix(BACKUP)), code="excluded"
        )
        for file in backups
        if file.path in named or file.location in named
    ]
    omitted = {file.location for file in backups}
    return [file for file in files if file.location not in omitted], [*skipped, *named_backups]


def _without_tool_files(
    files: Sequence[SourceFile], skipped: Sequence[Skipped], named: set[str]
) -> tuple[Sequence[SourceFile], list[Skipped]]:
    """The files but for those that tools own and that folders and globs brought, which are reported as skipped."""
    from tokaudit.sources.tool_files import is_tool_file

    kept: list[SourceFile] = []
    owned: list[Skipped] = []
    for file in files:
        if file.path in named or file.location in named or not is_tool_file(_below(file.path, named)):
            kept.append(file)
        else:
            owned.append(Skipped(file.path, "belongs to a tool; name it to slim it", code="tool-file"))
    return kept, [*skipped, *owned]


def _below(path: str, named: Collection[str]) -> str:
    """A path below the folder that was named, or the whole of it for a pattern."""
    folders = [name.rstrip("/") + "/" for name in named if path.startswith(name.rstrip("/") + "/")]
    return path[max(map(len, folders), default=0) :]


def _outside(
    files: Sequence[SourceFile], skipped: Sequence[Skipped], folder: str
) -> tuple[Sequence[SourceFile], list[Skipped]]:
    """The files that are not in a folder, which is reported as skipped if it has some."""
    import os

    root = folder.rstrip(os.sep) + os.sep
    outside = [file for file in files if not os.path.realpath(file.location).startswith(root)]
    if len(outside) == len(files):
        return files, [*skipped]
    name = os.path.relpath(folder).replace(os.sep, "/")
    shown = folder if name.startswith("..") else name
    return outside, [*skipped, Skipped(shown, "left out: what is slimmed goes there", code="excluded")]


def _slimmed_files(
    files: Sequence[SourceFile], task: _Task, columns: Sequence[ModelColumn], tokenizers: Sequence[Tokenizer]
) -> Iterator[Slimmed | Skipped]:
    """Slim files, on several cores if there is much to do."""
    import os

    total = sum(file.size for file in files)
    processes = min(task.reading.jobs or os.cpu_count() or 1, len(files))
    if processes < 2 or total < SPREAD_FROM // 16:
        yield from map(partial(task.slimmed, tokenizers=tokenizers), files)
        return
    from tokaudit.processes import WorkerLostError, spread

    task = replace(task, reading=replace(task.reading, jobs=1))  # the pages of one PDF have no cores to themselves
    names = column_names(columns)
    one = partial(task.slimmed, tokenizers=tokenizers)
    try:
        yield from spread(files, one, partial(_started, names, task), processes=processes - 1, take_part=True)
    except WorkerLostError as error:
        raise InputError(
            "a process that was slimming was ended from outside, perhaps for want of memory",
            code="process-lost",
            hint="try --jobs 1",
        ) from error


def _started(names: Sequence[str], task: _Task) -> Callable[[SourceFile], Slimmed | Skipped]:
    """The work of a process that was not forked, which loads the models itself."""
    _, tokenizers = load_models(names, special=task.reading.special, download=task.reading.download)
    return partial(task.slimmed, tokenizers=tokenizers)
