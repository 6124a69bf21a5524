"""One run of the gate: which files of a project, with which models, and what is asked of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from tokaudit.gate.measure import Measurer, ReadOptions
from tokaudit.gate.policy import Policy
from tokaudit.gate.project import CACHE_FOLDER, Choice, Project, matches
from tokaudit.jobs.inputs import Reading, load_models
from tokaudit.model import Document, InputError, Skipped, Tokenizer, TokenizerError, UsageError
from tokaudit.model.gates import ANY_MODEL, Baseline, MeasuredFile

if TYPE_CHECKING:
    from tokaudit.features.check.types import Cause, Settings, SlimSaving
    from tokaudit.features.check.why import ClassTokens, HelpfulRule
    from tokaudit.gate.reference import Compared
    from tokaudit.jobs.count import Progress
    from tokaudit.model import ModelColumn
    from tokaudit.store.measure_cache import MeasureCache


def opened_cache(policy: Policy) -> MeasureCache:
    """The cache of a project."""
    from tokaudit import __version__
    from tokaudit.store.measure_cache import MeasureCache

    return MeasureCache(Path(policy.root) / CACHE_FOLDER, __version__)


def read_known(policy: Policy) -> Baseline:
    from tokaudit.store.baseline import read_baseline

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
    """Why a name is of no model; empty for one of a model, a tokenizer or a file."""
    from tokaudit.tokenizers.catalog import find_model
    from tokaudit.tokenizers.registry import tokenizer_names, unknown_model

    bare = name.strip()
    if bare.startswith("hf:") or bare.lower() in tokenizer_names() or find_model(bare) is not None:
        return ""
    if os.path.exists(bare) or os.path.exists(bare.rpartition(":")[0]):  # noqa: PTH110 - with a pattern behind it
        return ""
    error = unknown_model(bare)
    return f"{error.message}; {error.hint}"


def _loaded_as_asked(
    models: Sequence[str] | None, baseline: Baseline | None, reading: Reading
) -> tuple[list[ModelColumn], list[Tokenizer]]:
    if models is None and baseline is not None and baseline.tokenizers:
        try:
            names = [ref.name for ref in baseline.tokenizers]
            return load_models(names, special=reading.special, download=reading.download)
        except TokenizerError:
            pass
    return load_models(models, special=reading.special, download=reading.download)


def scope_of(policy: Policy) -> Baseline | None:
    """Of which files a baseline is that is not compared with, since a revision is; None where there is none."""
    from tokaudit.store.baseline import paths_in

    for name in sorted(policy.own):
        files, scope = paths_in(Path(policy.root, name))
        if files or scope:
            return Baseline((), [MeasuredFile(path, "", 0, ()) for path in files], paths=scope)
    return None


def project_of(
    paths: Sequence[str | PathLike[str]], policy: Policy, reading: Reading, baseline: Baseline | None
) -> Project:
    names = [os.fsdecode(path) for path in ([paths] if isinstance(paths, (str, PathLike)) else paths)]
    return Project(
        policy.root,
        names,
        [budget.paths for budget in policy.budgets],
        [file.path for file in baseline.files] if baseline is not None else [],
        baseline.paths if baseline is not None else (),
        Choice(reading.include, reading.exclude, reading.max_file_size, reading.use_gitignore),
        policy.own,
    )


def refuse_nothing(project: Project, policy: Policy, *, empty: bool) -> None:
    if not (project.names or project.patterns or project.known or project.scope):
        if policy.against is not None:
            raise UsageError(
                "nothing to check: no paths, no budgets and no baseline",
                hint=f"name files or folders, as in: tokaudit check --against {policy.against} prompts/",
            )
        if empty:
            raise UsageError(
                f"nothing to check: {policy.shown_baseline} has no entries, and there are no paths and no budgets",
                hint="tokaudit baseline write prompts/ records what is there",
            )
        raise UsageError(
            "nothing to check: no paths, no budgets and no baseline",
            hint="tokaudit baseline write prompts/ records a baseline",
        )
    if not (policy.budgets or policy.baseline or policy.against is not None or policy.slim):
        raise UsageError(
            "nothing to check against: no budgets, no baseline and no revision",
            hint="tokaudit baseline write records a baseline; --against origin/main compares with a revision",
        )


class GateRun:
    """One run: what measures, and what was opened for it."""

    def __init__(
        self,
        project: Project,
        tokenizers: Sequence[Tokenizer],
        policy: Policy,
        reading: Reading,
        models: Sequence[ModelColumn],
    ) -> None:
        how = ReadOptions(reading.charset, reading.special, policy.line_ends, reading.pdf())
        self.project = project
        self.policy = policy
        self.reading = reading
        self.models = models
        self.cache = opened_cache(policy) if policy.cache else None
        self.measurer = Measurer(tokenizers, how, self.cache)
        self._locations: dict[str, str] = {}
        self._compared: Compared | None = None

    def __enter__(self) -> GateRun:  # noqa: PYI034 - Self is of Python 3.11
        self._collects = gc.isenabled()
        gc.disable()  # of thousands of small objects that all stay, it would find none to free
        return self

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.enable()
        if self._compared is not None:
            self._compared.close()
        if self.cache is not None:
            self.cache.save()

    def measured_now(self, progress: Progress | None) -> tuple[list[MeasuredFile], list[Skipped]]:
        """The files of the working tree."""
        self._tree = None
        found = self.project.find()
        files = list(found.files)
        if self.policy.against is not None:
            from tokaudit.gate.reference import RevisionTree

            keep = self.policy.line_ends == "keep"
            self._tree = RevisionTree(self.policy.against, self.project, line_ends=keep)
            files += self.project.hidden(files, self._tree.files)
        self._locations = {file.path: file.location for file in files}
        measured, unread = self.measurer.of_files(files, progress)
        skipped = [*found.skipped, *unread]
        judged = self.project.known or self._tree or any(self.project.has_budget(item.what) for item in skipped)
        if not measured and not judged:
            reasons = "; ".join(f"{item.what}: {item.reason}" for item in skipped[:3])
            if reasons:
                raise InputError(f"nothing could be measured: {reasons}", hint="name files of text")
        return measured, skipped

    def compared(self, files: Sequence[MeasuredFile], baseline: Baseline | None) -> Compared | None:
        """What the files are compared with; None where there is nothing."""
        from tokaudit.gate.reference import with_baseline, with_revision

        if self._tree is not None:
            self._compared = with_revision(files, self.project, self.measurer, self._tree)
        elif baseline is not None:
            self._compared = with_baseline(baseline, self.policy.baseline, files, self.project, self.measurer)
        return self._compared

    def settings(self, skipped: Sequence[Skipped]) -> Settings:
        """What the measurements are held against."""
        from tokaudit import __version__
        from tokaudit.features.check.types import Settings

        policy, project = self.policy, self.project
        return Settings(
            matches,
            policy.budgets,
            policy.max_growth,
            requests_per_month=policy.requests_per_month,
            prices=policy.prices,
            currency=policy.currency,
            skipped=skipped,
            without_growth=not policy.growth,
            growth_limited=policy.growth_limited,
            named=project.names_itself,
            checked=project.holds,
            config=policy.config,
            prefix=project.git_prefix(),
            version=__version__,
            update=policy.update,
            here=project.from_here,
        )

    def causes(self, path: str) -> Sequence[Cause]:
        """The lines that changed in a file, where its text of then is known."""
        from tokaudit.features.check.evaluate import causes_of
        from tokaudit.features.diff.evaluate import Wanted, compare

        if self._compared is None:
            return ()
        try:
            then = self._compared.text(path)
            if then is None:
                return ()
            now = self.document(path)
            return causes_of(compare(path, then, now, self.measurer.tokenizers, Wanted(by="file", changes=True)))
        except (InputError, OSError):
            return ()

    def document(self, path: str) -> Document:
        """The document of a file of now."""
        with open(self._locations[path], "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
            return self.measurer.document(stream.read(), path)

    def slim_savings(self, files: Sequence[MeasuredFile]) -> list[SlimSaving]:
        """What each pack of ``--slim-check`` would save on each file."""
        if not self.policy.slim:
            return []
        from tokaudit.features.check.types import SlimSaving
        from tokaudit.jobs.slim import SlimWork, choice_of, source_of

        savings = []
        for gate in self.policy.slim:
            work = SlimWork([gate.pack], choice_of(("lossless", "near")), None).settled()
            for file in files:
                document = self.document(file.path)
                result = work.slimmed(source_of(document), self.measurer.tokenizers).result
                saved = tuple(
                    before - after for before, after in zip(result.tokens_before, result.tokens_after, strict=True)
                )
                savings.append(SlimSaving(file.path, gate.pack, gate.allowed, saved))
        return savings

    def classes(self, then: Document | None, now: Document) -> list[ClassTokens]:
        """The classes of characters that the tokens of a file are of, and were of where its text of then is known."""
        from tokaudit.features.check.why import ClassTokens
        from tokaudit.features.count.evaluate import Wanted
        from tokaudit.jobs.count import measure

        tokenizers = self.measurer.tokenizers
        try:
            new, old = (
                {}
                if document is None
                else {part.label: part.tokens for part in measure(document, tokenizers, Wanted(by="class")).parts}
                for document in (now, then)
            )
        except TokenizerError:  # one of them cannot say where its tokens are
            return []
        none = (0,) * len(tokenizers)
        return [
            ClassTokens(name, None if then is None else old.get(name, none), new.get(name, none))
            for name in dict.fromkeys([*new, *old])
        ]

    def helpful_rules(self, document: Document) -> list[HelpfulRule]:
        """The rules of slim that would save tokens of a text, those of the packs that suit it."""
        from tokaudit.features.check.why import HelpfulRule
        from tokaudit.jobs.slim import SlimWork, choice_of, source_of

        work = SlimWork(None, choice_of(("lossless", "near")), None).settled()
        source = source_of(document)
        slimmed = work.slimmed(source, self.measurer.tokenizers)
        titles = {rule.id: rule.title for rule in work.rules_of(slimmed.packs)}
        return [
            HelpfulRule(delta.rule, titles.get(delta.rule, ""), tuple(delta.saved))
            for delta in slimmed.result.deltas
            if any(saved > 0 for saved in delta.saved)
        ]
