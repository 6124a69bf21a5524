"""``tokaudit tokenizers``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import Annotated

import typer


def tokenizers(
    format_name: Annotated[
        str | None, typer.Option("--format", "-f", metavar="NAME", help="table, json, jsonl, csv or markdown.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to FILE, or several times FORMAT=FILE."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the names that can be used now.")] = False,
    color: Annotated[str | None, typer.Option(metavar="WHEN", help="auto, always or never.")] = None,
) -> None:
    """List the tokenizers: whether each can be used now, and if not, the one command that makes it so."""
    from tokaudit.api import tokenizers_report
    from tokaudit.cli import results

    chosen = results.checked_color(color)
    targets = results.destinations(format_name, as_json, output or [])
    results.write(lambda _: tokenizers_report(), targets, quiet=quiet, color=chosen)
