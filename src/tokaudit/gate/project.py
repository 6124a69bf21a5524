"""The project of ``check`` and ``baseline``: its folder, the scope of a run, and the files to measure.

Files are known by their paths from the project's folder, so that a baseline written in one folder holds in all.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tokaudit.gate.scope import Scope, is_pattern
from tokaudit.model import InputError, Skipped
from tokaudit.sources import SourceFile, discover
from tokaudit.sources.discover import Discovery, printable

_ESCAPED = re.compile(r"\\(?:([nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
"""The form that ``printable`` gives characters and bytes that cannot be printed."""
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}
_UTF_8 = sys.getfilesystemencoding().lower() == "utf-8"


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """The files of a project that are to be measured."""

    files: Sequence[SourceFile]
    """Each once, sorted; their paths are from the project's folder."""
    skipped: Sequence[Skipped]


class Folder:
    """The project's folder: paths from it, as reports have them, and where they are on this system."""

    def __init__(self, root: str) -> None:
        self.root = root
        """Absolute, links resolved."""
        self._here = os.path.realpath(os.getcwd())  # noqa: PTH109
        self._real: dict[str, str] = {}

    def inner(self, location: str) -> str:
        """The path of a file from the project's folder, with forward slashes; empty for the folder itself."""
        folder, name = os.path.split(location)
        real = self._real.get(folder)
        if real is None:
            real = self._real[folder] = os.path.realpath(folder)
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

    def inner_of_name(self, name: str) -> str:
        """The path from the project's folder of a name that was given in the working directory."""
        location = os.path.abspath(name)  # noqa: PTH100
        if os.path.islink(location) and os.path.isdir(location):  # noqa: PTH112, PTH114 - its files are those there
            location = os.path.realpath(location)
        return self.inner(location)

    def inner_of_shown(self, path: str) -> str:
        """The path from the project's folder of one that a report shows from the working directory."""
        return self.inner(_located(self._here, path))

    def location(self, path: str) -> str:
        """The location of a path from the project's folder."""
        return _located(self.root, path)

    def from_here(self, path: str) -> str:
        """A path as it is given in the working directory."""
        if self._here == self.root:
            return path
        try:
            return os.path.relpath(self.location(path), self._here).replace(os.sep, "/")
        except ValueError:  # on another drive
            return path

    def is_gone(self, path: str) -> bool:
        """True where nothing is at a path."""
        return not os.path.lexists(self.location(path))

    def is_glob(self, path: str) -> bool:
        """True for a pattern; a name with such characters that is a file's is none."""
        return is_pattern(path) and not os.path.lexists(self.location(path))

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


class Project:
    """Finds the files of a scope in a folder."""

    def __init__(self, folder: Folder, scope: Scope) -> None:
        self.folder = folder
        self.scope = scope

    def find(self) -> ProjectFiles:
        """Find the files.

        Raises:
            InputError: A path that was asked for does not exist, or has nothing that can be read.
        """
        folder, scope = self.folder, self.scope
        if scope.names:
            found = self._discovered([name for name in scope.names if not self._is_gone(name)])
            files, skipped = [*found.files, *self._links(found.files)], list(found.skipped)
        else:
            files, skipped = self._of_budgets()
            files += self._there((path for path in sorted(scope.known) if not scope.leaves_out(path)), links=True)
            for name in scope.recorded:
                location = folder.location(name)
                if is_pattern(name) or os.path.isdir(location):  # noqa: PTH112 - a file is known, or gone
                    with suppress(InputError):  # nothing in it any more: its entries have findings
                        found = self._discovered([location])
                        files += found.files
                        skipped += found.skipped
        by_path: dict[str, SourceFile] = {}
        unread: list[Skipped] = []
        for file in files:
            path = folder.inner(file.location)
            known = by_path.setdefault(path, SourceFile(path, file.location, file.size))
            if known.location != file.location and not os.path.samefile(known.location, file.location):  # noqa: PTH121
                reason = "two files have this name in reports"
                unread.append(Skipped(path, reason, "rename one of them", code="same-name"))
        for item in skipped:
            path = folder.inner_of_shown(item.what)
            if item.code != "excluded" and path not in by_path:
                unread.append(replace(item, what=path))
        return ProjectFiles(
            [by_path[path] for path in sorted(by_path, key=lambda path: path.split("/")) if not scope.is_own(path)],
            [item for item in unread if not scope.is_own(item.what)],
        )

    def hidden(self, files: Sequence[SourceFile], tracked: Iterable[str]) -> list[SourceFile]:
        """Files that git tracks, and that are asked for, although a .gitignore file hides them."""
        known = {file.path for file in files}
        scope = self.scope
        paths = [path for path in tracked if path not in known and scope.wants(path) and not scope.leaves_out(path)]
        return list(self._there(paths, links=False))

    def _is_gone(self, name: str) -> bool:
        """True for a name of files that a baseline has, and that are not there any more."""
        if os.path.lexists(name) or not self.scope.known:
            return False
        inner = self.folder.inner_of_name(name)
        return any(path == inner or path.startswith(f"{inner}/") for path in self.scope.known)

    def _links(self, found: Sequence[SourceFile]) -> Iterator[SourceFile]:
        """Files with two names among those asked for, by a link: each is compared under its own name."""
        scope = self.scope
        for file in found:
            if os.path.islink(file.location):  # noqa: PTH114
                location = os.path.realpath(file.location)
                if scope.holds(self.folder.inner(location)):
                    yield SourceFile("", location, file.size)
        known = {file.location for file in found}
        for name in scope.names:
            location = os.path.abspath(name)  # noqa: PTH100
            if location not in known and os.path.islink(location) and os.path.isfile(location):  # noqa: PTH113, PTH114
                size = os.path.getsize(location)  # noqa: PTH202
                too_large = scope.reading.max_file_size is not None and size > scope.reading.max_file_size
                if not too_large and not scope.leaves_out(self.folder.inner(location)):
                    yield SourceFile("", location, size)

    def _discovered(self, names: Sequence[str]) -> Discovery:
        reading = self.scope.reading
        try:
            return discover(
                names,
                include=reading.include,
                exclude=reading.exclude,
                max_file_size=reading.max_file_size,
                use_gitignore=reading.use_gitignore,
                takes_text=False,
            )
        except InputError as error:
            if error.code != "no-input":
                raise
            hint = "check .gitignore, include"  # these are of the configuration here
            raise InputError(error.reason, what=error.what, code=error.code, hint=hint) from error

    def _of_budgets(self) -> tuple[list[SourceFile], list[Skipped]]:
        files, skipped = [], []
        for location in self._starts():
            try:
                found = self._discovered([location])
            except InputError:  # nothing in it: a budget that matches nothing has a finding
                continue
            files += [file for file in found.files if self.scope.has_budget(self.folder.inner(file.location))]
            shown = [(item, self.folder.inner_of_shown(item.what)) for item in found.skipped]
            skipped += [item for item, path in shown if self.scope.has_budget(path)]
        return files, skipped

    def _starts(self) -> Iterator[str]:
        """The folders, or files, that have all files of budgets, none inside of another."""
        starts = {_start(pattern) for patterns in self.scope.patterns for pattern in patterns if pattern[:1] != "!"}
        outermost: list[str] = []
        for start in sorted(starts):
            if not any(not other or start == other or start.startswith(f"{other}/") for other in outermost):
                outermost.append(start)
        for start in outermost:
            location = self.folder.location(start) if start else self.folder.root
            if os.path.isdir(location) or os.path.isfile(location):  # noqa: PTH112, PTH113
                yield location

    def _there(self, paths: Iterable[str], *, links: bool) -> Iterator[SourceFile]:
        for path in paths:
            location = self.folder.location(path)
            try:
                if os.path.isfile(location) and (links or not os.path.islink(location)):  # noqa: PTH113, PTH114
                    yield SourceFile(path, location, os.path.getsize(location))  # noqa: PTH202
            except (OSError, ValueError):  # a name that this system does not allow
                continue


def _located(folder: str, path: str) -> str:
    """The location of a path that reports show; one with escapes may be of a name that cannot be printed."""
    found = os.path.join(folder, *_native(path).split("/"))  # noqa: PTH118
    if "\\" not in path or os.path.lexists(found):
        return found
    for low in (0xDC00, 0):  # a byte that is no UTF-8, or a control character
        plain = _native(_ESCAPED.sub(lambda match, low=low: _unescaped(match, low), path))  # type: ignore[misc]
        location = os.path.join(folder, *plain.split("/"))  # noqa: PTH118
        if os.path.lexists(location):
            return location
    return found


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
