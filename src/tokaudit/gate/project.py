"""The project of ``check`` and ``baseline``: the files of a scope that are to be measured.

Files are known by their paths from the project's folder, so that a baseline written in one folder holds in all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from tokaudit.gate.folder import Folder, is_pattern
from tokaudit.gate.scope import Scope
from tokaudit.model import InputError, Skipped
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.sources import Discovery, SourceFile


@record
class ProjectFiles:
    """The files of a project that are to be measured."""

    files: Sequence[SourceFile]
    """Each once, sorted; their paths are from the project's folder."""
    skipped: Sequence[Skipped]


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
                reason = Message("two files have this name in reports")
                unread.append(Skipped(path, reason, "rename one of them", code="same-name"))
        for item in skipped:
            path = folder.inner_of_shown(item.what)
            if item.code != "excluded" and path not in by_path:
                unread.append(replace(item, what=path or "."))
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
        try:
            return self.scope.reading.discover(names, links_within=self.folder.root)
        except InputError as error:
            if error.code == "not-a-file":
                hint = Message("a gate compares files that stay: write its content to a file, and name that")
            elif error.code == "no-input":
                hint = Message("check .gitignore, include")  # these are of the configuration here
            else:
                raise
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
            skipped += [item for item, path in shown if item.code == "gitignore" or self.scope.has_budget(path)]
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
