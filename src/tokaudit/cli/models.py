"""``tokaudit models``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import Annotated

import typer

from tokaudit.cli import complete, language
from tokaudit.cli.options import AsJson, Color, FormatName, Lang, Output, PriceTime
from tokaudit.model import UsageError


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Only models whose name or provider has this part.",
            autocompletion=complete.model_parts,
        ),
    ] = None,
    prices: Annotated[
        bool, typer.Option("--prices", help="List prices of a million tokens, with date and source.")
    ] = False,
    at: PriceTime = None,
    format_name: FormatName = None,
    as_json: AsJson = False,
    output: Output = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the names.")] = False,
    color: Color = None,
    lang: Lang = None,
) -> None:
    """List the models of the catalog with tokenizer, context window and output limit."""
    del lang
    from tokaudit.api.catalog import models_report
    from tokaudit.cli import results
    from tokaudit.store.config import Config, configured

    language.configure(configured(Config())[0].lang)
    chosen = results.checked_color(color)
    targets = results.destinations(format_name, as_json, output or [])
    if prices:
        from tokaudit.api.costs import prices_report
        from tokaudit.cli.costs import options_of_prices

        options = options_of_prices(at)
        results.write(
            lambda people: prices_report(names or [], options, people=people), targets, quiet=quiet, color=chosen
        )
        return
    if at is not None:
        raise UsageError("--at is for prices", hint="add --prices, or leave --at out")
    results.write(lambda people: models_report(names or [], people=people), targets, quiet=quiet, color=chosen)
