"""Files as they are in a revision of a git repository, read through the ``git`` command.

Nothing is checked out and nothing is written. Revisions and paths are never taken for options, whatever they are
called.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import stat
import subprocess
from collections.abc import Iterable, Sequence
from typing import Literal

from tokaudit.model import InputError, UsageError
from tokaudit.model.errors import Code
from tokaudit.model.message import Message
from tokaudit.model.record import record
from tokaudit.store.git_command import command, environment, finished, refusal, said_by_git

_FILE = {"100644", "100755", "100664"}
_OTHER: dict[str, tuple[str, Code]] = {
    "120000": ("symbolic link, not followed", "symlink"),
    "160000": ("a submodule, not a file", "submodule"),
}
Checkout = Literal["never", "converted", "always"]
"""Files whose contents are as git would write them to the working tree: none, those that git converts by a filter or
charset, or all, with their line ends. Without it they are as the repository has them."""


@record
class GitFile:
    """A file of a revision."""

    path: str
    """From the root of the repository, with forward slashes."""
    blob: str
    """The object that has its content."""
    size: int
    fault: str = ""
    """The reason that it cannot be read as a file; empty where it can."""
    code: Code = "not-a-file"
    """That of the fault."""


class Repository:
    """The repository that a folder belongs to."""

    def __init__(self, folder: str) -> None:
        """Find it.

        Raises:
            InputError: ``folder`` is in no repository, or git refuses it.
            UsageError: git is not installed.
        """
        self._folder = folder
        self.root = os.path.realpath(self._run("rev-parse", "--show-toplevel").rstrip("\n"))
        """Absolute, links resolved."""

    def commit(self, revision: str) -> str:
        """The commit that a revision names, in hex. Raises ``InputError`` where there is none."""
        hint = "git log --oneline, git branch and git tag list revisions"
        if not revision or revision.startswith("-") or "\0" in revision:
            raise InputError(Message("'{revision}' names no revision", revision=revision), code="missing", hint=hint)
        found = self._answer("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        if not found:
            raise InputError(
                Message("no revision '{revision}' in this repository", revision=revision), code="missing", hint=hint
            )
        return found

    @property
    def has_commits(self) -> bool:
        """True where there is a commit that the working tree is based on."""
        return bool(self._answer("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))

    @property
    def remotes(self) -> list[str]:
        """The names of the repositories that this one fetches from."""
        return self._answer("remote").split()

    def converted(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of these files, named from the root, that git converts in more than their line ends."""
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        names = ("filter", "ident", "working-tree-encoding")
        done = finished(self.root, ("check-attr", "-z", "--stdin", *names), asked)
        fields = os.fsdecode(done.stdout).split("\0")
        none = {"unspecified", "unset"}
        return frozenset(
            path
            for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False)
            if value not in none and (name == "ident" or value != "set")
        )

    def merge_base(self, commit: str, other: str = "HEAD") -> str:
        """The commit at which two lines of history parted; empty where none is known, as in a shallow clone."""
        return self._answer("merge-base", commit, other)

    @property
    def shallow(self) -> bool:
        """True where older commits are missing."""
        return self._answer("rev-parse", "--is-shallow-repository") == "true"

    def last_change(self, path: str) -> str:
        """The newest commit that changed a file, named from the root; empty where there is none."""
        return self._answer("log", "-1", "--format=%H", "--", os.path.join(self.root, path))  # noqa: PTH118

    def renames(self, commit: str) -> dict[str, str]:
        """Files of the working tree that git knows and that had another path in a commit: path now to path then.

        git says so where at least half of a file is the same.
        """
        done = self._start(
            "diff", "--no-ext-diff", "--no-relative", "--name-status", "-z", "--diff-filter=R", "--find-renames", commit
        )
        if done.returncode:
            return {}
        fields = os.fsdecode(done.stdout).split("\0")
        return {fields[at + 2]: fields[at + 1] for at in range(0, len(fields) - 2, 3)}

    def tree(self, commit: str, *, checkout: Checkout, below: str = "") -> Tree:
        """The files of a commit (in hex) whose paths begin with ``below``, to be closed in the end."""
        found = []
        for entry in self._run("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split("\0"):
            if entry:
                about, _, path = entry.partition("\t")
                mode, _, blob, size = about.split()
                if path.startswith(below):
                    found.append(GitFile(path, blob, int(size) if size.isdigit() else 0, *_fault(mode)))
        return Tree(self, sorted(found, key=lambda file: file.path.split("/")), checkout)

    def _answer(self, *arguments: str) -> str:
        """The output of a command; empty where it fails."""
        done = self._start(*arguments)
        return "" if done.returncode else done.stdout.decode("utf-8", "replace").strip()

    def _start(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return finished(self._folder, arguments)

    def _run(self, *arguments: str) -> str:
        done = self._start(*arguments)
        if done.returncode:
            raise refusal(done.stderr)
        return os.fsdecode(done.stdout)


class Tree:
    """The files of a commit, and their contents, read one by one from one process that begins with the first."""

    def __init__(self, repository: Repository, files: Sequence[GitFile], checkout: Checkout) -> None:
        self.files = files
        """Sorted by path."""
        self._repository = repository
        self._root = repository.root
        self._checkout = checkout
        self._converted: frozenset[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the process, if one was begun."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def read(self, file: GitFile) -> bytes:
        """The bytes of a file.

        Raises:
            InputError: It is none, or git does not give it, as where a filter fails or a partial clone lacks it.
        """
        if file.fault:
            raise InputError(file.fault, what=file.path, code=file.code)
        here = self._checked_out(file)
        if here is not None and _blob_name(here, file.blob) == file.blob:
            return here
        data = self._blob(file)
        if not self._is_checked_out(file):
            return data
        # One process for each file that changed: --batch gives the filtered content with the size of the other.
        done = finished(self._root, ("cat-file", "--filters", f"--path={file.path}", file.blob))
        if done.returncode:
            raise InputError(
                Message("git cannot check it out: {reason}", reason=said_by_git(done.stderr)),
                what=file.path,
                code="git",
            )
        return done.stdout

    def link_target(self, file: GitFile) -> str:
        """The path that a symbolic link names, from the root of the repository; it may lead out of that.

        Raises:
            InputError: git does not give it.
        """
        name = os.fsdecode(self._blob(file))
        return posixpath.normpath(posixpath.join(posixpath.dirname(file.path), name))

    def _is_checked_out(self, file: GitFile) -> bool:
        if self._checkout == "converted" and self._converted is None:  # for all files at once
            self._converted = self._repository.converted(entry.path for entry in self.files)
        return self._checkout == "always" or (self._converted is not None and file.path in self._converted)

    def _checked_out(self, file: GitFile) -> bytes | None:
        """The content in the working tree, where it may be the same."""
        path = os.path.join(self._root, file.path)  # noqa: PTH118
        try:
            about = os.stat(path)  # noqa: PTH116 - pathlib is slow to import
            if about.st_size != file.size or not stat.S_ISREG(about.st_mode):  # a pipe would never end
                return None
            with open(path, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
                return stream.read()
        except OSError:
            return None

    def _blob(self, file: GitFile) -> bytes:
        """The content as the repository has it."""
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own arguments
                command(self._root, ("cat-file", "--batch")),
                env=environment(self._root),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("a process without pipes")
        try:
            stdin.write(f"{file.blob}\n".encode())
            stdin.flush()
            answer = stdout.readline().split()
        except OSError as error:
            raise InputError("git ended while it was asked", what=file.path, code="git") from error
        if len(answer) != 3 or not answer[2].isdigit():
            raise InputError(
                "git has no content for it", what=file.path, code="git", hint="git fsck says what is wrong"
            )
        size = int(answer[2])
        data = stdout.read(size + 1)
        if len(data) != size + 1:
            raise InputError("git ended while it was read", what=file.path, code="git")
        return data[:size]


def pair_of(revisions: str) -> tuple[str, str | None]:
    """The two revisions of ``REV1..REV2``, of which an empty one is HEAD, or the one with None for the working tree.

    Raises:
        UsageError: Three dots, which name a place that has to be worked out first.
    """
    if "..." in revisions:
        one, other = (name or "HEAD" for name in revisions.split("...", 1))
        hint = Message(
            "for what came since they parted: --git $(git merge-base {one} {other})..{other}", one=one, other=other
        )
        raise UsageError(Message("--git {revisions}: three dots are not supported", revisions=revisions), hint=hint)
    before, dots, after = revisions.partition("..")
    return (before or "HEAD", after or "HEAD") if dots else (before, None)


def _blob_name(data: bytes, like: str) -> str:
    """The name that git gives a content; ``like`` is such a name, whose length shows the hash."""
    kind = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _fault(mode: str) -> tuple[str, Code]:
    """The reason that an entry of a tree cannot be read as a file, empty where it can, and its code."""
    return (
        ("", "not-a-file")
        if mode in _FILE
        else _OTHER.get(mode, (Message("of mode {mode}, not a file", mode=mode), "not-a-file"))
    )
