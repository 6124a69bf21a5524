"""Search for the edits that rules propose, within their time limits and outside of protected spans."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from tokaudit.model.edits import Edit, Silenced
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
_READ_KINDS = frozenset(("pdf", "json", "jsonl", "code"))
"""Kinds of documents that ask for nothing."""
_ALL_PROTECTED = frozenset(PROTECTED)


class Found(NamedTuple):
    """What a rule finds."""

    edits: list[Edit]
    silenced: Sequence[Silenced] = ()
    """Edits left out because the text speaks of what they would change."""


class Search:
    """Rules made ready once, and the time that all of them share."""

    def __init__(self, characters: int) -> None:
        self._ends = time.monotonic() + BUDGET_SECONDS + BUDGET_PER_MB * characters / 1e6
        self._finds: dict[str, Find] = {}
        self._mentions: dict[str, Mentions] = {}
        self._last: dict[str, tuple[str, Found]] = {}

    @property
    def is_over(self) -> bool:
        """True once the time of all rules together is spent."""
        return time.monotonic() > self._ends

    def edits(self, rule: Rule, state: TextState, places: Places | None, *, again: bool = False) -> Found:
        """The edits of a rule in some places of the text, or in all of it; ascending, apart and not protected.

        Args:
            rule: The rule.
            state: The text.
            places: Where to look; None for all of the text.
            again: The rule has looked at the text before, so that only its edits count, not those it leaves out.

        Raises:
            TimeoutError: The rule took longer than it may.
        """
        text = state.text
        last_text, last = self._last.get(rule.id, ("", Found([])))
        if places is None and last_text is text:
            return last
        mentions = self._mentions_of(rule, state)
        if again and last.silenced and mentions.speaks(text):
            return Found([])
        seconds = rule.timeout_ms / 1000 * max(1.0, len(text) / 1e6)
        deadline = min(self._ends, time.monotonic() + seconds)
        find = self._find(rule)
        if places is None:
            found = list(find(state.view(deadline)))
        else:
            found = list(places.placed(find(state.view_of_lines(places.text, deadline))))
        # The spans of a long text take longer than most rules.
        if again and mentions and all(mentions.find(text, edit.start, edit.end) for edit in found):
            return Found([])
        result = self._left(rule, state, found, mentions) if found else Found(found)
        if places is None:
            self._last[rule.id] = text, result
        return result

    def _left(self, rule: Rule, state: TextState, found: Sequence[Edit], mentions: Mentions) -> Found:
        """The edits that are neither protected nor spoken of."""
        text = state.text
        result = Found(list(outside(found, text, *state.spans.merged((_ALL_PROTECTED - rule.enters) | rule.avoids))))
        result = _spoken(text, result.edits, mentions) if mentions else result
        whole = rule.op not in TOGETHER_OPS or len(result.edits) == len(found)
        return result if whole else Found([], result.silenced)

    def _mentions_of(self, rule: Rule, state: TextState) -> Mentions:
        if rule.id not in self._mentions:
            asks = state.kind not in _READ_KINDS
            self._mentions[rule.id] = Mentions(rule.values, asks=asks, exact=asks and state.kind != "log")
        return self._mentions[rule.id]

    def _find(self, rule: Rule) -> Find:
        if rule.id not in self._finds:
            self._finds[rule.id] = op(rule.op).prepare(rule.values)
        return self._finds[rule.id]


def _spoken(text: str, edits: Sequence[Edit], mentions: Mentions) -> Found:
    """The edits of places that the text does not speak of, and the words by which it speaks of the others."""
    if edits and (of_all := mentions.of_text(text)):
        return Found([], [Silenced(of_all.word, len(edits), text.count("\n", 0, of_all.at) + 1)])
    free: list[Edit] = []
    places: dict[str, tuple[int, int]] = {}
    for edit in edits:
        mention = mentions.find(text, edit.start, edit.end)
        if mention is None:
            free.append(edit)
        else:
            at, number = places.get(mention.word, (mention.at, 0))
            places[mention.word] = at, number + 1
    silenced = [Silenced(word, number, text.count("\n", 0, at) + 1) for word, (at, number) in places.items()]
    return Found(free, silenced)
