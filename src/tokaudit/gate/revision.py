"""The files of a git revision by their paths from the folder of the project."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tokaudit.gate.folder import portable
from tokaudit.model import InputError
from tokaudit.model.message import Message
from tokaudit.model.record import record

if TYPE_CHECKING:
    from tokaudit.gate.project import Project
    from tokaudit.store.git import GitFile, Repository, Tree

_MOST_LINKS = 40
"""Links in a row to follow, as on Linux: beyond, they are a loop."""


class ProjectTree:
    """The files of a commit by their paths from the project's folder."""

    def __init__(self, repository: Repository, commit: str, project: Project, *, line_ends: bool = False) -> None:
        """List them.

        Args:
            repository: That of the project's folder.
            commit: In hex.
            project: Where files are named from.
            line_ends: True where line ends count, so that they are to be those of the working tree.
        """
        self._repository = repository
        self._commit = commit
        self._prefix = prefix_of(repository, project)
        below = "" if project.scope.reaches_out else self._prefix
        self._tree: Tree = repository.tree(commit, checkout="always" if line_ends else "converted", below=below)
        self.files = {self._from_project(file.path): file for file in self._tree.files}
        self.submodules = [path for path, entry in self.files.items() if entry.code == "submodule"]

    def entry(self, path: str) -> GitFile | None:
        """The file of a path; of a link to a file of the project that file, as in the working tree."""
        found = self.files.get(path)
        if found is None or found.code != "symlink":
            return found
        target: GitFile | None = found
        with suppress(InputError):
            for _ in range(_MOST_LINKS):
                if target is None or target.code != "symlink":
                    break
                target = self.files.get(self._from_project(self._tree.link_target(target)))
        if target is not None and not target.fault:
            self.files[path] = target
        return self.files[path]

    def read(self, file: GitFile) -> bytes:
        """The content of a file; raises as ``Tree.read`` does."""
        return self._tree.read(file)

    def close(self) -> None:
        """End the process that reads."""
        self._tree.close()

    def renames(self, new: Iterable[str]) -> dict[str, str]:
        """The renames that git finds for these paths: path now to path before."""
        known = set(new)
        pairs = (map(self._from_project, pair) for pair in self._repository.renames(self._commit).items())
        return {now: then for now, then in pairs if now in known}

    def is_outside(self, path: str) -> bool:
        """True for a path from the project's folder that is of no file in the repository."""
        return path.startswith("..") and posixpath.normpath(self._prefix + path).startswith("..")

    def _from_project(self, path: str) -> str:
        """The path from the project's folder of one from the root of the repository."""
        if path.startswith(self._prefix):
            return portable(path[len(self._prefix) :])
        return portable(posixpath.relpath(path, self._prefix or "."))


@record
class Revision:
    """The commit that is compared with."""

    tree: ProjectTree
    name: str
    """As reports name it."""
    notes: Sequence[str]


def find_revision(revision: str, project: Project, *, line_ends: bool = False) -> Revision:
    """The commit where the history of a revision and of HEAD parted, or the revision itself.

    Args:
        revision: As git names it.
        project: The project; its folder is in the repository.
        line_ends: As in ``ProjectTree``.

    Raises:
        InputError: Not in a repository, or no such revision.
        UsageError: git is not installed.
    """
    from tokaudit.store.git import Repository

    try:
        repository = Repository(project.folder.root)
    except InputError as error:
        hint = "--against needs one; a baseline does not" if error.code == "no-repository" else error.hint
        raise InputError(error.reason, what=error.what, code=error.code, hint=hint) from error
    try:
        commit = repository.commit(revision)
    except InputError as error:
        hint = _how_to_fetch(repository, revision)
        raise InputError(error.reason, what=error.what, code=error.code, hint=hint) from error
    base = repository.merge_base(commit)
    notes = []
    if not base:
        shallow = Message(" in this shallow clone; git fetch --unshallow brings it") if repository.shallow else ""
        notes.append(
            Message(
                "no merge base of {revision} and HEAD{shallow}: compared with {revision} itself",
                revision=revision,
                shallow=shallow,
            )
        )
    name = (
        revision
        if base in {"", commit}
        else Message("{base}, the merge base with {revision}", base=base[:12], revision=revision)
    )
    return Revision(ProjectTree(repository, base or commit, project, line_ends=line_ends), name, notes)


def prefix_of(repository: Repository, project: Project) -> str:
    """The project's folder from the root of the repository: empty, or with a slash at its end."""
    path = os.path.relpath(project.folder.root, repository.root).replace(os.sep, "/")
    return "" if path == "." else f"{path}/"


def _how_to_fetch(repository: Repository, revision: str) -> str:
    if not repository.has_commits:
        return Message("there is no commit here yet; tokaudit baseline write needs none")
    remote, slash, branch = revision.partition("/")
    if slash and branch and remote in {"origin", *repository.remotes}:
        return Message(
            "git fetch {remote} {branch}:refs/remotes/{remote}/{branch} brings it", remote=remote, branch=branch
        )
    if repository.shallow:
        return Message("this clone is shallow: git fetch --unshallow brings what is missing")
    return "git log --oneline, git branch and git tag list revisions"
