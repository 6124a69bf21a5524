"""Tokens of a text that is not in NFC, with their places in the text itself."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokaudit.tokenizers.encoding import ArrayEncoding, ListEncoding
from tokaudit.tokenizers.nfc_alignment import aligned
from tokaudit.tokenizers.unicode_classes import utf8_length

if TYPE_CHECKING:
    from tokaudit.tokenizers.native import NativeEncoding
    from tokaudit.tokenizers.unicode_classes import Change


class Places:
    """Which byte of a text a byte of its NFC comes from.

    A byte within a character that NFC made is as far within the first character that it was made of, at most at that
    one's last byte. Ascending stays ascending.
    """

    def __init__(self, text: str, changes: Sequence[Change]) -> None:
        """``changes`` are those that NFC makes in the text."""
        self._normal: list[int] = []
        self._original: list[int] = []
        self._sizes: list[int] = []
        self._ends = (0, 0)
        at = 0
        for start, end, normal in aligned(text, changes):
            same = len(text[at:start].encode())
            self._add(same, same, same)
            self._add(len(normal.encode()), len(text[start:end].encode()), utf8_length(ord(text[start])))
            at = end
        rest = len(text[at:].encode())
        self._add(rest, rest, rest)

    def _add(self, normal: int, original: int, within: int) -> None:
        """Add a part with its bytes in both, and those of the first character that it was made of."""
        self._normal.append(self._ends[0])
        self._original.append(self._ends[1])
        self._sizes.append(within)
        self._ends = self._ends[0] + normal, self._ends[1] + original

    def placed(self, encoding: ListEncoding | ArrayEncoding) -> ListEncoding | ArrayEncoding:
        """The tokens of the NFC with their places in the text."""
        if isinstance(encoding, ArrayEncoding):
            import numpy as np

            index = np.searchsorted(self._normal, encoding.starts, "right") - 1
            most = np.maximum(np.array(self._sizes)[index] - 1, 0)
            within = np.minimum(encoding.starts - np.array(self._normal)[index], most)
            return ArrayEncoding(encoding.ids, np.array(self._original)[index] + within)
        starts = []
        for start in encoding.starts:
            at = bisect_right(self._normal, start) - 1
            starts.append(self._original[at] + min(start - self._normal[at], max(self._sizes[at] - 1, 0)))
        return ListEncoding(encoding.ids, starts)

    def first_from(self, offset: int) -> int:
        """The first byte of the NFC whose place is at or after a byte of the text."""
        after = bisect_left(self._original, offset)
        end = self._normal[after] if after < len(self._normal) else self._ends[0]
        if after:
            within = offset - self._original[after - 1]
            if within < self._sizes[after - 1]:
                return min(self._normal[after - 1] + within, end)
        return end


class NormalizedEncoding:
    """The tokens of the NFC of a text; counting parts takes no ids."""

    __slots__ = ("_found", "_normal", "_places")

    def __init__(self, text: str, changes: Sequence[Change], normal: NativeEncoding) -> None:
        self._places = Places(text, changes)
        self._normal = normal
        self._found: ListEncoding | ArrayEncoding | None = None

    def __len__(self) -> int:
        return len(self._normal)

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
            self._found = self._places.placed(self._normal.placed())
        return self._found

    def within(self, offsets: Sequence[int]) -> Sequence[int]:
        return self._normal.within(array("q", map(self._places.first_from, offsets)))

    def tally(self, classes: bytes, size: int, blank: int) -> list[int]:
        return self.placed().tally(classes, size, blank)
