"""Output files that are whole or not there at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from tokaudit.leftovers import noted
from tokaudit.model import UsageError
from tokaudit.model.message import Message, reason_of

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def write_atomic(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Replace a file's content in one step: a reader, a crash or Ctrl-C sees the old content or the new, never a part.

    An existing file keeps its permissions, and a symbolic link keeps pointing at the file, whose content changes.
    What is no regular file, such as ``/dev/stdout`` or a pipe, is written to directly, since it cannot be replaced.

    Args:
        path: The file; its folder must exist.
        data: Bytes, or text that is written as UTF-8 with its line ends as they are.

    Raises:
        UsageError: The folder is missing, the path is a folder, the file may not be written, or the disk is full.
    """
    name = Path(path).as_posix()
    try:
        content = data.encode() if isinstance(data, str) else data
    except UnicodeEncodeError as error:
        raise UsageError(
            Message("cannot write {name}: the text holds half a character at {at}", name=name, at=error.start)
        ) from error
    try:
        _write(Path(path), content)
    except OSError as error:
        raise _explained(error, name) from error


def _write(path: Path, content: bytes) -> None:
    try:
        before = path.stat()
    except FileNotFoundError:
        before = None
    if before is not None and stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with path.open("wb") as stream:
            stream.write(content)
        return
    if before is not None and not os.access(path, os.W_OK):
        # The folder's permission would be enough to replace a read-only file, but its owner said no.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    target = Path(os.path.realpath(path))
    # Of fixed length, so that a file name of the longest length still has a temporary neighbour.
    temporary = target.with_name(f".tokaudit-{os.urandom(8).hex()}.tmp")
    with noted(temporary.unlink):
        try:
            # Mode x: never someone else's file, and with the permissions that a new file gets here.
            with temporary.open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            if before is not None:
                _keep(before, temporary)
            temporary.replace(target)
        finally:
            # After the replacement there is nothing to remove.
            with suppress(OSError):
                temporary.unlink()


def _keep(before: os.stat_result, temporary: Path) -> None:
    """Give the new file the owner (where we may) and the permissions of the one that it replaces."""
    now = temporary.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):
            os.chown(temporary, before.st_uid, before.st_gid)
    temporary.chmod(stat.S_IMODE(before.st_mode))


def _explained(error: OSError, name: str) -> UsageError:
    folder = Path(name).parent.as_posix()
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return UsageError(
            Message("cannot write {name}: there is no folder {folder}", name=name, folder=folder),
            hint=f"mkdir -p {folder}",
        )
    if isinstance(error, IsADirectoryError):
        return UsageError(Message("cannot write {name}: it is a folder", name=name), hint="name a file in it")
    if isinstance(error, PermissionError):
        return UsageError(
            Message("cannot write {name}: permission denied", name=name),
            hint=Message("check the permissions of it and of {folder}", folder=folder),
        )
    if error.errno in _FULL:
        return UsageError(Message("cannot write {name}: the disk is full", name=name), hint="nothing was changed")
    return UsageError(Message("cannot write {name}: {reason}", name=name, reason=reason_of(error)))
