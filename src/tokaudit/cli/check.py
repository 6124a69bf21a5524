"""``tokaudit check``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from tokaudit.cli import complete, language
from tokaudit.cli.options import (
    AsJson,
    CachedTokens,
    Color,
    Cost,
    Currency,
    ExchangeRate,
    Lang,
    MeasuredModels,
    Output,
    OutputTokens,
    PerDay,
    Prices,
    PriceTime,
    Service,
    WrittenTokens,
)
from tokaudit.model import Report, UsageError
from tokaudit.model.message import Message, reason_of

if TYPE_CHECKING:
    from tokaudit.features.check.types import CheckResult

EPILOG = (
    "Exit codes: 0 passed; 1 the gate failed; 2 a mistake in use, configuration or input; 3 a budget or baseline entry "
    "matched nothing, or something could not be measured; 70 internal error; 130 interrupted."
)


def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Files, folders and globs (default: those of budgets and the baseline)."),
    ] = None,
    model: MeasuredModels = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Compare with a git revision instead of a baseline: its merge base with HEAD, as in origin/main.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare with this baseline (default: tokaudit-baseline.json if it exists)."),
    ] = None,
    no_baseline: Annotated[
        bool, typer.Option("--no-baseline", help="Check budgets only; compare with nothing.")
    ] = False,
    max_growth: Annotated[
        str | None,
        typer.Option(
            metavar="G",
            help="Allow this growth where no budget says otherwise: 5%, or a number of tokens (default: none).",
        ),
    ] = None,
    slim_check: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PACK[=G]",
            help="Fail if this pack of rules would save more than G (default: 0); repeatable.",
        ),
    ] = None,
    requests: Annotated[
        int | None, typer.Option(metavar="N", help="Show costs for this number of requests a month.")
    ] = None,
    cost: Cost = False,
    prices: Prices = None,
    output_tokens: OutputTokens = None,
    cached_tokens: CachedTokens = None,
    written_tokens: WrittenTokens = None,
    service: Service = None,
    per_day: PerDay = None,
    currency: Currency = None,
    rate: ExchangeRate = None,
    at: PriceTime = None,
    why: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Explain one file: limits, growth, token classes, rules that would help; exit code 0.",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ignore .tokaudit_cache: measure all files, save nothing.")
    ] = False,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="table, json, jsonl, csv, markdown, github, gitlab, sarif or junit.",
            autocompletion=complete.check_formats,
        ),
    ] = None,
    as_json: AsJson = False,
    output: Output = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; only set the exit code.")] = False,
    color: Color = None,
    lang: Lang = None,
) -> None:
    """Fail if the tokens of files grew, or a budget is broken.

    Compares files with the baseline of `tokaudit baseline write` or with a git revision, and applies the budgets in
    tokaudit.toml or pyproject.toml. In a GitHub workflow the job summary gets the result too.
    """
    del lang
    from tokaudit.api.costs import check_costs, with_costs
    from tokaudit.cli import results
    from tokaudit.cli.costs import asked_costs
    from tokaudit.cli.count import split_models
    from tokaudit.cli.progress import Bar
    from tokaudit.features.check.report import report
    from tokaudit.gate.policy import policy_of
    from tokaudit.gate.run import check_project
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.model.prices import MONTH_DAYS
    from tokaudit.reporters import GATE_FORMATS
    from tokaudit.store.config import Config, configured
    from tokaudit.store.growth_keys import parse_growth, parse_slim_gate

    if no_baseline and baseline is not None:
        raise UsageError("--baseline and --no-baseline contradict each other", hint="give one of them")
    if requests is not None and requests < 1:
        raise UsageError(
            Message("--requests {requests} is not above 0", requests=requests),
            hint="give the number of requests a month",
        )
    costs = asked_costs(
        cost=cost, prices=prices, output_tokens=output_tokens, cached_tokens=cached_tokens,
        written_tokens=written_tokens, service=service, per_day=per_day, currency=currency, rate=rate, at=at,
    )  # fmt: skip
    if per_day is not None and requests is not None:
        raise UsageError("--requests and --per-day contradict each other", hint="give one of them")
    config, path = configured(
        Config(
            models=split_models(model),
            max_growth=None if max_growth is None else parse_growth(max_growth),
            slim_check=tuple(map(parse_slim_gate, slim_check)) if slim_check else None,
            requests_per_month=requests if per_day is None else per_day * MONTH_DAYS,
            cache=False if no_cache else None,
            format=None if format_name in GATE_FORMATS else format_name,
            color=results.checked_color(color),
        )
    )
    language.configure(config.lang)
    targets = results.destinations(
        format_name, as_json, output or [], default=config.format or "table", gate=why is None
    )
    results.refuse_inputs(targets, paths or [])
    policy = policy_of(config, path, against=against, baseline=baseline, use_baseline=not no_baseline, costs=costs)
    if why is not None:
        from tokaudit.gate.explain import explain_file

        page = explain_file(why, paths or [], config.models, policy, reading_of(config))
        results.write(page, targets, quiet=quiet, color=config.color)
        return
    with Bar(quiet=quiet) as progress, _no_collection():
        people = any(name in results.FOR_PEOPLE for name, _ in targets) or "GITHUB_STEP_SUMMARY" in os.environ
        reading = reading_of(config)
        result = check_project(
            paths or [], config.models, policy, reading, progress=progress, try_slim=people and not quiet
        )

    def built(people: bool) -> Report:
        return with_costs(report(result, people=people), check_costs(result), people=people)

    results.refuse_inputs(targets, [os.path.join(policy.root, name) for name in policy.files_of(result)])  # noqa: PTH118
    if not quiet or any(name for _, name in targets):  # with nothing to print, a closed standard output is no matter
        results.write(built, targets, quiet=quiet, color=config.color)
    _summarize(result)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector: of the small objects of a run it finds none to free, in an eighth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _summarize(result: "CheckResult") -> None:
    """Add the result to the summary of a GitHub job, which is a file of Markdown that steps append to."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from tokaudit.features.check.report import report
    from tokaudit.reporters import render

    text = render(report(result, people=True), "markdown")
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as stream:  # noqa: PTH123 - pathlib is slow to import
            stream.write(text)
    except OSError as error:
        problem = Message("{path}: the job's summary cannot be written: {reason}", path=path, reason=reason_of(error))
        typer.echo(f"tokaudit: {language.said(problem, sys.stderr)}", err=True)
