"""What ``check`` and ``baseline`` are about: the project's folder, and which of its files are measured.

Files are known by their paths from the project's folder, so that a baseline written in one folder holds in all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from tokaudit.model import InputError, Skipped
from tokaudit.sources import SourceFile, discover
from tokaudit.sources.discover import Discovery, printable

if TYPE_CHECKING:
    from tokaudit.sources.ignore import Patterns

_MAGIC = frozenset("*?[!\\")


@dataclass(frozen=True, slots=True)
class Choice:
    """How files are found; the fields are those of ``discover``."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    max_file_size: int | None = None
    use_gitignore: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a project that are to be measured."""

    files: Sequence[SourceFile]
    """Each once, sorted; their paths are from the project's folder."""
    skipped: Sequence[Skipped]


@dataclass
class Project:
    """A folder, and what of it is asked for."""

    root: str
    """Absolute, links resolved."""
    names: Sequence[str] = ()
    """Files, folders and globs, as given in the working directory; none for all that a budget or baseline names."""
    patterns: Sequence[tuple[str, ...]] = ()
    """Of each budget, from the project's folder."""
    known: Sequence[str] = ()
    """Paths that a baseline has, from the project's folder."""
    choice: Choice = field(default_factory=Choice)

    def __post_init__(self) -> None:
        self._here = os.path.realpath(os.getcwd())  # noqa: PTH109
        self._folders: dict[str, str] = {}
        self._asked = [self.inner(os.path.abspath(name)) for name in self.names]  # noqa: PTH100
        self._known = frozenset(self.known)

    def inner(self, location: str) -> str:
        """The path of a file from the project's folder, with forward slashes; empty for the folder itself."""
        folder, name = os.path.split(location)
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        path = os.path.join(real, name)  # noqa: PTH118 - a link is a file of its own here
        head = self.root.rstrip(os.sep) + os.sep
        if path.startswith(head):
            path = path[len(head) :]
        elif path == self.root:
            return ""
        else:
            path = os.path.relpath(path, self.root)
        return printable(path.replace(os.sep, "/") if os.sep != "/" else path)

    def location(self, path: str) -> str:
        """Where a path from the project's folder is."""
        return os.path.join(self.root, *path.split("/"))  # noqa: PTH118

    def holds(self, path: str) -> bool:
        """Whether a path is of what was asked for, also where there is no such file any more."""
        if not self._asked:
            return True
        return any(
            not asked
            or path == asked
            or path.startswith(f"{asked}/")
            or (is_pattern(asked) and matches((asked,), path))
            for asked in self._asked
        )

    def wants(self, path: str) -> bool:
        """Whether a path is of what is measured: asked for, or named by a budget or baseline where nothing is."""
        if self._asked:
            return self.holds(path)
        return path in self._known or self._of_budget(path)

    def leaves_out(self, path: str) -> bool:
        """Whether a file is left out by ``include`` and ``exclude``, also where it is in a revision only."""
        if self.choice.exclude and matches(tuple(self.choice.exclude), path):
            return True
        return bool(self.choice.include) and not matches(tuple(self.choice.include), path)

    def _of_budget(self, path: str) -> bool:
        return any(matches(patterns, path) for patterns in self.patterns)

    def find(self) -> Found:
        """The files.

        Raises:
            InputError: A path that was asked for does not exist, or has nothing that can be read.
        """
        if self.names:
            found = self._discovered(self.names)
            files, skipped = list(found.files), list(found.skipped)
        else:
            files, skipped = self._of_patterns()
            files += self._there(self.known)
        by_path: dict[str, SourceFile] = {}
        for file in files:
            path = self.inner(file.location)
            by_path.setdefault(path, SourceFile(path, file.location, file.size))
        told = [
            Skipped(self._shown(item.what), item.reason, item.hint) for item in skipped if item.reason != "excluded"
        ]
        return Found([by_path[path] for path in sorted(by_path, key=lambda path: path.split("/"))], told)

    def _discovered(self, names: Sequence[str]) -> Discovery:
        choice = self.choice
        try:
            return discover(
                names,
                include=choice.include,
                exclude=choice.exclude,
                max_file_size=choice.max_file_size,
                use_gitignore=choice.use_gitignore,
            )
        except InputError as error:  # there is no --text here
            hint = error.hint.removesuffix("use --text for literal text").strip()
            raise InputError(error.message, hint=hint) from error

    def _of_patterns(self) -> tuple[list[SourceFile], list[Skipped]]:
        files, skipped = [], []
        for folder in self._folders_of_patterns():
            try:
                found = self._discovered([folder])
            except InputError:  # nothing in it; that a budget matches nothing is told by its evaluation
                continue
            files += [file for file in found.files if self._of_budget(self.inner(file.location))]
            skipped += [item for item in found.skipped if self._of_budget(self._shown(item.what))]
        return files, skipped

    def _folders_of_patterns(self) -> Iterator[str]:
        """The folders in which the patterns' files are, none inside of another."""
        starts = sorted({_start(pattern) for patterns in self.patterns for pattern in patterns if pattern[:1] != "!"})
        kept: list[str] = []
        for start in starts:
            if any(not other or start == other or start.startswith(f"{other}/") for other in kept):
                continue
            kept.append(start)
        for start in kept:
            folder = self.location(start) if start else self.root
            if os.path.isdir(folder) or os.path.isfile(folder):  # noqa: PTH112, PTH113
                yield folder

    def _there(self, paths: Iterable[str]) -> Iterator[SourceFile]:
        for path in paths:
            location = self.location(path)
            try:
                if os.path.isfile(location) and not os.path.islink(location):  # noqa: PTH113, PTH114
                    yield SourceFile(path, location, os.path.getsize(location))  # noqa: PTH202
            except (OSError, ValueError):  # a name that this system does not allow
                continue

    def _shown(self, what: str) -> str:
        """A path, from the working directory, as one from the project's folder."""
        return self.inner(os.path.join(self._here, what))  # noqa: PTH118

    def hidden(self, files: Sequence[SourceFile], tracked: Iterable[str]) -> list[SourceFile]:
        """Files that git tracks, and that are asked for, although a .gitignore file hides them."""
        known = {file.path for file in files}
        paths = [path for path in tracked if path not in known and self.wants(path) and not self.leaves_out(path)]
        return list(self._there(paths))

    def git_prefix(self) -> str:
        """The path from the root of the git repository to the project's folder; empty where they are the same."""
        at = self.root
        while not os.path.lexists(os.path.join(at, ".git")):  # noqa: PTH118
            parent = os.path.dirname(at)  # noqa: PTH120
            if parent == at:
                return ""
            at = parent
        path = os.path.relpath(self.root, at).replace(os.sep, "/")
        return "" if path == "." else path


def _is_of(asked: str, path: str) -> bool:
    """Whether a path is what was asked for, in it, or matched by it; the project's folder is empty and has all."""
    if not asked or path == asked or path.startswith(f"{asked}/"):
        return True
    return is_pattern(asked) and matches((asked,), path)


def is_pattern(path: str) -> bool:
    """Whether a path has characters that stand for others."""
    return not _MAGIC.isdisjoint(path)


def matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether patterns as in .gitignore match a path, all from the same folder; one with ``!`` takes out again."""
    return _compiled(patterns).match(path)


@lru_cache(maxsize=1024)
def _compiled(patterns: tuple[str, ...]) -> Patterns:
    from tokaudit.sources.ignore import Patterns

    return Patterns(patterns)


def _start(pattern: str) -> str:
    """The folder, or file, that all matches of a pattern are in; empty for the project's folder."""
    if "/" not in pattern.rstrip("/"):
        return ""  # matches in every folder
    parts = []
    for part in pattern.strip("/").split("/"):
        if is_pattern(part):
            break
        parts.append(part)
    return "/".join(parts)
