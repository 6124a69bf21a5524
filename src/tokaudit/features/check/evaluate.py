"""Judge measurements by budgets and by what was before: the gate of ``tokaudit check``.

Every limit is held against exact figures: whole tokens, and densities as fractions. Where several budgets limit the
same figure, the strictest is told. What could not be measured never passes: it is a finding, and the outcome is
``unmeasured`` where nothing failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeVar

from tokaudit.features.check import notes as check_notes
from tokaudit.features.check import words as check_words
from tokaudit.features.check.parts import growth_of, within
from tokaudit.features.check.targets import Target, group_of, targets_of
from tokaudit.features.check.types import (
    Cause,
    CheckResult,
    FileRow,
    FileStatus,
    Gate,
    Outcome,
    PartGrowth,
    Rule,
    Settings,
)
from tokaudit.model import Finding, ModelColumn, Place
from tokaudit.model.gate_rules import UNJUDGED
from tokaudit.model.gates import ANY_MODEL, Before, Budget, Growth, MeasuredFile

if TYPE_CHECKING:
    from tokaudit.features.diff.evaluate import Compared

_Limit = TypeVar("_Limit", int, Growth)


def evaluate(
    files: Sequence[MeasuredFile], before: Before | None, models: Sequence[ModelColumn], settings: Settings
) -> CheckResult:
    """Judge files by budgets, and by what they were.

    Args:
        files: What was measured, in any order; each path once.
        before: A baseline or a revision to compare with; None to hold budgets only.
        models: The models asked for; ``column`` is their place in all ``tokens``.
        settings: Budgets and limits. ``causes`` is called only for files that grew and are found fault with.

    Returns:
        Everything that was judged. The same for the same files in any order.
    """
    check = _Check(before, models, settings)
    check.rows = [check.row(file) for file in sorted(files, key=lambda file: check_notes.by_path(file.path))]
    matched = [check.hold(number, budget) for number, budget in enumerate(settings.budgets)]
    check.hold_growth()
    check.hold_slim()
    findings = [
        *check.told(),
        *check.doubts,
        *check_notes.notes(check.rows, matched, before, models, settings, check.unjudged),
    ]
    findings.sort(key=lambda item: item.order)
    return CheckResult(
        models,
        [replace(row, causes=check.causes.get(row.file.path, ())) for row in check.rows],
        before,
        settings,
        [gate for _, gate in sorted(check.gates.items(), key=lambda item: check.order(*item))],
        [item.finding for item in findings],
        _outcome([item.finding for item in findings]),
        [len(rows) for rows in matched],
        check_notes.monthly_of(check.rows, before, models, settings),
    )


def causes_of(compared: Compared) -> list[Cause]:
    """The lines that changed between two versions of a text, those that added most for the first tokenizer first.

    Their deltas sum exactly to that of the document.
    """
    from tokaudit.features.check.causes import causes  # what compares texts is loaded only where a file grew

    return causes(compared)


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


_Key = tuple[str, str, str, str]


@dataclass
class _Check:
    """What has been judged so far."""

    before: Before | None
    models: Sequence[ModelColumn]
    settings: Settings
    rows: Sequence[FileRow] = ()
    gates: dict[_Key, Gate] = field(default_factory=dict)
    """By rule, path, segment and model: the strictest of those that say the same."""
    targets: dict[_Key, Target] = field(default_factory=dict)
    covered: set[tuple[str, str]] = field(default_factory=set)
    """Path and model of files for whose growth a budget has a limit."""
    causes: dict[str, Sequence[Cause]] = field(default_factory=dict)
    unjudged: dict[str, set[str]] = field(default_factory=dict)
    """Model to the files whose growth could not be judged, since they were not measured for it before."""
    doubts: list[check_notes.PlacedFinding] = field(default_factory=list)
    """What budgets of parts could not be held against."""

    def row(self, file: MeasuredFile) -> FileRow:
        """A file with what it was, and how often it is sent."""
        requests = check_notes.requests_of(file.path, self.settings)
        if self.before is None:
            return FileRow(file, "measured", None, requests=requests)
        was = self.before.files.get(file.path)
        if was is None and file.path in self.before.unread:
            return FileRow(file, "measured", None, requests=requests)
        if was is None:
            return FileRow(file, "new", None, requests=requests)
        moved = file.renamed_from or was.renamed_from or was.path != file.path
        status: FileStatus = "renamed" if moved else "equal" if was.sha256 == file.sha256 else "changed"
        return FileRow(file, status, was, self._grown(was, file), requests=requests)

    def _grown(self, was: MeasuredFile, now: MeasuredFile) -> Sequence[PartGrowth]:
        if was.tokens == now.tokens and was.sha256 == now.sha256:
            return ()
        columns = [model.column for model in self.models]
        parts = [part for part in growth_of(was, now) if any(part.delta(column) not in {0, None} for column in columns)]
        return sorted(parts, key=lambda part: [-(part.delta(column) or 0) for column in columns])

    def hold(self, number: int, budget: Budget) -> Sequence[FileRow]:
        """Hold one budget; the files that its patterns match."""
        rows = [row for row in self.rows if check_notes.covers(budget, row.file.path, self.settings)]
        targets = [target for row in rows for target in targets_of(budget, row)]
        if budget.segment or budget.role:
            self.doubts += check_notes.without_part(budget, rows, self.before, self.settings)
        if budget.total and targets:
            known = {row.file.path for row in self.rows}
            targets = [group_of(budget, targets, known, self.before, self.settings, self.models[0].column)]
        if not budget.segment and not budget.role:
            grown = [model for model in self.models if limit_for(budget.max_growth, model) is not None]
            self.covered |= {(row.file.path, model.name) for row in rows for model in grown}
        for target in targets:
            for model in self.models:
                self._hold_one(number, budget, target, model)
        return rows

    def _hold_one(self, number: int, budget: Budget, target: Target, model: ModelColumn) -> None:
        now = target.tokens[model.column]
        if now is None:
            limits = (limit_for(budget.max_tokens, model), limit_for(budget.max_growth, model), budget.max_density)
            if any(limit is not None for limit in limits):
                message = f"{target.subject or 'it'} cannot be measured for {model.name}, whose tokenizer does not say "
                message += "where its tokens are"
                segment = f"{target.key}\0{model.name}"
                self.doubts.append(check_notes.finding_of("unmeasured", "warning", target.path, message, segment))
            return
        most = limit_for(budget.max_tokens, model)
        if most is not None:
            near = budget.warn_at is not None and now >= check_words.exact(budget.warn_at) * most
            level: Literal["passed", "warning", "error"] = "error" if now > most else "warning" if near else "passed"
            self._keep("max-tokens", level, target, model, now, most, number)
        if budget.max_density is not None and target.chars:
            density, limit = Fraction(now, target.chars), check_words.exact(budget.max_density)
            texts = check_words.apart(density, limit, 2)
            self._keep(
                "max-density",
                "error" if density > limit else "passed",
                target,
                model,
                float(density),
                budget.max_density,
                number,
                exact=texts,
            )
        growth = limit_for(budget.max_growth, model)
        if growth is not None:
            self._hold_growth(target, model, growth, number)

    def hold_growth(self) -> None:
        """Growth of every whole file for which no budget has another limit."""
        for row in self.rows:
            if row.before is None:
                continue
            target = Target(row.file.path, "", "", row.file.tokens, row.file.chars, row.before.tokens, row)
            for model in self.models:
                if (row.file.path, model.name) not in self.covered:
                    self._hold_growth(target, model, self.settings.max_growth, None)

    def _hold_growth(self, target: Target, model: ModelColumn, allowed: Growth, number: int | None) -> None:
        now = target.tokens[model.column]
        if self.before is None or target.before is None or now is None:
            return
        was = target.before[model.column]
        if was is None or model.column in self.before.incomparable:
            self.unjudged.setdefault(model.name, set()).add(target.path)
            return
        limit = allowed.limit(was)
        level: Literal["passed", "error"] = "error" if now > limit else "passed"
        self._keep("max-growth", level, target, model, now, limit, number, allowed=allowed)

    def hold_slim(self) -> None:
        """What packs would save."""
        rows = {row.file.path: row for row in self.rows}
        for saving in self.settings.slim:
            row = rows.get(saving.path)
            for model in self.models if row is not None else ():
                tokens = row.file.tokens[model.column] if row is not None else None
                if row is None or tokens is None:
                    continue
                saved, most = saving.saved[model.column], saving.allowed.limit(tokens) - tokens
                target = Target(
                    saving.path, saving.pack, f"pack:{saving.pack}", row.file.tokens, 0, None, row, share=tokens
                )
                level: Literal["passed", "error"] = "error" if saved > most else "passed"
                self._keep("slim", level, target, model, saved, most, None, allowed=saving.allowed)

    def _keep(
        self,
        rule: Rule,
        level: Literal["passed", "warning", "error"],
        target: Target,
        model: ModelColumn,
        measured: float,
        limit: float,
        budget: int | None,
        *,
        allowed: Growth | None = None,
        exact: tuple[str, str] = ("", ""),
    ) -> None:
        key = (rule, target.group or target.path, target.key, model.name)
        rank = {"passed": 0, "warning": 1, "error": 2}
        known = self.gates.get(key)
        if known is not None and (rank[known.level], -known.limit) >= (rank[level], -limit):
            return
        was = None
        if target.before is not None and rule != "max-density" and not self._incomparable(model):
            was = target.before[model.column]
        self.gates[key] = Gate(
            rule, level, target.path, target.what, model, measured, limit, was, target.line, "", budget, target.files,
            allowed, exact,
        )  # fmt: skip
        self.targets[key] = target

    def _incomparable(self, model: ModelColumn) -> bool:
        return self.before is not None and model.column in self.before.incomparable

    def order(self, key: _Key, gate: Gate) -> check_notes.Order:
        """By path, segment, rule and model."""
        rule = "warn-at" if gate.level == "warning" else gate.rule
        return check_notes.order_of(gate.path, key[2], rule, self._place_of(gate.model))

    def _place_of(self, model: ModelColumn) -> int:
        return [known.name for known in self.models].index(model.name)

    def told(self) -> Iterator[check_notes.PlacedFinding]:
        """The findings of what is not as it should be; the sentences are put into the gates."""
        for key, gate in self.gates.items():
            if gate.level == "passed":
                continue
            message, line = self._sentence(gate, self.targets[key])
            told = replace(gate, message=message, line=line)
            self.gates[key] = told
            rule = "warn-at" if gate.level == "warning" else gate.rule
            finding = Finding(
                rule,
                "warning" if gate.level == "warning" else "error",
                message,
                gate.path,
                Place(line=line),
                gate.measured,
                gate.limit,
                check_notes.fingerprint(rule, key[1], key[2], key[3]),
                check_notes.fingerprint(rule, key[1], key[2], ""),
            )
            yield check_notes.PlacedFinding(self.order(key, told), finding)

    def _sentence(self, gate: Gate, target: Target) -> tuple[str, int | None]:
        """What is wrong, where most of it came from, and what it costs; and the line of that."""
        note = self.settings.budgets[gate.budget].note if gate.budget is not None else ""
        if gate.rule == "slim":
            hint = f"`tokaudit slim --rules {gate.what} --write {check_notes.shell(gate.path)}`"
            return check_words.over_slim(gate, target.share, hint), None
        if gate.rule == "max-density":
            return check_words.over_density(gate, target.subject, note), gate.line
        delta = 0 if gate.before is None else int(gate.measured) - gate.before
        where, line = self._where(gate, target, delta)
        requests = target.row.requests if target.row is not None and not target.group else None
        if gate.rule == "max-growth":
            told = [check_words.over_growth(gate, target.subject, note)]
            since = ""
        else:
            told = [check_words.over_tokens(gate, target.subject, note)]
            since = f" since {self.before.name}" if self.before is not None else ""
        if gate.level == "warning":  # it is allowed, whatever it costs
            requests = None
        if delta > 0:
            told += [check_words.cost_text(delta, requests, gate.model, self.settings, since=since), where]
        return "; ".join(filter(None, told)), line

    def _where(self, gate: Gate, target: Target, delta: int) -> tuple[str, int | None]:
        """Where most of what a file grew by is, in words, and its line."""
        row = target.row
        if delta <= 0 or row is None or row.before is None:
            return "", gate.line
        now, was = row.file.tokens[gate.model.column], row.before.tokens[gate.model.column]
        if now is None or was is None or (now <= was and not target.parts):
            return "", gate.line
        causes = self._causes(row.file.path)
        if target.parts and not target.group:
            causes = within(causes, row.file, {part.line for part in target.parts})
            where, line = check_words.most(replace(row, parts=()), causes, delta, gate.model)
        else:
            where, line = check_words.most(row, causes, now - was, gate.model)
        if target.group:
            amount = check_words.signed(now - was, gate.model)
            where = f"most in {row.file.path} ({amount})" + (f", {where}" if where else "")
        return where, gate.line if line is None else line

    def _causes(self, path: str) -> Sequence[Cause]:
        if path not in self.causes:
            self.causes[path] = self.settings.causes(path)
        return self.causes[path]
