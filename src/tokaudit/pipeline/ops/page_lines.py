"""Delete page numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.ops import Find, Parameter
from tokaudit.pipeline.pages import bottom_lines, pages, top_lines, whole_lines
from tokaudit.pipeline.view import View

SUMMARY = "Delete lines of a page number alone at the edges of pages that form feeds end, where the numbers count up."
PARAMETERS: Mapping[str, Parameter] = {
    "lines": Parameter("integer", "Lines at the top and at the bottom of a page that are looked at.", default=2),
    "pages": Parameter("integer", "Pages in a row that must be numbered at least.", default=3),
}


class _Candidate(NamedTuple):
    page: int
    start: int
    end: int


@lru_cache(maxsize=1)
def _number() -> re.Pattern[str]:
    number = r"(?P<{}>\d{{1,5}})"
    forms = (
        rf"第\s*{number.format('a')}\s*页(?:\s*[,，/]?\s*共\s*\d{{1,5}}\s*页)?",
        rf"(?:[Pp]age|PAGE|[Pp]\.)\s*{number.format('b')}(?:\s*(?:of|/|OF)\s*\d{{1,5}})?",
        rf"[-–—·]?\s*{number.format('c')}\s*(?:/\s*\d{{1,5}}\s*)?[-–—·]?",
        r"[-–—]?\s*(?P<roman>[ivxlc]{1,9}|[IVXLC]{1,9})\s*[-–—]?",
        rf"{number.format('d')}\s*ページ",
    )
    return re.compile("|".join(f"(?:{form})" for form in forms))


def prepare(parameters: Mapping[str, Any]) -> Find:
    """A finder for one rule."""
    depth, least = max(1, parameters["lines"]), max(2, parameters["pages"])

    def find(view: View) -> Iterator[Edit]:
        text = view.text
        if text.count("\f") + 1 < least:
            return
        # By edge, form and what a number is more than its page's place: one numbering of the document each.
        numberings: dict[tuple[str, str, int], list[_Candidate]] = {}
        for page, (start, end) in enumerate(pages(text)):
            for edge, lines in (("top", top_lines), ("bottom", bottom_lines)):
                for line in islice(lines(text, start, end), depth):
                    match = _number().fullmatch(line.text) if len(line.text) <= 40 else None
                    value = _value(match) if match else 0
                    if match and value:
                        key = (edge, str(match.lastgroup), value - page)
                        numberings.setdefault(key, []).append(
                            _Candidate(page, *whole_lines(text, line.start, line.end))
                        )
        found = {
            (candidate.start, candidate.end)
            for candidates in numberings.values()
            for candidate in _in_a_row(candidates, least)
        }
        yield from (Edit(start, end, "") for start, end in sorted(found))

    return find


def _value(match: re.Match[str]) -> int:
    name = match.lastgroup or "c"
    return _roman(match[name].lower()) if name == "roman" else int(match[name])


def _roman(digits: str) -> int:
    """The value of a Roman number; 0 for letters that are none."""
    worth = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
    if not re.fullmatch("c*(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", digits):
        return 0
    values = [worth[digit] for digit in digits]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))


def _in_a_row(candidates: list[_Candidate], least: int) -> list[_Candidate]:
    """Those on pages that follow each other, as many as there must be."""
    kept: list[_Candidate] = []
    run: list[_Candidate] = []
    for candidate in candidates:
        if run and candidate.page > run[-1].page + 1:
            kept += run if len(run) >= least else []
            run = []
        if not run or candidate.page > run[-1].page:
            run.append(candidate)
    return kept + (run if len(run) >= least else [])
