"""The native core: pre-tokenization and byte-pair merging in C, over the mapped tables, for texts of every size.

It is built with the package where there is a compiler (``hatch_build.py``). Without it, or with ``TOKAUDIT_NATIVE=0``
in the environment, the fallback gives the same tokens (``fallback``).
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from tokaudit.tokenizers.encoding import ArrayEncoding, ListEncoding
from tokaudit.tokenizers.pretokenize import TABLES, Pattern

if TYPE_CHECKING:
    from tokaudit.tokenizers.table import Table

_FEW = 4096
"""Tokens up to which lists beat the import of numpy."""


class Core(Protocol):
    """``_core.Engine``: one vocabulary with one pattern. ``BufferError`` where the table turns out to be damaged."""

    def count(self, text: str, /) -> int:
        """Number of tokens."""
        ...

    def encode(self, text: str, /) -> tuple[bytes, bytes]:
        """Ids of the tokens, and the bytes at which they end, both as u32."""
        ...

    def within(self, text: str, offsets: array[int], /) -> tuple[int, bytes]:
        """Number of tokens, and of those that begin in each part, as i64."""
        ...

    def pieces(self, text: str, /) -> bytes:
        """The bytes at which the pieces end, as u32."""
        ...

    def prepare(self, text: str, /) -> None:
        """Make the UTF-8 of a text, which it keeps. Raises ``UnicodeEncodeError`` for a lone surrogate."""
        ...

    def settled(self, text: str, /) -> bool:
        """True if no NFC changes anything in the text."""
        ...

    def makes_all(self) -> bool:
        """True if every token that a look-up may give is what merging makes of its bytes."""
        ...


@cache
def _module() -> Any:
    """The compiled module, or None."""
    if os.environ.get("TOKAUDIT_NATIVE") == "0":
        return None
    try:
        from tokaudit.tokenizers.native import _core  # type: ignore[attr-defined,unused-ignore]
    except ImportError:
        return None
    return _core


def engine_name() -> str:
    """Which engine counts byte-level vocabularies: ``native`` or ``python``."""
    return "python" if _module() is None else "native"


def open_core(table: Table, pattern: Pattern) -> Core | None:
    """The core over a table; None without the core, and for what is no table that it can use.

    Raises:
        ValueError: The table, the automaton or the table of classes is damaged.
    """
    module = _module()
    if module is None or table.memory is None:
        return None
    core: Core = module.Engine(table.memory, pattern.automaton(), _classes())
    return core


def count_words(text: str, table: bytes) -> tuple[int, int, int, int] | None:
    """Words of a text that begin with a digit, a Han character, a Latin and another letter; None without the core.

    Raises:
        UnicodeEncodeError: The text has a lone surrogate.
        ValueError: The table is no ``words.bin``.
    """
    module = _module()
    return None if module is None else module.words(text, table)


@cache
def _classes() -> bytes:
    return (TABLES / "classes.bin").read_bytes()


class NativeEngine:
    """Encodes ordinary, normalized text with one vocabulary. Ids are ranks."""

    def __init__(self, core: Core, damaged: Callable[[], Exception] = BufferError) -> None:
        """``damaged`` makes the error of an encoding whose table turns out to be damaged; ``count`` has the core's."""
        self._core = core
        self._damaged = damaged
        self.settled = core.settled
        self.count = core.count

    def encoding(self, text: str) -> NativeEncoding:
        """The tokens of a text; found when they are asked for."""
        self._core.prepare(text)
        return NativeEncoding(self._core, text, self._damaged)


class NativeEncoding:
    """The tokens of one text, as far as they were asked for: counting parts takes no ids."""

    __slots__ = ("_core", "_damaged", "_found", "_size", "_text")

    def __init__(self, core: Core, text: str, damaged: Callable[[], Exception]) -> None:
        self._core = core
        self._text = text
        self._damaged = damaged
        self._size = -1
        self._found: ListEncoding | ArrayEncoding | None = None

    def __len__(self) -> int:
        if self._size < 0:
            self._size = self._asked(self._core.count, self._text)
        return self._size

    @property
    def ids(self) -> Sequence[int]:
        ids: Sequence[int] = self.placed().ids
        return ids

    @property
    def starts(self) -> Sequence[int]:
        starts: Sequence[int] = self.placed().starts
        return starts

    def placed(self) -> ListEncoding | ArrayEncoding:
        """All tokens with their ids and places."""
        if self._found is None:
            ids, ends = self._asked(self._core.encode, self._text)
            self._size = len(ids) // 4
            self._found = _listed(ids, ends) if self._size < _FEW else _arrays(ids, ends)
        return self._found

    def within(self, offsets: Sequence[int]) -> Sequence[int]:
        if not len(offsets):
            return []
        self._size, counts = self._asked(self._core.within, self._text, array("q", offsets))
        return array("q", counts)

    def _asked(self, call: Callable[..., Any], *given: object) -> Any:
        try:
            return call(*given)
        except BufferError as error:
            raise self._damaged() from error

    def tally(self, classes: bytes, size: int, blank: int) -> list[int]:
        return self.placed().tally(classes, size, blank)


def _listed(ids: bytes, ends: bytes) -> ListEncoding:
    starts = array("I", ends).tolist()
    return ListEncoding(array("I", ids).tolist(), [0, *starts[:-1]] if starts else [])


def _arrays(ids: bytes, ends: bytes) -> ArrayEncoding:
    import numpy as np

    starts = np.zeros(len(ends) // 4, np.int64)
    starts[1:] = np.frombuffer(ends, np.uint32)[:-1]
    return ArrayEncoding(np.frombuffer(ids, np.uint32), starts)
