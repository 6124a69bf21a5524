"""Costs of what the other commands count: the prices of its models, and the report with what its texts cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokaudit.features.costs.evaluate import Request, RunCosts
    from tokaudit.features.count.types import CountResult
    from tokaudit.features.diff.types import DiffResult
    from tokaudit.features.slim.document import SlimRun
    from tokaudit.jobs.costs import CostOptions
    from tokaudit.model import ModelColumn, Report
    from tokaudit.store.config import Config


def count_costs(result: CountResult, options: CostOptions | None, config: Config) -> RunCosts | None:
    """The costs of the texts of a count, each as one request; None where they are not asked for."""
    if options is None:
        return None
    from tokaudit.features.costs.evaluate import Request

    requests = [Request(document.path, document.tokens) for document in result.documents]
    return _costs(requests, result.models, options, config, compared=False)


def diff_costs(result: DiffResult, options: CostOptions | None, config: Config) -> RunCosts | None:
    """The costs of both versions of the texts of a comparison; None where they are not asked for."""
    if options is None:
        return None
    from tokaudit.features.costs.evaluate import Request

    requests = [
        Request(
            document.path,
            None if document.after is None else document.after.tokens,
            None if document.before is None else document.before.tokens,
        )
        for document in result.documents
    ]
    return _costs(requests, result.models, options, config, compared=True)


def slim_costs(run: SlimRun, options: CostOptions | None, config: Config) -> RunCosts | None:
    """The costs of texts before and after slimming; None where they are not asked for."""
    if options is None:
        return None
    from tokaudit.features.costs.evaluate import Request

    requests = [
        Request(document.path, document.result.tokens_after, document.result.tokens_before)
        for document in run.documents
    ]
    return _costs(requests, run.models, options, config, compared=True)


def _costs(
    requests: Sequence[Request], models: Sequence[ModelColumn], options: CostOptions, config: Config, *, compared: bool
) -> RunCosts:
    from tokaudit.features.costs.evaluate import run_costs
    from tokaudit.jobs.costs import costing_of

    costing = costing_of(models, options, configured=config.prices, currency=config.currency or "")
    return run_costs(requests, models, costing, compared=compared)


def with_costs(report: Report, costs: RunCosts | None, *, people: bool) -> Report:
    """The report with the costs, if there are any; ``people`` as in the reports themselves."""
    if costs is None:
        return report
    from tokaudit.features.costs.report import with_costs as build

    return build(report, costs, people=people)
