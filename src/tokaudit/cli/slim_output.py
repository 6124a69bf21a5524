"""The output of ``tokaudit slim``: the slimmed text, files in place or elsewhere, the changes, the report."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokaudit.cli import language, results
from tokaudit.cli.slim_writer import Asked, Writer
from tokaudit.model import InputError, Report, UsageError
from tokaudit.model.message import Message, joined

if TYPE_CHECKING:
    from tokaudit.features.slim.document import SlimRun
    from tokaudit.features.slim.types import Slimmed
    from tokaudit.model.rules import RuleClass
    from tokaudit.store.config import Config

EXIT_GATE = 1


def classes_of(*, lossless: bool, lossy: bool) -> Sequence[RuleClass]:
    """The classes of rules that ``--lossless`` and ``--lossy`` ask for."""
    if lossless and lossy:
        raise UsageError("--lossless and --lossy contradict each other", hint="give one of them")
    return ("lossless",) if lossless else ("lossless", "near", "lossy") if lossy else ("lossless", "near")


def split_names(option: str, names: Sequence[str] | None) -> list[str]:
    """Names given one by one or separated by commas. Raises ``UsageError`` where there is none in what was given."""
    for name in names or ():
        if not name.strip(", \t"):
            raise UsageError(
                Message("{option} {name!r} names no rule", option=option, name=name),
                hint="`tokaudit rules list` lists them",
            )
    return [part.strip() for name in names or () for part in name.split(",") if part.strip()]


def outputs_of(output: Sequence[str] | None) -> tuple[str | None, list[results.Destination]]:
    """The destination of the text (``-o FILE|DIR``) and those of reports (each ``-o FORMAT=PATH``).

    Raises:
        UsageError: Two places for the text, an unknown format, or a report without a path.
    """
    from tokaudit.reporters import FORMATS, GATE_FORMATS

    texts, reports = [], []
    for item in output or ():
        name, equals, _ = item.partition("=")
        if equals and (name in FORMATS or name in GATE_FORMATS):
            reports += results.destinations(None, as_json=False, output=[item])
        else:
            results.refuse_unknown_format(name if equals else "", item, gate=False)
            texts.append(item)
    if len(texts) > 1:
        raise UsageError(
            Message("-o {one} and -o {other}: the text goes to one place", one=texts[0], other=texts[1]),
            hint="a report is -o FORMAT=PATH",
        )
    if texts and not texts[0]:
        raise UsageError("-o names no file", hint="as in -o slim.md, or -o DIR for several")
    # As for inputs, "-" is standard output; a file of this name is ./-
    return (texts[0] if texts and texts[0] != "-" else None), reports


def share_of(text: str | None) -> float | None:
    """``30%`` or ``0.3`` as a share."""
    if text is None:
        return None
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise UsageError(Message("--target {share}: must be between 0% and 100%, such as 30%", share=text))
    return share


def run(asked: Asked, config: Config) -> int:
    """Slim, write the output, and return the exit code."""
    from tokaudit.api.costs import slim_costs, with_costs
    from tokaudit.api.slim import report_of
    from tokaudit.cli.progress import Bar
    from tokaudit.features.slim.report import one_of_tools
    from tokaudit.features.slim.types import Goal
    from tokaudit.jobs.inputs import reading_of
    from tokaudit.jobs.slim import slim_run
    from tokaudit.jobs.slim_plan import SlimPlan, choice_of

    _refuse_contradictions(asked)
    goal = None if asked.budget is None and asked.target is None else Goal(asked.budget, asked.target)
    plan = SlimPlan.of(asked.rules, choice_of(asked.classes, asked.select, asked.ignore, system=asked.system), goal)
    reading = reading_of(config, kind=asked.kind, password=asked.password)
    if asked.write:
        _refuse_pdf(asked.files)
    writer = Writer(asked, config.charset)
    wanted = [*([(asked.format_name, "")] if asked.format_name else []), *asked.reports]
    with_texts = any(name in {"json", "jsonl"} for name, _ in wanted) and not (asked.write or asked.output)
    with Bar(quiet=asked.quiet) as progress:
        found = slim_run(
            asked.files,
            asked.texts,
            config.models,
            plan,
            reading,
            in_place=asked.write,
            with_texts=with_texts,
            hints=not asked.quiet and (asked.format_name or "table") in results.FOR_PEOPLE,
            leave_out=writer.inside,
            done=writer.take,
            progress=progress,
        )
    if asked.diff:
        _show_changes(found, config.color)
    elif writer.prints and asked.format_name is None:
        _print(found.documents)
    costs = slim_costs(found, asked.costs, config)

    def built(people: bool) -> Report:
        return with_costs(report_of(found, people=people), costs, people=people)

    if wanted:
        results.write(built, wanted, quiet=False, color=config.color)
    if asked.format_name is None and not asked.quiet:
        results.write_aside(built(True), color=config.color)
    if not asked.quiet and (asked.format_name or "table") in results.FOR_PEOPLE:
        _say_verdict(asked, found, config.color)
    for item in one_of_tools(found.skipped) if asked.format_name or asked.quiet else ():
        skipped = Message("skipped {what}: {reason}", what=item.what, reason=item.reason)
        sys.stderr.write(f"tokaudit: {language.said(skipped, sys.stderr)}\n")
    if not found.met:
        if asked.quiet or asked.format_name:
            sys.stderr.write(f"tokaudit: {language.said(_missed(found), sys.stderr)}\n")
        return EXIT_GATE
    return EXIT_GATE if asked.check and found.saves else 0


def show_kinds(
    files: Sequence[str],
    texts: Sequence[tuple[str, str | bytes]],
    config: Config,
    kind: str | None,
    *,
    as_json: bool,
) -> None:
    """Print the kind of each text, with what speaks for it; for people, what is left out goes to standard error."""
    from tokaudit.api.slim import kinds_found, kinds_page
    from tokaudit.jobs.inputs import reading_of

    found, skipped = kinds_found(files, texts, reading_of(config, kind=kind))
    results.write_text(kinds_page(found, skipped, None if as_json else language.words(sys.stdout)))
    for item in () if as_json else skipped:
        message = Message("skipped {what}: {reason}", what=item.what, reason=item.reason)
        sys.stderr.write(f"tokaudit: {language.said(message, sys.stderr)}\n")


def _say_verdict(asked: Asked, found: SlimRun, color: str | None) -> None:
    """End with what was written, or with the command that makes the files shorter."""
    from shlex import quote

    from tokaudit.api.slim import verdict_of

    files = [] if asked.texts else [quote(path) for path in asked.files]
    report = verdict_of(
        found,
        check=asked.check,
        write=asked.write,
        output=asked.output or "",
        command=f"tokaudit slim -w{_choices(asked)}",
        paths=files,
    )
    if report is not None:
        if sys.stderr is not None:
            sys.stderr.write("\n")
        results.write_aside(report, color=color)


def _choices(asked: Asked) -> str:
    """The options by which a run chose rules, to be given again."""
    from shlex import quote

    words = [word for name in asked.rules or () for word in ("-r", name)]
    words += ["-m", ",".join(asked.models)] if asked.models else []
    words += ["--lossless"] if asked.classes == ("lossless",) else ["--lossy"] if "lossy" in asked.classes else []
    for option, names in (("--select", asked.select), ("--ignore", asked.ignore)):
        words += [option, ",".join(names)] if names else []
    words += ["--budget", str(asked.budget)] if asked.budget is not None else []
    words += ["--target", f"{asked.target * 100:.6g}%"] if asked.target is not None else []
    words += ["--kind", asked.kind] if asked.kind else []
    words += asked.finding
    return "".join(f" {quote(word)}" for word in words)


def _missed(found: SlimRun) -> str:
    from tokaudit.features.slim.findings import missed

    documents = [document for document in found.documents if document.met is False]
    if len(found.documents) > 1 or found.goal is None:
        files = len(found.documents)
        return Message("{n:,} of {all:,} files miss the goal after all rules", n=len(documents), all=files)
    return missed(documents[0], found.goal)


def _refuse_contradictions(asked: Asked) -> None:
    ways = [
        name
        for name, on in (
            ("--write", asked.write),
            ("-o", asked.output),
            ("--diff", asked.diff),
            ("--check", asked.check),
        )
        if on
    ]
    if len(ways) > 1 and set(ways) != {"--diff", "--check"}:
        raise UsageError(Message("{ways} contradict each other", ways=joined(" and ", *ways)), hint="give one of them")
    if asked.backup and not asked.write:
        raise UsageError("--backup needs --write", hint="add --write")
    if asked.write and asked.texts:
        raise UsageError("--write needs files: text and standard input cannot be written back", hint="use -o FILE")
    if asked.budget is not None and asked.budget < 0:
        raise UsageError(Message("--budget {n} is negative", n=asked.budget), hint="give a number of tokens")
    if (asked.budget is not None or asked.target is not None) and asked.classes == ("lossless",):
        raise UsageError(
            "--lossless and a goal contradict each other: a goal takes the classes that it needs",
            hint="leave out --lossless; the report says which classes were needed",
        )
    if asked.diff and asked.format_name:
        raise UsageError("--diff and --format contradict each other", hint="JSON has the changes of every document")


def _refuse_pdf(files: Sequence[str]) -> None:
    """Refuse to write into PDF files that are named, before any file is written."""
    from tokaudit.sources import is_pdf

    for name in files:
        if os.path.isfile(name):  # noqa: PTH113
            try:
                with open(name, "rb") as stream:  # noqa: PTH123
                    head = stream.read(1024)
            except OSError as error:
                raise InputError.unreadable(error, name, hint="make it readable, or name others") from error
            if is_pdf(head):
                raise UsageError(
                    Message("{path}: a slimmed text cannot be written back into a PDF", path=name),
                    hint="use -o FILE.txt",
                )


def _print(documents: Sequence[Slimmed]) -> None:
    """The slimmed text to standard output, and exactly that where it is no terminal."""
    for document in documents:
        text = document.result.text
        charset = getattr(sys.stdout, "encoding", None) or "utf-8"
        try:
            text.encode(charset)
        except UnicodeEncodeError as error:
            if not sys.stdout.isatty():
                raise UsageError(
                    Message(
                        "standard output is in {charset}, which has no {char!r}",
                        charset=charset,
                        char=text[error.start],
                    ),
                    hint="use -o FILE, or set PYTHONIOENCODING=utf-8",
                ) from error
        # A shell's prompt is not to stand on the last line; a pipe gets exactly the text.
        end = "\n" if sys.stdout is not None and sys.stdout.isatty() and text and not text.endswith("\n") else ""
        results.write_text(text + end)


def _show_changes(found: SlimRun, color: str | None) -> None:
    from tokaudit.reporters.changes import render_changes

    text = "".join(
        render_changes(
            document.path,
            document.result,
            color=results.colored(color),
            pages=document.source.from_pdf,
            marks=document.source.marks or (),
            kind=document.source.kind,
        )
        for document in found.documents
    )
    results.write_text(text)
