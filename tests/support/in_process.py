"""The command in this very process: the entry function that the installed command calls, and nothing around it.

Each run has arguments, environment, folder and streams of its own, and leaves those of the tests as they were.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple
from unittest import mock

from tokaudit.cli import main


class Ran(NamedTuple):
    """What came of a run."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run_here(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], stdin: bytes = b"", *, merged: bool = False
) -> Ran:
    """Run the command in a folder; its exit code and what it wrote, both streams in ``stdout`` if they are merged."""
    before = Path.cwd()
    with tempfile.TemporaryFile() as into, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        into.write(stdin)
        into.seek(0)
        stdout = _text(out, "wb", "surrogateescape")
        stdout.reconfigure(write_through=merged)
        streams = {
            "stdin": _text(into, "rb", "surrogateescape"),
            "stdout": stdout,
            "stderr": stdout if merged else _text(err, "wb", "backslashreplace"),
        }
        try:
            os.chdir(folder)
            with (
                mock.patch.dict(os.environ, environ, clear=True),
                mock.patch.multiple(sys, argv=["tokaudit", *arguments], __stdout__=streams["stdout"], **streams),
                mock.patch.object(os, "get_terminal_size", side_effect=OSError("no terminal")),
            ):
                code = _code()
        finally:
            os.chdir(before)
            for stream in streams.values():
                with suppress(OSError, ValueError):
                    stream.close()
        return Ran(code, _written(out), _written(err))


def _code() -> int:
    try:
        return main.outcome()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)


def _text(file: BinaryIO, mode: str, errors: str) -> io.TextIOWrapper:
    """A stream of the console over a descriptor of its own, as Python makes them where UTF-8 is the charset."""
    return io.TextIOWrapper(os.fdopen(os.dup(file.fileno()), mode), encoding="utf-8", errors=errors)


def _written(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()
