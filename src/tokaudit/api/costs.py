"""Costs of what the other commands count: the prices of its models, and the report with what its texts cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokaudit.features.check.types import CheckResult
    from tokaudit.features.costs.evaluate import Request, RunCosts
    from tokaudit.features.count.types import CountResult
    from tokaudit.features.diff.types import DiffResult
    from tokaudit.features.slim.document import SlimRun
    from tokaudit.jobs.costs import CostOptions
    from tokaudit.model import ModelColumn, Report
    from tokaudit.model.gates import MeasuredFile
    from tokaudit.store.config import Config


def count_costs(result: CountResult, options: CostOptions | None, config: Config) -> RunCosts | None:
    """The costs of the requests of a count, and of its texts, each as one; None where they are not asked for."""
    if options is None:
        return None
    from tokaudit.features.costs.evaluate import Request

    requests = []
    for document in result.documents:
        each = document.request.each if document.request is not None else ()
        several = len(each) > 1
        requests += [
            Request(f"{document.path}:{one.line}" if several else document.path, one.tokens, allowed=one.max_output)
            for one in each
        ]
        if not each:
            requests.append(Request(document.path, document.tokens))
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


def check_costs(result: CheckResult) -> RunCosts | None:
    """The costs of the files of a check, now and before; None where they are not asked for."""
    costing, before = result.settings.costing, result.before
    if costing is None:
        return None
    from tokaudit.features.costs.evaluate import Request, run_costs

    requests = [
        Request(row.file.path, _counted(row.file), None if row.before is None else _counted(row.before))
        for row in result.files
    ]
    if before is None:
        return run_costs(requests, result.models, costing)
    gone = [path for path in before.gone if path in before.files and path not in result.settings.unasked]
    requests += [Request(path, None, _counted(before.files[path])) for path in gone]
    return run_costs(requests, result.models, costing, compared=True, incomparable=before.incomparable)


def _counted(file: MeasuredFile) -> list[int]:
    return [tokens or 0 for tokens in file.tokens]


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


def prices_report(filters: Sequence[str], options: CostOptions, *, people: bool) -> Report:
    """The report of ``tokaudit models --prices``: all prices, or those whose model or provider has one of ``filters``.

    Args:
        filters: Parts of names; none for all.
        options: For the day, and for contract prices, which stand before the others.
        people: Whether its table is to be read rather than parsed.

    Raises:
        UsageError: No price matches.
    """
    from tokaudit import __version__
    from tokaudit.features.costs.listing import prices_report as build
    from tokaudit.model import UsageError
    from tokaudit.model.message import Message
    from tokaudit.store.prices import own_prices

    prices = [*options.contracts, *own_prices()]
    if filters:
        wanted = [text.lower() for text in filters]
        named = [(price, " ".join([price.model, price.provider, *price.aliases]).lower()) for price in prices]
        prices = [price for price, text in named if any(part in text for part in wanted)]
        if not prices:
            raise UsageError(
                Message("no price matches {names}", names=tuple(filters)), hint="`tokaudit models --prices` lists all"
            )
    return build(prices, options.day, __version__, people=people, filtered=bool(filters))
