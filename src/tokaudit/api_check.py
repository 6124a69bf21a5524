"""The public Python API of ``check`` and ``baseline``: files to measurements to gates."""

from __future__ import annotations

import gc
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokaudit.api import Reading, load_models, reading_of
from tokaudit.measuring import LINE_ENDS, How, LineEnds, Measurer
from tokaudit.model import ConfigError, Document, InputError, Report, Skipped, Tokenizer, TokenizerError, UsageError
from tokaudit.model.gates import ANY_MODEL, NO_GROWTH, Baseline, Budget, Growth, MeasuredFile, SlimGate
from tokaudit.project import CACHE_FOLDER, Choice, Project, matches

if TYPE_CHECKING:
    from tokaudit.before import Compared
    from tokaudit.features.check_data import Cause, CheckResult, Settings, SlimSaving
    from tokaudit.features.count_report import Measured
    from tokaudit.features.why import ClassTokens, HelpfulRule
    from tokaudit.jobs import Progress
    from tokaudit.store.config import Config
    from tokaudit.store.measure_cache import MeasureCache

__all__ = ["check", "write_baseline"]

_WAIT = 10.0
"""Seconds to wait for another run that writes the baseline."""
_NO_TEXT = {"binary file", "symbolic link, not followed"}
"""Why what is met in a folder is no prompt, and no error."""


@dataclass(frozen=True, slots=True)
class Gating:
    """What the files of a project are held against."""

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
    """False where it was asked for that nothing be compared."""
    baseline_configured: bool = False
    """Whether the baseline has its name from the configuration."""
    growth_limited: bool = False
    """Whether a limit of growth was given that holds for every file: it is a gate, and must not be passed over."""
    own: frozenset[str] = frozenset()
    """Files that are no prompts, though they may be where prompts are: baselines. From the project's folder."""

    def files_of(self, result: CheckResult) -> list[str]:
        """What a run reads, from the project's folder: nothing of it is to be written over."""
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
    def shown_baseline(self) -> str:
        """The baseline file as it is seen from the working directory."""
        path = os.path.relpath(os.path.join(self.root, self.baseline))  # noqa: PTH118
        return path.replace(os.sep, "/")


def check(
    paths: Sequence[str | PathLike[str]] = (),
    models: Sequence[str] | None = None,
    *,
    against: str | None = None,
    baseline: str | PathLike[str] | None = None,
    max_growth: str | int | None = None,
    slim_check: Sequence[str] = (),
    requests_per_month: int | None = None,
    cache: bool = True,
) -> Mapping[str, Any]:
    """Hold files against budgets and against what they were: the function behind ``tokaudit check``.

    Budgets, prices and all that is not given come from the configuration that the command would find in the working
    directory.

    Args:
        paths: Files, folders and globs; none for all that the budgets and the baseline name.
        models: Model or tokenizer names; None for those of the configuration.
        against: A git revision: files are compared with those of its merge base with HEAD, and not with a baseline.
        baseline: The baseline file; None for the configured one, or ``tokaudit-baseline.json`` in the project's folder.
        max_growth: Growth allowed where no budget says otherwise: ``5%``, or a number of tokens.
        slim_check: Packs that may not save more than so much, as in ``cn=5%``.
        requests_per_month: How often each file is sent.
        cache: Whether measurements are kept in ``.tokaudit_cache``.

    Returns:
        The document that ``tokaudit check --format json`` prints (docs/formats.md). ``outcome`` is ``passed``,
        ``failed`` or ``unmeasured``; nothing is raised where the gate fails.

    Raises:
        ConfigError: The configuration or the baseline is wrong.
        InputError: A path or revision does not exist, or nothing can be measured.
        TokenizerError: A model is unknown or cannot be used.
        UsageError: There is nothing to check, or nothing to check it against.
    """
    from tokaudit.features.check_report import report
    from tokaudit.store.config import Config, configured
    from tokaudit.store.growth_keys import parse_growth, parse_slim_gate

    flags = Config(
        models=_names(models),
        max_growth=None if max_growth is None else parse_growth(str(max_growth)),
        slim_check=tuple(parse_slim_gate(item) for item in slim_check) or None,
        requests_per_month=requests_per_month,
        cache=None if cache else False,
    )
    config, path = configured(flags)
    gating = gating_of(config, path, against=against, baseline=None if baseline is None else os.fsdecode(baseline))
    result = check_result(paths, config.models, gating, reading_of(config))
    return report(result, people=False).data


def write_baseline(
    paths: Sequence[str | PathLike[str]] = (),
    models: Sequence[str] | None = None,
    *,
    baseline: str | PathLike[str] | None = None,
) -> Mapping[str, Any]:
    """Measure files and write the baseline: the function behind ``tokaudit baseline write``.

    Args:
        paths: As in ``check``.
        models: As in ``check``.
        baseline: As in ``check``.

    Returns:
        The document that ``tokaudit baseline show --format json`` prints of it.

    Raises:
        InputError: As in ``check``, or a file cannot be measured: no part of a baseline is written.
        ConfigError: As in ``check``.
        TokenizerError: As in ``check``.
        UsageError: There is nothing to measure, or the file cannot be written.
    """
    from tokaudit.store.config import Config, configured

    config, path = configured(Config(models=_names(models)))
    name = None if baseline is None else os.fsdecode(baseline)
    gating = gating_of(config, path, baseline=name, to_write=True)
    recorded = record_baseline(paths, config.models, gating, reading_of(config))
    return baseline_report(recorded.baseline, recorded.models, gating, people=False).data


def _names(models: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return None if models is None else tuple([models] if isinstance(models, str) else models)


def gating_of(
    config: Config,
    path: Path | None,
    *,
    against: str | None = None,
    baseline: str | None = None,
    use_baseline: bool = True,
    to_write: bool = False,
) -> Gating:
    """What the configuration and these options hold files against.

    Args:
        config: What is configured, options over variables over the file.
        path: The configuration file; None for none.
        against: A revision.
        baseline: The baseline file from the working directory; None for the configured or the default one.
        use_baseline: False for none at all.
        to_write: Whether the baseline is to be written, so that it need not be there.

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
            raise UsageError("the name of the baseline has a null character", hint=f"name a file, as in {DEFAULT_NAME}")
        named = baseline is not None or config.baseline is not None
        if not to_write and not os.path.isfile(os.path.join(root, name)):  # noqa: PTH113, PTH118
            if named:
                shown = baseline or name
                raise UsageError(f"{shown}: there is no such baseline", hint="tokaudit baseline write records one")
            name = ""
    line_ends = config.line_ends or "lf"
    if line_ends not in LINE_ENDS:
        raise UsageError(f"unknown line ends '{line_ends}'", hint=f"one of {', '.join(LINE_ENDS)}")
    return Gating(
        root,
        "" if path is None else path.name,
        config.budget or (),
        config.max_growth or NO_GROWTH,
        against,
        name,
        config.slim_check or (),
        config.requests_per_month,
        config.prices or {},
        config.currency or "USD",
        line_ends,
        cache=config.cache is not False,
        growth=use_baseline or against is not None,
        baseline_configured=baseline is None and config.baseline is not None,
        growth_limited=config.max_growth is not None,
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


def check_result(
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    gating: Gating,
    reading: Reading,
    *,
    progress: Progress | None = None,
) -> CheckResult:
    """Measure, compare and judge. Raises as ``check`` does."""
    from tokaudit.features.check import evaluate

    baseline = _read_baseline(gating) if gating.baseline else None
    project = _project(paths, gating, reading, baseline if gating.against is None else _scope_of(gating))
    _refuse_nothing(project, gating, empty=baseline is not None)
    loaded, tokenizers = _loaded(models, baseline, gating, reading)
    with _Run(project, tokenizers, gating, reading, loaded) as run:
        files, skipped = run.measured_now(progress)
        compared = run.compared(files, baseline)
        before = None if compared is None else compared.before
        settings = replace(run.settings(skipped), slim=run.slim_savings(files), causes=run.causes)
        return evaluate(files, before, loaded, settings)


def _loaded(
    models: Sequence[str] | None, baseline: Baseline | None, gating: Gating, reading: Reading
) -> tuple[list[Measured], list[Tokenizer]]:
    """The models asked for or configured; else those that the baseline was written of, if they are to be had.

    Raises:
        ConfigError: A limit or a price of the configuration is of a model that there is not.
        TokenizerError: As in ``check``.
    """
    loaded, tokenizers = _loaded_as_asked(models, baseline, reading)
    if gating.config:
        from tokaudit.store.config import refuse_models

        known = {ANY_MODEL} | {name for model in loaded for name in (model.name, model.ref.name)}
        refuse_models(
            Path(gating.root, gating.config),
            gating.budgets,
            gating.prices,
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
) -> tuple[list[Measured], list[Tokenizer]]:
    if models is None and baseline is not None and baseline.tokenizers:
        try:
            names = [ref.name for ref in baseline.tokenizers]
            return load_models(names, special=reading.special, download=reading.download)
        except TokenizerError:
            pass
    return load_models(models, special=reading.special, download=reading.download)


def _scope_of(gating: Gating) -> Baseline | None:
    """Of which files a baseline is that is not compared with, since a revision is; None where there is none."""
    from tokaudit.store.baseline import paths_in

    for name in sorted(gating.own):
        files, scope = paths_in(Path(gating.root, name))
        if files or scope:
            return Baseline((), [MeasuredFile(path, "", 0, ()) for path in files], paths=scope)
    return None


def _project(
    paths: Sequence[str | PathLike[str]], gating: Gating, reading: Reading, baseline: Baseline | None
) -> Project:
    names = [os.fsdecode(path) for path in ([paths] if isinstance(paths, (str, PathLike)) else paths)]
    return Project(
        gating.root,
        names,
        [budget.paths for budget in gating.budgets],
        [file.path for file in baseline.files] if baseline is not None else [],
        baseline.paths if baseline is not None else (),
        Choice(reading.include, reading.exclude, reading.max_file_size, reading.use_gitignore),
        gating.own,
    )


def _refuse_nothing(project: Project, gating: Gating, *, empty: bool) -> None:
    if not (project.names or project.patterns or project.known or project.scope):
        if gating.against is not None:
            raise UsageError(
                "nothing to check: no paths, no budgets and no baseline",
                hint=f"name files or folders, as in: tokaudit check --against {gating.against} prompts/",
            )
        if empty:
            raise UsageError(
                f"nothing to check: {gating.shown_baseline} has no entries, and there are no paths and no budgets",
                hint="tokaudit baseline write prompts/ records what is there",
            )
        raise UsageError(
            "nothing to check: no paths, no budgets and no baseline",
            hint="tokaudit baseline write prompts/ records a baseline",
        )
    if not (gating.budgets or gating.baseline or gating.against is not None or gating.slim):
        raise UsageError(
            "nothing to check against: no budgets, no baseline and no revision",
            hint="tokaudit baseline write records a baseline; --against origin/main compares with a revision",
        )


class _Run:
    """One run: what measures, and what was opened for it."""

    def __init__(
        self,
        project: Project,
        tokenizers: Sequence[Tokenizer],
        gating: Gating,
        reading: Reading,
        models: Sequence[Measured],
    ) -> None:
        how = How(reading.charset, reading.special, gating.line_ends, reading.pdf())
        self.project = project
        self.gating = gating
        self.reading = reading
        self.models = models
        self.cache = opened_cache(gating) if gating.cache else None
        self.measurer = Measurer(tokenizers, how, self.cache)
        self._locations: dict[str, str] = {}
        self._compared: Compared | None = None

    def __enter__(self) -> _Run:  # noqa: PYI034 - Self is of Python 3.11
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
        if self.gating.against is not None:
            from tokaudit.before import RevisionTree

            keep = self.gating.line_ends == "keep"
            self._tree = RevisionTree(self.gating.against, self.project, line_ends=keep)
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
        from tokaudit.before import with_baseline, with_revision

        if self._tree is not None:
            self._compared = with_revision(files, self.project, self.measurer, self._tree)
        elif baseline is not None:
            self._compared = with_baseline(baseline, self.gating.baseline, files, self.project, self.measurer)
        return self._compared

    def settings(self, skipped: Sequence[Skipped]) -> Settings:
        """What the measurements are held against."""
        from tokaudit import __version__
        from tokaudit.features.check_data import Settings

        gating, project = self.gating, self.project
        return Settings(
            matches,
            gating.budgets,
            gating.max_growth,
            requests_per_month=gating.requests_per_month,
            prices=gating.prices,
            currency=gating.currency,
            skipped=skipped,
            without_growth=not gating.growth,
            growth_limited=gating.growth_limited,
            named=project.names_itself,
            checked=project.holds,
            config=gating.config,
            prefix=project.git_prefix(),
            version=__version__,
            update=gating.update,
            here=project.from_here,
        )

    def causes(self, path: str) -> Sequence[Cause]:
        """The lines that changed in a file, where its text of then is known."""
        from tokaudit.features.check import causes_of
        from tokaudit.features.diff import Wanted, compare

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
        if not self.gating.slim:
            return []
        from tokaudit.api_slim import SlimWork, choice_of
        from tokaudit.features.check_data import SlimSaving
        from tokaudit.features.slim import Source

        savings = []
        for gate in self.gating.slim:
            work = SlimWork([gate.pack], choice_of(("lossless", "near")), None).settled()
            for file in files:
                document = self.document(file.path)
                source = Source(file.path, document.text, document.kind, document.charset, document.marks or None)
                result = work.slimmed(source, self.measurer.tokenizers).result
                saved = tuple(
                    before - after for before, after in zip(result.tokens_before, result.tokens_after, strict=True)
                )
                savings.append(SlimSaving(file.path, gate.pack, gate.allowed, saved))
        return savings

    def classes(self, then: Document | None, now: Document) -> list[ClassTokens]:
        """The classes of characters that the tokens of a file are of, and were of where its text of then is known."""
        from tokaudit.features.count import Wanted
        from tokaudit.features.why import ClassTokens
        from tokaudit.jobs import measure

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
        from tokaudit.api_slim import SlimWork, choice_of
        from tokaudit.features.slim import Source
        from tokaudit.features.why import HelpfulRule

        work = SlimWork(None, choice_of(("lossless", "near")), None).settled()
        source = Source(document.path, document.text, document.kind, document.charset, document.marks or None)
        slimmed = work.slimmed(source, self.measurer.tokenizers)
        titles = {rule.id: rule.title for rule in work.rules_of(slimmed.packs)}
        return [
            HelpfulRule(delta.rule, titles.get(delta.rule, ""), tuple(delta.saved))
            for delta in slimmed.result.deltas
            if any(saved > 0 for saved in delta.saved)
        ]


def opened_cache(gating: Gating) -> MeasureCache:
    """The cache of a project."""
    from tokaudit import __version__
    from tokaudit.store.measure_cache import MeasureCache

    return MeasureCache(Path(gating.root) / CACHE_FOLDER, __version__)


def check_report(result: CheckResult, *, people: bool) -> Report:
    """The report of a check, with tables to be read by people or parsed by programs."""
    from tokaudit.features.check_report import report

    return report(result, people=people)


def why_report(
    path: str,
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    gating: Gating,
    reading: Reading,
) -> Callable[[bool], Report]:
    """Explain one file of a check: what grew, which classes of characters its tokens are, and what rules would help.

    Args:
        path: The file, as given in the working directory.
        paths: What else is checked: a file that was renamed is told from its old path by all of them.
        models: As in ``check``.
        gating: As in ``check_result``; there need not be anything to compare with.
        reading: As in ``check_result``.

    Returns:
        What makes the report, for people (true) or programs (false).

    Raises:
        InputError: There is no such file, or it cannot be measured.
    """
    from tokaudit import __version__
    from tokaudit.features.check import evaluate
    from tokaudit.features.why import why_report as build

    baseline = _read_baseline(gating) if gating.baseline else None
    project = _project([*paths, path], gating, reading, baseline)
    loaded, tokenizers = _loaded(models, baseline, gating, reading)
    with _Run(project, tokenizers, gating, reading, loaded) as run:
        files, skipped = run.measured_now(None)
        name = project.inner(os.path.abspath(path))  # noqa: PTH100
        file = next((file for file in files if file.path == name), None)
        if file is None:
            reason = next((f"{item.what}: {item.reason}" for item in skipped), f"{path}: is no file")
            raise InputError(reason, hint="--why takes one file")
        compared = run.compared(files, baseline)
        result = evaluate(files, None if compared is None else compared.before, loaded, run.settings(skipped))
        then = None if compared is None else compared.text(name)
        now = run.document(name)
        before = None if compared is None else compared.before.files.get(name)
        classes = run.classes(then, now)
        causes = run.causes(name)
        rules = run.helpful_rules(now)
    against = "" if compared is None else compared.before.name

    def made(people: bool) -> Report:
        return build(
            file,
            before,
            loaded,
            against=against,
            classes=classes,
            causes=causes,
            rules=rules,
            skipped=[item for item in skipped if item.what == name or item.what.startswith(f"{name}:")],
            result=result,
            people=people,
            version=__version__,
        )

    return made


def _read_baseline(gating: Gating) -> Baseline:
    from tokaudit.store.baseline import read_baseline

    return read_baseline(Path(gating.root, gating.baseline), gating.baseline)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A baseline that was written."""

    baseline: Baseline
    models: Sequence[Measured]
    """Those that were measured."""
    before: Baseline | None
    """What was there; None where nothing was that can be read."""
    changed: bool
    """Whether the file is another one now."""


def record_baseline(
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    gating: Gating,
    reading: Reading,
    *,
    update: bool = False,
    progress: Progress | None = None,
) -> Recorded:
    """Measure the files of a baseline, and write it.

    Args:
        paths: Files, folders and globs; none for all that the budgets and the baseline of now name.
        models: Model or tokenizer names.
        gating: Where the baseline is.
        reading: How files are found and read.
        update: Leave the entries of other files as they are, for which the tokenizers must be those of the baseline.
        progress: Told of every file done.

    Raises:
        InputError: A file cannot be measured.
        UsageError: There is nothing to measure, the baseline to be updated is of other tokenizers, or another run has
            been writing it all the time.
    """
    from tokaudit.store.file_lock import BusyError, locked

    known = _known(gating, needed=update or not paths, broken=not update)
    project = _project(paths, gating, reading, known)
    if not (project.names or project.patterns or project.known or project.scope):
        raise UsageError("nothing to measure", hint="name files or folders, as in: tokaudit baseline write prompts/")
    loaded, tokenizers = _loaded(models, known, gating, reading)
    # What is recorded is measured anew: a baseline must not have what somebody put into a cache.
    with _Run(project, tokenizers, replace(gating, cache=False), reading, loaded) as run:
        files, skipped = run.measured_now(progress)
    harmless = [item for item in skipped if item.reason in _NO_TEXT and not project.names_itself(item.what)]
    if len(harmless) < len(skipped):
        wrong = [item for item in skipped if item not in harmless]
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        hint = wrong[0].hint or "exclude it, as in exclude = [...] of the configuration"
        raise InputError(f"{wrong[0].what}: {wrong[0].reason}{more}: a baseline must have every file", hint=hint)
    scope: Sequence[str] = project.asked if paths else known.paths if known is not None else ()
    _refuse_paths([*(file.path for file in files), *scope])
    refs = [tokenizer.info.ref for tokenizer in tokenizers]
    measured = Baseline(refs, [replace(file, renamed_from="") for file in files], harmless, scope)
    path = os.path.join(gating.root, gating.baseline)  # noqa: PTH118
    special = os.path.exists(path) and not os.path.isfile(path)  # noqa: PTH110, PTH113 - /dev/stdout
    try:
        # Between reading and writing nobody else may write; measuring, which takes long, is done.
        with nullcontext() if special else locked(path, wait=_WAIT):
            old = _known(gating, needed=True) if update else _previous_baseline(gating)
            baseline = _updated(old, measured, project, gating) if update and old is not None else measured
            return Recorded(baseline, loaded, old, _saved(baseline, gating))
    except BusyError as error:
        raise UsageError(
            f"{gating.shown_baseline}: another tokaudit has been writing it for {_WAIT:.0f} seconds", hint="try again"
        ) from error


def _refuse_paths(paths: Sequence[str]) -> None:
    """Refuse what a baseline cannot have, since it would not be the same file everywhere."""
    from tokaudit.store.baseline import fault_of

    for path in paths:
        if reason := fault_of(path):
            raise InputError(f"a baseline cannot have {path}, which {reason}", hint="leave it out, or rename it")


def _updated(old: Baseline, measured: Baseline, project: Project, gating: Gating) -> Baseline:
    """A baseline with the entries of some files anew, and without those of them that are gone."""
    from tokaudit.before import in_order_of

    files = in_order_of(old.tokenizers, measured.tokenizers, measured.files)
    if files is None:
        raise UsageError(
            f"{gating.shown_baseline} is of other tokenizers or vocabularies",
            hint="tokaudit baseline write writes it anew",
        )
    new = {file.path for file in files}
    kept = [
        file
        for file in old.files
        if file.path not in new and not (project.holds(file.path) and project.is_gone(file.path))
    ]
    skipped = [*measured.skipped, *(item for item in old.skipped if not project.holds(item.what))]
    together = sorted([*kept, *files], key=lambda file: file.path.split("/"))
    return Baseline(list(old.tokenizers), together, skipped, old.paths)


def _known(gating: Gating, *, needed: bool, broken: bool = False) -> Baseline | None:
    """The baseline of now; None where there is none, or where it is not needed.

    Args:
        gating: Where it is.
        needed: Whether its content matters.
        broken: Whether a broken one will do, of which only the paths are known: it is about to be written anew.
    """
    path = os.path.join(gating.root, gating.baseline)  # noqa: PTH118
    if not os.path.isfile(path) or not needed:  # noqa: PTH113
        return None
    try:
        return _read_baseline(gating)
    except ConfigError as error:
        if not broken:
            raise
        from tokaudit.store.baseline import paths_in

        files, scope = paths_in(Path(path))
        if not (files or scope or gating.budgets):
            hint = "name what it is to have: tokaudit baseline write prompts/"
            raise ConfigError(error.message, hint=hint) from error
        return Baseline((), [MeasuredFile(name, "", 0, ()) for name in files], paths=scope)


def _previous_baseline(gating: Gating) -> Baseline | None:
    """The baseline that is about to be replaced; None where there is none that can be read."""
    try:
        return _known(gating, needed=True)
    except ConfigError:
        return None


def baseline_changes(old: Baseline, new: Baseline) -> list[str]:
    """What a new baseline accepts, in a few lines; the tokens are those of the first tokenizer that both have."""
    was = {file.path: file for file in old.files}
    now = {file.path: file for file in new.files}
    both = [path for path in now if path in was]
    changed = [path for path in both if now[path].sha256 != was[path].sha256]
    columns = [
        (column, other, ref.name)
        for column, ref in enumerate(new.tokenizers)
        for other, before in enumerate(old.tokenizers)
        if (ref.name, ref.sha256) == (before.name, before.sha256)
    ]
    delta = ""
    if columns:
        column, other, name = columns[0]
        tokens = sum((now[path].tokens[column] or 0) - (was[path].tokens[other] or 0) for path in both)
        delta = f" ({tokens:+,} tokens of {name})" if tokens else ""
    lines = [f"changed: {_listed(changed)}{delta}"] if changed else []
    lines += [f"new: {_listed([path for path in now if path not in was])}"] if len(both) < len(now) else []
    lines += [f"removed: {_listed([path for path in was if path not in now])}"] if len(both) < len(was) else []
    return lines


def _listed(paths: Sequence[str], most: int = 5) -> str:
    return ", ".join(paths[:most]) + (f" and {len(paths) - most:,} more" if len(paths) > most else "")


def _saved(baseline: Baseline, gating: Gating) -> bool:
    """Write a baseline; whether that changed the file."""
    from tokaudit import __version__
    from tokaudit.store.baseline import baseline_text, may_replace
    from tokaudit.store.output import write_atomic

    path = gating.shown_baseline
    data = baseline_text(baseline, __version__).encode()
    try:
        old = b""
        if os.path.isfile(path):  # noqa: PTH113 - /dev/zero has no end
            with open(path, "rb") as stream:  # noqa: PTH123 - pathlib is slow to import
                old = stream.read()
    except OSError:  # writing says why
        pass
    if old == data:
        return False
    if not may_replace(old):
        raise UsageError(
            f"{path} is no baseline, and would be overwritten",
            hint="name another file, or remove this one: rm " + shlex.quote(path),
        )
    write_atomic(path, data)
    return True


def shown_baseline(paths: Sequence[str | PathLike[str]], gating: Gating) -> tuple[Baseline, Sequence[Measured]]:
    """The entries of a baseline, of some paths or all, and its tokenizers.

    Raises:
        ConfigError: Something is wrong in the file.
        InputError: No entry is of the paths.
        UsageError: There is no such file.
    """
    from tokaudit.features.count_report import Measured

    known = _known(gating, needed=True)
    if known is None:
        raise UsageError(
            f"{gating.shown_baseline}: there is no such baseline", hint="tokaudit baseline write records one"
        )
    if paths:
        project = _project(paths, gating, Reading(), known)
        files = [file for file in known.files if project.holds(file.path)]
        if not files:
            names = ", ".join(os.fsdecode(path) for path in paths)
            raise InputError(f"{names}: not in {gating.shown_baseline}", hint="tokaudit baseline show lists all")
        known = replace(known, files=files)
    return known, [Measured(ref.name, ref, column) for column, ref in enumerate(known.tokenizers)]


def baseline_report(baseline: Baseline, models: Sequence[Measured], gating: Gating, *, people: bool) -> Report:
    """The report of a baseline."""
    from tokaudit import __version__
    from tokaudit.features.check_report import baseline_report as build

    return build(baseline, models, people=people, name=gating.baseline, version=__version__)
