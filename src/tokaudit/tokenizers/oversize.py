"""A vocabulary of a user's file that is more than a table holds: long tokens, or many megabytes of them."""

from __future__ import annotations

from array import array
from itertools import accumulate
from pathlib import Path

from tokaudit.tokenizers.table import Table


class OversizeTable(Table):
    """Tokens merged by rank, in memory, for the fallback; it is made anew each time, and the core cannot use it."""

    def __init__(self, tokens: list[bytes], sha256: str) -> None:  # it lays out nothing, so super() is not called
        """``tokens[id]`` are a token's bytes; empty for a hole."""
        self._tokens = tokens
        self._ranks = {token: rank for rank, token in enumerate(tokens) if token}
        self.path = Path(sha256)
        self.is_installed = False
        self.ids = len(tokens)
        self.longest = max(map(len, tokens))
        self.sha256 = sha256
        self.offsets = memoryview(array("Q", [0, *accumulate(map(len, tokens))]))
        self.splits = None

    @property
    def memory(self) -> None:
        """Nothing that the core could use."""
        return

    def find(self, token: bytes) -> int:
        """The id of ``token``, or -1."""
        return self._ranks.get(token, -1)

    def is_firm(self, rank: int) -> bool:
        """No: that saves time only."""
        del rank
        return False

    def token(self, rank: int) -> bytes:
        """The bytes of an id; empty for a hole."""
        return self._tokens[rank]

    @property
    def blob(self) -> bytes:
        """The bytes of all ids one behind the other."""
        return b"".join(self._tokens)

    def tokens(self) -> list[bytes]:
        """The bytes of all ids, in order."""
        return self._tokens
