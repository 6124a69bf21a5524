"""Drawn lines of a page by pdfium."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from tokaudit.sources.pdf.glyphs import THIN, Rule, Transform, placed
from tokaudit.sources.pdf.pdfium_calls import PATH, objects, quick

SEGMENTS = 4000
"""Segments of paths that are looked at on a page: a drawing has any number, a table few."""
_LINE_TO = 0
"""A segment that is a line, by its number in pdfium."""
_BOX = 5
"""Segments of a path that is a box or a line."""


class _Calls(NamedTuple):
    """Functions of the engine that are called for many objects."""

    segments: Callable[[int], int]
    bounds: Callable[[int, int, int, int, int], int]
    drawn: Callable[[int, int, int], int]
    matrix: Callable[[int, int], int]
    segment: Callable[[int, int], int | None]
    segment_kind: Callable[[int | None], int]
    point: Callable[[int | None, int, int], int]


@lru_cache(maxsize=1)
def _calls(raw: Any) -> _Calls:
    whole, place = ctypes.c_int, ctypes.c_void_p
    return _Calls(
        quick(raw.FPDFPath_CountSegments, whole, place),
        quick(raw.FPDFPageObj_GetBounds, whole, place, place, place, place, place),
        quick(raw.FPDFPath_GetDrawMode, whole, place, place, place),
        quick(raw.FPDFPageObj_GetMatrix, whole, place, place),
        quick(raw.FPDFPath_GetPathSegment, place, place, whole),
        quick(raw.FPDFPathSegment_GetType, whole, place),
        quick(raw.FPDFPathSegment_GetPoint, whole, place, place, place),
    )


def read_rules(raw: Any, page: Any, transform: Transform) -> Iterator[Rule]:
    """Straight lines of the page, and the sides of boxes."""
    calls = _calls(raw)
    numbers = (ctypes.c_float * 6)()
    left = SEGMENTS
    for path in objects(raw, page, PATH):
        count = calls.segments(path)
        left -= max(1, count)
        if left < 0:
            return
        for box in _boxes(calls, path, count, numbers):
            x, y = placed(transform, box[0], box[1])
            u, v = placed(transform, box[2], box[3])
            one = Rule(min(x, u), min(y, v), max(x, u), max(y, v))
            if one.right - one.left <= THIN or one.bottom - one.top <= THIN:
                yield one
                continue
            if not _stroked(calls, path):
                continue  # the ground of a listing or of a row
            yield one._replace(bottom=one.top)
            yield one._replace(top=one.bottom)
            yield one._replace(right=one.left)
            yield one._replace(left=one.right)


def _stroked(calls: _Calls, path: int) -> bool:
    modes = (ctypes.c_int * 2)()
    at = ctypes.addressof(modes)
    return bool(calls.drawn(path, at, at + ctypes.sizeof(ctypes.c_int)) and modes[1])


def _boxes(calls: _Calls, path: int, count: int, numbers: Any) -> Iterator[tuple[float, float, float, float]]:
    """Boxes in a path, in the file's coordinates; a path of many strokes is taken apart."""
    at, step = ctypes.addressof(numbers), ctypes.sizeof(ctypes.c_float)
    if count <= _BOX:
        if calls.bounds(path, at, at + step, at + 2 * step, at + 3 * step):
            yield (numbers[0], numbers[1], numbers[2], numbers[3])
        return
    numbers[:] = [1, 0, 0, 1, 0, 0]
    calls.matrix(path, at)
    a, b, c, d, e, f = numbers
    before = None
    for index in range(min(count, SEGMENTS)):
        segment = calls.segment(path, index)
        if not segment or not calls.point(segment, at, at + step):
            continue
        point = placed((a, b, c, d, e, f), numbers[0], numbers[1])
        if before and calls.segment_kind(segment) == _LINE_TO:
            yield (*before, *point)
        before = point
