"""Calls into pdfium that cost little, for what is asked many times on a page."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

DEPTH = 3
"""Forms within forms that are looked into."""
TEXT, PATH = 1, 2
"""Kinds of objects, by their numbers in pdfium."""
_FORM = 5


def quick(function: Any, result: Any, *arguments: Any) -> Any:
    """A function of the engine that takes handles and places in memory as plain numbers.

    No lock is given back around a call that is over in an instant. Both make a call far cheaper.
    """
    return ctypes.PYFUNCTYPE(result, *arguments)(address(function))


def address(thing: Any) -> int:
    """The address of a function, or of what a handle points to."""
    return ctypes.cast(thing, ctypes.c_void_p).value or 0


class _Walk(NamedTuple):
    """Functions of the engine that lead to the objects of a page."""

    on_page: Callable[[int], int]
    of_page: Callable[[int, int], int | None]
    in_form: Callable[[int], int]
    of_form: Callable[[int, int], int | None]
    kind: Callable[[int | None], int]


@lru_cache(maxsize=1)
def _walk(raw: Any) -> _Walk:
    whole, place = ctypes.c_int, ctypes.c_void_p
    return _Walk(
        quick(raw.FPDFPage_CountObjects, whole, place),
        quick(raw.FPDFPage_GetObject, place, place, whole),
        quick(raw.FPDFFormObj_CountObjects, whole, place),
        quick(raw.FPDFFormObj_GetObject, place, place, ctypes.c_ulong),
        quick(raw.FPDFPageObj_GetType, whole, place),
    )


def objects(raw: Any, page: Any, wanted: int) -> Iterator[int]:
    """The objects of one kind on a page and in its forms, in the order of the file."""
    walk = _walk(raw)
    return _objects(walk, address(page), walk.on_page, walk.of_page, wanted, DEPTH)


def _objects(walk: _Walk, parent: int, count: Any, get: Any, wanted: int, depth: int) -> Iterator[int]:
    items = list(map(get, repeat(parent), range(count(parent))))
    for item, kind in zip(items, map(walk.kind, items), strict=True):
        if kind == wanted and item:
            yield item
        elif kind == _FORM and item and depth:
            yield from _objects(walk, item, walk.in_form, walk.of_form, wanted, depth - 1)
