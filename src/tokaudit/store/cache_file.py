"""The file of the cache of measurements: records by key, in one file that is read whole and replaced in one step.

It has an index of fixed width and after it the records, those used last first. Everything has a checksum, so that
damage is noticed, and costs no more than the records that it is in.
"""

from __future__ import annotations

import os
import stat
import struct
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tokaudit.leftovers import noted

FILE = "measures.bin"
LIMIT = 32 << 20
"""Most bytes of the file; beyond, the records that were not used for longest are left out."""
KEY_SIZE = 20
"""Bytes of a key."""

_MAGIC = b"tokaudit measures 2\n"
_HEAD = struct.Struct(">II")  # records, checksum of the index
_ENTRY = struct.Struct(f">{KEY_SIZE}sIII")  # key, offset from the end of the index, size, checksum
_STALE = 3600
"""Seconds after which a temporary file is one that a killed run left behind."""
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# Counts kept by tokaudit; may be deleted.\n"


class Stored:
    """The file's content."""

    def __init__(self, data: bytes = b"", body: int = 0, entries: Iterable[tuple[bytes, int, int, int]] = ()) -> None:
        self._data = data
        self._body = body
        self._index = {key: (offset, size, checksum) for key, offset, size, checksum in entries}

    @classmethod
    def read(cls, folder: Path) -> Stored:
        """The content of the file of a folder; empty where there is none, or none of ours."""
        path = folder / FILE
        try:
            about = path.stat()
            # Anything else, such as a pipe, might never end.
            if not stat.S_ISREG(about.st_mode) or not 0 < about.st_size <= LIMIT:
                return cls()
            data = path.read_bytes()
        except OSError:
            return cls()
        start = len(_MAGIC) + _HEAD.size
        if not data.startswith(_MAGIC) or len(data) < start:
            return cls()
        count, checksum = _HEAD.unpack_from(data, len(_MAGIC))
        index = data[start : start + count * _ENTRY.size]
        if len(index) < count * _ENTRY.size or zlib.crc32(index) != checksum:
            return cls()
        return cls(data, start + len(index), _ENTRY.iter_unpack(index))

    def __iter__(self) -> Iterator[bytes]:
        """All keys, those used last first."""
        return iter(self._index)

    def get(self, key: bytes) -> bytes | None:
        """A record that is whole, or None."""
        entry = self._index.get(key)
        if entry is None:
            return None
        offset, size, checksum = entry
        record = self._data[self._body + offset : self._body + offset + size]
        return record if zlib.crc32(record) == checksum else None


def made(folder: Path) -> bool:
    """Make the folder where it is missing; false for one that is none of ours. Raises ``OSError``."""
    if folder.is_symlink():
        return False  # a repository could send us anywhere
    folder.mkdir(exist_ok=True)
    for name, text in ((".gitignore", b"*\n"), ("CACHEDIR.TAG", _TAG)):
        with suppress(FileExistsError), (folder / name).open("xb") as stream:
            stream.write(text)
    return True


def write(folder: Path, records: Iterable[tuple[bytes, bytes]]) -> None:
    """Replace the file of a folder; of the records, the most wanted first, those without room are left out.

    It need not survive a power cut, so that the disk is not waited for. Where this raises ``OSError``, the file is as
    it was.
    """
    temporary = folder / f"{FILE}-{os.urandom(8).hex()}.tmp"
    with noted(temporary.unlink):
        try:
            with temporary.open("xb") as stream:
                stream.write(_content(records))
            temporary.replace(folder / FILE)
        finally:
            with suppress(OSError):
                temporary.unlink()
    for remains in folder.glob(f"{FILE}-*.tmp"):
        with suppress(OSError):
            if time.time() - remains.stat().st_mtime > _STALE:
                remains.unlink()


def _content(records: Iterable[tuple[bytes, bytes]]) -> bytes:
    entries: list[bytes] = []
    kept: list[bytes] = []
    offset = 0
    room = LIMIT - len(_MAGIC) - _HEAD.size
    for key, record in records:
        if room >= _ENTRY.size + len(record):
            room -= _ENTRY.size + len(record)
            entries.append(_ENTRY.pack(key, offset, len(record), zlib.crc32(record)))
            kept.append(record)
            offset += len(record)
    index = b"".join(entries)
    return b"".join([_MAGIC, _HEAD.pack(len(entries), zlib.crc32(index)), index, *kept])
