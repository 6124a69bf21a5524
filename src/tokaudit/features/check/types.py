"""What ``tokaudit check`` is asked, and what it found: the types between evaluation and report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from tokaudit.model import Finding, ModelColumn, Skipped
from tokaudit.model.gates import NO_GROWTH, Before, Budget, Growth, MeasuredFile

Outcome = Literal["passed", "failed", "unmeasured"]
Rule = Literal["max-tokens", "max-growth", "max-density", "slim"]
FileStatus = Literal["equal", "changed", "renamed", "new", "measured"]
"""``measured``: there is nothing to compare with. ``renamed``: its text may have changed too."""
CauseKind = Literal["added", "changed", "moved"]


@dataclass(frozen=True, slots=True)
class Cause:
    """Lines of a file that added tokens, or took some away."""

    line: int
    """1-based, of the file as it is now."""
    end_line: int
    """The last of these lines."""
    text: str
    """Their first words, on one line."""
    deltas: tuple[int, ...]
    """For each tokenizer."""
    kind: CauseKind


@dataclass(frozen=True, slots=True)
class SlimSaving:
    """What a pack would save on a file, and how much it may."""

    path: str
    pack: str
    allowed: Growth
    """Share of the file's tokens, or tokens."""
    saved: tuple[int, ...]
    """For each tokenizer."""


def _none_caused(_: str) -> Sequence[Cause]:
    return ()


def _everything(_: str) -> bool:
    return True


def _nothing(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Settings:
    """What is held against the measurements."""

    matches: Callable[[tuple[str, ...], str], bool]
    """Whether the patterns of a budget match a path; one with ``!`` takes out again."""
    budgets: Sequence[Budget] = ()
    max_growth: Growth = NO_GROWTH
    """Of files for which no budget has another: ``--max-growth``, else the configuration's, else none."""
    slim: Sequence[SlimSaving] = ()
    """Of every file and pack of ``--slim-check``, also those within what is allowed."""
    requests_per_month: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    """Model to the price of a million prompt tokens."""
    currency: str = "USD"
    skipped: Sequence[Skipped] = ()
    without_growth: bool = False
    """It was asked for that nothing be compared: limits of growth are no gates then."""
    growth_limited: bool = False
    """``max_growth`` was given for all files, and not left at none."""
    named: Callable[[str], bool] = _nothing
    """Whether a file was asked for by its own name."""
    causes: Callable[[str], Sequence[Cause]] = _none_caused
    """The lines that changed in a file that grew too much, the largest first; asked for such files only."""
    checked: Callable[[str], bool] = _everything
    """Whether a path of the baseline, or a pattern of a budget, is within what was asked to be checked."""
    config: str = ""
    """The configuration file as it is shown: where a budget that matches nothing is reported."""
    prefix: str = ""
    """Path from the top of the git repository to the project's folder, for services that need it."""
    version: str = ""
    """Of tokaudit."""
    update: str = "tokaudit baseline update"
    """The command that records files in the baseline that is compared with."""
    here: Callable[[str], str] = str
    """A path as it is given in the working directory, for commands."""


@dataclass(frozen=True, slots=True)
class PartGrowth:
    """A part of a file, before and now; their deltas sum to that of the file."""

    label: str
    """As people write it: ``## Rules``, ``$.tools``, ``user message 2``."""
    id: str
    """Of the part now, else before."""
    line: int | None
    """Now; None for one that is gone."""
    before: tuple[int | None, ...]
    """For each tokenizer; 0 where there was no such part, None where it was not measured."""
    now: tuple[int | None, ...]

    def delta(self, column: int) -> int | None:
        """Tokens now minus tokens before."""
        before, now = self.before[column], self.now[column]
        return None if before is None or now is None else now - before


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as it was compared."""

    file: MeasuredFile
    status: FileStatus
    before: MeasuredFile | None
    parts: Sequence[PartGrowth] = ()
    """The parts whose tokens changed for any model, the largest growth of the first model first."""
    causes: Sequence[Cause] = ()
    """The lines that changed, the largest first; only of files that grew too much."""
    requests: int | None = None
    """A month."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One limit held against one figure of one model. ``limit`` and ``measured`` are exact."""

    rule: Rule
    level: Literal["passed", "warning", "error"]
    """``warning``: near the limit (``warn_at``)."""
    path: str
    """The file; of a group the file in it that grew most, or is largest."""
    what: str
    """The part of the file: a heading, a field or a role; of a group its patterns; of slim the pack; else empty."""
    model: ModelColumn
    measured: float
    """Tokens now; the density; of slim the tokens that would be saved."""
    limit: float
    before: int | None = None
    line: int | None = None
    message: str = ""
    """Empty where it passed."""
    budget: int | None = None
    """Index of the budget; None where the limit is of all files."""
    files: int = 1
    """How many files were measured together."""
    allowed: Growth | None = None
    """The limit as people wrote it, for growth and slim: ``5%``."""
    exact: tuple[str, str] = ("", "")
    """Figure and limit in as many digits as it takes to tell them apart."""


@dataclass(frozen=True, slots=True)
class Monthly:
    """Tokens a month for one model, and what they cost."""

    now: int
    """Of all files whose requests are known."""
    delta: int | None
    """Against before; None where there is nothing to compare with."""
    price: Decimal | None
    """Of a million tokens."""

    @property
    def cost(self) -> Decimal | None:
        """Of ``now``, exactly."""
        return None if self.price is None else self.now * self.price / 1_000_000

    @property
    def more(self) -> Decimal | None:
        """Cost of ``delta``, exactly."""
        return None if self.price is None or self.delta is None else self.delta * self.price / 1_000_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All that a run of ``check`` found."""

    models: Sequence[ModelColumn]
    files: Sequence[FileRow]
    """By path."""
    before: Before | None
    settings: Settings
    gates: Sequence[Gate]
    """Everything that was judged; what failed and what passed."""
    findings: Sequence[Finding]
    outcome: Outcome
    matched: Sequence[int]
    """For each budget how many files its patterns match."""
    monthly: Mapping[str, Monthly] = field(default_factory=dict)
    """Model to its tokens a month; empty where no traffic is given."""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 something could not be measured or matched nothing."""
        return {"passed": 0, "failed": 1, "unmeasured": 3}[self.outcome]
