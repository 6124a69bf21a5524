"""One process at a time: a lock beside a file that is read, changed and replaced.

The file itself cannot be locked, since it is replaced by another one. The operating system ends the lock of a process
that dies, so that none is ever left behind.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tokaudit.leftovers import noted

_PAUSE = 0.01
_BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK}
"""Errors of ``flock`` where another process has the lock."""


class BusyError(Exception):
    """Another process has the lock, and has kept it for longer than was to be waited."""


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: float) -> Iterator[None]:
    """Hold the lock of a file, which need not be there; its folder does.

    Where no lock can be made at all, as in a folder that may not be written to, or on a network drive without locks,
    there is none: writing says so, or does without. Raises ``BusyError`` where another process still has it after
    ``wait`` seconds.
    """
    folder, name = os.path.split(os.path.realpath(path))
    # Of fixed length, so that a file name of the longest length still has a neighbour.
    mark = hashlib.blake2b(os.fsencode(os.path.normcase(name)), digest_size=8).hexdigest()
    lock = os.path.join(folder, f".tokaudit-{mark}.lock")  # noqa: PTH118 - pathlib is slow to import
    until = time.monotonic() + wait
    while (held := _taken(lock)) is None:
        if time.monotonic() >= until:
            raise BusyError
        time.sleep(_PAUSE)
    with noted(lambda: _released(lock, held)):
        try:
            yield
        finally:
            _released(lock, held)


if sys.platform == "win32":

    def _taken(lock: str) -> int | None:
        """A file that is there while it is open, and is removed with the process; None where another one has it."""
        try:
            return os.open(lock, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY | os.O_NOINHERIT)
        except FileExistsError:
            return None
        except PermissionError:  # it is being removed, or the folder may not be written to
            return None if os.path.lexists(lock) else -1
        except OSError:
            return -1

    def _released(lock: str, held: int) -> None:
        del lock
        if held >= 0:
            os.close(held)

else:

    def _taken(lock: str) -> int | None:
        """An open file that is locked; None where another process has it, and -1 where there are no locks."""
        import fcntl

        try:
            held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except OSError:
            return -1
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who had it before has removed the file: then it is no lock any more.
            if os.path.samestat(os.fstat(held), os.stat(lock)):  # noqa: PTH116
                return held
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno not in _BUSY:
                os.close(held)
                return -1
        os.close(held)
        return None

    def _released(lock: str, held: int) -> None:
        if held < 0:
            return
        try:
            os.unlink(lock)  # noqa: PTH108 - while it is held, so that it is ours
        except OSError:
            pass
        finally:
            os.close(held)
