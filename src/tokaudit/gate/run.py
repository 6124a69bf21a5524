"""One run of the gate: measure the files of a project, compare and judge them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from tokaudit.gate.folder import Folder, is_pattern
from tokaudit.gate.measure import Measurer, ReadOptions, document_of, measured_document
from tokaudit.gate.policy import Policy
from tokaudit.gate.project import Project
from tokaudit.gate.scope import CACHE_FOLDER, Scope, matches
from tokaudit.jobs.inputs import Reading, load_models, nothing
from tokaudit.model import Document, InputError, Skipped, Tokenizer, TokenizerError, UsageError
from tokaudit.model.gates import ANY_MODEL, Baseline, Before, Budget, MeasuredFile, SlimGate
from tokaudit.model.message import Message, as_message, joined

if TYPE_CHECKING:
    from tokaudit.features.check.types import BudgetScope, Cause, CheckResult, Settings, SlimSaving
    from tokaudit.gate.reference import Compared
    from tokaudit.gate.revision import Revision
    from tokaudit.jobs.inputs import Progress
    from tokaudit.model import ModelColumn

_TRIED = 50_000
"""Characters of all files over a budget up to which it is looked at what ``tokaudit slim`` saves of them."""


def read_known(policy: Policy) -> Baseline:
    from tokaudit.store.baseline_reader import read_baseline

    return read_baseline(Path(policy.root, policy.baseline), policy.baseline)


def loaded_for(
    models: Sequence[str] | None, baseline: Baseline | None, policy: Policy, reading: Reading
) -> tuple[list[ModelColumn], list[Tokenizer]]:
    """The models asked for or configured; else those that the baseline was written of, if they are to be had.

    Raises:
        ConfigError: A limit or a price of the configuration is of a model that there is not.
        TokenizerError: As in ``check``.
    """
    loaded, tokenizers = _loaded_as_asked(models, baseline, reading)
    if policy.config:
        from tokaudit.store.config import refuse_models

        known = {ANY_MODEL} | {name for model in loaded for name in (model.name, model.ref.name)}
        refuse_models(
            Path(policy.root, policy.config),
            policy.budgets,
            policy.prices,
            lambda name: "" if name in known else _fault_of_model(name),
        )
    return loaded, tokenizers


def _fault_of_model(name: str) -> str:
    """The reason that a name is of no model; empty for one of a model, a tokenizer or a file."""
    from tokaudit.tokenizers.catalog import find_model
    from tokaudit.tokenizers.registry import tokenizer_names, unknown_model

    bare = name.strip()
    if bare.startswith("hf:") or bare.lower() in tokenizer_names() or find_model(bare) is not None:
        return ""
    if os.path.exists(bare) or os.path.exists(bare.rpartition(":")[0]):  # noqa: PTH110 - with a pattern behind it
        return ""
    error = unknown_model(bare)
    return joined("; ", error.message, as_message(error.hint))


def _loaded_as_asked(
    models: Sequence[str] | None, baseline: Baseline | None, reading: Reading
) -> tuple[list[ModelColumn], list[Tokenizer]]:
    if models is None and baseline is not None and baseline.tokenizers:
        own = [ref.name for ref in baseline.tokenizers]
        for names in (baseline.models, own) if baseline.models else (own,):
            with suppress(TokenizerError):
                loaded, tokenizers = load_models(names, special=reading.special, download=reading.download)
                # The tokenizer of a model may be another one than it was.
                if names is own or [tokenizer.info.ref.name for tokenizer in tokenizers] == own:
                    return loaded, tokenizers
    return load_models(models, special=reading.special, download=reading.download)


def project_of(
    paths: Sequence[str | PathLike[str]], policy: Policy, reading: Reading, baseline: Baseline | None
) -> Project:
    """The project of a policy, with the scope of these paths."""
    folder = Folder(policy.root)
    scope = Scope(
        folder,
        names=[os.fsdecode(path) for path in ([paths] if isinstance(paths, (str, PathLike)) else paths)],
        patterns=[budget.paths for budget in policy.budgets],
        known=[file.path for file in baseline.files] if baseline is not None else [],
        recorded=baseline.paths if baseline is not None else (),
        reading=reading,
        own=policy.own,
    )
    return Project(folder, scope)


def _recorded(policy: Policy) -> Baseline | None:
    """The paths of a baseline that is not compared with, since a revision is; None where there is none."""
    from tokaudit.store.baseline import paths_in

    for name in sorted(policy.own):
        files, scope = paths_in(Path(policy.root, name))
        if files or scope:
            return Baseline((), [MeasuredFile(path, "", 0, ()) for path in files], paths=scope)
    return None


def _refuse_nothing(scope: Scope, policy: Policy, *, empty: bool) -> None:
    """Refuse a run without files, or without limits."""
    if scope.is_empty:
        message, hint = (
            Message("no paths, no budgets and no baseline"),
            "tokaudit baseline write prompts/ records a baseline",
        )
        if policy.against is not None:
            hint = Message(
                "name files or folders, as in: tokaudit check --against {against} prompts/", against=policy.against
            )
        elif empty:
            message = Message(
                "{baseline} has no entries, and there are no paths and no budgets", baseline=policy.shown_baseline
            )
            hint = "tokaudit baseline write prompts/ records what is there"
        raise UsageError(Message("nothing to check: {message}", message=message), hint=hint)
    if not (policy.budgets or policy.baseline or policy.against is not None or policy.slim):
        raise UsageError(
            "nothing to check against: no budgets, no baseline and no revision",
            hint="tokaudit baseline write records a baseline; --against origin/main compares with a revision",
        )


def check_project(
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    policy: Policy,
    reading: Reading,
    progress: Progress | None = None,
    *,
    try_slim: bool = False,
) -> CheckResult:
    """Measure, compare and judge.

    Args:
        paths: Files, folders and globs; none for all that the budgets and the baseline name.
        models: Model or tokenizer names; None for those of the baseline or the default ones.
        policy: Budgets, reference and allowed growth.
        reading: Options for finding and reading files.
        progress: Called after every file.
        try_slim: Look at what ``tokaudit slim`` saves of files over a budget, for the advice to people.

    Raises:
        ConfigError: The baseline is wrong, or the configuration has a limit for an unknown model.
        InputError: A path or revision does not exist, or nothing can be measured.
        TokenizerError: A model is unknown or cannot be used.
        UsageError: There is nothing to check, or nothing to check it against.
    """
    from tokaudit.features.check.evaluate import evaluate, explained, unexplained

    baseline = read_known(policy) if policy.baseline else None
    project = project_of(paths, policy, reading, baseline if policy.against is None else _recorded(policy))
    _refuse_nothing(project.scope, policy, empty=baseline is not None)
    loaded, tokenizers = loaded_for(models, baseline, policy, reading)
    with GateRun(project, tokenizers, policy, reading) as run:
        files, skipped = run.measure(progress)
        before = run.compare(files, baseline)
        slim = slim_savings(policy.slim, map(run.document, (file.path for file in files)), tokenizers)
        settings = settings_of(policy, project, files, skipped, before, slim, models=loaded)
        if any(budget.window is not None for budget in policy.budgets):
            from tokaudit.gate.windows import window_uses

            settings = replace(settings, windows=window_uses(settings, files, run, loaded, reading))
        result = evaluate(files, before, loaded, settings)
        result = explained(result, {path: run.causes(path) for path in unexplained(result)})
        return replace(result, slimmed=_slimmed(result, run, tokenizers)) if try_slim else result


class GateRun:
    """Measures the files of a project, now and before; closes what it opened for that."""

    def __init__(self, project: Project, tokenizers: Sequence[Tokenizer], policy: Policy, reading: Reading) -> None:
        from tokaudit import __version__
        from tokaudit.store.measure_cache import MeasureCache

        self._project = project
        self._policy = policy
        self._tokenizers = tokenizers
        self._cache = MeasureCache(Path(policy.root) / CACHE_FOLDER, __version__) if policy.cache else None
        options = ReadOptions(reading.charset, reading.special, policy.line_ends, reading.pdf())
        self._measurer = Measurer(tokenizers, options, self._cache)
        self._locations: dict[str, str] = {}
        self._revision: Revision | None = None
        self._compared: Compared | None = None

    def __enter__(self) -> GateRun:  # noqa: PYI034 - Self is of Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        if self._compared is not None:
            self._compared.close()
        if self._cache is not None:
            self._cache.save()

    def measure(self, progress: Progress | None) -> tuple[list[MeasuredFile], list[Skipped]]:
        """Measure the files of the working tree.

        Raises:
            InputError: None of them can be measured.
        """
        found = self._project.find()
        files = list(found.files)
        if self._policy.against is not None:
            from tokaudit.gate.revision import find_revision

            line_ends = self._policy.line_ends == "keep"
            self._revision = find_revision(self._policy.against, self._project, line_ends=line_ends)
            files += self._project.hidden(files, self._revision.tree.files)
        self._locations = {file.path: file.location for file in files}
        measured, unread = self._measurer.of_files(files, progress)
        skipped = [*found.skipped, *unread]
        scope = self._project.scope
        judged = scope.known or self._revision or any(scope.has_budget(item.what) for item in skipped)
        if skipped and not measured and not judged:
            raise nothing("measured", skipped)
        return measured, skipped

    def compare(self, files: Sequence[MeasuredFile], baseline: Baseline | None) -> Before | None:
        """The reference of the files; None where there is none."""
        from tokaudit.gate.reference import with_baseline, with_revision

        if self._revision is not None:
            self._compared = with_revision(files, self._project, self._measurer, self._revision)
        elif baseline is not None:
            self._compared = with_baseline(baseline, self._policy.baseline, files, self._project, self._measurer)
        return None if self._compared is None else self._compared.before

    def document(self, path: str) -> Document:
        """The document of a file now."""
        with open(self._locations[path], "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
            return self._measurer.document(stream.read(), path)

    def measured(self, path: str, text: str) -> MeasuredFile:
        """A text measured as if it were that of a file."""
        return measured_document(document_of(text, path), self._tokenizers)

    def document_before(self, path: str) -> Document | None:
        """The document of a file before; None where its text is not known."""
        return None if self._compared is None else self._compared.text(path)

    def causes(self, path: str) -> Sequence[Cause]:
        """The lines that changed in a file; none where its text before is not known."""
        from tokaudit.features.check.causes import causes
        from tokaudit.features.diff.evaluate import compare
        from tokaudit.features.diff.types import Wanted

        with suppress(InputError, OSError):
            then = self.document_before(path)
            if then is not None:
                wanted = Wanted(by="file", changes=True)
                return causes(compare(path, then, self.document(path), self._tokenizers, wanted))
        return ()


def settings_of(
    policy: Policy,
    project: Project,
    files: Sequence[MeasuredFile],
    skipped: Sequence[Skipped],
    before: Before | None,
    slim: Sequence[SlimSaving] = (),
    *,
    models: Sequence[ModelColumn],
) -> Settings:
    """The limits of a policy for the files of a run, and the prices of its models."""
    from tokaudit import __version__
    from tokaudit.features.check.findings import file_of
    from tokaudit.features.check.types import Settings

    scope, folder = project.scope, project.folder
    measured = {file.path for file in files}
    compared = set() if before is None else {*before.files, *before.gone}
    present = measured | {file_of(item.what, measured | compared) for item in skipped}
    shown = ((path, folder.from_here(path)) for path in measured)
    return Settings(
        budgets=policy.budgets,
        scopes=[_scope_of(budget, scope, present, present | compared) for budget in policy.budgets],
        max_growth=policy.max_growth,
        slim=slim,
        requests_per_month=policy.requests_per_month,
        prices=policy.prices,
        currency=policy.currency,
        costing=policy.costing_of(models),
        skipped=skipped,
        without_growth=not policy.growth,
        growth_limited=policy.growth_limited,
        named=scope.asked,
        unasked=frozenset(path for path in compared if not scope.holds(path)),
        config=policy.config,
        prefix=folder.git_prefix(),
        version=__version__,
        update=policy.update,
        why=policy.why,
        shown={path: name for path, name in shown if name != path},
    )


def _scope_of(budget: Budget, scope: Scope, present: Iterable[str], known: Iterable[str]) -> BudgetScope:
    """The paths of a budget, among those that are there, and those known of before as well."""
    from tokaudit.features.check.types import BudgetScope

    wanted = [pattern for pattern in budget.paths if not pattern.startswith("!")]
    asked = [pattern for pattern in wanted if scope.holds(pattern)]
    single = [pattern for pattern in asked if not is_pattern(pattern.replace("!", ""))]
    return BudgetScope(
        paths=frozenset(path for path in known if matches(budget.paths, path)),
        asked=len(asked) == len(wanted),
        unmatched=[pattern for pattern in single if not any(matches((pattern,), path) for path in present)],
    )


def _slimmed(result: CheckResult, run: GateRun, tokenizers: Sequence[Tokenizer]) -> Mapping[str, MeasuredFile]:
    """The files over a budget as ``tokaudit slim`` would leave them, if they are short; PDF files are never written."""
    from tokaudit.features.check.summary import over_budget

    chars = {row.file.path: row.file.chars for row in result.files}
    paths = over_budget(result)
    if not paths or sum(chars[path] for path in paths) > _TRIED:
        return {}
    from tokaudit.jobs.slim_plan import SlimPlan, choice_of

    plan = SlimPlan(None, choice_of(("lossless", "near")))
    found = {}
    for path in paths:
        document = run.document(path)
        if document.kind != "pdf":
            after = plan.slimmed(plan.text_of_document(document), tokenizers).result.text
            found[path] = run.measured(path, after)
    return found


def slim_savings(
    gates: Sequence[SlimGate], documents: Iterable[Document], tokenizers: Sequence[Tokenizer]
) -> list[SlimSaving]:
    """The tokens that each pack of ``--slim-check`` would save on each document."""
    if not gates:
        return []
    from tokaudit.features.check.types import SlimSaving
    from tokaudit.jobs.slim_plan import SlimPlan, choice_of

    listed = list(documents)
    savings = []
    for gate in gates:
        plan = SlimPlan([gate.pack], choice_of(("lossless", "near")))
        for document in listed:
            slimmed = plan.slimmed(plan.text_of_document(document), tokenizers)
            savings.append(SlimSaving(document.path, gate.pack, gate.allowed, slimmed.saved))
    return savings
