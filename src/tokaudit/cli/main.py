"""The ``tokaudit`` command: its subcommands, and the one place where an outcome becomes an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

import typer

from tokaudit.cli import language
from tokaudit.cli.interrupt import EXIT_INTERRUPTED
from tokaudit.cli.options import Lang
from tokaudit.cli.results import abandon_stdout
from tokaudit.cli.root_group import COMMANDS, RootGroup
from tokaudit.model import TokauditError
from tokaudit.model.message import Message, reason_of

EXIT_USAGE = 2
EXIT_BUG = 70

app = typer.Typer(
    name="tokaudit",
    cls=RootGroup,
    help="Know the tokens that your prompts cost: exact, offline, several models at once, Chinese-first.",
    no_args_is_help=True,
    epilog="To begin with: tokaudit count FILE, tokaudit slim --diff FILE, and for CI tokaudit baseline write FOLDER "
    "with tokaudit check. `tokaudit COMMAND --help` lists what a command takes.",
    rich_markup_mode=None,  # rich costs more than a count
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_HELP = "{command} --help lists the options"


def _version(wanted: bool) -> None:
    if not wanted:
        return
    from tokaudit import __version__

    typer.echo(f"tokaudit {__version__}")
    if "--verbose" in sys.argv[1:]:
        import platform

        from tokaudit.tokenizers.native import engine_name

        typer.echo(f"tokaudit engine: {engine_name()}")
        typer.echo(f"tokaudit on Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
    verbose: bool = typer.Option(False, "--verbose", help="With --version: also the engine and the platform."),
    lang: Lang = None,
) -> None:
    del version, verbose, lang


def outcome() -> int:
    """Run the command line; the exit code: 0 done, 2 use or input, 70 internal error, 130 interrupted."""
    # numpy starts a thread for every core when it is imported, for linear algebra, of which there is none here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        language.forget()
        code = app(prog_name="tokaudit", standalone_mode=False)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a library in Rust is no Exception
        if isinstance(error, (KeyboardInterrupt, typer.Abort)):
            code = EXIT_INTERRUPTED
        else:
            return _failure(error)
    if code == EXIT_INTERRUPTED:  # typer makes an exit of Ctrl-C
        _say(_said("interrupted"))
    return code if isinstance(code, int) else 0


def _failure(error: BaseException) -> int:
    """Say on stderr what is wrong and what to do; the exit code."""
    if isinstance(error, TokauditError):
        _say(_said(error.message))
        _say(f"  {_said(_advice(error))}", prefix="")
        return error.exit_code
    if isinstance(error, MemoryError):
        _say(_said("out of memory"))
        _say(f"  {_said(Message('count fewer models at once, or cut the input into files'))}", prefix="")
        return EXIT_USAGE
    if isinstance(error, BrokenPipeError):
        abandon_stdout()
        return 0
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}:
        abandon_stdout()
        _say(_said(Message("output cannot be written: {reason}", reason=reason_of(error))))
        _say(f"  {_said('free some space, or write elsewhere: -o FILE')}", prefix="")
        return EXIT_USAGE
    return _unexpected(error)  # the last resort: no traceback unless asked for


def _advice(error: TokauditError) -> str:
    """What to do about an error: of a wrong use that says nothing itself, the command's own help."""
    if error.hint or error.code != "usage":
        return error.advice
    return Message(_HELP, command=_command_asked_for())


def _said(text: str) -> str:
    """A message or hint in the language of messages."""
    return language.said(text, sys.stderr)


def _unexpected(error: BaseException) -> int:
    """Say what is wrong with a command line, as typer has it, or that this is an internal error; the exit code."""
    format_message = getattr(error, "format_message", None)
    if format_message is not None and hasattr(error, "exit_code"):
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            return EXIT_USAGE
        from tokaudit.cli.usage_words import usage_message

        _say(_said(usage_message(format_message())))
        command = context.command_path if context is not None else _command_asked_for()
        _say(f"  {_said(Message(_HELP, command=command))}", prefix="")
        return EXIT_USAGE
    if os.environ.get("TOKAUDIT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    _say(_said(Message("internal error: {kind}: {error}", kind=type(error).__name__, error=error)))
    _say(
        f"  {_said(Message('please report it, with the output of the same command under TOKAUDIT_DEBUG=1'))}", prefix=""
    )
    return EXIT_BUG


def _command_asked_for() -> str:
    """For an error that does not know in which subcommand it arose."""
    found = next((argument for argument in sys.argv[1:] if argument in COMMANDS), "")
    return f"tokaudit {found}".rstrip()


def _say(message: str, prefix: str = "tokaudit: ") -> None:
    """One line on stderr, whatever its charset."""
    if sys.stderr is None:
        return
    line = prefix + message.replace("\n", "\n  ")
    charset = getattr(sys.stderr, "encoding", None) or "utf-8"
    with contextlib.suppress(OSError, ValueError):  # nobody reads stderr
        print(line.encode(charset, "backslashreplace").decode(charset), file=sys.stderr)  # noqa: T201
