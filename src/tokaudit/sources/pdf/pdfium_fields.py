"""Values of form fields by pdfium, as glyphs where the fields stand: they are no part of a page's own text."""

from __future__ import annotations

import ctypes
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tokaudit.sources.pdf.glyphs import LEVEL, Glyph, Transform, placed

_LARGEST = 11.0
"""Points of the type that a value is taken to be set in; a lower field has smaller type."""
_SHARE = 0.7
"""Of a field's height, that of the type."""
_BREADTH = 0.5
"""Of the size, that of a character, if the field is wide enough."""
_HIDDEN = 2 | 32
"""Flags of an annotation that nobody sees: hidden, no view."""
_PASSWORD = 1 << 13
"""The flag of a field for a password."""


def with_fields(glyphs: Sequence[Glyph], fields: Iterable[Sequence[Glyph]]) -> list[Glyph]:
    """Glyphs of a page in the order of the file, each value after the label that stands left of it or above it."""
    after: dict[int, list[Glyph]] = {}
    placed_at = sorted((glyph.base, index) for index, glyph in enumerate(glyphs))
    for value in fields:
        head = value[0]
        reach = 0.6 * head.size
        place = -1
        for base, index in islice(placed_at, bisect_left(placed_at, (head.base - reach, -1)), None):
            if base > head.base + reach:
                break
            if glyphs[index].left < head.left:
                place = max(place, index)
        if place < 0:
            place = len(glyphs) - 1
        elif head.base == value[-1].base:
            value = [glyph._replace(base=glyphs[place].base) for glyph in value]  # noqa: PLW2901 - the same value
        after.setdefault(place, []).extend(value)
    found = after.pop(-1, [])
    for index, glyph in enumerate(glyphs):
        found.append(glyph)
        found += after.get(index, ())
    return found


def read_fields(raw: Any, form: Any, page: Any, transform: Transform) -> list[list[Glyph]]:
    """The glyphs of each value on a page.

    Args:
        raw: The engine.
        form: The document's form as the engine has it.
        page: The page as the engine has it.
        transform: From the file's coordinates to those of the page as it is shown.
    """
    found: list[list[Glyph]] = []
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            box = raw.FS_RECTF()
            if (
                raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET
                and not raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN
                and raw.FPDFAnnot_GetRect(annotation, box)
                and (value := _value(raw, form, annotation).strip())
            ):
                x, y = placed(transform, box.left, box.top)
                u, v = placed(transform, box.right, box.bottom)
                found.append(list(_written(value, min(x, u), max(x, u), min(y, v), max(y, v))))
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def _value(raw: Any, form: Any, annotation: Any) -> str:
    """The value of a field: what was typed or chosen, and the state of a button by its name in the file."""
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind == raw.FPDF_FORMFIELD_RADIOBUTTON:
        checked = raw.FPDFAnnot_IsChecked(form, annotation)
        return _string(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation) if checked else ""
    if kind == raw.FPDF_FORMFIELD_CHECKBOX:
        if not raw.FPDFAnnot_IsChecked(form, annotation):
            return "Off"
        return _string(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation) or "On"
    if kind == raw.FPDF_FORMFIELD_TEXTFIELD:
        flags = raw.FPDFAnnot_GetFormFieldFlags(form, annotation)
        return "" if flags & _PASSWORD else _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    if kind in {raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX}:
        chosen = [
            _string(lambda *to, at=index: raw.FPDFAnnot_GetOptionLabel(*to[:2], at, *to[2:]), form, annotation)
            for index in range(max(0, raw.FPDFAnnot_GetOptionCount(form, annotation)))
            if raw.FPDFAnnot_IsOptionSelected(form, annotation, index)
        ]
        return ", ".join(chosen) or _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    return ""


def _string(get: Any, form: Any, annotation: Any) -> str:
    length = get(form, annotation, None, 0)
    if length <= 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2))()
    get(form, annotation, buffer, length)
    return bytes(buffer).decode("utf-16", "replace").rstrip("\0")


def _written(value: str, left: float, right: float, top: float, bottom: float) -> Iterator[Glyph]:
    """A value in its box, one character after the other, as near as can be told without setting it."""
    lines = value.splitlines()
    tall = (bottom - top) / len(lines)
    size = max(1.0, min(_LARGEST, _SHARE * tall))
    for number, line in enumerate(lines):
        step = min(_BREADTH * size, (right - left) / max(1, len(line)))
        base = top + (number + 0.5) * tall + 0.3 * size
        space = 2
        for at, char in enumerate(line):
            if char.isspace():
                space = 2
                continue
            x = left + at * step
            yield Glyph(char, x, x + step, base - 0.8 * size, base + 0.2 * size, base, size, LEVEL, False, space)
            space = 0
