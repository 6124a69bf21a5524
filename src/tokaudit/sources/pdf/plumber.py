"""The part of pdfplumber: cells between drawn lines, and, where it is asked for, the glyphs of a page as well."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from tokaudit.sources.pdf.glyphs import SLANTED, THIN, Glyph, Rule, Sheet, is_private, turn_of
from tokaudit.sources.pdf.text import MARK

Cell = tuple[float, float, float, float]
"""Left, top, right, bottom."""
RULES = 1200
"""Drawn lines up to which cells are looked for; a chart has more, and the search is quadratic."""
_SNAP = 3.0
"""Points by which lines that belong together may miss each other: pdfplumber's own tolerance."""


def grids(rules: Sequence[Rule]) -> list[list[Cell]]:
    """Cells of each table that the rules make, by pdfplumber's search for tables."""
    from pdfplumber import table

    edges: Any = [
        {
            "x0": rule.left,
            "x1": rule.right,
            "top": rule.top,
            "bottom": rule.bottom,
            "width": rule.right - rule.left,
            "height": rule.bottom - rule.top,
            "orientation": "v" if rule.bottom - rule.top > rule.right - rule.left else "h",
        }
        for rule in rules
    ]
    edges = table.merge_edges(edges, _SNAP, _SNAP, _SNAP, _SNAP)
    if len(edges) > RULES:
        return []
    points = table.edges_to_intersections(edges, _SNAP, _SNAP)
    return [list(cells) for cells in table.cells_to_tables(table.intersections_to_cells(points))]


class PlumberDocument:
    """A document opened by pdfplumber. It was opened by pdfium before, which says what is wrong with it."""

    def __init__(self, data: bytes, password: str) -> None:
        import pdfplumber

        self._document: Any = pdfplumber.open(io.BytesIO(data), password=password)

    def sheet(self, index: int) -> Sheet:
        """Read a page."""
        page = self._document.pages[index]
        try:
            sheet = Sheet(float(page.width), float(page.height))
            space = 0
            for char in page.chars:
                text = char["text"]
                if not text.strip():
                    space = 2
                    continue
                for part in [text] if text.startswith("(cid:") else text:
                    glyph = _glyph(part, char, page, space)
                    sheet.glyphs.append(glyph)
                    space = 0
                    sheet.count += 1
                    sheet.unmapped += len(part) > 1 or is_private(ord(part))
            _mark_hyphens(sheet.glyphs)
            sheet.rules = [rule for edge in page.edges if (rule := _rule(edge))]
            return sheet
        finally:
            page.close()

    def close(self) -> None:
        """Close the document."""
        self._document.close()


def _mark_hyphens(glyphs: list[Glyph]) -> None:
    """Mark hyphens between letters at the ends of lines, as pdfium does by itself."""
    for index in range(1, len(glyphs) - 1):
        before, glyph, after = glyphs[index - 1 : index + 2]
        if glyph.text == "-" and after.base > glyph.base + 0.5 * glyph.size and (before.text + after.text).isalpha():
            glyphs[index] = glyph._replace(text=MARK)


def _rule(edge: dict[str, Any]) -> Rule | None:
    """A side of a box or a line; of boxes without a stroke only thin ones are drawn lines."""
    ground = edge.get("object_type") == "rect_edge" and not edge.get("stroke")
    if ground and min(edge.get("width", 0), edge.get("height", 0)) > THIN:
        return None
    return Rule(edge["x0"], edge["top"], edge["x1"], edge["bottom"])


def _glyph(text: str, char: dict[str, Any], page: Any, space: int) -> Glyph:
    a, b, _, _, e, f = char["matrix"]
    turn = turn_of(a, -b)  # the angle counts to the left, that of the page to the right
    breadth, tall = char["x1"] - char["x0"], char["bottom"] - char["top"]
    # pdfplumber gives the box, not the size of the type: of a slanted glyph the box is larger.
    size = tall if turn in (0, 2) else breadth if turn != SLANTED else 0.7 * max(breadth, tall)
    left, top, _, bottom = page.bbox
    height = bottom - top
    base = height - f if turn in (0, 2) else e - left
    return Glyph(
        text,
        char["x0"],
        char["x1"],
        char["top"],
        char["bottom"],
        base,
        abs(size) or 1.0,
        turn,
        _light(char.get("non_stroking_color")),
        space,
    )


def _light(color: Any) -> bool:
    try:
        parts = [float(part) for part in (color if isinstance(color, (tuple, list)) else [color])]
    except (TypeError, ValueError):
        return False
    if len(parts) == 4:
        parts = [(1 - part) * (1 - parts[3]) for part in parts[:3]]
    if len(parts) == 1:
        parts *= 3
    return len(parts) == 3 and 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] >= 0.63
