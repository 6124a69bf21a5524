"""Drop whole lines, and what belongs to them."""

from __future__ import annotations

from tokaudit.model.edits import Edit
from tokaudit.pipeline.views.search import SEARCH, Search
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Drop the lines that a pattern matches, alone or with the lines that follow them."
PARAMETERS: Parameters = {
    **SEARCH,
    "through": Parameter(
        "choice",
        "Up to where: line drops the matched lines only; quoted also the lines after them that begin with > or are "
        "empty between such ones; paragraph up to the next empty line; end all the rest of the text.",
        default="line",
        choices=("line", "quoted", "paragraph", "end"),
    ),
    "most": Parameter(
        "integer",
        "With paragraph or end: lines that may be dropped at most; where there are more, none is.",
        default=1000000,
    ),
}


def prepare(values: Values) -> Find:
    """A finder of lines. A line goes with its line break, the last one with the line break before it."""
    search = Search(values)
    through, most = values["through"], values["most"]

    def find(view: View) -> Edits:
        text = view.text
        done = 0
        for match in search.matches(view):
            start = text.rfind("\n", 0, match.start()) + 1
            if start < done or match.start() == match.end():
                continue
            end = _line_end(text, match.end() - (match[0].endswith("\n")))
            if through == "quoted":
                end = _quoted(text, end)
            elif through == "paragraph":
                empty = text.find("\n\n", end - 1 if end else 0)
                end = len(text) if empty < 0 else empty + 1
            elif through == "end":
                end = len(text)
            done = end
            if through in {"paragraph", "end"} and text.count("\n", start, end) + (end == len(text)) > most:
                continue
            if end == len(text) and start and not text.endswith("\n"):
                start -= 1  # the file goes on ending without a line break
            yield Edit(start, end, "")

    return find


def _line_end(text: str, at: int) -> int:
    """The start of the line after a place."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _quoted(text: str, at: int) -> int:
    """The end of the lines from a place on that begin with ``>``, with empty ones between them."""
    end = at
    while at < len(text):
        following = _line_end(text, at)
        line = text[at:following].strip()
        if line.startswith(">"):
            end = following
        elif line:
            break
        at = following
    return end
