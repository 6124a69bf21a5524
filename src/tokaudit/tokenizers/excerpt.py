"""An excerpt of a vocabulary: what a text can have of it, which an engine loads in a fraction of the time.

Loading a vocabulary costs as much as counting some megabytes. But merging asks only for tokens whose bytes stand in the
text, so that the same vocabulary without the others gives the same tokens: those that are left keep their order of
ranks, and whatever a token is merged of stands in the text wherever the token does. What stands in a text is known by
its runs of three and of five bytes, by their hashes: that keeps some tokens too many, and never one too few.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokaudit.tokenizers.table import Table

    Flags = NDArray[np.bool_]

MOST = 6 << 20
"""Bytes of text up to which an excerpt is worth it: larger texts have most of a vocabulary (measured)."""

_LENGTHS = (3, 5)
"""Bytes of the runs; more lengths leave fewer tokens, and cost more than these (measured)."""
_BITS = 22
"""Of a hash: megabytes of text have some 100,000 different runs."""
_MIX = 0x9E37_79B9_7F4A_7C15
"""Multiplicative hash of 64 bits: 2**64 divided by the golden ratio (Knuth, volume 3, 6.4), odd."""


class Texts(frozenset[str]):
    """Texts that are to be counted, and the runs of bytes that stand in them or in their normal forms."""

    @cached_property
    def size(self) -> int:
        """Bytes."""
        return len(self._data)

    @cached_property
    def cost(self) -> int:
        """Cost of the small path for them: see ``small.cost_of``."""
        from tokaudit.tokenizers.small import cost_of

        return cost_of(self._all, ())

    @cached_property
    def _all(self) -> str:
        from tokaudit.tokenizers.unicode_classes import normalized

        parts = []
        for text in self:
            try:
                changes, normal = normalized(text)
            except UnicodeEncodeError:  # what is no text is refused when it is counted
                continue
            parts += [text, normal] if changes else [text]
        return "\n".join(parts)

    @cached_property
    def _data(self) -> bytes:
        return self._all.encode()

    @cached_property
    def runs(self) -> Sequence[Flags]:
        """For each length of ``_LENGTHS``, whether a run of that many bytes with a hash stands in a text."""
        import numpy as np

        found = []
        for length in _LENGTHS:
            known = np.zeros(1 << _BITS, bool)
            known[_hashes(self._data, length)] = True
            found.append(known)
        return found


def _hashes(data: bytes, length: int) -> NDArray[np.uint64]:
    """A hash of the run of bytes that begins at each place; the last ones are padded."""
    import numpy as np

    eight = np.ndarray((len(data),), "<u8", data + bytes(7), 0, (1,))
    hashes: NDArray[np.uint64] = ((eight & np.uint64((1 << 8 * length) - 1)) * np.uint64(_MIX)) >> np.uint64(64 - _BITS)
    return hashes


def ids_in(table: Table, texts: Texts) -> Flags:
    """Ids of a vocabulary that the texts can have: all bytes by themselves, and what may stand in a text."""
    import numpy as np

    starts = np.frombuffer(table.offsets, np.uint32)
    starts, ends = starts[:-1], starts[1:]
    found: Flags = ends > starts
    strange = np.zeros(len(table.blob) + 1, np.uint32)  # how many runs that no text has begin before a place
    for length, known in zip(_LENGTHS, texts.runs, strict=True):
        np.cumsum(~known[_hashes(table.blob, length)], out=strange[1:])
        # The last run of a token begins ``length`` before its end; a token shorter than that has none.
        found &= strange[np.maximum(ends, starts + (length - 1)) - (length - 1)] == strange[starts]
    return found
