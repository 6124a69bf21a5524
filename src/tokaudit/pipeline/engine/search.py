"""Search for the edits that rules propose, within their time limits and outside of protected spans."""

from __future__ import annotations

import time

from tokaudit.model.edits import Edit
from tokaudit.model.rules import PROTECTED, Rule
from tokaudit.pipeline.engine.proposals import outside
from tokaudit.pipeline.engine.ranges import Places
from tokaudit.pipeline.engine.rule_scope import TOGETHER_OPS
from tokaudit.pipeline.engine.text_state import TextState
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.views.search import Mentions
from tokaudit.pipeline.views.view import Find

BUDGET_SECONDS, BUDGET_PER_MB = 20.0, 20.0
"""Seconds for all rules together on a text, and for each million characters of it more: ten times the time of the
slowest of our packs, so that only patterns without end are stopped."""
_ALL_PROTECTED = frozenset(PROTECTED)


class Search:
    """Rules made ready once, and the time that all of them share."""

    def __init__(self, characters: int) -> None:
        self._ends = time.monotonic() + BUDGET_SECONDS + BUDGET_PER_MB * characters / 1e6
        self._finds: dict[str, Find] = {}

    @property
    def is_over(self) -> bool:
        """True once the time of all rules together is spent."""
        return time.monotonic() > self._ends

    def edits(self, rule: Rule, state: TextState, places: Places | None) -> list[Edit]:
        """The edits of a rule in some places of the text, or in all of it; ascending, apart and not protected.

        Raises:
            TimeoutError: The rule took longer than it may.
        """
        text = state.text
        seconds = rule.timeout_ms / 1000 * max(1.0, len(text) / 1e6)
        deadline = min(self._ends, time.monotonic() + seconds)
        find = self._find(rule)
        if places is None:
            edits = iter(find(state.view(deadline)))
        else:
            edits = iter(places.placed(find(state.view_of_lines(places.text, deadline))))
        mentions = Mentions(rule.values)
        first = next(edits, None)
        if first is None or mentions.speak_all(text):
            return []
        found = [first, *edits]
        if mentions:
            found = [edit for edit in found if not mentions.speak(text, edit.start, edit.end)]
        if not found:
            return found
        free = list(outside(found, text, *state.spans.merged((_ALL_PROTECTED - rule.enters) | rule.avoids)))
        return [] if rule.op in TOGETHER_OPS and len(free) < len(found) else free

    def _find(self, rule: Rule) -> Find:
        if rule.id not in self._finds:
            self._finds[rule.id] = op(rule.op).prepare(rule.values)
        return self._finds[rule.id]
