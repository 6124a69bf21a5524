"""Writes slimmed texts into the files they came from, or into others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokaudit.cli import results
from tokaudit.model import InputError, UsageError
from tokaudit.model.message import Message, reason_of
from tokaudit.model.record import record

if TYPE_CHECKING:
    from tokaudit.features.slim.types import Slimmed
    from tokaudit.jobs.costs import CostOptions
    from tokaudit.model.rules import RuleClass
    from tokaudit.sources import SourceFile


@record
class Asked:
    """The command line."""

    files: Sequence[str]
    texts: Sequence[tuple[str, str | bytes]]
    rules: Sequence[str] | None
    classes: Sequence[RuleClass]
    select: Sequence[str]
    ignore: Sequence[str]
    system: bool
    budget: int | None
    target: float | None
    output: str | None
    """Destination of the text, ``-o FILE|DIR``."""
    finding: Sequence[str]
    """Options of the command line by which files are found and read, as they were given."""
    models: Sequence[str] | None
    """As ``-m`` has them."""
    reports: Sequence[results.Destination]
    """Destinations of reports, ``-o FORMAT=PATH``."""
    write: bool
    backup: bool
    diff: bool
    check: bool
    format_name: str | None
    quiet: bool
    kind: str | None
    password: str = ""
    costs: CostOptions | None = None
    """None where no costs are asked for."""


def _several() -> UsageError:
    return UsageError(
        "cannot print several files to stdout", hint="use --write, -o DIR, --diff, --check or --format json"
    )


class Writer:
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
                raise UsageError(
                    Message("-o {path} is a file; several texts need a folder", path=output), hint="name a folder"
                )
        elif output:
            results.refuse_inputs([("", output)], asked.files)
        results.refuse_inputs(asked.reports, asked.files)
        if output and any(os.path.realpath(path) == os.path.realpath(output) for _, path in asked.reports):
            raise UsageError(
                Message("-o {path} is named for the text and for a report", path=output), hint="name two files"
            )
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
            if file is not None and not document.source.from_pdf:
                data = self._encoded(document, file)
            location = file.location if file is not None else ""
            name = f"{document.path}.txt" if document.source.from_pdf and file is not None else document.path
            target = self._target(name, location) if self._folder else asked.output
            write_atomic(target, data)

    def _encoded(self, document: Slimmed, file: SourceFile) -> bytes:
        from tokaudit.sources import decoded, encode_like, read_bytes

        data = read_bytes(file)
        if decoded(data, self._charset, file.path, errors="replace").text != document.result.before:
            reason = Message("changed while it was slimmed, and is left as it is")
            raise InputError(reason, what=file.path, code="changed", hint="run it again")
        return encode_like(document.result.text, data, self._charset, file.path)

    def _replace(self, document: Slimmed, file: SourceFile) -> None:
        from tokaudit.sources import read_bytes
        from tokaudit.store.output import write_atomic

        data = self._encoded(document, file)
        if not os.access(file.location, os.W_OK):
            raise UsageError(
                Message("{path} is read-only, and is left as it is", path=file.path),
                hint="make it writable, or use -o DIR",
            )
        if self._asked.backup:
            from tokaudit.jobs.slim import BACKUP

            backup = f"{file.location}{BACKUP}"
            if os.path.lexists(backup):
                raise UsageError(
                    Message("{path}{backup} exists, and {path} is left as it is", path=file.path, backup=BACKUP),
                    hint="move the older backup away",
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
                Message(
                    "{other} and {path} would both be written to {target}",
                    other=self._taken[target],
                    path=path,
                    target=target,
                ),
                hint="slim them one after another",
            )
        self._taken[target] = path
        if os.path.realpath(target) == os.path.realpath(location):
            raise UsageError(
                Message("-o would overwrite the input {path}", path=path), hint="use --write, or another folder"
            )
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
        except OSError as error:
            raise UsageError(
                Message("cannot make the folder of {target}: {reason}", target=target, reason=reason_of(error))
            ) from error
        return target


def _inside(output: str, folders: Sequence[str]) -> str | None:
    """The folder of ``-o`` if it lies in one of the folders that are read, which is none if it is that folder."""
    target = os.path.realpath(output)
    for folder in folders:
        root = os.path.realpath(folder)
        if target == root:
            raise UsageError(
                Message("-o {output} is the folder that is read", output=output),
                hint="name another folder, or use --write",
            )
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
