"""What ``check`` and ``baseline`` are about: the project's folder, and which of its files are measured.

Files are known by their paths from the project's folder, so that a baseline written in one folder holds in all.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tokaudit.model import InputError, Skipped
from tokaudit.sources import SourceFile, discover
from tokaudit.sources.discover import BASELINE, Discovery, printable

if TYPE_CHECKING:
    from tokaudit.sources.ignore import Patterns

CACHE_FOLDER = ".tokaudit_cache"
"""In the project's folder; what is in it is never measured."""

_MAGIC = frozenset("*?[!\\")
_ESCAPED = re.compile(r"\\(?:([nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
"""What ``printable`` makes of characters and bytes that cannot be printed."""
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}
_UTF_8 = sys.getfilesystemencoding().lower() == "utf-8"


@dataclass(frozen=True, slots=True)
class Choice:
    """How files are found; the fields are those of ``discover``."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    max_file_size: int | None = None
    use_gitignore: bool = True


@dataclass(frozen=True, slots=True)
class ProjectFiles:
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
    scope: Sequence[str] = ()
    """Files, folders and globs that a baseline was written of, from the project's folder."""
    choice: Choice = field(default_factory=Choice)
    own: frozenset[str] = frozenset()
    """Files of tokaudit itself, from the project's folder: a baseline is no prompt."""

    def __post_init__(self) -> None:
        self._here = os.path.realpath(os.getcwd())  # noqa: PTH109
        self._folders: dict[str, str] = {}
        self._asked = frozenset(self._inner_of_name(name) for name in self.names)
        self._up = max((_ups(asked) for asked in self._asked if not asked.replace("..", "").strip("/")), default=-1)
        self._globs = tuple(_glob(asked) for asked in self._asked if self._is_glob(asked))
        self._scope = frozenset(self.scope)
        self._scope_globs = tuple(_glob(name) for name in self.scope if self._is_glob(name))
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
            with suppress(ValueError):  # on another drive
                path = os.path.relpath(path, self.root)
        return portable(path.replace(os.sep, "/") if os.sep != "/" else path)

    def _inner_of_name(self, name: str) -> str:
        location = os.path.abspath(name)  # noqa: PTH100
        if os.path.islink(location) and os.path.isdir(location):  # noqa: PTH112, PTH114 - its files are those there
            location = os.path.realpath(location)
        return self.inner(location)

    def location(self, path: str) -> str:
        """Where a path from the project's folder is."""
        return self._located(self.root, path)

    def _located(self, folder: str, path: str) -> str:
        """Where a path that reports show is; one with escapes may be of a name that cannot be printed."""
        found = os.path.join(folder, *_native(path).split("/"))  # noqa: PTH118
        if "\\" not in path or os.path.lexists(found):
            return found
        for low in (0xDC00, 0):  # a byte that is no UTF-8, or a control character
            plain = _native(_ESCAPED.sub(lambda match, low=low: _unescaped(match, low), path))  # type: ignore[misc]
            location = os.path.join(folder, *plain.split("/"))  # noqa: PTH118
            if os.path.lexists(location):
                return location
        return found

    def from_here(self, path: str) -> str:
        """A path as it is given in the working directory."""
        if self._here == self.root:
            return path
        try:
            return os.path.relpath(self.location(path), self._here).replace(os.sep, "/")
        except ValueError:  # on another drive
            return path

    def is_gone(self, path: str) -> bool:
        """Whether there is nothing at a path."""
        return not os.path.lexists(self.location(path))

    @property
    def asked(self) -> list[str]:
        """What was asked for, from the project's folder."""
        return sorted(asked or "." for asked in self._asked)

    @property
    def reaches_out(self) -> bool:
        """Whether something outside of the project's folder is asked for."""
        return any(asked.startswith("..") for asked in self._asked)

    def is_own(self, path: str) -> bool:
        """Whether a file is one of tokaudit's own."""
        if path in self.own or path.endswith(f"/{BASELINE}"):
            return True
        return CACHE_FOLDER in path and CACHE_FOLDER in path.split("/")

    def _is_glob(self, path: str) -> bool:
        """Whether a name is a pattern, which one that is a file's is not."""
        return is_pattern(path) and not os.path.lexists(self.location(path))

    def holds(self, path: str) -> bool:
        """Whether a path is of what was asked for, also where there is no such file any more."""
        if not self._asked or _ups(path) <= self._up:
            return True
        return _is_in(path, self._asked) or any(pattern.fullmatch(path) for pattern in self._globs)

    def names_itself(self, path: str) -> bool:
        """Whether a file was asked for by its own name, and not by that of a folder."""
        return path in self._asked

    def wants(self, path: str) -> bool:
        """Whether a path is of what is measured: asked for, or named by a budget or baseline where nothing is."""
        if self.is_own(path):
            return False
        if self._asked:
            return self.holds(path)
        if path in self._known or self.has_budget(path) or "." in self._scope:
            return True
        return _is_in(path, self._scope) or any(pattern.fullmatch(path) for pattern in self._scope_globs)

    def leaves_out(self, path: str) -> bool:
        """Whether a file is left out by ``include`` and ``exclude``, also where it is in a revision only."""
        if self.choice.exclude and matches(tuple(self.choice.exclude), path):
            return True
        return bool(self.choice.include) and not matches(tuple(self.choice.include), path)

    def has_budget(self, path: str) -> bool:
        """Whether a budget is of a file."""
        return any(matches(patterns, path) for patterns in self.patterns)

    def find(self) -> ProjectFiles:
        """The files.

        Raises:
            InputError: A path that was asked for does not exist, or has nothing that can be read.
        """
        if self.names:
            found = self._discovered([name for name in self.names if not self._is_gone(name)])
            files, skipped = [*found.files, *self._links(found.files)], list(found.skipped)
        else:
            files, skipped = self._of_patterns()
            files += self._there((path for path in self.known if not self.leaves_out(path)), links=True)
            for name in self.scope:
                location = self.location(name)
                if is_pattern(name) or os.path.isdir(location):  # noqa: PTH112 - a file is known, or gone
                    with suppress(InputError):  # nothing in it any more; that entries are gone is told by them
                        found = self._discovered([location])
                        files += found.files
                        skipped += found.skipped
        by_path: dict[str, SourceFile] = {}
        told: list[Skipped] = []
        for file in files:
            path = self.inner(file.location)
            known = by_path.setdefault(path, SourceFile(path, file.location, file.size))
            if known.location != file.location and not os.path.samefile(known.location, file.location):  # noqa: PTH121
                told.append(Skipped(path, "two files have this name in reports", "rename one of them"))
        for item in skipped:
            path = self._shown(item.what)
            if item.reason != "excluded" and path not in by_path:
                told.append(Skipped(path, item.reason, item.hint))
        return ProjectFiles(
            [by_path[path] for path in sorted(by_path, key=lambda path: path.split("/")) if not self.is_own(path)],
            [item for item in told if not self.is_own(item.what)],
        )

    def _is_gone(self, name: str) -> bool:
        """Whether a name is of files that a baseline has, and that are not there any more."""
        if os.path.lexists(name) or not self._known:
            return False
        inner = self._inner_of_name(name)
        return any(path == inner or path.startswith(f"{inner}/") for path in self._known)

    def _links(self, found: Sequence[SourceFile]) -> Iterator[SourceFile]:
        """Files that have two names among those asked for, by a link: each is held against what is of its name."""
        for file in found:
            if os.path.islink(file.location):  # noqa: PTH114
                location = os.path.realpath(file.location)
                if self.holds(self.inner(location)):
                    yield SourceFile("", location, file.size)
        known = {file.location for file in found}
        for name in self.names:
            location = os.path.abspath(name)  # noqa: PTH100
            if location not in known and os.path.islink(location) and os.path.isfile(location):  # noqa: PTH113, PTH114
                size = os.path.getsize(location)  # noqa: PTH202
                too_large = self.choice.max_file_size is not None and size > self.choice.max_file_size
                if not too_large and not self.leaves_out(self.inner(location)):
                    yield SourceFile("", location, size)

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
            hint = error.hint.partition("use --text for literal text")[0].strip().replace("--include", "include")
            raise InputError(error.message, hint=hint) from error

    def _of_patterns(self) -> tuple[list[SourceFile], list[Skipped]]:
        files, skipped = [], []
        for folder in self._folders_of_patterns():
            try:
                found = self._discovered([folder])
            except InputError:  # nothing in it; that a budget matches nothing is told by its evaluation
                continue
            files += [file for file in found.files if self.has_budget(self.inner(file.location))]
            skipped += [item for item in found.skipped if self.has_budget(self._shown(item.what))]
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

    def _there(self, paths: Iterable[str], *, links: bool) -> Iterator[SourceFile]:
        for path in paths:
            location = self.location(path)
            try:
                if os.path.isfile(location) and (links or not os.path.islink(location)):  # noqa: PTH113, PTH114
                    yield SourceFile(path, location, os.path.getsize(location))  # noqa: PTH202
            except (OSError, ValueError):  # a name that this system does not allow
                continue

    def _shown(self, what: str) -> str:
        """A path, from the working directory, as one from the project's folder."""
        return self.inner(self._located(self._here, what))

    def hidden(self, files: Sequence[SourceFile], tracked: Iterable[str]) -> list[SourceFile]:
        """Files that git tracks, and that are asked for, although a .gitignore file hides them."""
        known = {file.path for file in files}
        paths = [path for path in tracked if path not in known and self.wants(path) and not self.leaves_out(path)]
        return list(self._there(paths, links=False))

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


def portable(path: str) -> str:
    """A path as reports have it, the same whatever charset this system thinks that its names are in."""
    if not _UTF_8 and not path.isascii():
        path = os.fsencode(path).decode("utf-8", "surrogateescape")
    return printable(path)


def _native(path: str) -> str:
    """A path as this system takes it."""
    if _UTF_8 or path.isascii():
        return path
    try:
        return os.fsdecode(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # half a character: no such name
        return path


def _unescaped(match: re.Match[str], low: int) -> str:
    if match[1]:
        return _SHORT[match[1]]
    if match[2]:
        code = int(match[2], 16)
        return chr(code + low if code >= 0x80 else code)
    code = int(match[3] or match[4], 16)
    return chr(code) if code <= sys.maxunicode else match[0]


def _ups(path: str) -> int:
    """How many folders above the project's a path begins in; 0 for one inside of it."""
    count = 0
    while path == ".." or path.startswith("../"):
        count += 1
        path = path[3:]
    return count


def _is_in(path: str, names: Container[str]) -> bool:
    """Whether a path is one of these, or in one of them."""
    while path:
        if path in names:
            return True
        path = path.rpartition("/")[0]
    return False


def _glob(pattern: str) -> re.Pattern[str]:
    """What is in what a glob matches, as ``discover`` expands it: only ``**`` goes over folders."""
    parts = []
    for part in re.split(r"(\*\*/?|\*|\?|\[[^\]]+\])", pattern):
        if part.startswith("**"):
            parts.append("(?:.*/)?" if part.endswith("/") else ".*")
        elif part in {"*", "?"}:
            parts.append("[^/]*" if part == "*" else "[^/]")
        elif part.startswith("[") and part.endswith("]"):
            parts.append(f"[^{part[2:-1]}]" if part[1] == "!" else part)
        else:
            parts.append(re.escape(part))
    try:
        return re.compile(f"{''.join(parts)}(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def is_pattern(path: str) -> bool:
    """Whether a path has characters that stand for others."""
    return not _MAGIC.isdisjoint(path)


def matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether patterns as in .gitignore match a path, all from the same folder; one with ``!`` takes out again."""
    return _compiled(patterns).match(path)


@cache
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
