"""The public Python API of ``check`` and ``baseline``: files to measurements to gates."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from tokaudit.jobs.inputs import reading_of

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
    """Check files against budgets and a reference: the function behind ``tokaudit check``.

    Budgets, prices and options that are not given come from the configuration of the working directory.

    Args:
        paths: Files, folders and globs; none for all that the budgets and the baseline name.
        models: Model or tokenizer names; None for those of the configuration.
        against: A git revision: files are compared with those of its merge base with HEAD, and not with a baseline.
        baseline: The baseline file; None for the configured one, or ``tokaudit-baseline.json`` in the project's folder.
        max_growth: Growth allowed where no budget says otherwise: ``5%``, or a number of tokens.
        slim_check: Packs with the most that each may save, as in ``cn=5%``.
        requests_per_month: Requests with each file.
        cache: Keep measurements in ``.tokaudit_cache``.

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
    from tokaudit.gate.policy import policy_of
    from tokaudit.gate.run import check_project
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
    result = check_project(paths, config.models, policy, reading_of(config))
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
    from tokaudit.gate.policy import policy_of
    from tokaudit.store.config import Config, configured

    config, path = configured(Config(models=_names(models)))
    name = None if baseline is None else os.fsdecode(baseline)
    policy = policy_of(config, path, baseline=name, to_write=True)
    recorded = record_baseline(paths, config.models, policy, reading_of(config))
    return baseline_report(recorded.baseline, recorded.models, policy, people=False).data


def _names(models: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return None if models is None else tuple([models] if isinstance(models, str) else models)
