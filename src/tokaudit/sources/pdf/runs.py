"""Glyphs to runs: stretches of a line of text without a wide gap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tokaudit.model.pages import LineKind
from tokaudit.sources.pdf.glyphs import Glyph, single
from tokaudit.sources.pdf.text import TOUCH, is_leftward, parted

WIDE = 1.0
"""Of the size: a wider gap ends a run, for it may lie between columns."""
BACK = 1.1
"""Of the size: how far a glyph may begin left of the last one's end; the letters of a ligature share one place."""
_AHEAD = 0.3
"""The same beside letters that are written from the right: each stands left of the one before, and is a run."""
_RAISED = 0.55
"""Of the size: how far a note's number may stand above or below its line."""
ASCENT, DESCENT = 0.8, 0.2
"""Of the size: what a line takes above and below where it stands, whatever the boxes of a font say."""


@dataclass(slots=True)
class Run:
    """A stretch of text on one line."""

    order: int
    """Of its first glyph in the file."""
    left: float
    right: float
    base: float
    size: float
    space: int
    """Before it, as of a glyph."""
    light: bool = False
    parts: list[str] = field(default_factory=list)
    first: str = ""
    last: str = ""
    kind: LineKind = "body"
    rows: tuple[str, ...] = ()
    """Of a table: its lines."""
    height: float = 0.0
    """Of a table."""

    def add(self, text: str, right: float, light: bool, *, several: bool) -> None:
        """Add a glyph, or several characters."""
        if several:
            self.parts.extend(text)
            self.last = text[-1]
        else:
            self.parts.append(text)
            self.last = text
        self.right = max(self.right, right)
        self.light = self.light and light

    @property
    def top(self) -> float:
        """Upper edge."""
        return self.base - (self.height or ASCENT * self.size)

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.base if self.height else self.base + DESCENT * self.size

    @property
    def text(self) -> str:
        """The text as it was drawn."""
        return "".join(self.parts)


def runs_of(glyphs: Iterable[Glyph]) -> list[Run]:
    """Runs in the order of the file. All glyphs are level."""
    maker = _Maker()
    for order, glyph in enumerate(glyphs):
        maker.take(order, glyph)
    return maker.runs


class _Maker:
    """Puts one glyph after the other to the run before it, or begins another with it."""

    __slots__ = ("_run", "_size", "_stood", "runs")

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._run: Run | None = None
        self._stood, self._size = 0.0, 1.0  # the line and size of the last glyph

    def take(self, order: int, glyph: Glyph) -> None:
        text, left, right, _top, _bottom, base, size, _turn, light, space, inner = glyph
        run, before = self._run, self._size
        if run is not None:
            gap = left - run.right
            largest = max(before, size)
            back = BACK
            if not (text.isascii() and run.last.isascii()) and (is_leftward(text[0]) or is_leftward(run.last)):
                back = _AHEAD
            if -back * largest < gap <= WIDE * largest:
                if inner and gap < 0 and inner[0].of(inner[1])[1] < run.right:
                    # Not even its first character goes further to the right than what is before it.
                    for one in single([glyph]):
                        self.take(order, one)
                    return
                if not space and base == self._stood and size == before and -0.3 * size < gap < TOUCH * size:
                    run.add(text, right, light, several=inner is not None)  # the next part of a word
                    return
                if abs(base - self._stood) <= _RAISED * largest:
                    if parted(run.last, text[0] if inner else text, gap / largest, space):
                        run.parts.append(" ")
                    run.add(text, right, light, several=inner is not None)
                    if size > run.size:
                        run.size, run.base = size, base
                    self._stood, self._size = base, size
                    return
        run = Run(order, left, right, base, size, space, light, [], text[0] if inner else text)
        run.add(text, right, light, several=inner is not None)
        self.runs.append(run)
        self._run, self._stood, self._size = run, base, size
