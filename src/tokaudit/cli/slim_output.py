"""What ``tokaudit slim`` writes where: the slimmed text, files in place or elsewhere, the changes, the report."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokaudit.cli import results
from tokaudit.model import InputError, UsageError

if TYPE_CHECKING:
    from tokaudit.features.slim import Slimmed
    from tokaudit.features.slim_data import SlimRun
    from tokaudit.model.rules import RuleClass
    from tokaudit.sources import SourceFile
    from tokaudit.store.config import Config

EXIT_GATE = 1
_BACKUP = ".orig"


@dataclass(frozen=True, slots=True)
class Asked:
    """The command line."""

    files: Sequence[str]
    texts: Sequence[tuple[str, str | bytes]]
    rules: Sequence[str] | None
    classes: Sequence[RuleClass]
    select: Sequence[str]
    ignore: Sequence[str]
    budget: int | None
    target: float | None
    output: str | None
    write: bool
    backup: bool
    diff: bool
    check: bool
    format_name: str | None
    quiet: bool
    kind: str | None
    password: str = ""


def classes_of(*, lossless: bool, lossy: bool) -> Sequence[RuleClass]:
    """The classes of rules that ``--lossless`` and ``--lossy`` ask for."""
    if lossless and lossy:
        raise UsageError("--lossless and --lossy contradict each other", hint="give one of them")
    return ("lossless",) if lossless else ("lossless", "near", "lossy") if lossy else ("lossless", "near")


def split_names(option: str, names: Sequence[str] | None) -> list[str]:
    """Names given one by one or separated by commas. Raises ``UsageError`` where there is none in what was given."""
    for name in names or ():
        if not name.strip(", \t"):
            raise UsageError(f"{option} {name!r} names no rule", hint="`tokaudit rules list` lists them")
    return [part.strip() for name in names or () for part in name.split(",") if part.strip()]


def share_of(text: str | None) -> float | None:
    """``30%`` or ``0.3`` as a share."""
    if text is None:
        return None
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise UsageError(
            f"--target {text} is no share of the tokens", hint="above 0% and below 100%, as in --target 30%, or 0.3"
        )
    return share


def run(asked: Asked, config: Config) -> int:
    """Slim, write what is asked for, and tell the exit code."""
    from tokaudit.api import reading_of
    from tokaudit.api_slim import SlimWork, choice_of, report_of, slim_run
    from tokaudit.cli.progress import Bar
    from tokaudit.features.slim import Goal

    _refuse_contradictions(asked)
    exclude = config.exclude or ()
    if asked.write:
        exclude = (*exclude, f"*{_BACKUP}")  # what --backup left is not to be slimmed the next time
    goal = None if asked.budget is None and asked.target is None else Goal(asked.budget, asked.target)
    work = SlimWork(asked.rules, choice_of(asked.classes, asked.select, asked.ignore), goal, in_place=asked.write)
    reading = replace(reading_of(config, kind=asked.kind, password=asked.password), exclude=exclude)
    if asked.write:
        _refuse_pdf(asked.files)
    writer = _Writer(asked, config.charset)
    told = asked.format_name in {"json", "jsonl"} and not (asked.write or asked.output)
    with Bar(quiet=asked.quiet) as progress:
        found = slim_run(
            asked.files,
            asked.texts,
            config.models,
            work,
            reading,
            told=told,
            leave_out=writer.inside,
            done=writer.take,
            progress=progress,
        )
    if asked.diff:
        _show_changes(found, config.color)
    elif asked.format_name is not None:
        results.write(
            lambda people: report_of(found, people=people), [(asked.format_name, "")], quiet=False, color=config.color
        )
    elif writer.prints:
        _print(found.documents)
    if asked.format_name is None and not asked.quiet:
        results.write_aside(report_of(found, people=True), color=config.color)
    for item in found.skipped if asked.format_name or asked.quiet else ():
        sys.stderr.write(f"tokaudit: skipped {item.what}: {item.reason}\n")
    if not found.met:
        if asked.quiet or asked.format_name:
            missed = sum(document.met is False for document in found.documents)
            what = "the goal" if len(found.documents) == 1 else f"the goal of {missed:,} files"
            sys.stderr.write(f"tokaudit: {what} cannot be met, even with lossy rules\n")
        return EXIT_GATE
    return EXIT_GATE if asked.check and found.saves else 0


def _refuse_contradictions(asked: Asked) -> None:
    ways = [
        name
        for name, on in (
            ("--write", asked.write),
            ("-o", asked.output),
            ("--diff", asked.diff),
            ("--check", asked.check),
        )
        if on
    ]
    if len(ways) > 1 and set(ways) != {"--diff", "--check"}:
        raise UsageError(f"{' and '.join(ways)} contradict each other", hint="give one of them")
    if asked.backup and not asked.write:
        raise UsageError("--backup goes with --write")
    if asked.write and asked.texts:
        raise UsageError("--write needs files: a text from elsewhere cannot be written back", hint="use -o FILE")
    if asked.budget is not None and asked.budget < 0:
        raise UsageError(f"--budget {asked.budget} is negative", hint="give a number of tokens")
    if (asked.budget is not None or asked.target is not None) and asked.classes == ("lossless",):
        raise UsageError(
            "--lossless and a goal contradict each other: a goal takes the classes that it needs",
            hint="leave out --lossless; the report says which classes were needed",
        )
    if asked.diff and asked.format_name:
        raise UsageError("--diff and --format contradict each other", hint="JSON has the changes of every document")


def _refuse_pdf(files: Sequence[str]) -> None:
    """Refuse to write into PDF files that are named, before any file is written."""
    from tokaudit.sources import is_pdf

    for name in files:
        if os.path.isfile(name):  # noqa: PTH113
            with open(name, "rb") as stream:  # noqa: PTH123
                head = stream.read(1024)
            if is_pdf(head):
                raise UsageError(f"{name}: a slimmed text cannot be written back into a PDF", hint="use -o FILE.txt")


def _several() -> UsageError:
    return UsageError(
        "several inputs have no one text to print", hint="use --write, -o DIR, --diff, --check or --format json"
    )


class _Writer:
    """Writes each document as soon as it is slimmed, whole or not at all."""

    def __init__(self, asked: Asked, charset: str | None) -> None:
        self._asked = asked
        self._charset = charset
        self._printed = 0
        several = len(asked.files) + len(asked.texts) > 1
        folders = [path for path in asked.files if os.path.isdir(path)]  # noqa: PTH112
        self._taken: dict[str, str] = {}
        output = asked.output
        pattern = any(not os.path.lexists(path) for path in asked.files)  # it may match several
        self._folder = output is not None and (
            bool(several or folders or pattern) or os.path.isdir(output) or output.endswith(("/", os.sep))  # noqa: PTH112
        )
        self.prints = not (asked.write or asked.output or asked.check or asked.diff)
        self.inside: str | None = None
        """The folder of ``-o``, where it lies in a folder that is read."""
        if output and self._folder:
            self.inside = _inside(output, folders)
            if os.path.lexists(output) and not os.path.isdir(output):  # noqa: PTH112
                raise UsageError(f"-o {output} is a file; several texts need a folder", hint="name a folder")
        elif output:
            results.refuse_inputs([("", output)], asked.files)
        if self.prints and several and asked.format_name is None:
            raise _several()

    def take(self, document: Slimmed, file: SourceFile | None) -> None:
        """One document, with its file if it has one."""
        asked = self._asked
        self._printed += 1
        if self.prints and asked.format_name is None and self._printed > 1:  # of a pattern or a folder
            raise _several()
        if document.met is False or not (asked.write or asked.output):
            return
        result = document.result
        if asked.write and file is not None:
            if result.text != result.before:
                self._replace(document, file)
        elif asked.output:
            from tokaudit.store.output import write_atomic

            data: str | bytes = result.text
            if file is not None and not document.from_pdf:
                data = self._encoded(document, file)
            location = file.location if file is not None else ""
            name = f"{document.path}.txt" if document.from_pdf and file is not None else document.path
            target = self._target(name, location) if self._folder else asked.output
            write_atomic(target, data)

    def _encoded(self, document: Slimmed, file: SourceFile) -> bytes:
        from tokaudit.sources import decode, encode_like, read_bytes

        data = read_bytes(file)
        if decode(data, self._charset, file.path)[0] != document.result.before:
            raise InputError(f"{file.path}: changed while it was slimmed, and is left as it is", hint="run it again")
        return encode_like(document.result.text, data, self._charset, file.path)

    def _replace(self, document: Slimmed, file: SourceFile) -> None:
        from tokaudit.sources import read_bytes
        from tokaudit.store.output import write_atomic

        data = self._encoded(document, file)
        if not os.access(file.location, os.W_OK):
            raise UsageError(f"{file.path} is read-only, and is left as it is", hint="make it writable, or use -o DIR")
        if self._asked.backup:
            backup = f"{file.location}{_BACKUP}"
            if os.path.lexists(backup):
                raise UsageError(
                    f"{file.path}{_BACKUP} exists, and {file.path} is left as it is", hint="move the older backup away"
                )
            write_atomic(backup, read_bytes(file))
        write_atomic(file.location, data)

    def _target(self, path: str, location: str = "") -> str:
        """The place of a document in the folder of ``-o``: its relative path, never outside, and never taken twice."""
        if path.startswith("<"):  # standard input, or a text
            path = path.strip("<>").replace(" ", "-") + ".txt"
        elif os.path.isabs(path) or path.startswith(".."):  # noqa: PTH117
            path = _below(path, self._asked.files)
        parts = [part for part in path.split("/") if part not in {"", ".", ".."}]
        target = os.path.join(self._asked.output or ".", *parts)  # noqa: PTH118
        if target in self._taken:
            raise UsageError(
                f"{self._taken[target]} and {path} would both be written to {target}",
                hint="slim them one after another",
            )
        self._taken[target] = path
        if os.path.realpath(target) == os.path.realpath(location):
            raise UsageError(f"-o would overwrite the input {path}", hint="use --write, or another folder")
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
        except OSError as error:
            raise UsageError(f"cannot make the folder of {target}: {error.strerror}") from error
        return target


def _inside(output: str, folders: Sequence[str]) -> str | None:
    """The folder of ``-o`` if it lies in one of the folders that are read, which is none if it is that folder."""
    target = os.path.realpath(output)
    for folder in folders:
        root = os.path.realpath(folder)
        if target == root:
            raise UsageError(f"-o {output} is the folder that is read", hint="name another folder, or use --write")
        if target.startswith(root.rstrip(os.sep) + os.sep):
            return target
    return None


def _below(path: str, named: Sequence[str]) -> str:
    """A path outside of the working directory as it is from the folder or file that was named."""
    for name in named:
        root = name.replace(os.sep, "/").rstrip("/")
        if path == root or path.startswith(f"{root}/"):
            return root.rpartition("/")[2] + path[len(root) :]
    return path.rpartition("/")[2]


def _print(documents: Sequence[Slimmed]) -> None:
    """The slimmed text to standard output, and exactly that where it is no terminal."""
    for document in documents:
        text = document.result.text
        charset = getattr(sys.stdout, "encoding", None) or "utf-8"
        try:
            text.encode(charset)
        except UnicodeEncodeError as error:
            if not sys.stdout.isatty():
                raise UsageError(
                    f"standard output is in {charset}, which has no {text[error.start]!r}",
                    hint="use -o FILE, or set PYTHONIOENCODING=utf-8",
                ) from error
        # A shell's prompt is not to stand on the last line; a pipe gets exactly the text.
        end = "\n" if sys.stdout is not None and sys.stdout.isatty() and text and not text.endswith("\n") else ""
        results.write_text(text + end)


def _show_changes(found: SlimRun, color: str | None) -> None:
    from tokaudit.reporters.changes import render_changes

    text = "".join(
        render_changes(
            document.path,
            document.result,
            color=results.colored(color),
            pages=document.from_pdf,
            marks=document.marks or (),
        )
        for document in found.documents
    )
    results.write_text(text)
