"""Slim texts and files: names to packs, models and files, and files to what came of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from tokaudit.features.slim.document import SlimRun
from tokaudit.features.slim.evaluate import Choice, Goal, Slimmed, Source, check_names, is_named, slim_source
from tokaudit.jobs.count import SPREAD_FROM
from tokaudit.jobs.inputs import Progress, Reading, column_names, found, load_models, nothing
from tokaudit.model import Document, InputError, Skipped, Tokenizer, UsageError
from tokaudit.model.rules import RULE_CLASSES, Pack, Rule
from tokaudit.sources import SourceFile

if TYPE_CHECKING:
    from tokaudit.model import ModelColumn


BACKUP = ".orig"
"""What the names of files end in that ``slim --write --backup`` keeps."""


def choice_of(classes: Sequence[str], select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Choice:
    """Check which rules are wanted. Raises ``UsageError`` for a class that there is not."""
    for name in classes:
        if name not in RULE_CLASSES:
            raise UsageError(f"unknown class of rules '{name}'", hint=f"one of {', '.join(RULE_CLASSES)}")
    return Choice(tuple(name for name in RULE_CLASSES if name in classes), tuple(select), tuple(ignore))


@dataclass(frozen=True, slots=True)
class SlimWork:
    """What every document is to be slimmed with; it is sent to other processes once."""

    rules: Sequence[str] | None
    """Names or paths of packs; None to choose them for each document."""
    choice: Choice
    goal: Goal | None
    in_place: bool = False
    """Whether the files are to be written back, which no PDF can be."""

    def packs(self, names: Sequence[str]) -> list[Pack]:
        """Packs by their names."""
        from tokaudit.store.packs import load_packs

        return load_packs(names, examples=False)

    def rules_of(self, names: Sequence[str]) -> Sequence[Rule]:
        """The rules of packs."""
        from tokaudit.store.packs import rules_of

        return rules_of(self.packs(names))

    def settled(self) -> SlimWork:
        """The same, with the rules of packs that the choice names, and refused where there are no such packs and rules.

        Raises:
            RuleError: A pack does not exist or something is wrong in it.
            UsageError: There is no rule or pack of a name.
        """
        from tokaudit.store.packs import builtin_names, own_rules, rules_of

        if self.rules is None and not (self.choice.select or self.choice.ignore):
            return self
        packs = _with_bases(self.packs(self.rules if self.rules is not None else builtin_names()))
        rules = rules_of(packs)
        prefixes = {rule.id.partition(".")[0] for rule in rules}
        # A pack may be named otherwise than its rules begin, as markdown is: its rules are md.*.
        ids = {
            name: [rule.id for rule in own_rules(pack)]
            for pack in packs
            for name in {pack.name, pack.path.rpartition(":")[2]} - prefixes
        }
        check_names(rules, self.choice, ids)
        select, ignore = (
            tuple(dict.fromkeys(rule for name in names for rule in ids.get(name, [name])))
            for names in (self.choice.select, self.choice.ignore)
        )
        return replace(self, choice=replace(self.choice, select=select, ignore=ignore))

    def _rules_with_selected(self, names: Sequence[str]) -> Sequence[Rule]:
        """The rules of packs that suit a text, with those of others that are selected."""
        from tokaudit.store.packs import builtin_names

        rules = self.rules_of(names)
        if self.rules is not None or not self.choice.select:
            return rules
        known = {rule.id for rule in rules}
        others = self.rules_of(builtin_names())
        return [*rules, *(rule for rule in others if rule.id not in known and is_named(rule, self.choice.select))]

    def slimmed(self, source: Source, tokenizers: Sequence[Tokenizer]) -> Slimmed:
        """Slim one document."""
        return slim_source(source, self.rules, self._rules_with_selected, self.choice, tokenizers, self.goal)


def slim_run(
    paths: Sequence[str | PathLike[str]],
    texts: Sequence[tuple[str, str | bytes]],
    models: Sequence[str] | None,
    work: SlimWork,
    reading: Reading,
    *,
    told: bool = False,
    leave_out: str | None = None,
    done: Callable[[Slimmed, SourceFile | None], None] | None = None,
    progress: Progress | None = None,
) -> SlimRun:
    """Slim files, and texts, each with the path under which it is reported.

    Args:
        paths: Files, folders and globs.
        texts: Texts that are here already.
        models: The guard's; None for the default ones.
        work: With which packs and rules.
        reading: How the inputs are found and read.
        told: Whether the report has the texts and their changes.
        leave_out: A folder, with links followed, whose files are not read though they lie in one of the paths.
        done: Told of every document as it is done, with its file, in order.
        progress: Told of the bytes done.

    Raises:
        InputError: A path does not exist, an input named by itself cannot be read, or there is nothing to slim.
        RuleError: A pack does not exist or something is wrong in it.
        TokenizerError: A model is unknown or cannot be used.
    """
    from tokaudit import __version__

    choice = work.choice
    work = work.settled()
    files, skipped = found(paths, reading)
    files, skipped = _without_backups(files, skipped, {str(path) for path in paths})
    if leave_out is not None:
        files, skipped = _outside(files, skipped, leave_out)
    measured, tokenizers = load_models(models, special=reading.special, download=reading.download)
    documents: list[Slimmed] = []
    for path, data in texts:
        documents.append(work.slimmed(source_of_text(path, data, reading), tokenizers))
        skipped += documents[-1].skipped
        if done is not None:
            done(documents[-1], None)
    named = {str(path) for path in paths}
    sizes = 0
    total = sum(file.size for file in files)
    for file, result in zip(files, _slimmed_files(files, work, measured, tokenizers, reading), strict=True):
        sizes += file.size
        if progress is not None:
            progress(sizes, total)
        if isinstance(result, Skipped):
            if file.path in named or file.location in named:
                raise InputError(f"{result.what}: {result.reason}", hint=result.hint)
            skipped.append(result)
            continue
        documents.append(result)
        skipped += result.skipped
        if done is not None:
            done(result, file)
    if not documents:
        raise nothing("slimmed", skipped)
    names = list(dict.fromkeys(name for document in documents for name in document.packs))
    return SlimRun(measured, documents, _with_bases(work.packs(names)), skipped, choice, work.goal, __version__, told)


def _with_bases(packs: Sequence[Pack]) -> list[Pack]:
    found: dict[str, Pack] = {}
    for pack in packs:
        found |= {base.path: base for base in _with_bases(pack.extends)}
        found[pack.path] = pack
    return list(found.values())


def _without_backups(
    files: Sequence[SourceFile], skipped: Sequence[Skipped], named: set[str]
) -> tuple[Sequence[SourceFile], list[Skipped]]:
    """The files without what ``--backup`` left beside one of them; of those that are named it is said."""
    there = {file.location for file in files}
    backups = [file for file in files if file.location.removesuffix(BACKUP) in there and file.location.endswith(BACKUP)]
    said = [
        Skipped(file.path, f"left out: the backup of {file.path.removesuffix(BACKUP)}")
        for file in backups
        if file.path in named or file.location in named
    ]
    left = {file.location for file in backups}
    return [file for file in files if file.location not in left], [*skipped, *said]


def _outside(
    files: Sequence[SourceFile], skipped: Sequence[Skipped], folder: str
) -> tuple[Sequence[SourceFile], list[Skipped]]:
    """The files that are not in a folder, and what is said of those that are."""
    import os

    root = folder.rstrip(os.sep) + os.sep
    kept = [file for file in files if not os.path.realpath(file.location).startswith(root)]
    if len(kept) == len(files):
        return files, [*skipped]
    name = os.path.relpath(folder).replace(os.sep, "/")
    return kept, [*skipped, Skipped(folder if name.startswith("..") else name, "left out: what is slimmed goes there")]


def _slimmed_files(
    files: Sequence[SourceFile],
    work: SlimWork,
    models: Sequence[ModelColumn],
    tokenizers: Sequence[Tokenizer],
    reading: Reading,
) -> Iterator[Slimmed | Skipped]:
    """Slim files, over the cores where there is much to do."""
    import os

    total = sum(file.size for file in files)
    processes = min(reading.jobs or os.cpu_count() or 1, len(files))
    one = partial(_slimmed_file, work=work, tokenizers=tokenizers, reading=reading)
    if processes < 2 or total < SPREAD_FROM // 16:
        yield from map(one, files)
        return
    reading = replace(reading, jobs=1)  # the pages of one PDF have no cores to themselves
    one = partial(_slimmed_file, work=work, tokenizers=tokenizers, reading=reading)
    from tokaudit.processes import WorkerLostError, spread

    for tokenizer in tokenizers:
        tokenizer.expect(total)
    names = column_names(models)
    try:
        yield from spread(
            files, one, partial(_started, names, work, reading, total), processes=processes - 1, take_part=True
        )
    except WorkerLostError as error:
        raise InputError(
            "a process that was slimming was ended from outside, perhaps for want of memory", hint="try --jobs 1"
        ) from error


def _started(
    names: Sequence[str], work: SlimWork, reading: Reading, total: int
) -> Callable[[SourceFile], Slimmed | Skipped]:
    """What a process that was not forked does: it loads what the first one has loaded."""
    _, tokenizers = load_models(names, special=reading.special, download=reading.download)
    for tokenizer in tokenizers:
        tokenizer.expect(total)
    return partial(_slimmed_file, work=work, tokenizers=tokenizers, reading=reading)


def _slimmed_file(
    file: SourceFile, work: SlimWork, tokenizers: Sequence[Tokenizer], reading: Reading
) -> Slimmed | Skipped:
    from tokaudit.sources import is_pdf, read_bytes

    try:
        data = read_bytes(file)
        if work.in_place and is_pdf(data):
            return Skipped(file.path, "a slimmed text cannot be written back into a PDF", "use -o FILE.txt")
        return work.slimmed(source_of_text(file.path, data, reading), tokenizers)
    except InputError as error:
        return Skipped(file.path, error.message.removeprefix(f"{file.path}: "), error.hint)
    except OSError as error:
        return Skipped(file.path, str(error))


def source_of_text(path: str, data: str | bytes, reading: Reading) -> Source:
    """The text of a file as it stands, with the lines that a count would leave out."""
    from tokaudit.sources import decode, is_pdf, load
    from tokaudit.sources.kinds import SLIM_KINDS, checked_kind, slim_kind_of

    charset, kind = reading.charset, reading.kind
    checked_kind(kind, SLIM_KINDS)
    if isinstance(data, bytes) and is_pdf(data):
        document = load(data, path, pdf=reading.pdf())
        return Source(path, document.text, "pdf", marks=document.marks, skipped=document.skipped)
    if isinstance(data, str):
        try:
            data.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{path}: the text holds half a character at {error.start}",
                hint="decode it again with errors='replace'",
            ) from error
        return Source(path, data, kind or "text")
    text, name = decode(data, charset, path)
    return Source(path, text, kind or slim_kind_of(path), name)


def source_of(document: Document) -> Source:
    """What ``slim`` would take of a document that was opened for its tokens."""
    from tokaudit.sources.kinds import slim_kind_of

    named = document.kind != "pdf" and not document.path.startswith("<")
    kind = slim_kind_of(document.path) if named else document.kind
    return Source(document.path, document.text, kind, document.charset, document.marks or None)
