"""Commands of git, run in a folder, and the errors for those that fail."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from tokaudit.model import InputError, UsageError
from tokaudit.model.message import Message, reason_of

_NOT_A_REPOSITORY = "not a git repository"
_NOT_OURS = "detected dubious ownership in repository at "
_BARE = "must be run in a work tree"
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
"""Variables that hold paths, which git takes from the folder that it is run in."""


def command(folder: str, arguments: Sequence[str]) -> list[str]:
    """The command line, without a pager, and with paths as they are."""
    return ["git", "-C", folder, "--no-pager", "--literal-pathspecs", *arguments]


def environment(folder: str) -> dict[str, str]:
    """No questions, no locks, and messages in English, of which some are looked at.

    git sets variables for hooks that say where the repository is. With GIT_DIR alone it takes the folder that it is run
    in for the top of the working tree, which that of a project need not be; without these variables it finds the
    repository itself.
    """
    variables = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    variables.pop("GIT_PREFIX", None)
    if "GIT_DIR" in variables and "GIT_WORK_TREE" not in variables and _has_repository(folder):
        for name in ("GIT_DIR", "GIT_COMMON_DIR"):
            variables.pop(name, None)
    for name in _PLACES:
        if variables.get(name):
            variables[name] = os.path.abspath(variables[name])  # noqa: PTH100
    return variables


def _has_repository(folder: str) -> bool:
    at = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(at, ".git")):  # noqa: PTH118
        parent = os.path.dirname(at)  # noqa: PTH120
        if parent == at:
            return False
        at = parent
    return True


def finished(folder: str, arguments: Sequence[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end. Raises ``UsageError`` where there is no git."""
    try:
        return subprocess.run(  # noqa: S603 - the arguments are ours, but for revisions, which are checked
            command(folder, arguments), env=environment(folder), input=stdin, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise UsageError("git is not installed, or not on the PATH", hint="install git") from error
    except OSError as error:
        raise UsageError(Message("git cannot be run: {reason}", reason=reason_of(error))) from error


def refusal(stderr: bytes) -> InputError:
    """The error for a repository that git does not open, by what it says."""
    reason = said_by_git(stderr)
    if _NOT_A_REPOSITORY in reason:
        return InputError(
            "this folder is not in a git repository",
            code="no-repository",
            hint="without --git: tokaudit diff BEFORE AFTER",
        )
    if _NOT_OURS in reason:
        path = reason.partition(_NOT_OURS)[2]
        return InputError(
            Message("git refuses the repository at {path}, which belongs to another user", path=path),
            code="git",
            hint=Message("if you trust it: git config --global --add safe.directory {path}", path=path),
        )
    if _BARE in reason:
        return InputError(
            "this repository has no working tree", code="git", hint="run this in a clone or worktree of it"
        )
    return InputError(Message("git: {reason}", reason=reason), code="git")


def said_by_git(stderr: bytes) -> str:
    """The first line that git says."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines() or [Message("it gives no reason")]
    return lines[0].removeprefix("fatal: ").removeprefix("error: ")
