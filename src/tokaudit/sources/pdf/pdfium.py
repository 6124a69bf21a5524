"""Glyphs and drawn lines by pdfium, the fast engine."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from tokaudit.sources.pdf.glyphs import DOWN, LEVEL, OVER, SLANTED, UP, Glyph, OpenError, Rule, Sheet, is_private

THIN = 2.5
"""Points that a drawn box may be thick and still be a line."""
SEGMENTS = 4000
"""Segments of paths that are looked at on a page: a drawing has any number, a table few."""
DEPTH = 3
"""Forms within forms that are looked into for drawn lines."""
_LEAN = 0.02
"""Sine of the angle up to which text is level: scanned pages lean a little."""

_CATALOGUE = re.compile(rb"\b(\d{1,9}) (\d{1,5}) obj\s*<<[^<>]{0,500}/Type\s*/Catalog\b")

Transform = tuple[float, float, float, float, float, float]


class PdfiumDocument:
    """A document opened by pdfium."""

    def __init__(self, data: bytes, password: str) -> None:
        import pypdfium2
        from pypdfium2 import raw

        self._raw: Any = raw
        try:
            self._document: Any = pypdfium2.PdfDocument(data, password=password or None)
        except pypdfium2.PdfiumError as error:
            code = int(getattr(error, "err_code", 0) or raw.FPDF_GetLastError())
            kinds = {raw.FPDF_ERR_PASSWORD: "password", raw.FPDF_ERR_SECURITY: "security"}
            if code in kinds:
                raise OpenError(kinds[code]) from error
            self._document = self._mended(data)
        self.count = len(self._document)
        if not self.count:
            raise OpenError("empty")
        self.encrypted = int(raw.FPDF_GetSecurityHandlerRevision(self._document.raw)) > 0

    def _mended(self, data: bytes) -> Any:
        """The document where only its end is lost, which tells where the catalogue is: that is looked for."""
        import pypdfium2

        catalogue = _CATALOGUE.search(data)
        if not catalogue:
            raise OpenError("its structure cannot be read")
        # What is cut may be a stream or a dictionary; an object that begins is taken for whole then.
        end = b"\nendstream >>\nendobj\ntrailer\n<< /Size 1000000 /Root %s %s R >>\nstartxref\n0\n%%%%EOF\n"
        try:
            return pypdfium2.PdfDocument(data + end % catalogue.groups())
        except pypdfium2.PdfiumError as error:
            raise OpenError("its structure cannot be read") from error

    def sheet(self, index: int) -> Sheet:
        """Read a page."""
        page = self._document[index]
        try:
            text = page.get_textpage()
            try:
                return self._read(page.raw, text.raw)
            finally:
                text.close()
        finally:
            page.close()

    def _read(self, page: Any, text: Any) -> Sheet:
        box = self._raw.FS_RECTF()
        if not self._raw.FPDF_GetPageBoundingBox(page, box):
            box.left, box.bottom, box.right, box.top = 0, 0, 612, 792
        turn = int(self._raw.FPDFPage_GetRotation(page)) % 4
        width, height = abs(box.right - box.left), abs(box.top - box.bottom)
        sheet = Sheet(*((height, width) if turn % 2 else (width, height)))
        transform = _transform(box, turn)
        _Glyphs(self._raw, text, transform, sheet).read()
        sheet.rules = list(_rules(self._raw, page, transform))
        return sheet

    def close(self) -> None:
        """Close the document."""
        self._document.close()


def _transform(box: Any, turn: int) -> Transform:
    """From the file's coordinates to those of the page as it is shown: turned, from the top, downwards."""
    transforms: tuple[Transform, ...] = (
        (1, 0, 0, -1, -box.left, box.top),
        (0, 1, 1, 0, -box.bottom, -box.left),
        (-1, 0, 0, 1, box.right, -box.bottom),
        (0, -1, -1, 0, box.top, box.right),
    )
    return transforms[turn]


def _placed(transform: Transform, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = transform
    return a * x + c * y + e, b * x + d * y + f


class _Look(NamedTuple):
    """What the characters of one text object have in common."""

    size: float
    turn: int
    base: float
    light: bool
    failed: dict[int, bool]
    """Of its font: whether a character is one, or the number of a glyph that has none."""


class _Glyphs:
    """Reads the characters of a page. Calls into the engine are what takes the time, so that there are few of them."""

    def __init__(self, raw: Any, text: Any, transform: Transform, sheet: Sheet) -> None:
        self._raw = raw
        self._text = text
        self._transform = transform
        self._sheet = sheet
        self._fonts: dict[int, dict[int, bool]] = {}

    def read(self) -> None:
        """Fill the sheet.

        What an object looks like is asked for at the beginning of a word and where the height of the boxes changes.
        """
        raw, text, sheet, transform = self._raw, self._text, self._sheet, self._transform
        object_at = _returning_address(raw.FPDFText_GetTextObject)
        box_of, failed_at = raw.FPDFText_GetLooseCharBox, raw.FPDFText_HasUnicodeMapError
        straight = transform[1] == 0 and transform[0] == 1
        dx, dy = transform[4], transform[5]
        box = raw.FS_RECTF()
        place = ctypes.byref(box)
        put, new = sheet.glyphs.append, tuple.__new__
        look, space, high = _Look(0, 0, 0, False, {}), 0, 0
        before: tuple[float, float] = (0.0, 0.0)
        last: int | None = -1
        for index, code in enumerate(self._codes()):
            if code in _SPACES:
                if raw.FPDFText_IsGenerated(text, index) == 1:
                    space = space or 1
                    continue
                if failed_at(text, index) != 1:
                    space = 2 if code not in _BREAKS else space or 1
                    continue
            if 0xD800 <= code < 0xDC00:
                high = code
                continue
            if high:
                code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if 0xDC00 <= code < 0xE000 else 0xFFFD  # noqa: PLW2901
                high = 0
            if not box_of(text, index, place):
                continue
            top, bottom = box.top, box.bottom
            if space or (top, bottom) != before:
                before, here = (top, bottom), object_at(text, index)
                if here != last:
                    look, last = self._look(index), here
            failed = look.failed.get(code)
            if failed is None:
                failed = look.failed[code] = failed_at(text, index) == 1
            mark = chr(code) if 32 < code < 0x7F and not failed else _mark(code, failed)
            if not mark:
                continue
            if len(mark) > 1 or (code >= 0xE000 and is_private(code)):
                sheet.unmapped += 1
            if straight:
                left, right, top, bottom = box.left + dx, box.right + dx, dy - top, dy - bottom
            else:
                x, y = _placed(transform, box.left, top)
                u, v = _placed(transform, box.right, bottom)
                left, right, top, bottom = min(x, u), max(x, u), min(y, v), max(y, v)
            # As Glyph(...) does, in half the time.
            put(new(Glyph, (mark, left, right, top, bottom, look.base, look.size, look.turn, look.light, space)))
            space = 0
        sheet.count = len(sheet.glyphs)

    def _codes(self) -> Iterable[int]:
        """The code of each character: all at once where the engine's text leaves none out, else one by one."""
        raw, count = self._raw, self._raw.FPDFText_CountChars(self._text)
        if count <= 0:
            return ()
        units = (ctypes.c_ushort * (count + 1))()
        if (
            raw.FPDFText_GetText(self._text, 0, count, units) == count + 1
            and raw.FPDFText_GetTextIndexFromCharIndex(self._text, count - 1) == count - 1
        ):
            return list(units)[:count]
        unicode_of = raw.FPDFText_GetUnicode
        return (unicode_of(self._text, index) for index in range(count))

    def _look(self, index: int) -> _Look:
        raw = self._raw
        matrix, x, y = raw.FS_MATRIX(1, 0, 0, 1, 0, 0), ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetMatrix(self._text, index, matrix)
        raw.FPDFText_GetCharOrigin(self._text, index, x, y)
        a, b, c, d, _, _ = self._transform
        across, down = a * matrix.a + c * matrix.b, b * matrix.a + d * matrix.b
        turn = _turn(across, down)
        place = _placed(self._transform, x.value, y.value)
        size = raw.FPDFText_GetFontSize(self._text, index) * math.hypot(matrix.c, matrix.d)
        across_it = place[0] if turn in (UP, DOWN) else place[1]
        return _Look(abs(size) or 1.0, turn, across_it, self._light(index), self._failed(index))

    def _failed(self, index: int) -> dict[int, bool]:
        item = self._raw.FPDFText_GetTextObject(self._text, index)
        font = self._raw.FPDFTextObj_GetFont(item) if item else None
        return self._fonts.setdefault(ctypes.cast(font, ctypes.c_void_p).value or 0, {}) if font else {}

    def _light(self, index: int) -> bool:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not self._raw.FPDFText_GetFillColor(self._text, index, red, green, blue, alpha):
            return False
        bright = (299 * red.value + 587 * green.value + 114 * blue.value) // 1000
        return bright >= 160 or alpha.value < 140


_BREAKS = frozenset((10, 13))
_SPACES = frozenset((9, 10, 13, 32, 0xA0))


def _mark(code: int, failed: bool) -> str:
    """The character of a glyph; empty for what is no glyph."""
    if failed or not code:
        return f"(cid:{code})"
    if code in (2, 0xFFFE):
        return "\x02"
    if code < 32 or 0x7F <= code < 0xA0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return ""
    return chr(code)


def _turn(across: float, down: float) -> int:
    length = math.hypot(across, down) or 1.0
    if abs(down) <= _LEAN * length:
        return LEVEL if across >= 0 else OVER
    if abs(across) <= _LEAN * length:
        return DOWN if down > 0 else UP
    return SLANTED


def _returning_address(function: Any) -> Callable[[Any, int], int | None]:
    """The same function, giving an address as a number: far cheaper than an object that is only compared."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(address or 0)


def _rules(raw: Any, page: Any, transform: Transform) -> Iterator[Rule]:
    """Straight lines of the page, and the sides of boxes."""
    left = SEGMENTS
    for path in _paths(raw, page, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, DEPTH):
        count = raw.FPDFPath_CountSegments(path)
        left -= max(1, count)
        if left < 0:
            return
        for box in _boxes(raw, path, count):
            x, y = _placed(transform, box[0], box[1])
            u, v = _placed(transform, box[2], box[3])
            one = Rule(min(x, u), min(y, v), max(x, u), max(y, v))
            if one.right - one.left <= THIN or one.bottom - one.top <= THIN:
                yield one
                continue
            if not _stroked(raw, path):
                continue  # the ground of a listing or of a row
            yield one._replace(bottom=one.top)
            yield one._replace(top=one.bottom)
            yield one._replace(right=one.left)
            yield one._replace(left=one.right)


def _stroked(raw: Any, path: Any) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    return bool(raw.FPDFPath_GetDrawMode(path, fill, stroke) and stroke.value)


def _paths(raw: Any, parent: Any, count: Any, get: Any, depth: int) -> Iterator[Any]:
    for index in range(count(parent)):
        item = get(parent, index)
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_PATH:
            yield item
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth:
            yield from _paths(raw, item, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, depth - 1)


def _boxes(raw: Any, path: Any, count: int) -> Iterator[tuple[float, float, float, float]]:
    """Boxes in a path, in the file's coordinates; a path of many strokes is taken apart."""
    sides = [ctypes.c_float() for _ in range(4)]
    if count <= 5:
        if raw.FPDFPageObj_GetBounds(path, *sides):
            yield (sides[0].value, sides[1].value, sides[2].value, sides[3].value)
        return
    matrix = raw.FS_MATRIX(1, 0, 0, 1, 0, 0)
    raw.FPDFPageObj_GetMatrix(path, matrix)
    own = (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)
    x, y, before = ctypes.c_float(), ctypes.c_float(), None
    for index in range(min(count, SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        if not raw.FPDFPathSegment_GetPoint(segment, x, y):
            continue
        point = _placed(own, x.value, y.value)
        if before and raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_LINETO:
            yield (*before, *point)
        before = point
