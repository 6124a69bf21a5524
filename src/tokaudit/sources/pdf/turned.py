"""Text that is not level, and pages most of whose text is not: those are turned as a reader would turn them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tokaudit.model.pages import PageLine
from tokaudit.sources.pdf.glyphs import DOWN, LEVEL, OVER, SLANTED, UP, Glyph, Rule, Sheet, single
from tokaudit.sources.pdf.text import cleaned, parted


def upright(sheet: Sheet) -> list[Glyph]:
    """Take what is not level out of the glyphs of a sheet and return it; the sheet is turned first where need be."""
    if not any(glyph.turn for glyph in sheet.glyphs):
        return []
    sheet.glyphs = single(sheet.glyphs)
    turns = Counter(glyph.turn for glyph in sheet.glyphs)
    most = max(turns, key=lambda turn: (turns[turn], -turn))
    if most in (UP, OVER, DOWN):
        _turn(sheet, most)
    others = [glyph for glyph in sheet.glyphs if glyph.turn != LEVEL]
    sheet.glyphs = [glyph for glyph in sheet.glyphs if glyph.turn == LEVEL]
    return others


def _turn(sheet: Sheet, by: int) -> None:
    width, height = sheet.width, sheet.height
    sheet.glyphs = [_turned(glyph, by, width, height) for glyph in sheet.glyphs]
    sheet.rules = [
        Rule(left, top, right, bottom)
        for rule in sheet.rules
        for left, right, top, bottom in (_box(rule.left, rule.right, rule.top, rule.bottom, by, width, height),)
    ]
    if by != OVER:
        sheet.width, sheet.height = height, width


def _turned(glyph: Glyph, by: int, width: float, height: float) -> Glyph:
    text, left, right, top, bottom, base, size, turn, light, space, _ = glyph
    new = turn if turn == SLANTED else (turn - by) % 4
    upward = turn in (UP, DOWN)
    if by == UP:
        base = base if upward else height - base
    elif by == DOWN:
        base = width - base if upward else base
    else:
        base = (width if upward else height) - base
    return Glyph(text, *_box(left, right, top, bottom, by, width, height), base, size, new, light, space)


def _box(
    left: float, right: float, top: float, bottom: float, by: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a box after the page is turned."""
    if by == UP:
        return height - bottom, height - top, left, right
    if by == DOWN:
        return top, bottom, width - right, width - left
    return width - right, width - left, height - bottom, height - top


LARGE = 1.5
"""Times the body's size: slanted type as large as this is a watermark; smaller type that is not light names an axis."""


def beside(glyphs: Sequence[Glyph], body: float) -> list[PageLine]:
    """Lines of text that is not level, each stretch in the order of the file; ``body``: size of the level text."""
    lines: list[PageLine] = []
    group: list[Glyph] = []
    for glyph in glyphs:
        if group and _breaks(group[-1], glyph):
            lines.append(_line(group, body))
            group = []
        group.append(glyph)
    if group:
        lines.append(_line(group, body))
    return [line for line in lines if line.text]


def _breaks(before: Glyph, glyph: Glyph) -> bool:
    if before.turn != glyph.turn:
        return True
    level = glyph.turn != SLANTED
    if level and (
        abs(before.size - glyph.size) > 0.3 * before.size or abs(before.base - glyph.base) > 0.5 * glyph.size
    ):
        return True
    far = 2.5 * max(before.size, glyph.size)
    return abs(before.left - glyph.left) > far or abs(before.top - glyph.top) > far


def _line(glyphs: Sequence[Glyph], body: float) -> PageLine:
    parts = [glyphs[0].text]
    for before, glyph in pairwise(glyphs):
        # How far apart they are is not asked: boxes of slanted glyphs overlap.
        if glyph.space and parted(before.text, glyph.text, 0.3, glyph.space):
            parts.append(" ")
        parts.append(glyph.text)
    size = max(glyph.size for glyph in glyphs)
    mark = glyphs[0].turn == SLANTED and (glyphs[0].light or size >= LARGE * body)
    return PageLine(
        cleaned("".join(parts)).strip(),
        round(min(glyph.top for glyph in glyphs), 2),
        round(max(glyph.bottom for glyph in glyphs), 2),
        round(min(glyph.left for glyph in glyphs), 2),
        round(max(glyph.right for glyph in glyphs), 2),
        round(size, 2),
        "watermark" if mark else "vertical",
    )
