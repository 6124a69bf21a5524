"""What the engines give to the layout: glyphs with places, and the lines that are drawn on a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

LEVEL, UP, OVER, DOWN, SLANTED = 0, 1, 2, 3, 4
"""Directions of text as seen on the page: to the right, upwards, upside down, downwards, and anything else."""


class OpenError(Exception):
    """A document cannot be opened; ``failure`` is ``password``, ``security``, ``empty``, or says why in words."""

    def __init__(self, failure: str) -> None:
        super().__init__(failure)
        self.failure = failure


class Glyph(NamedTuple):
    """A character as it is drawn. Places are in points from the page's top left corner as a reader sees it."""

    text: str
    """One character; ``(cid:n)`` for a glyph without one; ``\\x02`` for a hyphen that only divides a word."""
    left: float
    right: float
    top: float
    bottom: float
    base: float
    """Where the line of text stands; of text that is not level, the place across its direction."""
    size: float
    turn: int
    light: bool
    """Whether the colour is so light that it is hardly body text."""
    space: int
    """Before it: 0 no space, 1 one that the engine supposes, 2 one that is a character of the file."""


class Rule(NamedTuple):
    """A straight line, level or upright."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(slots=True)
class Sheet:
    """One page as an engine reads it."""

    width: float
    height: float
    glyphs: list[Glyph] = field(default_factory=list)
    """In the order of the file."""
    rules: list[Rule] = field(default_factory=list)
    unmapped: int = 0
    count: int = 0
    """Glyphs that are not spaces."""


def is_private(code: int) -> bool:
    """Whether a code point means nothing outside its font: private use, replacement, not a character."""
    return 0xE000 <= code <= 0xF8FF or code in (0xFFFD, 0xFFFF) or code >= 0xF0000
