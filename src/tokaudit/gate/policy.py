"""The policy of a gate: budgets, reference and allowed growth, by the configuration and the command."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from tokaudit.gate.measure import LINE_ENDS, LineEnds
from tokaudit.model import UsageError
from tokaudit.model.gates import NO_GROWTH, Budget, Growth, SlimGate
from tokaudit.model.message import Message
from tokaudit.model.record import record

if TYPE_CHECKING:
    from tokaudit.features.check.types import CheckResult
    from tokaudit.jobs.costs import CostOptions
    from tokaudit.model import ModelColumn
    from tokaudit.model.prices import Costing
    from tokaudit.store.config import Config


@record
class Policy:
    """The gate's policy: budgets, reference and allowed growth."""

    root: str
    """The project's folder, absolute."""
    config: str = ""
    """The configuration file, from the project's folder; empty where there is none."""
    budgets: Sequence[Budget] = ()
    max_growth: Growth = NO_GROWTH
    against: str | None = None
    """A git revision to compare with."""
    baseline: str = ""
    """The baseline file, from the project's folder; empty for none."""
    slim: Sequence[SlimGate] = ()
    requests_per_month: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    currency: str = "USD"
    line_ends: LineEnds = "lf"
    cache: bool = True
    growth: bool = True
    """False for budgets only: nothing is compared."""
    baseline_configured: bool = False
    """True where the configuration names the baseline."""
    growth_limited: bool = False
    """True where a limit of growth for every file was given: it is a gate, and fails where it cannot be judged."""
    own: frozenset[str] = frozenset()
    """Files that are no prompts, though they may be where prompts are: baselines. From the project's folder."""
    costs: CostOptions | None = None
    """None where no costs are asked for."""

    def costing_of(self, models: Sequence[ModelColumn]) -> Costing | None:
        """The prices of models; None where no costs are asked for."""
        if self.costs is None:
            return None
        from tokaudit.jobs.costs import costing_of

        return costing_of(models, self.costs, configured=self.prices, currency=self.currency)

    def files_of(self, result: CheckResult) -> list[str]:
        """The files that a run reads, from the project's folder: none of them may be overwritten."""
        names = [row.file.path for row in result.files]
        return [*names, *sorted(self.own), *([self.config] if self.config else [])]

    @property
    def update(self) -> str:
        """The command that records files in the baseline that is compared with."""
        from tokaudit.store.baseline import DEFAULT_NAME

        named = self.baseline and self.baseline != DEFAULT_NAME and not self.baseline_configured
        option = f" --baseline {shlex.quote(self.shown_baseline)}" if named else ""
        return f"tokaudit baseline update{option}"

    @property
    def why(self) -> str:
        """The command that explains a file, by the same comparison."""
        if self.against is not None:
            return f"tokaudit check --against {shlex.quote(self.against)} --why"
        return self.update.replace("baseline update", "check", 1) + (
            " --why" if self.growth else " --no-baseline --why"
        )

    @property
    def shown_baseline(self) -> str:
        """The baseline file as it is seen from the working directory."""
        path = os.path.relpath(os.path.join(self.root, self.baseline))  # noqa: PTH118
        return path.replace(os.sep, "/")


def policy_of(
    config: Config,
    path: Path | None,
    *,
    against: str | None = None,
    baseline: str | None = None,
    use_baseline: bool = True,
    to_write: bool = False,
    costs: CostOptions | None = None,
) -> Policy:
    """The policy of the configuration and these options.

    Args:
        config: Options over variables over the file.
        path: The configuration file; None for none.
        against: A revision.
        baseline: The baseline file from the working directory; None for the configured or the default one.
        use_baseline: False for no baseline.
        to_write: True where the baseline is to be written, so that it need not be there.
        costs: Asked for; None for none.

    Raises:
        UsageError: A baseline that was named is not there, or options contradict each other.
    """
    from tokaudit.store.baseline import DEFAULT_NAME, find_baseline

    if against is not None and baseline is not None:
        raise UsageError("--against and --baseline contradict each other", hint="compare with one of them")
    here = os.path.realpath(os.getcwd())  # noqa: PTH109
    found = None if path is not None else find_baseline(Path(here))
    root = os.path.realpath(path.parent) if path is not None else str(found.parent) if found is not None else here
    name = ""
    if against is None and use_baseline:
        name = _from_root(baseline, root) if baseline is not None else config.baseline or DEFAULT_NAME
        if "\0" in name:
            raise UsageError(
                "the name of the baseline has a null character",
                hint=Message("name a file, as in {default_name}", default_name=DEFAULT_NAME),
            )
        named = baseline is not None or config.baseline is not None
        if not to_write and not os.path.isfile(os.path.join(root, name)):  # noqa: PTH113, PTH118
            if named:
                shown = baseline or name
                raise UsageError(
                    Message("{shown}: there is no such baseline", shown=shown),
                    hint="tokaudit baseline write records one",
                )
            name = ""
    line_ends = config.line_ends or "lf"
    if line_ends not in LINE_ENDS:
        raise UsageError(
            Message("unknown line ends '{line_ends}'", line_ends=line_ends),
            hint=Message("one of {choices}", choices=tuple(LINE_ENDS)),
        )
    return Policy(
        root=root,
        config="" if path is None else path.name,
        budgets=config.budget or (),
        max_growth=config.max_growth or NO_GROWTH,
        against=against,
        baseline=name,
        slim=config.slim_check or (),
        requests_per_month=config.requests_per_month,
        prices=config.prices or {},
        currency=config.currency or "USD",
        line_ends=line_ends,
        cache=config.cache is not False,
        growth=use_baseline or against is not None,
        baseline_configured=baseline is None and config.baseline is not None,
        growth_limited=config.max_growth is not None,
        costs=costs,
        own=frozenset({DEFAULT_NAME, config.baseline or DEFAULT_NAME, name or DEFAULT_NAME}),
    )


def _from_root(baseline: str, root: str) -> str:
    """The path of a baseline that was named in the working directory."""
    if not baseline:
        raise UsageError("--baseline names no file", hint="--no-baseline compares with none")
    try:
        return os.path.relpath(os.path.abspath(baseline), root).replace(os.sep, "/")  # noqa: PTH100
    except ValueError:  # on another drive
        return os.path.abspath(baseline).replace(os.sep, "/")  # noqa: PTH100
