"""A slimmed text: edits, the steps they belong to, and the outcome of every rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr, short


class Edit(NamedTuple):
    """The only way a text changes: ``[start, end)``, in code points of the text before the step, becomes ``text``."""

    start: int
    end: int
    text: str

    def __repr__(self) -> str:
        """As of any named tuple, a long text shortened."""
        return f"Edit(start={self.start}, end={self.end}, text={short(self.text)})"


@record
class Step(ShortRepr):
    """The edits of one rule, ascending and apart, in code points of the text after the step before."""

    rule: str
    edits: Sequence[Edit]


@record
class Lost:
    """A fact that an edit would have lost or made up, so that the edit was undone."""

    rule: str
    kind: str
    """number, date, amount, identifier, url, email, code, placeholder, negation, json."""
    fact: str
    line: int
    """1-based line in the text before the step."""


@record
class Silenced:
    """A word by which a text speaks of what a rule changes, and the edits left out because of it."""

    word: str
    edits: int
    line: int = 0
    """1-based line of its first place, in the text before the step; 0 for several texts together."""


@record(kw_only=True)
class Delta:
    """The outcome of one rule on one text. Tokens are in the order of the guard's tokenizers."""

    rule: str
    matches: int
    """Edits that the rule proposed outside of what is protected."""
    applied: int
    refused: int
    """Edits that the guard refused, since they would not have saved tokens."""
    undone: int
    """Edits that the ledger undid, since they would have changed a fact."""
    saved: tuple[int, ...]
    """Tokens before minus after, for each tokenizer; all rules' sum exactly to the saving of the text."""
    refused_cost: tuple[int, ...]
    """Tokens that the refused edits would have added, for each tokenizer; negative where they would have saved some."""
    timed_out: bool = False
    """The rule ran out of time and was stopped; its edits of earlier passes stay."""
    late: bool = False
    """It was stopped because the time of all rules together was spent before its turn."""
    silenced: Sequence[Silenced] = ()
    """Edits left out because the text speaks of what they would change (``not_on`` and the like), by the word."""


@dataclass(frozen=True, repr=False)
class Ledger(ShortRepr):
    """The facts of a text before and after, by kind; they are looked for once they are asked for."""

    count: Callable[[str], Mapping[str, int]]
    """Counts the facts of each kind in a text."""
    before_text: str
    after_text: str
    lost: Sequence[Lost] = ()
    """Facts that edits would have lost; these edits were undone."""
    removed: Mapping[str, int] = field(default_factory=dict)
    """Number of facts of each kind that rules removed on purpose."""

    @cached_property
    def before(self) -> Mapping[str, int]:
        """Number of facts of each kind before."""
        return self.count(self.before_text)

    @cached_property
    def after(self) -> Mapping[str, int]:
        """Number of facts of each kind after."""
        return self.before if self.after_text == self.before_text else self.count(self.after_text)

    @property
    def whole(self) -> bool:
        """True if rules removed only what they declare."""
        kinds = {*self.before, *self.after}
        return all(self.before.get(kind, 0) - self.removed.get(kind, 0) == self.after.get(kind, 0) for kind in kinds)


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with edits applied, which ascend and do not overlap."""
    parts = []
    at = 0
    for start, end, replacement in edits:
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at:]])


@record
class SlimResult(ShortRepr):
    """A slimmed text with the steps that led to it: ``replay`` of the steps on ``before`` gives ``text``."""

    before: str
    text: str
    steps: Sequence[Step]
    deltas: Sequence[Delta]
    """One for each rule that found something or ran out of time, in the order in which rules are applied."""
    ledger: Ledger
    tokens_before: tuple[int, ...] = ()
    """For each tokenizer of the guard."""
    tokens_after: tuple[int, ...] = ()

    def replay(self) -> str:
        """The steps applied to ``before`` once more; equal to ``text``."""
        text = self.before
        for step in self.steps:
            text = apply_edits(text, step.edits)
        return text
