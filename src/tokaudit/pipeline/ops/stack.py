"""Collapse the frames of frameworks in stack traces."""

from __future__ import annotations

import re
from typing import NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Count the frames of frameworks in stack traces instead of listing them, after the first few of a trace."
PARAMETERS: Parameters = {
    "frameworks": Parameter("texts", "Packages or folders by which a frame is one of a framework.", required=True),
    "first": Parameter("integer", "Frames at the beginning of a trace that stay.", default=3),
}
_frames = lazy(
    r"^([ \t]+)(?:at [^\s(][^\n]*(?:\([^\n]*\)|:\d+)[ \t]*$"
    r"|File \"[^\"\n]*\", line \d+[^\n]*(?:\n\1[ \t]+(?!File )[^\n]*)*)",
    re.MULTILINE,
)
"""A frame of Java and JavaScript (``at ...``), or of Python (``File ...`` and its source line)."""


class _Frame(NamedTuple):
    start: int
    end: int
    """After its last line, without the line end."""
    indent: str
    is_framework: bool


def prepare(parameters: Values) -> Find:
    names, keep = tuple(parameters["frameworks"]), max(0, parameters["first"])

    def find(view: View) -> Edits:
        trace: list[_Frame] = []
        for match in _frames().finditer(view.text):
            if trace and match.start() != trace[-1].end + 1:
                yield from _collapsed(trace, keep)
                trace = []
            trace.append(_Frame(*match.span(), match[1], _is_of(match[0], names)))
        yield from _collapsed(trace, keep)

    return find


def _is_of(frame: str, names: tuple[str, ...]) -> bool:
    place = frame.strip().removeprefix("at ").removeprefix("async ")
    return any(place.startswith(name) if name.endswith(".") else name in place for name in names)


def _collapsed(trace: list[_Frame], keep: int) -> Edits:
    run: list[_Frame] = []
    for frame in [*trace[keep:], None]:
        if frame is not None and frame.is_framework:
            run.append(frame)
            continue
        if len(run) > 1:
            yield Edit(run[0].start, run[-1].end, f"{run[0].indent}… {len(run)} framework frames")
        run = []
