"""The text between two stages, with its spans and stretches of code, each found once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from tokaudit.model.edits import apply_edits
from tokaudit.model.pages import Mark
from tokaudit.pipeline.engine.windows import Accepted
from tokaudit.pipeline.facts.find import code_places
from tokaudit.pipeline.spans.find import Spans, find_spans
from tokaudit.pipeline.views.view import View


class TextState:
    """One state of the text; edits lead to another one."""

    def __init__(self, text: str, kind: str, langs: frozenset[str], marks: Sequence[Mark] | None = None) -> None:
        self.text = text
        self.kind = kind
        self.langs = langs
        self.marks = marks
        """Parts of pages that are known not to be body; None if nothing is known of them."""

    @cached_property
    def spans(self) -> Spans:
        """Protected and structural spans of the text."""
        return find_spans(self.text, self.kind)

    def view(self, deadline: float) -> View:
        """The whole text for an op, which has time until ``deadline`` (``time.monotonic``)."""
        return View(self.text, self.kind, self.langs, lambda: self.spans, deadline, self.marks)

    def view_of_lines(self, lines: str, deadline: float) -> View:
        """Some lines of the text for an op that looks at lines only."""
        return View(lines, self.kind, self.langs, lambda: Spans(()), deadline)

    def is_outside_code(self, place: int) -> bool:
        """True where a line can be cut without cutting code, whose fact would be missed then."""
        starts, ends = self._code
        index = bisect_left(starts, place) - 1
        return index < 0 or ends[index] <= place

    @cached_property
    def _code(self) -> tuple[list[int], list[int]]:
        return code_places(self.text, self.kind)

    def line_of(self, offset: int) -> int:
        """1-based line of an offset."""
        return self.text.count("\n", 0, offset) + 1

    def after(self, accepted: Accepted) -> TextState:
        """The text after the edits of a stage, with the marks that still cover something."""
        marks = self.marks
        if marks is not None:
            moved = (mark._replace(start=accepted.place(mark.start), end=accepted.place(mark.end)) for mark in marks)
            marks = [mark for mark in moved if mark.end > mark.start]
        return TextState(apply_edits(self.text, accepted.edits), self.kind, self.langs, marks)
