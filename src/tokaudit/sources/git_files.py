"""The files of a folder as git sees them: tracked ones, and others that no standard exclude hides.

git itself is asked, once for a folder and once for each repository inside of it, so that .gitignore files,
info/exclude, ``core.excludesFile`` and tracked files count as they do for git.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from tokaudit.model.message import Message, reason_of
from tokaudit.model.record import record

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_UNREADABLE = re.compile(r"warning: could not open directory '(.*)': (.*)")
_NOT_OURS = "detected dubious ownership in repository at "
_PLACES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
)
"""Variables that hooks are given: where their repository is, which need not be that of the folder."""


@record
class Refusal:
    """A folder whose files git does not list, and why."""

    inner: str
    """From the folder that was asked for, with forward slashes; empty for that one."""
    reason: str
    hint: str = ""


@dataclass(slots=True)
class GitFiles:
    """Files that git sees in a folder; paths are from there, with forward slashes."""

    entries: dict[str, os.stat_result] = field(default_factory=dict)
    """Files and links that are there, with their status; links are not followed."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Files and folders that the system does not let be read, to the reason."""
    refused: list[Refusal] = field(default_factory=list)


def repository_of(folder: str) -> str | None:
    """The folder at or above ``folder`` (absolute, links resolved) that has a ``.git``; None where there is none."""
    at = folder
    while not os.path.lexists(os.path.join(at, ".git")):  # noqa: PTH118
        parent = os.path.dirname(at)  # noqa: PTH120
        if parent == at:
            return None
        at = parent
    return at


def git_files(folder: str) -> GitFiles | None:
    """Ask git for the files in ``folder`` (absolute, links resolved), with those of repositories inside of it.

    Returns:
        None where the folder is in no repository.
    """
    if repository_of(folder) is None and not os.environ.get("GIT_DIR"):
        return None
    found = GitFiles()
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        waiting += _list(folder, inner, found)
    return found


def _list(folder: str, prefix: str, found: GitFiles) -> Iterator[str]:
    """Add the files of one repository, from ``prefix`` on; the prefixes of repositories inside of it."""
    at = os.path.join(folder, prefix)  # noqa: PTH118
    try:
        output, errors, failed = _asked(at)
    except FileNotFoundError:
        found.refused.append(Refusal(prefix, "git is not installed", "install git"))
        return
    except OSError as error:
        found.refused.append(Refusal(prefix, Message("git cannot be run: {reason}", reason=reason_of(error))))
        return
    if failed:
        found.refused.append(_refusal(prefix, errors))
        return
    for line in errors.splitlines():
        closed = _UNREADABLE.match(line)
        if closed:
            found.unreadable[prefix + closed[1].rstrip("/")] = closed[2]
    links: dict[str, bool] = {"": False}
    for name in dict.fromkeys(output.split("\0")):
        if not name or _beyond_link(at, name.rstrip("/").rpartition("/")[0], links):
            continue
        path = os.path.join(at, name.rstrip("/"))  # noqa: PTH118
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # tracked, and deleted or not checked out
        except OSError as error:
            found.unreadable[prefix + name] = error.strerror or str(error)
            continue
        if not stat.S_ISDIR(status.st_mode):
            found.entries[prefix + name] = status
        elif os.path.lexists(os.path.join(path, ".git")):  # noqa: PTH118 - otherwise a submodule that is not there
            yield f"{prefix}{name.rstrip('/')}/"


def _beyond_link(at: str, inner: str, links: dict[str, bool]) -> bool:
    """True for a folder that is reached by a link: its files are tracked, but git takes them for deleted."""
    known = links.get(inner)
    if known is None:
        above = inner.rpartition("/")[0]
        known = _beyond_link(at, above, links) or os.path.islink(os.path.join(at, inner))  # noqa: PTH114, PTH118
        links[inner] = known
    return known


def _asked(folder: str) -> tuple[str, str, int]:
    """Output, messages and exit code of git; names are as ``os.fsdecode`` gives them."""
    import subprocess

    variables = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    if repository_of(folder) is not None:
        for name in _PLACES:
            variables.pop(name, None)
    # A repository from elsewhere must not have a command of its own run, which core.fsmonitor can name.
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", *_LIST]
    done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603
    return os.fsdecode(done.stdout), os.fsdecode(done.stderr), done.returncode


def _refusal(prefix: str, errors: str) -> Refusal:
    reason = (errors.strip().splitlines() or ["it gives no reason"])[0].removeprefix("fatal: ")
    if _NOT_OURS in reason:
        path = reason.partition(_NOT_OURS)[2]
        trust = Message("if you trust it: git config --global --add safe.directory {path}", path=path)
        return Refusal(prefix, "git refuses the repository, which belongs to another user", trust)
    return Refusal(prefix, Message("git: {reason}", reason=reason))
