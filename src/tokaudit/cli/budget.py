"""``tokaudit budget``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import Annotated

import typer

from tokaudit.cli import complete, language, options
from tokaudit.model import UsageError
from tokaudit.model.message import Message

EPILOG = (
    "Exit codes: 0 shown, whatever overflows; 2 usage, configuration or input error, 70 internal error, "
    "130 interrupted. Shares and roles can stand in [window] of tokaudit.toml."
)


def budget(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="FILE|-", help="Requests, or files with a --role; - is stdin.")
    ] = None,
    window: Annotated[
        int | None, typer.Option(metavar="N", help="Divide a window of N tokens (default: the model's).")
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=FILE",
            help="Count this file as system, user, retrieval, summary or tools; repeatable.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Count for this model.", autocompletion=complete.models),
    ] = None,
    format_name: options.FormatName = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the tokens that are left for the answer.")
    ] = False,
    kind: options.Kind = None,
    charset: options.CharsetName = None,
    errors: options.Errors = None,
    download: options.Download = None,
    color: options.Color = None,
    lang: options.Lang = None,
) -> None:
    """Show how a window is divided, and what is left for the answer.

    The parts of a request are known by its roles: system prompt, the user's question, retrieved passages, history and
    its summary, tools, framing. Each is held against its usual share of the window.
    """
    del lang
    from tokaudit.cli import results
    from tokaudit.cli.count import checked_errors, named_inputs
    from tokaudit.features.budget.report import report as budget_report
    from tokaudit.jobs.budget import BudgetOptions, budget_run
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.store.config import Config, configured

    config, _ = configured(
        Config(
            models=(model,) if model else None,
            charset=charset,
            errors=checked_errors(errors),
            format=format_name,
            color=results.checked_color(color),
            download=download,
        )
    )
    language.configure(config.lang)
    if window is not None and window < 1:
        raise UsageError(
            Message("{option} {value} is below {least}", option="--window", value=window, least=1),
            hint=Message("give a number of at least {least}", least=1),
        )
    targets = results.destinations(format_name, as_json, output or [], default=config.format or "table")
    roles = [_role(item) for item in role or ()]
    files, texts = named_inputs(paths or [], [], "count") if paths or not roles else ([], [])
    results.refuse_inputs(targets, [*files, *(path for _, path in roles)])
    of_window = config.window
    wanted = BudgetOptions(
        model=config.models[0] if config.models else None,
        window=window or (of_window.size if of_window else None),
        roles=roles,
        patterns=of_window.roles if of_window else None,
        bands=of_window.bands if of_window else None,
    )
    run = budget_run(files, texts, wanted, reading_of(config, kind=kind))
    report = results.write(lambda people: budget_report(run, people=people), targets, quiet=quiet, color=config.color)
    results.warn(report, targets, quiet=quiet)


def _role(item: str) -> tuple[str, str]:
    """Part and path of ``--role ROLE=FILE``."""
    role, equals, path = item.partition("=")
    if not equals or not path:
        raise UsageError(
            Message("--role {item} names no file", item=item), hint="as in --role system=prompts/system.md"
        )
    return role.strip(), path
