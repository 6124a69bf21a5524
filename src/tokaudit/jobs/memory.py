"""The memory of a process that counts: bound by dropping the caches of the engines."""

from __future__ import annotations

from collections.abc import Sequence

from tokaudit.model import Tokenizer
from tokaudit.processes import resident

RESIDENT_LIMIT = 1_500_000_000
"""Bytes of memory from which on a process drops its engines' caches: these keep every piece ever met, and a gigabyte
of Chinese would fill tens of gigabytes. Dropping them sooner would cost more time in loading than they save."""
REGROWN = 250_000_000
"""Bytes by which it must have grown since, before they are dropped again."""
WIDE_LIMIT = 160_000_000
"""Bytes of text, times tokenizers, after which they are dropped where a process cannot ask for its memory."""


class ProcessMemory:
    """The memory of this process, bound by dropping the engines' caches."""

    def __init__(self) -> None:
        self._counted = 0
        self._after_drop = 0

    def counted(self, size: int, tokenizers: Sequence[Tokenizer]) -> None:
        """Drop the caches where the process has grown too large; ``size`` bytes were counted since last asked."""
        self._counted += size * len(tokenizers)
        now = resident()
        # What was freed is mostly not given back, and used again before the process grows further.
        if now > max(RESIDENT_LIMIT, self._after_drop + REGROWN) if now else self._counted > WIDE_LIMIT:
            self._counted, self._after_drop = 0, now
            for tokenizer in tokenizers:
                tokenizer.forget()


MEMORY = ProcessMemory()
