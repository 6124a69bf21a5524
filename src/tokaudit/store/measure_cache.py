"""Measurements of files by their content, kept from run to run in ``.tokaudit_cache``.

Whatever is wrong with the cache, from a flipped bit to a folder in place of its file, only means that something is
measured anew; it raises nothing and reports nothing.

A key is a hash of all that a measurement depends on but the tokenizer, which each count in a record names by a hash of
its name and vocabulary. So the measurements of another version, vocabulary or option are never found.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, overload

from tokaudit.model.gates import MeasuredFile, MeasuredPart
from tokaudit.model.measure import TokenizerRef
from tokaudit.store.cache_file import FILE, KEY_SIZE, Stored, made, write
from tokaudit.store.file_lock import BusyError, locked

_WAIT = 2.0
"""Seconds to wait for another run that writes."""
_COLUMNS = ("id", "kind", "label", "line", "chars", "level")
"""Of the parts of a file, in the order of a record."""


class MeasureCache:
    """Measurements of earlier runs by content; new ones are added, and saved at the end."""

    def __init__(self, folder: Path, version: str) -> None:
        """Nothing is read yet.

        Args:
            folder: ``.tokaudit_cache`` in the project's folder; it need not be there.
            version: Of tokaudit, and of whatever else the measurements depend on.
        """
        self._folder = folder
        self._version = version
        self._stored: Stored | None = None
        self._added: dict[bytes, bytes] = {}
        self._unsaved = False
        self._used: dict[bytes, None] = {}
        self._identities: dict[TokenizerRef, str] = {}
        self._abouts: dict[str, bytes] = {}

    def key(self, data: bytes, path: str, options: str) -> bytes:
        """The key of a file's measurement, by its content, and by all options on which what is read from it depends.

        Of the path only the name counts, since the kind of document depends on it.
        """
        about = self._abouts.get(options)
        if about is None:
            # As JSON, so that no two lists of texts are the same bytes.
            about = self._abouts[options] = json.dumps([self._version, options]).encode()
        name = path.replace("\\", "/").rpartition("/")[2].encode("utf-8", "surrogatepass")
        return hashlib.blake2b(hashlib.sha256(data).digest() + about + name, digest_size=KEY_SIZE).digest()

    def get(self, key: bytes, tokenizers: Sequence[TokenizerRef], path: str = "") -> MeasuredFile | None:
        """A measurement, or None where it is not kept for all of the tokenizers.

        The file gets the path, and with ``#`` so do the ids of its parts; without a path they are what is behind ``#``.
        """
        names = [self._identity(ref) for ref in tokenizers]
        file = self._found(key, names, path)
        return self._found(_of_these(key, names), names, path) if file is None else file

    def put(self, key: bytes, tokenizers: Sequence[TokenizerRef], file: MeasuredFile) -> None:
        """Keep a measurement, but for its path, besides that of other tokenizers for the same key."""
        names = [self._identity(ref) for ref in tokenizers]
        if not file.parts:
            key = _of_these(key, names)
        prefix = f"{file.path}#" if file.path else ""
        parts = [*file.parts, *file.roles]
        columns: list[list[Any]] = [[getattr(part, name) for part in parts] for name in _COLUMNS]
        columns[0] = [part.removeprefix(prefix) for part in columns[0]]
        totals: dict[str, int] = {}
        tokens: dict[str, list[int]] = {}
        known = self._record(key)
        if known is not None and known.body and (known.sha256, known.chars) == (file.sha256, file.chars):
            before = _decoded(known.body)
            if before is not None and before[0] == columns:
                totals, tokens = known.totals, before[1]
        for name, total, at in zip(names, file.tokens, range(len(names)), strict=True):
            column = [count for count in (part.tokens[at] for part in parts) if count is not None]
            if name and total is not None and len(column) == len(parts):
                totals[name], tokens[name] = total, column
        self._unsaved = True
        self._added[key] = _Record(file.sha256, file.chars, totals, _encoded(columns, tokens)).encoded()
        self._used[key] = None

    def save(self) -> None:
        """Write new measurements, with those that other runs wrote meanwhile; nothing where there are none."""
        if not self._unsaved:
            return
        self._unsaved = False
        with suppress(OSError, BusyError):  # where others write all the time, it is measured anew
            if not made(self._folder):
                return
            with locked(self._folder / FILE, wait=_WAIT):
                # Another run may have written since the start.
                stored = Stored.read(self._folder)
                # Records that were found come before new ones: where there is no room for all, a run over all files in
                # the same order would otherwise never find any.
                found = [key for key in self._used if key not in self._added]
                write(self._folder, self._records(dict.fromkeys((*found, *self._added, *stored)), stored))

    def _records(self, keys: Iterable[bytes], stored: Stored) -> Iterator[tuple[bytes, bytes]]:
        for key in keys:
            added = self._added.get(key)
            record = stored.get(key) if added is None else added
            if record is not None:
                yield key, record

    def _identity(self, ref: TokenizerRef) -> str:
        """A short name for a tokenizer with its vocabulary; empty where that is not known, so that nothing is kept."""
        name = self._identities.get(ref)
        if name is None:
            data = f"{ref.sha256} {ref.name}".encode("utf-8", "surrogatepass")
            name = hashlib.blake2b(data, digest_size=12).hexdigest() if ref.sha256 else ""
            self._identities[ref] = name
        return name

    def _found(self, key: bytes, names: Sequence[str], path: str) -> MeasuredFile | None:
        record = self._record(key)
        if record is None:
            return None
        totals = tuple([record.totals.get(name) for name in names])
        if None in totals:
            return None
        self._used[key] = None
        if not record.body:
            return MeasuredFile(path, record.sha256, record.chars, totals)
        parts, roles = (_Parts(record.body, names, path, roles=wanted) for wanted in (False, True))
        return MeasuredFile(path, record.sha256, record.chars, totals, parts, roles)

    def _record(self, key: bytes) -> _Record | None:
        record = self._added.get(key)
        if record is None:
            if self._stored is None:
                self._stored = Stored.read(self._folder)
            record = self._stored.get(key)
        return None if record is None else _Record.decoded(record)


def _of_these(key: bytes, names: Sequence[str]) -> bytes:
    """The key of a file without parts: one tokenizer may be the reason, so that it is for these together only."""
    return hashlib.blake2b(key + " ".join(sorted(names)).encode(), digest_size=KEY_SIZE).digest()


class _Record:
    """A measurement without its path. In bytes: a line for the whole file, then its parts."""

    __slots__ = ("body", "chars", "sha256", "totals")

    def __init__(self, sha256: str, chars: int, totals: dict[str, int], body: bytes) -> None:
        self.sha256 = sha256
        self.chars = chars
        self.totals = totals
        self.body = body

    def encoded(self) -> bytes:
        """The record as bytes."""
        counts = [f" {name} {total}" for name, total in self.totals.items()]
        return f"{self.sha256} {self.chars}{''.join(counts)}\n".encode() + self.body

    @classmethod
    def decoded(cls, data: bytes) -> _Record | None:
        """A record from its bytes; None where it is none, for which a right checksum would have to be forged."""
        head, _, body = data.partition(b"\n")
        try:
            sha256, chars, *counts = head.decode("ascii").split(" ")
            totals = dict(zip(counts[::2], map(int, counts[1::2]), strict=True))
            return cls(sha256, int(chars), totals, body)
        except ValueError:
            return None


def _encoded(columns: list[list[Any]], tokens: dict[str, list[int]]) -> bytes:
    """The parts as bytes; empty where there are none."""
    return json.dumps([columns, tokens], separators=(",", ":")).encode() if columns[0] else b""


def _decoded(body: bytes) -> tuple[list[list[Any]], dict[str, list[int]]] | None:
    """Columns and tokens, the inverse of ``_encoded``; None for any other content."""
    try:
        columns, tokens = json.loads(body)
        kinds: list[set[type]] = [{str}, {str}, {str}, {int, type(None)}, {int}, {int}]
        checked: list[tuple[Any, set[type]]] = list(zip(columns, kinds, strict=True))
        checked += [(column, {int}) for column in tokens.values()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    for values, kind in checked:
        if type(values) is not list or len(values) != len(columns[0]) or not set(map(type, values)) <= kind:
            return None
    return columns, tokens


class _Parts(Sequence[MeasuredPart]):
    """The parts of a file, or its roles, made when asked for: most files did not change, and nobody looks at them."""

    __slots__ = ("_body", "_made", "_names", "_path", "_roles")

    def __init__(self, body: bytes, names: Sequence[str], path: str, *, roles: bool) -> None:
        self._body = body
        self._names = names
        self._path = path
        self._roles = roles
        self._made: tuple[MeasuredPart, ...] | None = None

    def _all(self) -> tuple[MeasuredPart, ...]:
        if self._made is None:
            made = _made(self._body, self._names, f"{self._path}#" if self._path else "")
            self._made = tuple(part for part in made if (part.kind == "role") == self._roles)
        return self._made

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> MeasuredPart: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[MeasuredPart]: ...
    def __getitem__(self, index: int | slice) -> MeasuredPart | Sequence[MeasuredPart]:
        return self._all()[index]

    def __iter__(self) -> Iterator[MeasuredPart]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return self._all() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all())


def _made(body: bytes, names: Sequence[str], prefix: str) -> tuple[MeasuredPart, ...]:
    decoded = _decoded(body)
    if decoded is None or not all(name in decoded[1] for name in names):
        return ()  # the checksum is right, so that somebody made it up; the file's own counts are no better
    columns, tokens = decoded
    counts = zip(*(tokens[name] for name in names), strict=True) if names else [()] * len(columns[0])
    return tuple(
        MeasuredPart(prefix + part, kind, label, line, chars, tokens_of, level)
        for part, kind, label, line, chars, level, tokens_of in zip(*columns, counts, strict=True)
    )
