"""The input of the layout, from the engines: glyphs with places, and the lines that are drawn on a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

LEVEL, UP, OVER, DOWN, SLANTED = 0, 1, 2, 3, 4
"""Directions of text as seen on the page: to the right, upwards, upside down, downwards, and anything else."""
_LEAN = 0.02
"""Sine of the angle up to which text is level: scanned pages lean a little."""
THIN = 2.5
"""Points that a drawn box may be thick and still be a line."""
Transform = tuple[float, float, float, float, float, float]
"""A matrix, in the order of PDF."""


class OpenError(Exception):
    """A document cannot be opened; ``failure`` is ``password``, ``security``, ``empty``, or says why in words."""

    def __init__(self, failure: str) -> None:
        super().__init__(failure)
        self.failure = failure


class Boxes(NamedTuple):
    """The boxes of all characters of a page whose text is not turned, in the file's coordinates."""

    lefts: Sequence[float]
    rights: Sequence[float]
    tops: Sequence[float]
    bottoms: Sequence[float]
    right: float
    """Distance by which the page is moved to the right."""
    down: float
    """Place of the file's origin on the page, which counts downwards."""

    def of(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of one character on the page."""
        return (
            self.lefts[index] + self.right,
            self.rights[index] + self.right,
            self.down - self.tops[index],
            self.down - self.bottoms[index],
        )


class Glyph(NamedTuple):
    """A character as it is drawn, or several that follow one another in a word without anything remarkable.

    Places are in points from the page's top left corner as a reader sees it.
    """

    text: str
    """One character; ``(cid:n)`` for a glyph without one; ``\\x02`` for a hyphen that only divides a word."""
    left: float
    right: float
    top: float
    bottom: float
    base: float
    """Height of the line of text; of text that is not level, the place across its direction."""
    size: float
    turn: int
    light: bool
    """The colour is so light that it is hardly body text."""
    space: int
    """Before it: 0 no space, 1 one that the engine supposes, 2 one that is a character of the file."""
    inner: tuple[Boxes, int] | None = None
    """Of several characters, which are level: where their boxes are, and the index of the first."""


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
    lost: int = 0
    """Text objects that the engine may have left out: of fonts that are not in the file, and without any width."""


def single(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """The same glyphs with one character each."""
    found: list[Glyph] = []
    for glyph in glyphs:
        if glyph.inner is None:
            found.append(glyph)
            continue
        boxes, first = glyph.inner
        for index, char in enumerate(glyph.text):
            found.append(Glyph(char, *boxes.of(first + index), *glyph[5:9], 0 if index else glyph.space))
    return found


def placed(transform: Transform, x: float, y: float) -> tuple[float, float]:
    """A point after a transform."""
    a, b, c, d, e, f = transform
    return a * x + c * y + e, b * x + d * y + f


def turn_of(across: float, down: float) -> int:
    """The direction of text that goes on by these distances on the page."""
    length = math.hypot(across, down) or 1.0
    if abs(down) <= _LEAN * length:
        return LEVEL if across >= 0 else OVER
    if abs(across) <= _LEAN * length:
        return DOWN if down > 0 else UP
    return SLANTED


def is_private(code: int) -> bool:
    """Check whether a code point means nothing outside its font: private use, replacement, not a character."""
    return 0xE000 <= code <= 0xF8FF or code in (0xFFFD, 0xFFFF) or code >= 0xF0000
