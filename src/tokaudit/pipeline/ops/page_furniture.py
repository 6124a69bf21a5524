"""Delete running lines, page numbers and watermarks."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.model.pages import Mark
from tokaudit.pipeline.pages.edge_lines import wording
from tokaudit.pipeline.pages.furniture import furniture_of_text
from tokaudit.pipeline.pages.split import whole_lines
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete what recurs at the edges of pages that form feeds end: running lines, page numbers, watermarks."
PARAMETERS: Parameters = {
    "what": Parameter(
        "choice",
        "Which of it; each page's own number, or lines that have more than a number on them.",
        required=True,
        choices=("running", "number", "watermark"),
    ),
    "keep": Parameter(
        "choice",
        "Lines to keep of those that belong together: none, the first, the first of each wording, or all.",
        default="first",
        choices=("none", "first", "distinct", "all"),
    ),
}


def prepare(parameters: Values) -> Find:
    what, keep = parameters["what"], parameters["keep"]

    def find(view: View) -> Edits:
        text = view.text
        if keep == "all" or (view.marks is None and "\f" not in text):
            return
        seen: set[tuple[str, str]] = set()
        done = 0
        for mark in furniture_of_text(text) if view.marks is None else view.marks:
            if mark.kind != what or not _is_line(text, mark):
                continue
            group = (mark.family, wording(text[mark.start : mark.end]) if keep == "distinct" else "")
            if keep != "none" and group not in seen:
                seen.add(group)
                continue
            start, end = whole_lines(text, mark.start, mark.end)
            yield Edit(max(start, done), end, "")
            done = end

    return find


def _is_line(text: str, mark: Mark) -> bool:
    """True if a mark still is a line with something on it, whatever was changed since it was made."""
    start, end = mark.start, mark.end
    return (
        start < end
        and (start == 0 or text[start - 1] in "\n\f")
        and text[end : end + 1] in ("", "\n", "\f")
        and not text[start:end].isspace()
    )
