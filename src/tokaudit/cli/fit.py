"""``tokaudit fit``."""

# No postponed annotations here: typer would have to evaluate each of them again at every start.

from typing import TYPE_CHECKING, Annotated

import typer

from tokaudit.cli import complete, language, options
from tokaudit.model import UsageError
from tokaudit.model.message import Message

if TYPE_CHECKING:
    from tokaudit.features.fit.types import FitRun
    from tokaudit.jobs.inputs import Reading

EPILOG = (
    "Exit codes: 0 every request fits now, 2 one cannot fit, or a usage, configuration or input error, 70 internal "
    "error, 130 interrupted."
)


def fit(
    path: Annotated[str, typer.Argument(metavar="FILE|-", help="A request, conversation or JSON Lines; - is stdin.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Count for this model (default: the request's).",
            autocompletion=complete.models,
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(metavar="N", help="Fit into N tokens (default: the model's window less the answer's)."),
    ] = None,
    keep_last: Annotated[int, typer.Option(metavar="N", help="Keep the last N turns whole.")] = 3,
    reserve_output: Annotated[
        int | None,
        typer.Option(metavar="N", help="Keep N tokens for the answer (default: the request's max_tokens, or 4096)."),
    ] = None,
    summary: Annotated[
        str | None, typer.Option(metavar="FILE", help="Put this summary of older turns after the system prompt.")
    ] = None,
    facts: Annotated[
        str | None, typer.Option(metavar="FILE", help="Put these facts there: JSON, YAML, TOML or key: value lines.")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option(metavar="K", help="Keep the first K retrieved passages of each message.")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output", "-o", metavar="FILE|FORMAT=PATH", help="Write the request to FILE; a report as FORMAT=PATH."
        ),
    ] = None,
    dropped: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the dropped turns to FILE, as a conversation.")
    ] = None,
    format_name: options.FormatName = None,
    as_json: options.AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report.")] = False,
    kind: options.Kind = None,
    charset: options.CharsetName = None,
    download: options.Download = None,
    color: options.Color = None,
    lang: options.Lang = None,
) -> None:
    """Make a conversation fit a model's window.

    Near-duplicate passages go first, then whole turns from the oldest on. The system prompt and the last turns stay,
    and no tool result loses its call. The fitted request is printed, or written with -o; all its other bytes stay as
    they were. What was dropped is listed, and written with --dropped, so that a summary can be made of it.
    """
    del lang
    from tokaudit.cli import results, slim_output
    from tokaudit.cli.count import named_inputs
    from tokaudit.features.fit.report import report
    from tokaudit.jobs.fit import FitOptions, fit_run
    from tokaudit.jobs.inputs import TextInput, reading_of
    from tokaudit.store.config import Config, configured

    config, _ = configured(Config(charset=charset, color=results.checked_color(color), download=download))
    language.configure(config.lang)
    place, reports = slim_output.outputs_of(output)
    shown = results.destinations(format_name, as_json, [])[0][0] if as_json or format_name else None
    files, texts = named_inputs([path], [], "fit")
    inputs = [*files, *(name for name in (summary, facts) if name)]
    written = [("", name) for name in (place, dropped) if name]
    results.refuse_inputs([*written, *reports], inputs)
    _refuse_twice([name for _, name in [*written, *reports] if name])
    reading = reading_of(config, kind=kind)
    wanted = FitOptions(model, budget, keep_last, reserve_output, top_k, _slots(summary, facts, reading))
    source: str | TextInput = TextInput(*texts[0]) if texts else files[0]
    run = fit_run(source, wanted, reading)
    _write(run, place, dropped)
    with_text = shown in {"json", "jsonl"} and place is None
    if place is None and shown is None:
        results.write_text(run.text)
    wanted_reports = [*([(shown, "")] if shown else []), *reports]
    if wanted_reports:
        results.write(
            lambda people: report(run, people=people, with_text=with_text),
            wanted_reports,
            quiet=False,
            color=config.color,
        )
    if shown is None and not quiet:
        results.write_aside(report(run, people=True), color=config.color)


def _slots(summary: str | None, facts: str | None, reading: "Reading") -> dict[str, str]:
    """The texts of the slots."""
    from tokaudit.jobs.fit import text_of
    from tokaudit.sources.key_values import fact_lines, key_values

    slots = {}
    if summary is not None:
        slots["summary"] = text_of(summary, reading)
    if facts is not None:
        slots["facts"] = fact_lines(key_values(text_of(facts, reading), facts))
    for name, path in (("summary", summary), ("facts", facts)):
        if path is not None and not slots[name].strip():
            raise UsageError(
                Message("{path} is empty", path=path), hint=Message("leave out --{name}, or write one", name=name)
            )
    return slots


def _refuse_twice(paths: list[str]) -> None:
    import os

    seen: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in seen:
            raise UsageError(Message("{path} is named for two outputs", path=path), hint="name two files")
        seen[real] = path


def _write(run: "FitRun", place: str | None, dropped: str | None) -> None:
    from tokaudit.store.output import write_atomic

    for path, text in ((place, run.text), (dropped, run.dropped_text)):
        if path is not None:
            write_atomic(path, run.encode(text))
