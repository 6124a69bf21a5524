"""Results to where they were asked for: standard output, or files, in one format or several."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from tokaudit.model import Report, UsageError
from tokaudit.model.message import Message, joined, reason_of

Destination = tuple[str, str]
"""A format and a path; an empty path is standard output."""
FOR_PEOPLE = {"table", "markdown"}
_SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".txt": "table"}
_FORMAT_WORD = r"[A-Za-z][A-Za-z0-9_-]*"
"""A format, or what was meant to be one."""
_GATE_SUFFIXES = {".sarif": "sarif", ".xml": "junit"}


def destinations(
    format_name: str | None, as_json: bool, output: Sequence[str], default: str = "table", *, gate: bool = False
) -> list[Destination]:
    """The formats and files of a run: ``--format``, ``--json`` and ``-o FILE`` or repeated ``-o FORMAT=PATH``.

    A ``default`` that the command does not have gives its place to ``table``; ``gate`` says that the command judges, so
    that it has the formats that carry findings only.

    Raises:
        UsageError: The options contradict each other, or a format does not exist or is not one of the command.
    """
    from tokaudit.reporters import FORMATS, GATE_FORMATS, require_format

    if as_json and format_name not in {None, "json"}:
        raise UsageError(
            Message("--json and --format {format_name} contradict each other", format_name=format_name),
            hint="give one of them",
        )
    chosen = "json" if as_json else format_name
    if chosen is not None:
        _refuse_gate_format(chosen, f"--format {chosen}", gate=gate)
        require_format(chosen, gate=gate)  # an unknown name is an error before the work, not after it
    if default in GATE_FORMATS and not gate:
        default = "table"  # a project's configuration has one format for all of its commands
    suffixes = {**_SUFFIXES, **_GATE_SUFFIXES} if gate else _SUFFIXES
    if not output:
        return [(chosen or default, "")]
    found: list[Destination] = []
    for item in output:
        name, equals, path = item.partition("=")
        if equals and name in FORMATS:
            _refuse_gate_format(name, f"-o {item}", gate=gate)
            found.append((name, path))
        else:
            refuse_unknown_format(name if equals else "", item, gate=gate)
            suffix = os.path.splitext(item)[1].lower()  # noqa: PTH122 - pathlib is slow to import
            if suffix and chosen is None and suffix not in suffixes:
                raise UsageError(
                    Message("-o {item}: unknown format for this file name", item=item),
                    hint=Message("name it, as in -o csv={item}", item=item),
                )
            found.append((chosen or suffixes.get(suffix, default), item))
        if not found[-1][1]:
            raise UsageError(
                Message("-o {item} names no file", item=item), hint="as in -o report.json or -o json=report.json"
            )
        if found[-1][1] == "-":  # as for inputs; a file of this name is ./-
            found[-1] = (found[-1][0], "")
    return found


def _refuse_gate_format(name: str, option: str, *, gate: bool) -> None:
    from tokaudit.reporters import GATE_FORMATS

    if name in GATE_FORMATS and not gate:
        raise UsageError(
            Message("{option}: this command has no such format", option=option),
            hint=Message("--format {name} is for check", name=name),
        )


def refuse_unknown_format(name: str, item: str, *, gate: bool) -> None:
    """Refuse ``-o md=r.md``: a word before ``=`` is a format, and a file of such a name is ``./md=r.md``.

    Args:
        name: The part before ``=``; empty for none.
        item: The value of ``-o``.
        gate: Whether the command judges.

    Raises:
        UsageError: The word is no format; the nearest name is offered.
    """
    if not re.fullmatch(_FORMAT_WORD, name):
        return
    from difflib import get_close_matches

    from tokaudit.reporters import FORMATS, GATE_FORMATS

    offered = [known for known in FORMATS if gate or known not in GATE_FORMATS]
    suffixes = {**_SUFFIXES, **_GATE_SUFFIXES} if gate else _SUFFIXES
    meant = suffixes.get(f".{name.lower()}") or next(
        iter(get_close_matches(name.lower(), offered, n=1, cutoff=0.6)), ""
    )
    path = item.partition("=")[2]
    near = Message("did you mean -o {meant}={path}?", meant=meant, path=path) if meant else ""
    formats = Message("Formats: {formats}. For a file of this name: -o ./{item}", formats=tuple(offered), item=item)
    hint = joined(" ", near, formats)
    raise UsageError(Message("unknown format '{name}' in -o {item}", name=name, item=item), hint=hint)


def refuse_inputs(targets: Sequence[Destination], inputs: Sequence[str]) -> None:
    """Refuse to write over what is read. Raises ``UsageError``."""
    for _, path in targets:
        for name in inputs if path and os.path.exists(path) else ():  # noqa: PTH110
            if os.path.exists(name) and os.path.samefile(path, name):  # noqa: PTH110, PTH121
                raise UsageError(Message("-o {path} would overwrite an input", path=path), hint="write to another file")


def checked_color(choice: str | None) -> str | None:
    """The value of ``--color``. Raises ``UsageError`` for one that there is not."""
    if choice not in {None, "auto", "always", "never"}:
        raise UsageError(
            Message("invalid --color '{choice}'", choice=choice), hint="--color takes auto, always or never"
        )
    return choice


def write(build: Callable[[bool], Report], wanted: Sequence[Destination], *, quiet: bool, color: str | None) -> Report:
    """Render and write a report, built for people (true) or for programs; returns that of the first destination.

    ``quiet`` prints the bare result only. Raises ``UsageError`` where a file cannot be written; it is then as it was.
    """
    reports = {people: build(people) for people in sorted({name in FOR_PEOPLE for name, _ in wanted})}
    first = reports[wanted[0][0] in FOR_PEOPLE]
    if sys.stdout is None and not all(path for _, path in wanted):
        raise UsageError("standard output is closed", hint="use -o FILE")
    if quiet and all(not path for _, path in wanted):
        if first.bare:
            _to_stdout(f"{first.bare}\n")
        return first
    from tokaudit.reporters import GATE_FORMATS, render

    for name, path in wanted:
        report = reports[name in FOR_PEOPLE]
        if name in FOR_PEOPLE:
            report = _in_language(report, None if path else sys.stdout)
        if path:
            from tokaudit.store.output import write_atomic

            write_atomic(path, render(report, name, width=100))
        elif name in GATE_FORMATS:  # what reads them expects UTF-8, whatever the console's charset
            _to_stdout(render(report, name), charset="utf-8")
        else:
            charset = getattr(sys.stdout, "encoding", None) or "utf-8"
            plain = not _encodes("…≈─", charset)
            text = render(report, name, width=_width(), color=colored(color), ascii_only=plain)
            _to_stdout(text, escapes="tokaudit-json" if name in {"json", "jsonl"} else "backslashreplace")
    return first


def warn(report: Report, targets: Sequence[Destination], *, quiet: bool) -> None:
    """Say on standard error what the formats on standard output do not: skipped inputs, approximate counts."""
    import typer

    from tokaudit.cli.language import said

    if quiet or not any(name in FOR_PEOPLE and not path for name, path in targets):
        for item in report.skipped:
            template = "note on {what}: {reason}" if item.is_note else "skipped {what}: {reason}"
            typer.echo(f"tokaudit: {said(Message(template, what=item.what, reason=item.reason), sys.stderr)}", err=True)
    if quiet or any(name in {"csv", "jsonl"} for name, _ in targets):  # these show bare figures
        for entry in report.data["tokenizers"]:
            if not entry["exact"]:
                error = Message(entry["error"])
                approximate = Message("approximate for {model}: {error}", model=entry["model"], error=error)
                typer.echo(f"tokaudit: {said(approximate, sys.stderr)}", err=True)


def _in_language(report: Report, stream: TextIO | None) -> Report:
    from tokaudit.cli.language import words
    from tokaudit.reporters.translate import translated_report

    return translated_report(report, words(stream))


def write_aside(report: Report, *, color: str | None) -> None:
    """Write a report to stderr, where standard output has the result itself."""
    from tokaudit.reporters import render

    stream = sys.stderr
    if stream is None:
        return
    charset = getattr(stream, "encoding", None) or "utf-8"
    plain = not _encodes("…≈─", charset)
    report = _in_language(report, stream)
    text = render(report, "table", width=_width(stream), color=colored(color, stream), ascii_only=plain)
    with contextlib.suppress(OSError, ValueError):  # nobody reads stderr
        stream.write(text.encode(charset, "backslashreplace").decode(charset))
        stream.flush()


def write_page(text: str) -> None:
    """Write a page of Markdown to standard output, with its long lines broken on a terminal.

    Raises:
        UsageError: As of ``write_text``.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        from tokaudit.reporters.terminal import broken_lines

        text = broken_lines(text, width=_width())
    write_text(text)


def write_text(text: str, *, as_json: bool = False) -> None:
    """Write a text that is no report to standard output, whatever its charset.

    Raises:
        UsageError: Standard output is closed or cannot be written.
    """
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    _to_stdout(text, escapes="tokaudit-json" if as_json else "backslashreplace")


def _to_stdout(text: str, *, escapes: str = "backslashreplace", charset: str = "") -> None:
    """Write, whatever the console's charset; a reader that has gone away is not an error."""
    stream = sys.stdout
    charset = charset or getattr(stream, "encoding", None) or "utf-8"
    data = text.encode(charset, escapes)
    try:
        binary = getattr(stream, "buffer", None)
        if binary is None:
            stream.write(data.decode(charset))
        else:
            stream.flush()
            binary.write(data)
        stream.flush()
    except BrokenPipeError:
        abandon_stdout()
    except OSError as error:
        abandon_stdout()
        raise UsageError(
            Message("standard output cannot be written: {reason}", reason=reason_of(error)), hint="use -o FILE"
        ) from error


def abandon_stdout() -> None:
    """Standard output leads nowhere from now on: Python flushes it once more when it ends, and would complain then."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _json_escaped(error: UnicodeError) -> tuple[str, int]:
    """Characters that the console's charset lacks, as JSON escapes; outside its strings JSON has ASCII only."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2)), error.end


codecs.register_error("tokaudit-json", _json_escaped)


def _encodes(text: str, charset: str) -> bool:
    try:
        text.encode(charset)
    except (UnicodeError, LookupError):
        return False
    return True


def _width(stream: TextIO | None = None) -> int:
    """Columns of the terminal; 80 for a pipe, so that the same input gives the same bytes everywhere."""
    if (sys.stdout if stream is None else stream).isatty() or "COLUMNS" in os.environ:
        import shutil

        return max(40, shutil.get_terminal_size((80, 24)).columns)
    return 80


def colored(choice: str | None, stream: TextIO | None = None) -> bool:
    """True where a stream (None: standard output) is written in colour."""
    stream = sys.stdout if stream is None else stream
    if choice in {"always", "never"}:
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
