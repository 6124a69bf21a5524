"""Types of ``budget``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tokaudit.model import ModelColumn, Skipped

PartName = Literal["system", "user", "retrieval", "summary", "tools", "framing", "output"]
PARTS: tuple[PartName, ...] = ("system", "user", "retrieval", "summary", "tools", "framing", "output")
ASSIGNED: tuple[PartName, ...] = ("system", "user", "retrieval", "summary", "tools")
"""Parts that a plain file can be."""
BANDS: Mapping[str, tuple[float, float]] = {
    "system": (0.05, 0.10),
    "user": (0.10, 0.20),
    "retrieval": (0.20, 0.30),
    "summary": (0.10, 0.15),
    "output": (0.30, 0.50),
}
"""Usual shares of a window; the least ones sum to 75%, the most to 125%. Tools and framing have none."""


@dataclass(frozen=True, slots=True)
class InputPart:
    """What one input takes of one part."""

    path: str
    part: PartName
    tokens: int


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One part of the window."""

    part: PartName
    tokens: int
    """Of ``output`` those that are left, below 0 where the input overflows the window."""
    share: float
    band: tuple[float, float] | None
    over: int
    """Tokens over the band's most; 0 within it."""
    below: int
    """Tokens below the band's least; 0 within it."""


@dataclass(frozen=True, slots=True)
class BudgetRun:
    """The whole answer of ``budget``."""

    window: int
    window_known: bool
    """True where it is the model's, as the catalog has it."""
    model: ModelColumn
    inputs: Sequence[InputPart]
    rows: Sequence[BudgetRow]
    asked: int | None
    """``max_tokens`` of the request; the largest of several."""
    version: str
    notes: Sequence[str] = ()
    skipped: Sequence[Skipped] = ()

    @property
    def input(self) -> int:
        """Tokens of all inputs."""
        return sum(item.tokens for item in self.inputs)
