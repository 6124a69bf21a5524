"""``tokaudit baseline``: write, show, update. Imported when the group is used."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

import sys
from typing import Annotated

import typer

from tokaudit.cli import language
from tokaudit.cli.options import AsJson, Color, FormatName, Lang, MeasuredModels, Output
from tokaudit.cli.plain_command import PlainCommand, PlainGroup
from tokaudit.model import UsageError, plural
from tokaudit.model.message import Message, joined

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATH", help="Files, folders and globs (default: those of the baseline and the budgets)."),
]
File = Annotated[
    str | None,
    typer.Option(
        "--baseline", metavar="FILE", help="The baseline (default: tokaudit-baseline.json in the project's folder)."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")]

app = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Record the accepted tokens of files, for `tokaudit check` to compare with.",
)


@app.command("write", cls=PlainCommand, short_help="Measure files and write a new baseline.")
def write_baseline(
    paths: Paths = None,
    model: MeasuredModels = None,
    baseline: File = None,
    quiet: Quiet = False,
    lang: Lang = None,
) -> None:
    """Measure files and write a new baseline: accepts all growth, and drops the entries of other files.

    Without PATH, measures the files of the present baseline and of the budgets. Replaces a broken baseline, such as one
    with a merge conflict.
    """
    del lang
    _write(paths or [], model, baseline, quiet, update=False)


@app.command("update", cls=PlainCommand, short_help="Measure some files again; keep all other entries.")
def update_baseline(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files, folders and globs.")],
    baseline: File = None,
    quiet: Quiet = False,
    lang: Lang = None,
) -> None:
    """Measure some files again, to accept their growth; keep all other entries.

    Removes entries in PATH whose files are gone.
    """
    del lang
    _write(paths, None, baseline, quiet, update=True)


@app.command("show", cls=PlainCommand, short_help="Show the entries of a baseline.")
def show_baseline(
    paths: Paths = None,
    baseline: File = None,
    format_name: FormatName = None,
    as_json: AsJson = False,
    output: Output = None,
    color: Color = None,
    lang: Lang = None,
) -> None:
    """Show the entries of a baseline."""
    del lang
    from tokaudit.cli import results
    from tokaudit.gate.baseline import baseline_report, shown_baseline
    from tokaudit.gate.policy import policy_of
    from tokaudit.store.config import Config, configured

    config, path = configured(Config(format=format_name, color=results.checked_color(color)))
    language.configure(config.lang)
    targets = results.destinations(format_name, as_json, output or [], default=config.format or "table")
    policy = policy_of(config, path, baseline=baseline, to_write=True)
    known, models = shown_baseline(paths or [], policy)
    results.write(
        lambda people: baseline_report(known, models, policy, people=people), targets, quiet=False, color=config.color
    )


def _write(paths: list[str], model: list[str] | None, baseline: str | None, quiet: bool, *, update: bool) -> None:
    from tokaudit.cli.count import split_models
    from tokaudit.cli.progress import Bar
    from tokaudit.gate.baseline import baseline_changes, record_baseline
    from tokaudit.gate.policy import policy_of
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.store.config import Config, configured

    if update and not paths:
        raise UsageError("nothing to update", hint="name files, or write a new baseline: tokaudit baseline write")
    config, path = configured(Config(models=split_models(model)))
    language.configure(config.lang)
    policy = policy_of(config, path, baseline=baseline, to_write=True)
    with Bar(quiet=quiet) as progress:
        recorded = record_baseline(paths, config.models, policy, reading_of(config), update=update, progress=progress)
    measured, old = recorded.baseline, recorded.before
    if not quiet:
        files = plural(len(measured.files), "file")
        names = tuple(ref.name for ref in measured.tokenizers)
        done = Message(
            "{files}, {names}" if recorded.changed else "{files}, {names}; unchanged", files=files, names=names
        )
        typer.echo(language.said(joined(": ", policy.shown_baseline, done), sys.stdout))
        for line in baseline_changes(old, measured) if old is not None else ():
            typer.echo(f"  {language.said(line, sys.stdout)}")
        for item in (*measured.skipped, *recorded.remarks):
            skipped = Message(
                "note: {what}: {reason}" if item.is_note else "skipped: {what}: {reason}",
                what=item.what,
                reason=language.said(item.reason, sys.stdout),
            )
            typer.echo(f"  {language.said(skipped, sys.stdout)}")
