"""What the ops that look for a pattern have in common: where they look, and what they leave alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokaudit.pipeline.views.keep import KEEP, KeptWords
from tokaudit.pipeline.views.parameters import Parameter
from tokaudit.pipeline.views.view import View

SEARCH: Mapping[str, Parameter] = {
    "pattern": Parameter("pattern", "What is looked for.", required=True),
    "needs": Parameter(
        "texts",
        "Only texts that contain one of these are searched: a check that costs next to nothing.",
        default=(),
    ),
    "inside": Parameter(
        "pattern",
        "`pattern` is looked for only within what this matches, and does not see what follows that.",
    ),
    **KEEP,
}
"""Parameters of ops that look for a pattern."""


class Search:
    """Matches of a rule's pattern in texts."""

    __slots__ = ("_inside", "_kept", "_needs", "_pattern")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._pattern: str = values["pattern"]
        self._inside: str | None = values.get("inside")
        self._needs: tuple[str, ...] = tuple(values.get("needs") or ())
        self._kept = KeptWords(values.get("keep") or (), values.get("window") or 0)

    def may_match(self, text: str) -> bool:
        """Whether the text has one of the texts that a match needs."""
        return not self._needs or any(needed in text for needed in self._needs)

    def matches(self, view: View) -> Iterator[Any]:
        """The matches that touch no kept text, in order.

        Raises:
            TimeoutError: A pattern took longer than the view's time.
        """
        text = view.text
        if not self.may_match(text):
            return
        from tokaudit.pipeline.patterns import compile_pattern

        pattern = compile_pattern(self._pattern)
        for start, end in self._places(view):
            for match in pattern.finditer(text, start, end, timeout=view.seconds_left):
                if not self._kept.touches(text, *match.span()):
                    yield match

    def _places(self, view: View) -> Iterator[tuple[int, int]]:
        if not self._inside:
            yield 0, len(view.text)
            return
        from tokaudit.pipeline.patterns import compile_pattern

        for match in compile_pattern(self._inside).finditer(view.text, timeout=view.seconds_left):
            yield match.span()
