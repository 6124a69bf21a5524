"""Judge measurements by budgets and by a reference: the gate of ``tokaudit check``.

Every limit is compared with exact figures: whole tokens, and densities as fractions. Where several budgets limit the
same figure, the strictest counts. A file that could not be measured never passes: it is a finding, and the outcome is
``unmeasured`` where nothing failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from tokaudit.features.check.costs import monthly_of, requests_of
from tokaudit.features.check.figures import apart, by_path, exact
from tokaudit.features.check.findings import (
    Order,
    PlacedFinding,
    finding_of,
    finding_of_gate,
    order_of,
    other_findings,
    without_part,
)
from tokaudit.features.check.messages import needs_causes, worded
from tokaudit.features.check.parts import growth_of
from tokaudit.features.check.targets import group_of, targets_of
from tokaudit.features.check.types import (
    BudgetScope,
    Cause,
    CheckResult,
    FileRow,
    FileStatus,
    Gate,
    GateLevel,
    Outcome,
    PartGrowth,
    Settings,
    Target,
)
from tokaudit.model import Finding, ModelColumn
from tokaudit.model.gate_rules import UNJUDGED
from tokaudit.model.gates import ANY_MODEL, Before, Budget, Growth, MeasuredFile
from tokaudit.model.message import Message

_Limit = TypeVar("_Limit", int, Growth)
_RANK = {"passed": 0, "warning": 1, "error": 2}


def evaluate(
    files: Sequence[MeasuredFile], before: Before | None, models: Sequence[ModelColumn], settings: Settings
) -> CheckResult:
    """Judge files by budgets and by the reference.

    Args:
        files: The measurements, in any order; each path once.
        before: A baseline or a revision to compare with; None to judge by budgets only.
        models: The models asked for; ``column`` is their place in all ``tokens``.
        settings: Budgets and limits.

    Returns:
        Everything that was judged, the same for the same files in any order. The lines that a file grew by are not in
        it: ``unexplained`` names the files, and ``explained`` adds the lines.
    """
    judge = _Judge(before, models, settings)
    rows = [judge.row(file) for file in sorted(files, key=lambda file: by_path(file.path))]
    scopes = zip(settings.budgets, settings.scopes, strict=True)
    matched = [judge.budget(number, *pair, rows) for number, pair in enumerate(scopes)]
    judge.growth(rows)
    judge.slim(rows)
    judge.windows(rows)
    gates = sorted(judge.gates.values(), key=judge.order)
    gates = [gate if gate.level == "passed" else worded(gate, (), before, settings) for gate in gates]
    findings = [PlacedFinding(judge.order(gate), finding_of_gate(gate)) for gate in gates if gate.level != "passed"]
    findings += judge.doubts
    findings += other_findings(rows, matched, before, models, settings, judge.unjudged)
    findings.sort(key=lambda item: item.order)
    return CheckResult(
        models=models,
        files=rows,
        before=before,
        settings=settings,
        gates=gates,
        findings=[item.finding for item in findings],
        outcome=_outcome([item.finding for item in findings]),
        matched=[len(found) for found in matched],
        monthly=monthly_of(rows, before, models, settings),
    )


def unexplained(result: CheckResult) -> list[str]:
    """The files whose messages name lines that they grew by, where these are known."""
    return list(dict.fromkeys(gate.target.row.file.path for gate in result.gates if needs_causes(gate)))


def explained(result: CheckResult, causes: Mapping[str, Sequence[Cause]]) -> CheckResult:
    """A result with the lines that files grew by, in rows and messages.

    Args:
        result: As ``evaluate`` gives it.
        causes: Path to the lines that changed, the largest growth first.
    """
    gates = []
    findings: dict[str, Finding] = {}
    for gate in result.gates:
        if gate.level != "passed":
            known = causes.get(gate.target.row.file.path, ())
            gate = worded(gate, known, result.before, result.settings)  # noqa: PLW2901
            finding = finding_of_gate(gate)
            findings[finding.fingerprint] = finding
        gates.append(gate)
    return replace(
        result,
        files=[replace(row, causes=causes.get(row.file.path, ())) for row in result.files],
        gates=gates,
        findings=[findings.get(finding.fingerprint, finding) for finding in result.findings],
    )


def _outcome(findings: Sequence[Finding]) -> Outcome:
    if any(finding.level == "error" for finding in findings):
        return "failed"
    return "unmeasured" if any(finding.rule in UNJUDGED for finding in findings) else "passed"


def limit_for(limits: Mapping[str, _Limit], model: ModelColumn) -> _Limit | None:
    """A model's own limit, by its name or its tokenizer's, else that of every model."""
    for key in (model.name, model.ref.name, ANY_MODEL):
        if key in limits:
            return limits[key]
    return None


@dataclass
class _Judge:
    """Applies limits to figures, and collects the gates."""

    before: Before | None
    models: Sequence[ModelColumn]
    settings: Settings
    gates: dict[tuple[str, str, str, str], Gate] = field(default_factory=dict)
    """By their keys: the strictest of those that say the same."""
    covered: set[tuple[str, str]] = field(default_factory=set)
    """Path and model of files for whose growth a budget has a limit."""
    unjudged: dict[str, set[str]] = field(default_factory=dict)
    """Model to the files whose growth could not be judged, since they were not measured for it before."""
    doubts: list[PlacedFinding] = field(default_factory=list)
    """Budgets of parts that could not be judged."""

    def row(self, file: MeasuredFile) -> FileRow:
        """A file with itself before, and its requests a month."""
        requests = requests_of(file.path, self.settings)
        was = None if self.before is None else self.before.files.get(file.path)
        if was is None:
            is_new = self.before is not None and file.path not in self.before.unread
            return FileRow(file, "new" if is_new else "measured", None, requests=requests)
        moved = file.renamed_from or was.renamed_from or was.path != file.path
        status: FileStatus = "renamed" if moved else "equal" if was.sha256 == file.sha256 else "changed"
        return FileRow(file, status, was, self._grown(was, file), requests=requests)

    def _grown(self, was: MeasuredFile, now: MeasuredFile) -> Sequence[PartGrowth]:
        if was.tokens == now.tokens and was.sha256 == now.sha256:
            return ()
        columns = [model.column for model in self.models]
        parts = [part for part in growth_of(was, now) if any(part.delta(column) not in {0, None} for column in columns)]
        return sorted(parts, key=lambda part: [-(part.delta(column) or 0) for column in columns])

    def budget(self, number: int, budget: Budget, scope: BudgetScope, rows: Sequence[FileRow]) -> Sequence[FileRow]:
        """Judge by one budget; returns the files that its patterns match."""
        matched = [row for row in rows if row.file.path in scope.paths]
        targets = [target for row in matched for target in targets_of(budget, row)]
        if budget.segment or budget.role:
            self.doubts += without_part(budget, matched, self.before, self.settings)
        else:
            grown = [model for model in self.models if limit_for(budget.max_growth, model) is not None]
            self.covered |= {(row.file.path, model.name) for row in matched for model in grown}
        if budget.total and targets:
            known = {row.file.path for row in rows}
            first = self.models[0].column
            targets = [group_of(budget, scope, targets, known, self.before, self.settings, first)]
        for target in targets:
            for model in self.models:
                self._limits(number, budget, target, model)
        return matched

    def _limits(self, number: int, budget: Budget, target: Target, model: ModelColumn) -> None:
        """Judge one target by the limits of a budget."""
        most, growth = limit_for(budget.max_tokens, model), limit_for(budget.max_growth, model)
        now = target.tokens[model.column]
        if now is None:
            if any(limit is not None for limit in (most, growth, budget.max_density)):
                message = Message(
                    "{subject} cannot be measured for {model}, whose tokenizer does not say where its tokens are",
                    subject=target.subject or Message("it"),
                    model=model.name,
                )
                segment = f"{target.key}\0{model.name}"
                self.doubts.append(finding_of("unmeasured", "warning", target.path, message, segment))
            return
        if most is not None:
            near = budget.warn_at is not None and now >= exact(budget.warn_at) * most
            level: GateLevel = "error" if now > most else "warning" if near else "passed"
            self._keep(Gate("max-tokens", level, target, model, now, most, self._was(target, model), budget=number))
        if budget.max_density is not None and target.chars:
            density, limit = Fraction(now, target.chars), exact(budget.max_density)
            level = "error" if density > limit else "passed"
            texts = apart(density, limit, 2)
            figures = (float(density), budget.max_density)
            self._keep(Gate("max-density", level, target, model, *figures, budget=number, exact=texts))
        if growth is not None:
            self._growth(target, model, growth, number)

    def growth(self, rows: Sequence[FileRow]) -> None:
        """Judge the growth of every whole file for which no budget has a limit."""
        for row in rows:
            if row.before is None:
                continue
            target = Target(row.file.path, "", "", row.file.tokens, row.file.chars, row.before.tokens, row)
            for model in self.models:
                if (row.file.path, model.name) not in self.covered:
                    self._growth(target, model, self.settings.max_growth, None)

    def _growth(self, target: Target, model: ModelColumn, allowed: Growth, number: int | None) -> None:
        now = target.tokens[model.column]
        if self.before is None or target.before is None or now is None:
            return
        was = self._was(target, model)
        if was is None:
            self.unjudged.setdefault(model.name, set()).add(target.path)
            return
        limit = allowed.limit(was)
        level: GateLevel = "error" if now > limit else "passed"
        self._keep(Gate("max-growth", level, target, model, now, limit, was, budget=number, allowed=allowed))

    def slim(self, rows: Sequence[FileRow]) -> None:
        """Judge the savings of packs."""
        by_name = {row.file.path: row for row in rows}
        for saving in self.settings.slim:
            row = by_name.get(saving.path)
            for model in self.models if row is not None else ():
                tokens = None if row is None else row.file.tokens[model.column]
                if row is None or tokens is None:
                    continue
                target = Target(saving.path, saving.pack, f"pack:{saving.pack}", row.file.tokens, 0, None, row)
                saved, most = saving.saved[model.column], saving.allowed.limit(tokens) - tokens
                level: GateLevel = "error" if saved > most else "passed"
                self._keep(Gate("slim", level, target, model, saved, most, allowed=saving.allowed))

    def windows(self, rows: Sequence[FileRow]) -> None:
        """Judge the shares of windows that requests take."""
        by_name = {row.file.path: row for row in rows}
        for use in self.settings.windows:
            row, share = by_name.get(use.path), self.settings.budgets[use.budget].window
            if row is None or share is None:
                continue
            target = Target(use.path, "", "window", row.file.tokens, 0, None, row, line=use.line)
            if use.window is None and share <= 1:
                message = Message("the window of {model} is not known", model=use.model.name)
                finding = finding_of("unmeasured", "warning", use.path, message, f"window\0{use.model.name}")
                self.doubts.append(finding)
                continue
            taken, most = use.tokens + use.reserve, int(exact(share) * (use.window or 1 if share <= 1 else 1))
            level: GateLevel = "error" if taken > most else "passed"
            texts = (f"{use.window or 0:,}", f"{use.reserve:,}" if use.reserve else "")
            self._keep(Gate("window", level, target, use.model, taken, most, budget=use.budget, exact=texts))

    def _was(self, target: Target, model: ModelColumn) -> int | None:
        """Tokens before, as far as they can be compared."""
        if target.before is None or (self.before is not None and model.column in self.before.incomparable):
            return None
        return target.before[model.column]

    def _keep(self, gate: Gate) -> None:
        """Keep a gate unless a stricter one says the same."""
        known = self.gates.get(gate.key)
        if known is None or (_RANK[known.level], -known.limit) < (_RANK[gate.level], -gate.limit):
            self.gates[gate.key] = replace(gate, line=gate.target.line)

    def order(self, gate: Gate) -> Order:
        """The order of gates: by path, part, rule and model."""
        at = [known.name for known in self.models].index(gate.model.name)
        return order_of(gate.path, gate.target.key, gate.finding_rule, at)
