"""``tokaudit count``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

import sys
from dataclasses import replace
from typing import Annotated

import typer

from tokaudit.cli import complete, language, options
from tokaudit.model import InputError, Report, Skipped, UsageError
from tokaudit.model.message import Message

EPILOG = (
    "Exit codes: 0 counted, 2 usage, configuration or input error, 70 internal error, 130 interrupted. "
    "`tokaudit models` and `tokaudit tokenizers` list the names for -m."
)


def count(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH|-", help="Files, folders (recursive, obeying .gitignore), globs; - is stdin."),
    ] = None,
    text: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="Count this text itself; repeatable.")] = None,
    model: options.Models = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="PART",
            help="Divide by file, folder, segment, section, page, kind, line, class (han...), role or turn.",
            autocompletion=complete.divisions,
        ),
    ] = "file",
    depth: Annotated[
        int | None, typer.Option(metavar="N", help="With --by folder: show N levels of folders (default: all).")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(metavar="N", help="Show the first N parts (0: all; tables show the 40 largest by default)."),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="Sort by order, tokens, density, chars or name. Default: order; with --top density (lines) or tokens.",
            autocompletion=complete.orders,
        ),
    ] = None,
    density_threshold: Annotated[
        float | None,
        typer.Option(metavar="T", help="Flag parts with more than T tokens per character (default 0.8)."),
    ] = None,
    format_name: options.FormatName = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the number of tokens of the first model.")
    ] = False,
    kind: options.Kind = None,
    charset: options.CharsetName = None,
    errors: options.Errors = None,
    special: options.Special = None,
    no_template: Annotated[
        bool, typer.Option("--no-template", help="Of requests count the contents alone, without a chat template.")
    ] = False,
    hidden: Annotated[
        int, typer.Option(metavar="N", help="Add N tokens that the provider injects into each request.")
    ] = 0,
    variables: Annotated[
        str | None,
        typer.Option("--vars", metavar="FILE", help="Fill placeholders from FILE: JSON, YAML, TOML or k=v lines."),
    ] = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    gitignore: options.Gitignore = None,
    max_file_size: options.MaxFileSize = None,
    download: options.Download = None,
    jobs: options.Jobs = None,
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
    """Count tokens, exactly, for several models at once.

    Without -m it counts for one model of each large family. A path that does not exist is an error, never counted as
    text. Control tokens such as <|endoftext|> in a text are ordinary text unless --special is given.
    """
    del lang
    from tokaudit.api.costs import count_costs, with_costs
    from tokaudit.api.count import wanted_of
    from tokaudit.cli import results
    from tokaudit.cli.costs import asked_costs
    from tokaudit.cli.progress import Bar
    from tokaudit.features.count.report import report as count_report
    from tokaudit.jobs.count import count_result
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.store.config import Config, configured

    config, _ = configured(
        Config(
            models=split_models(model),
            charset=charset,
            errors=checked_errors(errors),
            density_threshold=density_threshold,
            include=tuple(include) if include else None,
            exclude=tuple(exclude) if exclude else None,
            max_file_size=parsed_size(max_file_size),
            format=format_name,
            color=results.checked_color(color),
            jobs=checked_jobs(jobs),
            special=special,
            gitignore=gitignore,
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
    targets = results.destinations(format_name, as_json, output or [], default=config.format or "table")
    wanted = wanted_of(
        by,
        top,
        sort or _natural_sort(by, top),
        0.8 if config.density_threshold is None else config.density_threshold,
        depth,
        template=not no_template,
        hidden=hidden,
        words=any(name == "json" for name, _ in targets),
    )
    reading = reading_of(config, kind=kind, password=password)
    files, texts = named_inputs(paths or [], text or [], "count")
    results.refuse_inputs(targets, [*files, *([variables] if variables else [])])
    notes: list[Skipped] = []
    if variables is not None:
        from tokaudit.jobs.filled import filled_texts

        files, texts, notes = filled_texts(files, texts, variables, reading)
    with Bar(quiet=quiet) as progress:
        result = count_result(files, texts, config.models, wanted, reading, progress=progress)
    result = replace(result, skipped=[*result.skipped, *notes]) if notes else result
    costs = count_costs(result, asked, config)

    def built(people: bool) -> Report:
        return with_costs(count_report(result, people=people), costs, people=people)

    report = results.write(built, targets, quiet=quiet, color=config.color)
    results.warn(report, targets, quiet=quiet)


def split_models(names: list[str] | None) -> tuple[str, ...] | None:
    if not names:
        return None
    return tuple(part.strip() for name in names for part in (name.split(",") if name.strip() else [name]))


def _natural_sort(by: str, top: int | None) -> str:
    """With ``--top`` the parts worth looking at come first; without it the text's own order."""
    if not top:
        return "order"
    return "density" if by == "line" else "tokens"


def parsed_size(text: str | None) -> int | None:
    if text is None:
        return None
    from tokaudit.store.key_kinds import parse_size

    return parse_size(text)


def checked_errors(how: str | None) -> str | None:
    if how not in (None, "strict", "replace"):
        raise UsageError(Message("invalid --errors {how!r}", how=how), hint="it takes strict or replace")
    return how


def checked_jobs(number: int | None) -> int | None:
    if number is not None and number < 0:
        raise UsageError(Message("--jobs {number} is negative", number=number), hint="0 uses all cores")
    return number


def named_inputs(paths: list[str], texts: list[str], what: str) -> tuple[list[str], list[tuple[str, str | bytes]]]:
    """Paths to be found, and texts that are here already: ``--text``, standard input, and pipes that have a name."""
    from tokaudit.jobs.inputs import read_pipes

    found: list[tuple[str, str | bytes]] = []
    for number, text in enumerate(texts, 1):
        found.append(("<text>" if len(texts) == 1 else f"<text {number}>", text))
    from_stdin = "-" in paths
    if not paths and not texts:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(Message("nothing to {what}", what=what), hint="name files, pipe a text in, or use --text")
        from_stdin = True
    if from_stdin:
        if sys.stdin is None:
            raise UsageError("standard input is closed", hint="name files, or use --text")
        data = sys.stdin.buffer.read()
        if not data and not texts and all(path == "-" for path in paths):
            raise InputError(
                Message("nothing to {what}: standard input is empty", what=what),
                code="no-input",
                hint=Message("pipe a text in, or name files: tokaudit {what} FILE", what=what),
            )
        found.append(("<stdin>", data))
    files, pipes = read_pipes(path for path in paths if path != "-")
    return files, [*found, *pipes]
