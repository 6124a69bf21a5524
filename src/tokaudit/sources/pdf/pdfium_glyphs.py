"""Glyphs of a page by pdfium. Calls into the engine take most of the time: so they are few, and asked for in bulk."""

from __future__ import annotations

import ctypes
import math
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import sub
from typing import Any, NamedTuple

from tokaudit.sources.pdf.glyphs import (
    DOWN,
    LEVEL,
    UP,
    Boxes,
    Glyph,
    Sheet,
    Transform,
    is_private,
    placed,
    turn_of,
)
from tokaudit.sources.pdf.pdfium_calls import address, quick
from tokaudit.sources.pdf.text import TOUCH

_BREAKS = frozenset((10, 13))
_STRETCH = re.compile("[^\\t\\n\\r \\xa0]+")
_UTF_16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
_FLOATS, _DOUBLES = 4, 8
"""Bytes of one."""


class _Calls(NamedTuple):
    """Functions of the engine that are called for many characters."""

    box: Callable[[int, int, int], int]
    item: Callable[[int, int], int | None]
    generated: Callable[[int, int], int]
    failed: Callable[[int, int], int]
    matrix: Callable[[int, int, int], int]
    origin: Callable[[int, int, int, int], int]
    size: Callable[[int, int], float]
    color: Callable[[int, int, int, int, int, int], int]
    font: Callable[[int], int | None]


class _Font:
    """The characters of one font as they are in the text."""

    __slots__ = ("marks", "plain")

    def __init__(self) -> None:
        self.marks: dict[int, str] = {}
        """By code; empty for what is no glyph."""
        self.plain: set[str] = set()
        """Characters that stand for themselves."""


class _Look(NamedTuple):
    """Properties that the characters of one text object share."""

    size: float
    turn: int
    base: float
    light: bool
    font: _Font


def read_glyphs(raw: Any, text: Any, transform: Transform, sheet: Sheet) -> None:
    """Fill a sheet with the glyphs of a page; ``transform`` leads from the file's coordinates to the page as shown."""
    count = raw.FPDFText_CountChars(text)
    if count > 0:
        _Reader(raw, text, count, transform, sheet).read()


class _Reader:
    """Reads the text of one page, a stretch between spaces after the other."""

    def __init__(self, raw: Any, text: Any, count: int, transform: Transform, sheet: Sheet) -> None:
        self._calls = _calls(raw)
        self._text = address(text)
        self._transform, self._sheet = transform, sheet
        self._straight = transform[:4] == (1, 0, 0, -1)
        self._fonts: dict[int, _Font] = {}
        self._item: int | None = -1
        self._look = _Look(0, 0, 0, False, _Font())
        self._space = self._high = 0
        self._matrix, self._origin = (ctypes.c_float * 6)(), (ctypes.c_double * 2)()
        self._color = (ctypes.c_uint * 4)()
        self._matrix_at, at = ctypes.addressof(self._matrix), ctypes.addressof(self._origin)
        self._origin_at = (at, at + _DOUBLES)
        at = ctypes.addressof(self._color)
        self._color_at = (at, at + _FLOATS, at + 2 * _FLOATS, at + 3 * _FLOATS)
        # A view gives all numbers of an array at once, in a fraction of the time.
        self._matrix_view = memoryview(self._matrix).cast("B").cast("f")
        self._origin_view = memoryview(self._origin).cast("B").cast("d")
        self._color_view = memoryview(self._color).cast("B").cast("I")
        self._chars, self._codes = _codes(raw, text, count)
        self._measure(count)

    def _measure(self, count: int) -> None:
        """Ask for the box of each character."""
        boxes = (ctypes.c_float * (4 * count))()
        start, step = ctypes.addressof(boxes), 4 * _FLOATS
        places = range(start, start + step * count, step)
        self._there = list(map(self._calls.box, repeat(self._text), range(count), places))
        sides = memoryview(boxes).cast("B").cast("f")
        lefts, tops, rights, bottoms = (sides[side::4].tolist() for side in range(4))
        self._boxes = Boxes(lefts, rights, tops, bottoms, self._transform[4], self._transform[5])
        # Words are taken whole where their characters go on to the right without a gap.
        self._whole = self._straight and all(self._there)
        self._gaps = list(map(sub, lefts[1:], rights)) if self._whole else []
        self._steps = list(map(sub, rights[1:], rights)) if self._whole else []

    def read(self) -> None:
        after = 0
        for stretch in _STRETCH.finditer(self._chars):
            start, end = stretch.span()
            self._pass(after, start)
            self._take(start, end)
            after = end
        self._pass(after, len(self._codes))

    def _pass(self, start: int, end: int) -> None:
        """Spaces, and what only looks like one: a glyph without a character."""
        generated, failed = self._calls.generated, self._calls.failed
        for index in range(start, end):
            if generated(self._text, index) == 1:
                self._space = self._space or 1
            elif failed(self._text, index) != 1:
                self._space = 2 if self._codes[index] not in _BREAKS else self._space or 1
            else:
                self._part(index, index + 1, self._calls.item(self._text, index))

    def _take(self, start: int, end: int) -> None:
        """Characters without a space between them, by the text objects that they are of."""
        item_of, text = self._calls.item, self._text
        item = item_of(text, start)
        if end - start == 1 or item == item_of(text, end - 1):
            self._part(start, end, item)
            return
        items = list(map(item_of, repeat(text), range(start, end)))
        for index, one in enumerate(items, start):
            if one != item:
                self._part(start, index, item)
                start, item = index, one
        self._part(start, end, item)

    def _part(self, start: int, end: int, item: int | None) -> None:
        """Characters of one text object without a space between them: a word, or glyph by glyph."""
        if item != self._item:
            self._item, self._look = item, self._looked(start, item)
        size, turn, base, light, font = self._look
        chars = self._chars[start:end]
        if not self._whole or turn or not (font.plain.issuperset(chars) or self._plain(font, start, chars)):
            self._one_by_one(start, end)
            return
        if end - start > 1:
            gaps = self._gaps[start : end - 1]
            if min(gaps) <= -0.3 * size or max(gaps) >= TOUCH * size or min(self._steps[start : end - 1]) < 0:
                self._one_by_one(start, end)
                return
        lefts, rights, tops, bottoms, dx, dy = self._boxes
        left, right, top, bottom = lefts[start] + dx, rights[end - 1] + dx, dy - tops[start], dy - bottoms[start]
        inner = (self._boxes, start) if end - start > 1 else None
        sheet = self._sheet
        sheet.glyphs.append(Glyph(chars, left, right, top, bottom, base, size, turn, light, self._space, inner))
        sheet.count += end - start
        self._space = 0

    def _plain(self, font: _Font, start: int, chars: str) -> bool:
        """Check whether all characters stand for themselves."""
        new = set(chars) - font.plain
        decoded = "".join(new)
        if decoded.isprintable() and not any(map(font.marks.__contains__, map(ord, decoded))):
            indexes = [start + chars.index(char) for char in decoded]
            if 1 not in map(self._calls.failed, repeat(self._text), indexes):
                font.plain |= new
                return True
        plain = True
        for char in new:
            code = ord(char)
            if self._mark(font, start + chars.index(char), code) == char and not is_private(code):
                font.plain.add(char)
            else:
                plain = False
        return plain

    def _mark(self, font: _Font, index: int, code: int) -> str:
        mark = font.marks.get(code)
        if mark is None:
            known = chr(code) in font.plain
            mark = font.marks[code] = _mark(code, not known and self._calls.failed(self._text, index) == 1)
        return mark

    def _one_by_one(self, start: int, end: int) -> None:
        size, turn, base, light, font = self._look
        sheet = self._sheet
        for index in range(start, end):
            code, self._high = _joined(self._codes[index], self._high)
            if self._high or not self._there[index]:
                continue
            mark = self._mark(font, index, code)
            if not mark:
                continue
            if len(mark) > 1 or is_private(code):
                sheet.unmapped += 1
            sheet.count += 1
            sheet.glyphs.append(Glyph(mark, *self._box(index), base, size, turn, light, self._space))
            self._space = 0

    def _box(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, top and bottom on the page as it is shown."""
        if self._straight:
            return self._boxes.of(index)
        lefts, rights, tops, bottoms, _, _ = self._boxes
        x, y = placed(self._transform, lefts[index], tops[index])
        u, v = placed(self._transform, rights[index], bottoms[index])
        return min(x, u), max(x, u), min(y, v), max(y, v)

    def _looked(self, index: int, item: int | None) -> _Look:
        calls, text = self._calls, self._text
        if not calls.matrix(text, index, self._matrix_at):
            self._matrix[:] = [1, 0, 0, 1, 0, 0]
        if not calls.origin(text, index, *self._origin_at):
            self._origin[:] = [0, 0]
        right, up, upward_x, upward_y, _, _ = self._matrix_view.tolist()
        x, y = self._origin_view.tolist()
        size = calls.size(text, index) * math.hypot(upward_x, upward_y)
        if self._straight and not up and right > 0:
            turn, base = LEVEL, self._transform[5] - y
        else:
            a, b, c, d, _, _ = self._transform
            turn = turn_of(a * right + c * up, b * right + d * up)
            base = placed(self._transform, x, y)[0 if turn in (UP, DOWN) else 1]
        font = self._fonts.get(key := calls.font(item) or 0 if item else 0)
        if font is None:
            font = _Font()
            if key:
                self._fonts[key] = font
        return _Look(abs(size) or 1.0, turn, base, self._light(index), font)

    def _light(self, index: int) -> bool:
        if not self._calls.color(self._text, index, *self._color_at):
            return False
        red, green, blue, alpha = self._color_view.tolist()
        return (299 * red + 587 * green + 114 * blue) // 1000 >= 160 or alpha < 140


def _codes(raw: Any, text: Any, count: int) -> tuple[str, Sequence[int]]:
    """The text and the code of each character: at once where the engine's text leaves none out, else one by one."""
    units = (ctypes.c_ushort * (count + 1))()
    if (
        raw.FPDFText_GetText(text, 0, count, units) == count + 1
        and raw.FPDFText_GetTextIndexFromCharIndex(text, count - 1) == count - 1
    ):
        codes: Sequence[int] = memoryview(units).cast("B").cast("H")[:count]
        chars = bytes(units).decode(_UTF_16, "surrogatepass")[:-1]
        if len(chars) == count:
            return chars, codes
    else:
        asked = (int(raw.FPDFText_GetUnicode(text, index)) for index in range(count))
        codes = [code if code <= sys.maxunicode else 0xFFFD for code in asked]
    return "".join(map(chr, codes)), codes


@lru_cache(maxsize=1)
def _calls(raw: Any) -> _Calls:
    whole, place = ctypes.c_int, ctypes.c_void_p
    of_text = (place, whole)
    return _Calls(
        quick(raw.FPDFText_GetLooseCharBox, whole, *of_text, place),
        quick(raw.FPDFText_GetTextObject, place, *of_text),
        quick(raw.FPDFText_IsGenerated, whole, *of_text),
        quick(raw.FPDFText_HasUnicodeMapError, whole, *of_text),
        quick(raw.FPDFText_GetMatrix, whole, *of_text, place),
        quick(raw.FPDFText_GetCharOrigin, whole, *of_text, place, place),
        quick(raw.FPDFText_GetFontSize, ctypes.c_double, *of_text),
        quick(raw.FPDFText_GetFillColor, whole, *of_text, place, place, place, place),
        quick(raw.FPDFTextObj_GetFont, place, place),
    )


def _joined(code: int, high: int) -> tuple[int, int]:
    """A character of two halves: the whole, or the first half that still waits for its second."""
    if 0xD800 <= code < 0xDC00:
        return code, code
    if not high:
        return code, 0
    return (0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if 0xDC00 <= code < 0xE000 else 0xFFFD), 0


def _mark(code: int, failed: bool) -> str:
    """The character of a glyph; empty for what is no glyph."""
    if failed or not code:
        return f"(cid:{code})"
    if code in (2, 0xFFFE):
        return "\x02"
    if code < 32 or 0x7F <= code < 0xA0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return ""
    return chr(code)
