"""``tokaudit rules``: list, show, test, new and schema. Imported when the group is used."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

import json
import sys
from typing import Annotated, Any

import typer

from tokaudit.cli import complete, language
from tokaudit.cli.options import AsJson, Color, FormatName, Lang, Output
from tokaudit.cli.plain_command import PlainCommand, PlainGroup
from tokaudit.model import UsageError
from tokaudit.model.message import Message

EXIT_FAILED = 1

Packs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PACK", help="Built-in packs or files [default: all built-in packs].", autocompletion=complete.packs
    ),
]

app = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Rules of `tokaudit slim`: list them, show a rule's page, run the examples of packs, start a pack.",
)


@app.command("list", cls=PlainCommand, short_help="List rules with class, default, stage and measured saving.")
def list_rules(
    packs: Packs = None,
    format_name: FormatName = None,
    as_json: AsJson = False,
    output: Output = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the ids.")] = False,
    color: Color = None,
    lang: Lang = None,
) -> None:
    """List the rules of packs: class, whether each is on by default, stage, and what it was measured to save."""
    from tokaudit.api.rules import rules_list, rules_packs
    from tokaudit.cli import results

    del lang
    settle_language()
    chosen = results.checked_color(color)
    targets = results.destinations(format_name, as_json, output or [])
    results.refuse_inputs(targets, packs or [])
    loaded = rules_packs(packs or [])
    # Only a terminal's lines have an end; Markdown and files are for any width.
    width = results._width() if targets == [("table", "")] else None  # noqa: SLF001
    words = language.words(sys.stdout)
    results.write(
        lambda people: rules_list(loaded, people=people, width=width, words=words), targets, quiet=quiet, color=chosen
    )


@app.command("show", cls=PlainCommand, short_help="Show a rule's page.")
def show_rule(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The id of a rule, such as cn.final-particle.", autocompletion=complete.rule_ids
        ),
    ],
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="PACK",
            help="Look in this pack (a name or path); repeatable.",
            autocompletion=complete.packs,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    lang: Lang = None,
) -> None:
    """Show a rule's page in Markdown: what it does and why, when not to use it, its examples, and how it works."""
    from tokaudit.api.rules import rule_document, rule_page
    from tokaudit.cli import results

    del lang
    settle_language()
    if as_json:
        results.write_text(_json(rule_document(rule, rules or [])), as_json=True)
    else:
        results.write_page(rule_page(rule, rules or [], *language.both()))


@app.command("test", cls=PlainCommand, short_help="Run the examples of packs.")
def run_tests(
    packs: Packs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only failures.")] = False,
    lang: Lang = None,
) -> None:
    """Check packs and run the examples of their rules.

    Exit code 1 if one fails, 2 if a pack cannot be loaded or has no examples.
    """
    from tokaudit.api.rules import examples_document, examples_page, run_examples
    from tokaudit.cli import results

    del lang
    settle_language()
    tested = run_examples(packs or [])
    failed = any(item.failures for item in tested)
    bare = [item.pack.path for item in tested if not any(rule.examples for rule in item.rules)]
    if as_json:
        results.write_text(_json(examples_document(tested)), as_json=True)
    elif failed or not (quiet or len(bare) == len(tested)):
        results.write_page(examples_page(tested, language.words(sys.stdout)))
    if failed:
        raise typer.Exit(EXIT_FAILED)
    if bare:
        raise UsageError(
            Message("{rules} has no examples" if len(bare) == 1 else "{rules} have no examples", rules=tuple(bare)),
            hint="a rule without examples is not tested; docs/packs.md",
        )


@app.command("new", cls=PlainCommand, short_help="Write a pack to begin with.")
def new_rules(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The pack's name, with which its rules' ids begin.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file [default: NAME.yaml].")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Write a pack to begin with: one rule that works, with its examples and comments. Nothing is overwritten."""
    from tokaudit.api.rules import new_pack
    from tokaudit.cli import results

    name = name.removesuffix(".yaml")
    path = output or f"{name}.yaml"
    new_pack(name, path)
    if not quiet:
        done = Message("{path} is written; `tokaudit rules test {path}` runs its examples", path=path)
        results.write_text(f"{language.said(done, sys.stdout)}\n")


@app.command("schema", cls=PlainCommand, short_help="Print the JSON Schema of packs, for editors.")
def print_schema() -> None:
    """Print the JSON Schema of rule packs, by which editors complete and check them."""
    from tokaudit.api.rules import rules_schema
    from tokaudit.cli import results

    results.write_text(_json(rules_schema()), as_json=True)


def settle_language() -> None:
    """Take the language of the configuration; the rest of it does not concern rules."""
    from tokaudit.store.config import Config, configured

    language.configure(configured(Config())[0].lang)


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
