"""Keep the first of the paragraphs that stand at the edge of many pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from tokaudit.model.edits import Edit
from tokaudit.pipeline.pages.columns import width
from tokaudit.pipeline.pages.split import Line, bottom_lines, pages, top_lines, whole_lines
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete sentences that stand at the same edge of many pages in the same words, such as disclaimers, but once."
PARAMETERS: Parameters = {
    "pages": Parameter("integer", "Pages that have them at least.", default=3),
    "columns": Parameter("integer", "Columns that they take at least; an ideograph takes two.", default=40),
    "lines": Parameter("integer", "Lines at an edge that are looked at.", default=8),
}
_sentence = lazy(r"[。！？；]|[A-Za-z)\"'][.!?](?=\s|$)")
_page_number = lazy(r"\D{0,8}\d{1,5}\D{0,8}(?:\d{1,5}\D{0,3})?")


def prepare(parameters: Values) -> Find:
    least, columns, depth = max(2, parameters["pages"]), parameters["columns"], max(1, parameters["lines"])

    def find(view: View) -> Edits:
        text = view.text
        if text.count("\f") + 1 < least:
            return
        places = pages(text)
        edits: set[tuple[int, int]] = set()
        for lines in (bottom_lines, top_lines):
            edits.update(_of_edge(text, places, lines, least, columns, depth))
        yield from (Edit(start, end, "") for start, end in sorted(edits))

    return find


def _of_edge(
    text: str,
    places: list[tuple[int, int]],
    lines: Callable[[str, int, int], Iterable[Line]],
    least: int,
    columns: int,
    depth: int,
) -> Iterator[tuple[int, int]]:
    edges = [list(islice(lines(text, start, end), depth)) for start, end in places]
    counts = Counter(line for edge in edges for line in {line.text for line in edge})
    seen: set[tuple[str, ...]] = set()
    for edge in edges:
        block: list[Line] = []
        for line in edge:
            if counts[line.text] >= least:
                block.append(line)
            elif block or not _page_number().fullmatch(line.text):
                break  # from the edge inwards, but for the page's number
        block = sorted(block)
        words = tuple(line.text for line in block)
        if sum(map(width, words)) < columns or not _is_prose(words):
            continue
        if words in seen:
            yield whole_lines(text, block[0].start, block[-1].end)
        seen.add(words)


def _is_prose(lines: tuple[str, ...]) -> bool:
    """True if lines are sentences rather than rows of a table or a title."""
    together = " ".join(lines)
    return bool(_sentence().search(together)) and "|" not in together and "\t" not in together and "  " not in together
