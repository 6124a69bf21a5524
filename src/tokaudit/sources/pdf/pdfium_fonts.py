"""Fonts that are not in the file: pdfium is given none of the machine's, and what it leaves out is noticed.

Of a font that is not embedded pdfium takes the boxes of glyphs from a font of the machine that is like it. Text would
be read on a machine with Chinese fonts that is left out on one without. So no font of the machine is used at all: text
objects whose glyphs the fonts within pdfium do not have are without width, and are read by the other engine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from tokaudit.sources.pdf.pdfium_calls import TEXT, objects, quick

_FLAT = 0.01
"""Points up to which pdfium takes a text object for empty."""


class _Calls(NamedTuple):
    """Functions of the engine that are called for many objects."""

    bounds: Callable[[int, int, int, int, int], int]
    font: Callable[[int], int | None]
    embedded: Callable[[int], int]


@lru_cache(maxsize=1)
def _calls(raw: Any) -> _Calls:
    whole, place = ctypes.c_int, ctypes.c_void_p
    return _Calls(
        quick(raw.FPDFPageObj_GetBounds, whole, place, place, place, place, place),
        quick(raw.FPDFTextObj_GetFont, place, place),
        quick(raw.FPDFFont_GetIsEmbedded, whole, place),
    )


@lru_cache(maxsize=1)
def _no_fonts(raw: Any) -> Any:
    """A source of fonts that has none; the engine keeps its address, so it lasts as long as the process."""
    return raw.FPDF_SYSFONTINFO(version=1)


def hide_fonts(raw: Any) -> None:
    """Let the engine see no font of the machine, from now on."""
    raw.FPDF_SetSystemFontInfo(ctypes.byref(_no_fonts(raw)))


def show_fonts(raw: Any) -> None:
    """Let the engine see the fonts of the machine again: a process that renders pages may read text too."""
    raw.FPDF_SetSystemFontInfo(raw.FPDF_GetDefaultSystemFontInfo())


def left_out(raw: Any, page: Any) -> int:
    """Number of text objects of a page that the engine may have left out for want of a font."""
    calls = _calls(raw)
    texts = list(objects(raw, page, TEXT))
    fonts = list(map(calls.font, texts))
    foreign = {font for font in set(fonts) if font and calls.embedded(font) == 0}
    return sum(font in foreign and _is_flat(calls, item) for item, font in zip(texts, fonts, strict=True))


def _is_flat(calls: _Calls, item: int) -> bool:
    box = (ctypes.c_float * 4)()
    at, step = ctypes.addressof(box), ctypes.sizeof(ctypes.c_float)
    if not calls.bounds(item, at, at + step, at + 2 * step, at + 3 * step):
        return False
    left, bottom, right, top = box
    return right - left < _FLAT or top - bottom < _FLAT
