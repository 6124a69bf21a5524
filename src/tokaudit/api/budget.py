"""The public Python API of ``budget``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from tokaudit.features.budget.report import report
from tokaudit.jobs.budget import BudgetOptions, budget_run
from tokaudit.jobs.inputs import Reading

__all__ = ["budget"]


def budget(
    paths: Sequence[str | PathLike[str]],
    model: str | None = None,
    *,
    window: int | None = None,
    roles: Mapping[str, str] | None = None,
    bands: Mapping[str, tuple[float, float]] | None = None,
    charset: str | None = None,
) -> Mapping[str, Any]:
    """Divide a model's window among files.

    Args:
        paths: Requests, whose roles are known by their content, and plain files.
        model: The model that counts; None for the first default model.
        window: Tokens of the window; None for the model's.
        roles: Path to part (system, user, retrieval, summary, tools) of files that are no requests.
        bands: Least and most share of parts, where they are not the usual ones.
        charset: Of all files; None to detect each.

    Returns:
        The document that ``tokaudit budget --format json`` prints.

    Raises:
        InputError: A file cannot be read.
        TokenizerError: An unknown model, or one that cannot be used.
        UsageError: An unknown role, a file without one, or a window that is not known.
    """
    assigned = [(role, path) for path, role in (roles or {}).items()]
    options = BudgetOptions(model, window, assigned, bands=bands)
    return report(
        budget_run([fspath(path) for path in paths], (), options, Reading(charset=charset)), people=False
    ).data
