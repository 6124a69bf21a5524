"""``tokaudit tokenizers``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import Annotated

import typer

from tokaudit.cli import language
from tokaudit.cli.options import AsJson, Color, FormatName, Lang, Output


def tokenizers(
    format_name: FormatName = None,
    as_json: AsJson = False,
    output: Output = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the names that can be used now.")] = False,
    color: Color = None,
    lang: Lang = None,
) -> None:
    """List the tokenizers: whether each can be used now, and if not, the one command that makes it so."""
    del lang
    from tokaudit.api.catalog import tokenizers_report
    from tokaudit.cli import results
    from tokaudit.store.config import Config, configured

    language.configure(configured(Config())[0].lang)
    chosen = results.checked_color(color)
    targets = results.destinations(format_name, as_json, output or [])
    results.write(lambda people: tokenizers_report(people=people), targets, quiet=quiet, color=chosen)
