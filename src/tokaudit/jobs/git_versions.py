"""The pairs of ``diff --git``: files of a revision, and of the working tree or another revision."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tokaudit.jobs.versions import Pair, PathName, Source, Version, discovered, of_file, slashed, sorted_paths
from tokaudit.model import Document, InputError, Skipped
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.sources.discover import BASELINE

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Reading
    from tokaudit.sources import Discovery, PdfOptions
    from tokaudit.store.git import GitFile, Repository, Tree

WORKING_TREE = Message("working tree")
"""The name in reports of files that are in no revision."""


def of_git(revisions: str, paths: Sequence[PathName], reading: Reading) -> Source:
    """Files of a revision, and the same of another one or of the working tree.

    ``revisions`` is ``REV`` or ``REV1..REV2``; without paths, the working directory is compared.

    Raises:
        InputError: Not in a repository, no such revision, or a path that is on neither side.
        UsageError: git is not installed, or three dots between revisions.
    """
    from tokaudit.store.git import Repository, pair_of

    before, after = pair_of(revisions)
    here = os.getcwd()  # noqa: PTH109
    repository = Repository(here)
    names = [os.fsdecode(path) for path in paths] or ["."]
    asked = _Asked(repository.root, here, names, reading)
    sides = [_Side(*asked.of_revision(repository, before, checked_out=after is None))]
    sides.append(
        _Side(*asked.of_working_tree(sides[0].every))
        if after is None
        else _Side(*asked.of_revision(repository, after, checked_out=False))
    )
    for name, root in zip(names, asked.roots, strict=True):
        if not any(_inside(path, root) for side in sides for path in side.every):
            where = Message(
                "in {before}, nor in {after}",
                before=before,
                after=Message("the working tree") if after is None else after,
            )
            raise InputError(
                Message("{path}: neither {where}", path=slashed(name), where=where),
                hint=Message("git ls-tree -r --name-only {revision} lists files", revision=before),
            )
    unread = sides[0].unread | sides[1].unread
    pairs = [
        Pair(asked.shown(path), *(side.versions.get(path) for side in sides))
        for path in sorted_paths({*sides[0].versions, *sides[1].versions})
        if not any(above in unread for above in _above(path))
    ]
    skipped = list({item.what: item for side in sides for item in side.skipped}.values())
    readers = [side.reader for side in sides if side.reader is not None]
    return Source(before, after or WORKING_TREE, pairs, several=True, skipped=skipped, readers=readers)


@record
class _Side:
    """One side of a comparison by git; paths are from the root of the repository, with forward slashes."""

    versions: dict[str, Version]
    every: Sequence[str]
    """All paths that are there, also those that were not asked for or cannot be read."""
    skipped: Sequence[Skipped] = ()
    unread: frozenset[str] = frozenset()
    """Paths that were asked for and are there, but are of no text file."""
    reader: Tree | None = None


class _Asked:
    """The files of a repository to compare."""

    def __init__(self, root: str, here: str, names: Sequence[str], reading: Reading) -> None:
        from tokaudit.sources.ignore import Patterns

        self._root = root
        self._here = os.path.realpath(here)
        self._names = names
        self._reading = reading
        self._include = Patterns(reading.include) if reading.include else None
        self._exclude = Patterns(reading.exclude) if reading.exclude else None
        self.roots = [self._from_root(name) for name in names]
        """For each name its path from the root; empty for the root itself."""

    def _from_root(self, name: str) -> str:
        folder, last = os.path.split(os.path.abspath(os.path.join(self._here, name)))  # noqa: PTH100, PTH118
        real = os.path.join(os.path.realpath(folder), last)  # noqa: PTH118 - a link is a file of its own here
        path = os.path.relpath(real, self._root).replace(os.sep, "/")
        if path == ".." or path.startswith("../"):
            raise InputError(
                Message("{path}: not in the repository", path=slashed(name)),
                hint="change to a folder of its repository",
            )
        return "" if path == "." else path

    def shown(self, path: str) -> str:
        """A path as reports have it: from the working directory."""
        return slashed(os.path.relpath(os.path.join(self._root, path), self._here))  # noqa: PTH118

    def wants(self, path: str) -> bool:
        """True for a file that was asked for, by name or in a folder and by pattern."""
        for root in self.roots:
            if not _inside(path, root):
                continue
            inner = path[len(root) :].lstrip("/")
            if inner.rpartition("/")[2] == BASELINE:  # as ``discover`` leaves it out
                continue
            shown = self.shown(path)
            if self._exclude and self._exclude.match(shown, inner or shown):
                continue
            if not inner or not self._include or self._include.match(shown, inner):
                return True
        return False

    def of_revision(
        self, repository: Repository, revision: str, *, checked_out: bool
    ) -> tuple[dict[str, Version], Sequence[str], Sequence[Skipped], frozenset[str], Tree]:
        """The files of a revision."""
        tree = repository.tree(repository.commit(revision), checkout="always" if checked_out else "never")
        wanted = [file for file in tree.files if self.wants(file.path)]
        versions = {file.path: self._of_blob(file, tree) for file in wanted if not file.fault}
        faulty = [file for file in wanted if file.fault]
        skipped = [Skipped(self.shown(file.path), file.fault, code=file.code) for file in faulty]
        return versions, [file.path for file in tree.files], skipped, frozenset(file.path for file in faulty), tree

    def _of_blob(self, file: GitFile, tree: Tree) -> Version:
        from tokaudit.sources import load

        path = self.shown(file.path)

        def document(charset: str | None, errors: str, kind: str | None, structure: bool, pdf: PdfOptions) -> Document:
            return load(tree.read(file), path, charset=charset, errors=errors, kind=kind, structure=structure, pdf=pdf)

        return Version(path, file.size, document)

    def of_working_tree(
        self, tracked: Sequence[str]
    ) -> tuple[dict[str, Version], Sequence[str], Sequence[Skipped], frozenset[str]]:
        """The files of the working tree: those that ``tracked`` names, and those that git would not ignore."""
        found = list(self._entries(tracked))
        versions: dict[str, Version] = {}
        for file in (file for discovery in found for file in discovery.files):
            versions[self._from_root(file.location)] = of_file(file)
        skipped = [item for discovery in found for item in discovery.skipped if item.code != "excluded"]
        unread = {self._from_root(item.what) for item in skipped if item.code != "gitignore"}
        versions = {path: version for path, version in versions.items() if self.wants(path)}
        for path in tracked:
            location = os.path.join(self._root, path)  # noqa: PTH118
            if path not in versions and path not in unread and os.path.isfile(location) and self.wants(path):  # noqa: PTH113
                versions[path] = self._ignored(path, location)
        return versions, [*versions, *unread], skipped, frozenset(unread)

    def _entries(self, tracked: Sequence[str]) -> Iterator[Discovery]:
        """Files in the working tree; a folder that has become empty is no error."""
        for name, root in zip(self._names, self.roots, strict=True):
            if not os.path.lexists(name):
                continue
            try:
                yield discovered(name, self._reading)
            except InputError:
                if not any(_inside(path, root) for path in tracked):
                    raise

    def _ignored(self, path: str, location: str) -> Version:
        """A file that git tracks although a .gitignore file would hide it."""
        from tokaudit.sources import SourceFile

        return of_file(SourceFile(self.shown(path), location, os.path.getsize(location)))  # noqa: PTH202


def _above(path: str) -> Iterator[str]:
    """A path and the folders that it is in, one of which may be a submodule."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _inside(path: str, root: str) -> bool:
    return not root or path == root or path.startswith(f"{root}/")
