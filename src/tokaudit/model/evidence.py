"""Evidence of what kind a text is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Evidence(NamedTuple):
    """What speaks for a kind of text."""

    kind: str
    what: str
    """What was found, a sentence for people."""
    lines: int = 0
    """Lines that it was found in."""
    of: int = 0
    """Lines that were looked at; 0 where it is not of lines."""
    examples: Sequence[int] = ()
    """1-based numbers of the first of them."""

    @property
    def share(self) -> float:
        """Of the lines that were looked at; 1 for what is not of lines."""
        return self.lines / self.of if self.of else 1.0
