"""Glyphs to runs: stretches of a line of text without a wide gap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tokaudit.model.pages import LineKind
from tokaudit.sources.pdf.glyphs import Glyph
from tokaudit.sources.pdf.text import TOUCH, parted

WIDE = 1.0
"""Of the size: a wider gap ends a run, for it may lie between columns."""
BACK = 1.1
"""Of the size: how far a glyph may begin left of the last one's end; the letters of a ligature share one place."""
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
    runs: list[Run] = []
    run: Run | None = None
    stood, before = 0.0, 1.0  # the line and size of the last glyph
    for order, (text, left, right, _top, _bottom, base, size, _turn, light, space) in enumerate(glyphs):
        if run is not None:
            gap = left - run.right
            if not space and base == stood and size == before and -0.3 * size < gap < TOUCH * size:
                run.parts.append(text)  # most glyphs: the next one in a word
                run.last = text
                run.right = max(run.right, right)
                run.light = run.light and light
                continue
            largest = max(before, size)
            if -BACK * largest < gap <= WIDE * largest and abs(base - stood) <= _RAISED * largest:
                if parted(run.last, text, gap / largest, space):
                    run.parts.append(" ")
                run.parts.append(text)
                run.last = text
                run.right = max(run.right, right)
                if size > run.size:
                    run.size, run.base = size, base
                run.light = run.light and light
                stood, before = base, size
                continue
        run = Run(order, left, right, base, size, space, light, [text], text, text)
        runs.append(run)
        stood, before = base, size
    return runs
