"""``tokaudit diff``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tokaudit.cli import language, options
from tokaudit.model import Report, UsageError
from tokaudit.model.message import Message

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Reading
    from tokaudit.jobs.versions import Source

EPILOG = (
    "Exit codes: 0 compared, whatever differs; 2 usage, configuration or input error, 70 internal error, "
    "130 interrupted."
)


def diff(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BEFORE AFTER",
            help="Two files (- is stdin) or two folders; with --git what to compare, if not all.",
        ),
    ] = None,
    git: Annotated[
        str | None,
        typer.Option(
            metavar="REV", help="Compare a revision with the working tree; or two, as in REV1..REV2; then PATHs follow."
        ),
    ] = None,
    model: options.Models = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="PART",
            help="Divide by segment, section or file. Default: segment; file for folders and git.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(metavar="N", help="Show the N largest deltas of each table (0: all; tables show 40 by default)."),
    ] = None,
    word_diff: Annotated[
        bool | None,
        typer.Option(
            "--word-diff/--no-text",
            help="Show the text with every change marked; or no text. Default: a table of changes, unless by file.",
        ),
    ] = None,
    context: Annotated[
        int, typer.Option(metavar="N", help="Show N unchanged lines around a change; with --word-diff.")
    ] = 1,
    format_name: options.FormatName = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the difference in tokens of the first model.")
    ] = False,
    kind: options.Kind = None,
    charset: options.CharsetName = None,
    errors: options.Errors = None,
    special: options.Special = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="In folders, compare only these files; repeatable.")
    ] = None,
    exclude: options.Exclude = None,
    download: options.Download = None,
    cost: options.Cost = False,
    prices: options.Prices = None,
    output_tokens: options.OutputTokens = None,
    cached_tokens: options.CachedTokens = None,
    written_tokens: options.WrittenTokens = None,
    service: options.Service = None,
    per_day: options.PerDay = None,
    currency: options.Currency = None,
    rate: options.ExchangeRate = None,
    at: options.PriceTime = None,
    password: options.Password = "",
    pdf_engine: options.PdfEngine = None,
    no_tables: options.NoTables = False,
    color: options.Color = None,
    lang: options.Lang = None,
) -> None:
    """Compare the tokens of two versions, for several models at once.

    Shows the tokens before and after, which segments changed, moved, came or went, and every change of the text by
    word. The deltas of the segments sum exactly to the delta of the whole, and so do those of the changes.
    """
    del lang
    from tokaudit.api.costs import diff_costs, with_costs
    from tokaudit.api.diff import wanted_of
    from tokaudit.cli import results
    from tokaudit.cli.costs import asked_costs
    from tokaudit.cli.count import checked_errors, split_models
    from tokaudit.cli.progress import Bar
    from tokaudit.features.diff.report import report as diff_report
    from tokaudit.jobs.diff import diff_result
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.store.config import Config, configured

    config, _ = configured(
        Config(
            models=split_models(model),
            charset=charset,
            errors=checked_errors(errors),
            include=tuple(include) if include else None,
            exclude=tuple(exclude) if exclude else None,
            format=format_name,
            color=results.checked_color(color),
            special=special,
            download=download,
            pdf_engine=pdf_engine,
            pdf_tables=False if no_tables else None,
        )
    )
    language.configure(config.lang)
    asked = asked_costs(
        cost=cost, prices=prices, output_tokens=output_tokens, cached_tokens=cached_tokens,
        written_tokens=written_tokens, service=service, per_day=per_day, currency=currency, rate=rate, at=at,
    )  # fmt: skip
    if context < 0:
        raise UsageError(
            Message("--context {context} is negative", context=context), hint="0 shows the changed lines only"
        )
    targets = results.destinations(format_name, as_json, output or [], default=config.format or "table")
    reading = reading_of(config, kind=kind, password=password)
    results.refuse_inputs(targets, paths or [])
    source = _source(paths or [], git, reading)
    wanted = wanted_of(by, top, changes=word_diff, texts=bool(word_diff), several=source.several)
    with Bar(quiet=quiet) as progress:
        result = diff_result(source, config.models, wanted, reading, progress=progress)
    costs = diff_costs(result, asked, config)

    def built(people: bool) -> Report:
        return with_costs(diff_report(result, people=people), costs, people=people)

    report = results.write(built, targets, quiet=quiet, color=config.color)
    if word_diff and not quiet and ("table", "") in targets:
        from tokaudit.cli.marked import marked

        results.write_text(marked(result, context, color=results.colored(config.color)))
    results.warn(report, targets, quiet=quiet)


def _source(paths: list[str], git: str | None, reading: "Reading") -> "Source":
    """The versions to compare. Raises ``UsageError`` for another number of paths than two."""
    from tokaudit.jobs.git_versions import of_git
    from tokaudit.jobs.versions import of_paths

    if git is not None:
        return of_git(git, paths, reading)
    if len(paths) != 2:
        hint = Message("as in: tokaudit diff old.md new.md, or tokaudit diff --git HEAD prompts/")
        raise UsageError(Message("diff compares two paths, not {n}", n=len(paths) or "none"), hint=hint)
    stdin = None
    if "-" in paths:
        if paths == ["-", "-"]:
            raise UsageError("- can be given only once", hint="name a file on one side")
        if sys.stdin is None:
            raise UsageError("standard input is closed", hint="name two files")
        stdin = sys.stdin.buffer.read()
    return of_paths(paths[0], paths[1], reading, stdin=stdin)
