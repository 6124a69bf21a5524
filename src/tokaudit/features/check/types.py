"""The types between evaluation and report of ``tokaudit check``: settings, rows, gates, result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from tokaudit.model import Finding, ModelColumn, Skipped
from tokaudit.model.gates import NO_GROWTH, Before, Budget, Growth, MeasuredFile, MeasuredPart
from tokaudit.model.prices import Cost, Costing
from tokaudit.model.record import record

Outcome = Literal["passed", "failed", "unmeasured"]
Rule = Literal["max-tokens", "max-growth", "max-density", "window", "slim"]
FileStatus = Literal["equal", "changed", "renamed", "new", "measured"]
"""``measured``: there is nothing to compare with. ``renamed``: its text may have changed too."""
GateLevel = Literal["passed", "warning", "error"]
CauseKind = Literal["added", "changed", "moved"]


@record
class Cause:
    """Lines of a file whose change added tokens, or saved some."""

    line: int
    """1-based, of the file as it is now."""
    end_line: int
    """The last of these lines."""
    text: str
    """Their first words, on one line."""
    deltas: tuple[int, ...]
    """For each tokenizer."""
    kind: CauseKind


@record
class SlimSaving:
    """The tokens that a pack would save on a file, and how many it may."""

    path: str
    pack: str
    allowed: Growth
    """Share of the file's tokens, or tokens."""
    saved: tuple[int, ...]
    """For each tokenizer."""


@record
class WindowUse:
    """What the largest request of a file takes of a model's window; of a file without requests its text."""

    budget: int
    """Index of the budget that limits it."""
    path: str
    model: ModelColumn
    tokens: int
    """As it is billed."""
    reserve: int
    """``max_tokens`` of the request; 0 where it does not say."""
    window: int | None
    """Tokens of the window; None where the catalog does not know them."""
    line: int | None = None


@record
class BudgetScope:
    """The paths that a budget is of, among all that a run knows: files now and before, and what was skipped."""

    paths: frozenset[str] = frozenset()
    asked: bool = True
    """All of its patterns are within what was asked to be checked."""
    unmatched: Sequence[str] = ()
    """Patterns that name one file, were asked for, and match nothing that is there."""


@record
class Settings:
    """The limits of a run, and what the run was asked."""

    budgets: Sequence[Budget] = ()
    scopes: Sequence[BudgetScope] = ()
    """One for each budget."""
    max_growth: Growth = NO_GROWTH
    """Of files for which no budget has another: ``--max-growth``, else the configuration's, else none."""
    slim: Sequence[SlimSaving] = ()
    """Of every file and pack of ``--slim-check``, also those within what is allowed."""
    windows: Sequence[WindowUse] = ()
    """For each file and model of a budget that limits the window."""
    requests_per_month: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    """Model to the price of a million prompt tokens."""
    currency: str = "USD"
    costing: Costing | None = None
    """Prices of models, those above among them, where costs are asked for; None for those above alone."""
    skipped: Sequence[Skipped] = ()
    without_growth: bool = False
    """It was asked for that nothing be compared: limits of growth are no gates then."""
    growth_limited: bool = False
    """``max_growth`` was given for all files, and not left at none."""
    named: frozenset[str] = frozenset()
    """Paths that were asked for by their own names."""
    unasked: frozenset[str] = frozenset()
    """Paths of the baseline or revision that were not asked to be checked."""
    config: str = ""
    """The configuration file as it is shown: where a budget that matches nothing is reported."""
    prefix: str = ""
    """Path from the top of the git repository to the project's folder, for services that need it."""
    version: str = ""
    """Of tokaudit."""
    update: str = "tokaudit baseline update"
    """The command that records files in the baseline that is compared with."""
    why: str = "tokaudit check --why"
    """The command that explains a file."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """Path to how it is given in the working directory, where that is another; for commands."""


@record
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


@record
class FileRow:
    """A file, compared with itself before."""

    file: MeasuredFile
    status: FileStatus
    before: MeasuredFile | None
    parts: Sequence[PartGrowth] = ()
    """The parts whose tokens changed for any model, the largest growth of the first model first."""
    causes: Sequence[Cause] = ()
    """The lines that changed, the largest first; only of files that grew too much."""
    requests: int | None = None
    """A month."""

    @property
    def renamed_from(self) -> str:
        """The path of a renamed file before."""
        was = self.before
        return self.file.renamed_from or ("" if was is None else was.renamed_from or was.path)


@record
class Target:
    """A file, a part of one, or a group of files, which a limit is of."""

    path: str
    """The file; of a group the file in it that grew most, or is largest."""
    what: str
    """The part of the file: a heading, a field or a role; of a group its patterns; of slim the pack; else empty."""
    key: str
    """Its name in fingerprints, together with ``group``: stable, and without line."""
    tokens: tuple[int | None, ...]
    """For each tokenizer, as are those before."""
    chars: int
    before: tuple[int | None, ...] | None
    row: FileRow
    line: int | None = None
    files: int = 1
    """Number of files measured together."""
    group: str = ""
    """The patterns of a group, which stand for its path; empty for one file."""
    subject: str = ""
    """The beginning of the sentences of its findings."""
    parts: Sequence[MeasuredPart] = ()
    """Of a segment or role."""


@record
class Gate:
    """One limit applied to one figure of one model. ``limit`` and ``measured`` are exact."""

    rule: Rule
    level: GateLevel
    """``warning``: near the limit (``warn_at``)."""
    target: Target
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
    allowed: Growth | None = None
    """The limit as people wrote it, for growth and slim: ``5%``."""
    exact: tuple[str, str] = ("", "")
    """Figure and limit in as many digits as it takes to tell them apart."""

    @property
    def path(self) -> str:
        """The file that the finding stands at."""
        return self.target.path

    @property
    def what(self) -> str:
        """The part of the file, the patterns of a group, or the pack; empty for a whole file."""
        return self.target.what

    @property
    def files(self) -> int:
        """Number of files measured together."""
        return self.target.files

    @property
    def is_total(self) -> bool:
        """True for a limit of all files of a budget together."""
        return bool(self.target.group)

    @property
    def finding_rule(self) -> str:
        """The rule of its finding."""
        return "warn-at" if self.level == "warning" else self.rule

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Rule, place, part and model: of gates with the same key the strictest counts."""
        return self.rule, self.target.group or self.path, self.target.key, self.model.name


@record
class Monthly:
    """Tokens a month for one model, and what they cost."""

    now: int
    """Of all files whose requests are known."""
    delta: int | None
    """Against before; None where there is nothing to compare with."""
    price: Cost | None = None
    """Of a million tokens of input."""
    cost: Cost | None = None
    """Of ``now``, exactly; None without a price."""
    more: Cost | None = None
    """Cost of ``delta``, exactly."""


@record
class CheckResult:
    """The outcome of a run of ``check``."""

    models: Sequence[ModelColumn]
    files: Sequence[FileRow]
    """By path."""
    before: Before | None
    settings: Settings
    gates: Sequence[Gate]
    """Everything that was judged, failed and passed."""
    findings: Sequence[Finding]
    outcome: Outcome
    matched: Sequence[int]
    """For each budget the number of files that its patterns match."""
    monthly: Mapping[str, Monthly] = field(default_factory=dict)
    """Model to its tokens a month; empty where no traffic is given."""
    slimmed: Mapping[str, MeasuredFile] = field(default_factory=dict)
    """Files over a budget as ``tokaudit slim`` would leave them; without those for which that was not tried."""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 something could not be measured or matched nothing."""
        return {"passed": 0, "failed": 1, "unmeasured": 3}[self.outcome]
