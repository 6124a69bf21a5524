"""Columns of segments that are computed when asked for: a corpus has millions of segments, a report shows twenty."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

from tokaudit.model import Segments

T = TypeVar("T")


class LazyColumn(Sequence[T]):
    """A read-only sequence whose items come from ``item``; subclasses hold plain data, so that they can be pickled."""

    @abstractmethod
    def item(self, index: int) -> T:
        """The item at ``index``, which is in range and not negative."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self.item(i) for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.item(index)


def whole(path: str, text: str, kind: str, first_line: int = 1) -> Segments:
    """One segment that is the whole text, labelled with the path; none for an empty text."""
    if not text:
        return Segments(path, text, (), (kind,))
    return Segments(path, text, (0,), (kind,), labels=(path or "(text)",), ids=("document",), lines=(first_line,))
