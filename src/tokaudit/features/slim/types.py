"""A text to slim, the choice of rules, the goal, and the slimmed text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

from tokaudit.model import Decoding, Finding, Skipped, UsageError
from tokaudit.model.edits import SlimResult
from tokaudit.model.message import Message
from tokaudit.model.pages import Mark
from tokaudit.model.record import record
from tokaudit.model.rules import Rule, RuleClass
from tokaudit.model.short_repr import ShortRepr


@record
class Choice:
    """The rules of the packs that are applied."""

    classes: tuple[RuleClass, ...] = ("lossless", "near")
    select: tuple[str, ...] = ()
    """Rules, or packs of rules, to apply too, whatever their class and default."""
    ignore: tuple[str, ...] = ()
    """Rules, or packs of rules, not to apply."""
    system: bool = False
    """Apply all classes to system prompts of requests too, not the lossless rules alone."""


@record
class Goal:
    """The length that a text is to reach; classes of rules are applied from the safest on until it does.

    Raises:
        UsageError: The budget is negative, or the target is not between 0 and 1.
    """

    budget: int | None = None
    """Tokens, for each model."""
    target: float | None = None
    """Share of the tokens to save, 0 to 1, for each model."""

    def __post_init__(self) -> None:
        if self.budget is not None and self.budget < 0:
            raise UsageError(
                Message("a budget of {budget} tokens is negative", budget=self.budget), hint="give a number of tokens"
            )
        if self.target is not None and not 0 < self.target < 1:
            raise UsageError(
                Message("target is {target}", target=self.target), hint="it must be between 0 and 1, such as 0.3"
            )

    def met(self, before: Sequence[int], after: Sequence[int]) -> bool:
        """True if these tokens, before and after, reach the goal for every model."""
        if self.budget is not None and any(tokens > self.budget for tokens in after):
            return False
        pairs = zip(before, after, strict=True)
        return self.target is None or all(old - new >= self.target * old for old, new in pairs)


@record(kw_only=True)
class SlimText(ShortRepr):
    """A text as it stands in its file, with its kind, languages and packs resolved."""

    path: str
    text: str
    kind: str
    """text, markdown, json, jsonl, yaml, toml, code, template, log, chat or pdf."""
    langs: frozenset[str]
    """Of zh, ja and en."""
    packs: tuple[str, ...]
    """Names of the packs whose rules may be applied."""
    charset: str = ""
    """As the report names it; empty for text that was never bytes, and for PDF."""
    decoding: Decoding = field(default=Decoding())
    """How the charset was decided."""
    marks: Sequence[Mark] | None = None
    """Parts that are known not to be body, from the pages of a PDF; None if nothing is known of them."""
    skipped: Sequence[Skipped] = ()
    """Parts of the file that are not in the text, such as a page of a PDF."""
    from_pdf: bool = False
    """True if the text was read from a PDF, and cannot be written back into it."""
    holds_requests: bool = False
    """True where JSON may be requests, of which only strings are slimmed; not where it is asked for as JSON."""


@record(kw_only=True)
class Slimmed:
    """One slimmed text. Tokens in ``result`` are in the order of the tokenizers."""

    source: SlimText
    result: SlimResult
    classes: tuple[RuleClass, ...]
    """Classes of rules that were applied; none if the text met the goal before."""
    met: bool | None = None
    """True if the goal was met; None without one."""
    skipped: Sequence[Skipped] = ()
    """Parts of the file that are not in the text, or that no rule could touch."""
    remarks: Sequence[Finding] = ()
    """Remarks of rules on the text before, beside their edits."""
    of_requests: bool = False
    """True where only the strings of requests were slimmed; tokens are those of the strings."""

    @property
    def path(self) -> str:
        """Path of the text, as reports name it."""
        return self.source.path

    @property
    def saved(self) -> tuple[int, ...]:
        """Tokens saved, for each tokenizer."""
        pairs = zip(self.result.tokens_before, self.result.tokens_after, strict=True)
        return tuple(before - after for before, after in pairs)


class RuleSaving(NamedTuple):
    """A rule that saves tokens of a text."""

    rule: Rule
    saved: tuple[int, ...]
    """For each tokenizer."""


class Hint(NamedTuple):
    """Saving that is not made, and what brings it."""

    names: Sequence[str]
    """Rules for ``--select``."""
    more: float
    """Share of the tokens of the first model, beyond what is saved now."""
    lossy: bool = False
    """``--lossy`` is needed too."""


class KindHint(NamedTuple):
    """Saving by rules that are for another kind of text."""

    kind: str
    rules: Sequence[str]
    """Those that save something there and are not for the kind that the text is."""
    saved: int
    """Tokens of the first model, beyond what is saved now."""
    lossy: bool = False
    """``--lossy`` is needed too."""


class SelectHint(NamedTuple):
    """Savings that rules would bring which are left out."""

    safe: Hint | None
    """By rules that are off by default and delete no content."""
    lossy: Hint | None
    """By these and rules that delete content, if that is clearly more."""
    kind: KindHint | None
    """By the rules of another kind that the text may be."""
    part: int = 0
    """Characters of the beginning that they were measured on; 0 for all texts whole."""
