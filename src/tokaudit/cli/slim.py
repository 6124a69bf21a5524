"""``tokaudit slim``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import Annotated

import typer

from tokaudit.cli import complete, options

EPILOG = (
    "Exit codes: 0 slimmed, 1 --check found something to save, or a --budget or --target is missed, 2 a usage, "
    "configuration or input error, 70 internal error, 130 interrupted. `tokaudit rules list` lists the rules."
)


def slim(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH|-", help="Files, folders (recursive, obeying .gitignore), globs; - is stdin."),
    ] = None,
    text: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="Slim this text; repeatable.")] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="PACK",
            help="A built-in pack (cn, en, ...) or a file; +FILE: besides the default; repeatable "
            "[default: by kind and language].",
            autocompletion=complete.packs,
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Apply an edit only if it saves tokens of these models; as in count.",
            autocompletion=complete.models,
        ),
    ] = None,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Apply only rules that keep the content exactly.")
    ] = False,
    lossy: Annotated[
        bool | None,
        typer.Option("--lossy/--no-lossy", help="Also apply rules that delete content, such as fillers."),
    ] = None,
    system: Annotated[
        bool | None,
        typer.Option(
            "--system/--no-system", help="Of requests: apply these to system prompts too, not lossless rules alone."
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="Also apply this rule, a pack's rules, or a pattern (md.*), of any class; repeatable.",
            autocompletion=complete.rules,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE", help="Do not apply this rule, pack or pattern; repeatable.", autocompletion=complete.rules
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Apply classes of rules, the safest first, until each text has at most N tokens."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="The same, until this share of the tokens is saved, such as 30%."),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR|FORMAT=PATH",
            help="Write one text to a file, several into a folder; a report as FORMAT=PATH, repeatable.",
        ),
    ] = None,
    write: Annotated[bool, typer.Option("--write", "-w", help="Write the files in place, atomically.")] = False,
    backup: Annotated[bool, typer.Option("--backup", help="With --write: keep the old file as FILE.orig.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show the changes and their rules; write nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file could be shorter.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(metavar="RULE", help="Show a rule's page and exit.", autocompletion=complete.rule_ids),
    ] = None,
    explain_kind: Annotated[
        bool, typer.Option("--explain-kind", help="Show the kind of each text and what speaks for it, and exit.")
    ] = False,
    format_name: options.FormatName = None,
    as_json: options.AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report.")] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Read all inputs as text, markdown, json, jsonl, yaml, toml, code, template, log or chat; "
            "detected if not given.",
        ),
    ] = None,
    charset: options.CharsetName = None,
    errors: options.Errors = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    gitignore: options.Gitignore = None,
    max_file_size: options.MaxFileSize = None,
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
    """Make prompts shorter without changing what they say.

    One input is printed slimmed; what each rule saved, for each model, goes to stderr. Rules come in three classes:
    lossless and near-lossless ones are applied, lossy ones, which delete content such as fillers, only with --lossy.
    Code, URLs, quotes and placeholders stay as they are, an edit is kept only where it saves tokens, and never where a
    number, date, name or negation would be lost.
    """
    del lang
    from dataclasses import replace

    from tokaudit.cli import slim_output, slim_writer
    from tokaudit.cli.costs import asked_costs
    from tokaudit.cli.count import checked_errors, checked_jobs, named_inputs, parsed_size, split_models
    from tokaudit.cli.language import configure
    from tokaudit.cli.results import checked_color, destinations
    from tokaudit.store.config import Config, configured

    if explain is not None:
        from tokaudit.api.rules import rule_page
        from tokaudit.cli.language import both
        from tokaudit.cli.results import write_page

        write_page(rule_page(explain, rules or (), *both()))
        return
    config, _ = configured(
        Config(
            models=split_models(model),
            charset=charset,
            errors=checked_errors(errors),
            include=tuple(include) if include else None,
            exclude=tuple(exclude) if exclude else None,
            max_file_size=parsed_size(max_file_size),
            color=checked_color(color),
            jobs=checked_jobs(jobs),
            gitignore=gitignore,
            pdf_engine=pdf_engine,
            pdf_tables=False if no_tables else None,
        )
    )
    configure(config.lang)
    if explain_kind:
        files, texts = named_inputs(paths or [], text or [], "slim")
        slim_output.show_kinds(files, texts, config, kind, as_json=as_json or format_name == "json")
        return
    of_slim = config.slim
    if of_slim is not None:
        rules = rules or _given(of_slim.rules)
        select = select or _given(of_slim.select)
        ignore = ignore or _given(of_slim.ignore)
        lossy = of_slim.lossy if lossy is None and not lossless else lossy
        system = of_slim.system if system is None else system
        if of_slim.exclude and not exclude:
            config = replace(config, exclude=(*(config.exclude or ()), *of_slim.exclude))
    costs = asked_costs(
        cost=cost, prices=prices, output_tokens=output_tokens, cached_tokens=cached_tokens,
        written_tokens=written_tokens, service=service, per_day=per_day, currency=currency, rate=rate, at=at,
    )  # fmt: skip
    place, reports = slim_output.outputs_of(output)
    files, texts = named_inputs(paths or [], text or [], "slim")
    asked = slim_writer.Asked(
        files=files,
        texts=texts,
        rules=rules,
        classes=slim_output.classes_of(lossless=lossless, lossy=bool(lossy)),
        select=slim_output.split_names("--select", select),
        ignore=slim_output.split_names("--ignore", ignore),
        system=bool(system),
        budget=budget,
        target=slim_output.share_of(target),
        output=place,
        finding=[
            *(word for name in include or () for word in ("--include", name)),
            *(word for name in exclude or () for word in ("--exclude", name)),
            *(["--charset", charset] if charset else []),
            *(["--no-gitignore"] if gitignore is False else []),
            *(["--max-file-size", max_file_size] if max_file_size else []),
        ],
        models=split_models(model),
        reports=reports,
        write=write,
        backup=backup,
        diff=diff,
        check=check,
        format_name=destinations(format_name, as_json, [])[0][0] if as_json or format_name else None,
        quiet=quiet,
        kind=kind,
        password=password,
        costs=costs,
    )
    code = slim_output.run(asked, config)
    if code:
        raise typer.Exit(code)


def _given(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)
