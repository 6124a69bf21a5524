"""The pairs of versions that ``diff`` compares: of two texts, files or folders; ``git_versions`` has those of git."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING

from tokaudit.jobs.inputs import is_pipe, pipe_bytes
from tokaudit.model import Document, InputError, Skipped
from tokaudit.model.message import Message
from tokaudit.model.record import record

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Reading
    from tokaudit.sources import Discovery, PdfOptions, SourceFile
    from tokaudit.store.git import Tree

PathName = str | PathLike[str]
ReadDocument = Callable[[str | None, str, str | None, bool, "PdfOptions"], Document]
"""Makes a document, given charset, ``errors`` and kind (None to detect it), the wish for parts, and options for PDF."""


@record
class Version:
    """One side of a pair: its name in reports, its size in bytes, and the reader of its document."""

    path: str
    size: int
    document: ReadDocument


@record
class Pair:
    """Two versions of a file; None for one that does not exist."""

    path: str
    before: Version | None
    after: Version | None


@dataclass
class Source:
    """The pairs to compare, to be read in a ``with`` statement."""

    before: str
    after: str
    pairs: Sequence[Pair]
    several: bool
    """True where a file that cannot be read is skipped, and no error: it was not named by itself."""
    skipped: Sequence[Skipped] = ()
    readers: Sequence[Tree] = field(default=())
    """Trees to close in the end."""

    def __enter__(self) -> Source:  # noqa: PYI034 - Self is of Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for reader in self.readers:
            reader.close()


def of_texts(before: str, after: str) -> Source:
    """Two texts."""
    return Source("<before>", "<after>", [Pair("<text>", _given(before, "<text>"), _given(after, "<text>"))], False)


def of_paths(before: PathName, after: PathName, reading: Reading, *, stdin: bytes | None = None) -> Source:
    """Two files, or two folders whose files are paired by their paths in them. ``-`` is ``stdin``, where it is given.

    Named pipes are read at once, to their ends.

    Raises:
        InputError: A path does not exist, or one is a file and the other a folder.
    """
    names = (os.fsdecode(before), os.fsdecode(after))
    sides = [_side(name, reading, stdin) for name in names]
    folders = [not isinstance(side, Version) and os.path.isdir(name) for name, side in zip(names, sides, strict=True)]  # noqa: PTH112
    if folders[0] != folders[1]:
        kinds = [Message("a folder") if folder else Message("a file") for folder in folders]
        raise InputError(
            Message(
                "{before} is {before_kind} and {after} is {after_kind}",
                before=slashed(names[0]),
                before_kind=kinds[0],
                after=slashed(names[1]),
                after_kind=kinds[1],
            ),
            hint="name two files, or two folders",
        )
    if folders[0]:
        return _folders(names, [side for side in sides if not isinstance(side, Version)])
    one, two = (side if isinstance(side, Version) else _single(side) for side in sides)
    return Source(one.path, two.path, [Pair(two.path, one, two)], several=False)


def _side(name: str, reading: Reading, stdin: bytes | None) -> Version | Discovery:
    """One side by its name: a text that is here, or files."""
    if stdin is not None and name == "-":
        return _given(stdin, "<stdin>")
    return _given(pipe_bytes(name), name) if is_pipe(name) else discovered(name, reading)


def _single(side: Discovery) -> Version:
    if side.skipped and not side.files:
        raise side.skipped[0].error(hint="check --exclude")
    if len(side.files) != 1:
        raise InputError(
            Message("{n} files match where one is compared", n=len(side.files)), hint="name one file on each side"
        )
    return of_file(side.files[0])


def _given(data: bytes | str, path: str) -> Version:
    from tokaudit.sources import load

    def document(charset: str | None, errors: str, kind: str | None, structure: bool, pdf: PdfOptions) -> Document:
        return load(data, path, charset=charset, errors=errors, kind=kind, structure=structure, pdf=pdf)

    return Version(path, len(data), document)


def of_file(file: SourceFile) -> Version:
    from tokaudit.sources import read

    def document(charset: str | None, errors: str, kind: str | None, structure: bool, pdf: PdfOptions) -> Document:
        return read(file, charset=charset, errors=errors, kind=kind, structure=structure, pdf=pdf)

    return Version(file.path, file.size, document)


def discovered(path: str, reading: Reading) -> Discovery:
    """The files of a path; the size of each is looked at when it is read, as that of a revision's files is."""
    return replace(reading, max_file_size=None).discover([path])


def _folders(names: tuple[str, str], found: Sequence[Discovery]) -> Source:
    """Files paired by their paths in the folders; a file that was skipped on one side is in no pair."""
    sides: list[dict[str, SourceFile]] = []
    unread: set[str] = set()
    for name, side in zip(names, found, strict=True):
        root = os.path.abspath(name)  # noqa: PTH100 - as ``discover`` does
        sides.append({slashed(os.path.relpath(file.location, root)): file for file in side.files})
        unread |= {slashed(os.path.relpath(item.what, root)) for item in side.skipped}
    pairs = []
    for inner in sorted_paths({*sides[0], *sides[1]} - unread):
        before, after = (of_file(side[inner]) if inner in side else None for side in sides)
        pairs.append(Pair(inner, before, after))
    skipped = [item for side in found for item in side.skipped]
    return Source(slashed(names[0]), slashed(names[1]), pairs, several=True, skipped=skipped)


def sorted_paths(paths: set[str]) -> list[str]:
    """Folder by folder, as ``discover`` sorts."""
    return sorted(paths, key=lambda path: path.split("/"))


def slashed(path: str) -> str:
    from tokaudit.sources.discover import printable

    return printable(path.replace(os.sep, "/") if os.sep != "/" else path)
