"""Spaces at the end of lines."""

from __future__ import annotations

from collections.abc import Iterator

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.pipeline.views.search import MENTIONS
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete spaces at the end of lines, or lines' only spaces."
PARAMETERS: Parameters = {
    "chars": Parameter("text", "The characters that are deleted.", default=" \t\u00a0\u3000"),
    "lines": Parameter(
        "choice",
        "written: lines with something before the spaces; blank: lines of nothing but spaces.",
        default="written",
        choices=("written", "blank"),
    ),
    "hard_breaks": Parameter(
        "boolean", "true: two spaces or more at the end of a line stay, which break it in Markdown.", default=False
    ),
    **MENTIONS,
}


def prepare(values: Values) -> Find:
    """A finder that jumps from one such line to the next, and looks at nothing else."""
    chars, blank, hard_breaks = values["chars"], values["lines"] == "blank", values["hard_breaks"]
    if not chars or "\n" in chars:
        raise RuleError("'chars' must name some characters, and no line break", keys=("chars",))

    def find(view: View) -> Edits:
        text = view.text
        ends = sorted(at for char in chars for at in _places(text, f"{char}\n"))
        if text and text[-1] in chars:
            ends.append(len(text) - 1)
        for end in ends:
            line = text.rfind("\n", 0, end) + 1
            start = line + len(text[line : end + 1].rstrip(chars))
            if blank != (start == line) or (hard_breaks and text.endswith("  ", start, end + 1)):
                continue
            yield Edit(start, end + 1, "")

    return find


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
