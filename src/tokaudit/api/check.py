"""The public Python API of ``check`` and ``baseline``: files to measurements to gates."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from tokaudit.gate.policy import Policy, policy_of
from tokaudit.gate.run import GateRun, loaded_for, project_of, read_known, refuse_nothing, scope_of
from tokaudit.jobs.inputs import Reading, reading_of
from tokaudit.model import InputError, Report

if TYPE_CHECKING:
    from tokaudit.features.check.types import CheckResult
    from tokaudit.jobs.count import Progress

__all__ = ["check", "write_baseline"]


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
    from tokaudit.features.check.report import report
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
    policy = policy_of(config, path, against=against, baseline=None if baseline is None else os.fsdecode(baseline))
    result = check_result(paths, config.models, policy, reading_of(config))
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
    from tokaudit.gate.baseline import baseline_report, record_baseline
    from tokaudit.store.config import Config, configured

    config, path = configured(Config(models=_names(models)))
    name = None if baseline is None else os.fsdecode(baseline)
    policy = policy_of(config, path, baseline=name, to_write=True)
    recorded = record_baseline(paths, config.models, policy, reading_of(config))
    return baseline_report(recorded.baseline, recorded.models, policy, people=False).data


def _names(models: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return None if models is None else tuple([models] if isinstance(models, str) else models)


def check_result(
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    policy: Policy,
    reading: Reading,
    *,
    progress: Progress | None = None,
) -> CheckResult:
    """Measure, compare and judge. Raises as ``check`` does."""
    from tokaudit.features.check.evaluate import evaluate

    baseline = read_known(policy) if policy.baseline else None
    project = project_of(paths, policy, reading, baseline if policy.against is None else scope_of(policy))
    refuse_nothing(project, policy, empty=baseline is not None)
    loaded, tokenizers = loaded_for(models, baseline, policy, reading)
    with GateRun(project, tokenizers, policy, reading, loaded) as run:
        files, skipped = run.measured_now(progress)
        compared = run.compared(files, baseline)
        before = None if compared is None else compared.before
        settings = replace(run.settings(skipped), slim=run.slim_savings(files), causes=run.causes)
        return evaluate(files, before, loaded, settings)


def check_report(result: CheckResult, *, people: bool) -> Report:
    """The report of a check, with tables to be read by people or parsed by programs."""
    from tokaudit.features.check.report import report

    return report(result, people=people)


def why_report(
    path: str,
    paths: Sequence[str | PathLike[str]],
    models: Sequence[str] | None,
    policy: Policy,
    reading: Reading,
) -> Callable[[bool], Report]:
    """Explain one file of a check: what grew, which classes of characters its tokens are, and what rules would help.

    Args:
        path: The file, as given in the working directory.
        paths: What else is checked: a file that was renamed is told from its old path by all of them.
        models: As in ``check``.
        policy: As in ``check_result``; there need not be anything to compare with.
        reading: As in ``check_result``.

    Returns:
        What makes the report, for people (true) or programs (false).

    Raises:
        InputError: There is no such file, or it cannot be measured.
    """
    from tokaudit import __version__
    from tokaudit.features.check.evaluate import evaluate
    from tokaudit.features.check.why import why_report as build

    baseline = read_known(policy) if policy.baseline else None
    project = project_of([*paths, path], policy, reading, baseline)
    loaded, tokenizers = loaded_for(models, baseline, policy, reading)
    with GateRun(project, tokenizers, policy, reading, loaded) as run:
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
