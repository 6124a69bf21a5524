"""``tokaudit slim``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import Annotated

import typer

from tokaudit.cli import complete
from tokaudit.cli.options import (
    AsJson,
    CharsetName,
    Color,
    Exclude,
    FormatName,
    Gitignore,
    Include,
    Jobs,
    MaxFileSize,
    NoTables,
    Password,
    PdfEngine,
)

EPILOG = (
    "Exit codes: 0 slimmed, 1 --check found something to save, or a --budget or --target cannot be met, 2 a mistake in "
    "use, configuration or input, 70 internal error, 130 interrupted. `tokaudit rules list` lists the rules."
)


def slim(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH|-", help="Files, folders (recursive, obeying .gitignore), globs; - is stdin."),
    ] = None,
    text: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="Slim this text itself; repeatable.")] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="PACK",
            help="A built-in pack (cn, en, ...) or a file; repeatable. Default: by text.",
            autocompletion=complete.packs,
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Keep only what saves tokens of these models; as in count.",
            autocompletion=complete.models,
        ),
    ] = None,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Only rules that keep the content to the letter.")
    ] = False,
    lossy: Annotated[bool, typer.Option("--lossy", help="Also rules that delete content, such as fillers.")] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Apply this rule too, or all of a pack, whatever the class; repeatable."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Do not apply this rule, or this pack; repeatable.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="Go from the safest class on until each text has at most N tokens.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="The same, until this share is saved, such as 30%."),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR|FORMAT=PATH",
            help="Write one text to a file, several below a folder; the report as FORMAT=PATH, repeatable.",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", "-w", help="Write the files in place, each whole or not at all.")
    ] = False,
    backup: Annotated[bool, typer.Option("--backup", help="With --write: keep each old file as FILE.orig.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what would change, with the rules; write nothing.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would be saved.")] = False,
    explain: Annotated[str | None, typer.Option(metavar="RULE", help="Show a rule's page and stop.")] = None,
    format_name: FormatName = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No report of what was saved.")] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Read all inputs as text, markdown, json, jsonl, code, template, log or chat; told otherwise.",
        ),
    ] = None,
    charset: CharsetName = None,
    include: Include = None,
    exclude: Exclude = None,
    gitignore: Gitignore = None,
    max_file_size: MaxFileSize = None,
    jobs: Jobs = None,
    password: Password = "",
    pdf_engine: PdfEngine = None,
    no_tables: NoTables = False,
    color: Color = None,
) -> None:
    """Make prompts shorter without changing what they say.

    One input is printed slimmed; what each rule saved, for each model, goes to stderr. Rules come in three classes:
    lossless and near-lossless ones are applied, lossy ones, which delete content such as fillers, only with --lossy.
    Code, URLs, quotes and placeholders stay as they are, an edit is kept only where it saves tokens, and never where a
    number, date, name or negation would be lost.
    """
    from tokaudit.cli import slim_output, slim_writer
    from tokaudit.cli.count import checked_jobs, named_inputs, parsed_size, split_models
    from tokaudit.cli.results import checked_color, destinations
    from tokaudit.cli.settings import settled
    from tokaudit.store.config import Config

    if explain is not None:
        from tokaudit.api.rules import rule_page
        from tokaudit.cli.results import write_text

        write_text(rule_page(explain, rules or ()))
        return
    config = settled(
        Config(
            models=split_models(model),
            charset=charset,
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
    place, reports = slim_output.outputs_of(output)
    files, texts = named_inputs(paths or [], text or [], "slim")
    asked = slim_writer.Asked(
        files=files,
        texts=texts,
        rules=rules,
        classes=slim_output.classes_of(lossless=lossless, lossy=lossy),
        select=slim_output.split_names("--select", select),
        ignore=slim_output.split_names("--ignore", ignore),
        budget=budget,
        target=slim_output.share_of(target),
        output=place,
        reports=reports,
        write=write,
        backup=backup,
        diff=diff,
        check=check,
        format_name=destinations(format_name, as_json, [])[0][0] if as_json or format_name else None,
        quiet=quiet,
        kind=kind,
        password=password,
    )
    code = slim_output.run(asked, config)
    if code:
        raise typer.Exit(code)
