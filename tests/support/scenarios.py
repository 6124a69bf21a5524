"""Scenarios of ``tests/golden``: their inputs, and what a run of one says and writes."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import pytest

from in_process import run_here
from installed import command
from places import GOLDEN, SAMPLES
from tokaudit import __version__

INPUTS = GOLDEN / "inputs"
OURS = {"cmd", "inputs", "stdout", "stderr", "exit", "files", "head", "only", "setup.py"}
"""What is no input."""
CACHE = ".tokaudit_cache"
"""Where measurements are kept, which is no output."""


class Outcome(NamedTuple):
    """What came of a command line."""

    code: int
    stdout: str
    stderr: str
    written: dict[str, str]
    """Files that are new or have changed."""


Run = Callable[[Sequence[str], Path, Mapping[str, str], bytes], tuple[int, bytes, bytes]]


def run_installed(arguments: Sequence[str], folder: Path, environ: Mapping[str, str], stdin: bytes = b"") -> Outcome:
    """Run the installed command as a process of its own."""
    done = subprocess.run(
        [*command(), *arguments], cwd=folder, env=environ, input=stdin, capture_output=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, done.stderr


def outcome_of(line: str, work: Path, run: Run = run_here) -> Outcome:
    """Run a command line in a folder that is prepared."""
    environ, arguments, stdin = parsed(line)
    before = contents(work)
    code, stdout, stderr = run(
        arguments, work, clean_environment(environ, work.parent), (work / stdin).read_bytes() if stdin else b""
    )
    written = {name: normalised(data) for name, data in contents(work).items() if before.get(name) != data}
    return Outcome(code, normalised(stdout), normalised(stderr), written)


def parsed(line: str) -> tuple[dict[str, str], list[str], str | None]:
    """Environment, arguments and the name of the file for standard input."""
    words = shlex.split(line)
    environ = {}
    while words and re.match(r"[A-Z_]+=", words[0]):
        name, _, value = words.pop(0).partition("=")
        environ[name] = value
    if len(words) > 1 and words[-2] == "<":
        return environ, words[:-2], words[-1]
    return environ, words, None


def clean_environment(extra: dict[str, str], home: Path) -> dict[str, str]:
    """An environment in which nothing is set that tokaudit looks at, but what the scenario sets."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TOKAUDIT_NATIVE") if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8", "HOME": str(home)} | extra


def contents(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and CACHE not in path.parts and ".git" not in path.parts
    }


def normalised(data: bytes) -> str:
    """Output without the version of tokaudit, and as the native core writes it."""
    text = data.decode().replace(f"tokaudit {__version__}", "tokaudit VERSION")
    text = text.replace(f'"version": "{__version__}"', '"version": "VERSION"')
    return text.replace('"engine": "python"', '"engine": "native"')


def prepare(work: Path, line: str, inputs: Iterable[str], *, own: Path | None = None) -> None:
    """Make the inputs of a scenario: shared ones in their order, then its own, and the samples where they are named."""
    work.mkdir()
    for name in inputs:
        if (INPUTS / name).is_dir():
            shutil.copytree(INPUTS / name, work, dirs_exist_ok=True)
        else:
            make(INPUTS / f"{name}.py", work)
    if own is not None:
        ignored = lambda where, names: OURS & set(names) if Path(where) == own else set()  # noqa: E731
        shutil.copytree(own, work, ignore=ignored, dirs_exist_ok=True)
    if "samples/" in line:
        shutil.copytree(SAMPLES, work / "samples", ignore=shutil.ignore_patterns(CACHE))
    if own is not None and (own / "setup.py").exists():
        make(own / "setup.py", work)


def make(program: Path, work: Path) -> None:
    """Run what makes inputs that git cannot hold, or that are easier told than shown."""
    if sys.platform == "win32":
        pytest.skip("links and FIFOs are of POSIX")
    before = Path.cwd()
    os.chdir(work)
    try:
        runpy.run_path(str(program))
    finally:
        os.chdir(before)


def skip_unless_words_are_of(package_and_version: str) -> None:
    """Skip where the words are another version's of a package: ``typer 0.29``."""
    package, wanted = package_and_version.split()
    try:
        found = version(package)
    except PackageNotFoundError:
        found = "none"
    if found != wanted and not found.startswith(f"{wanted}."):
        pytest.skip(f"the words are those of {package} {wanted}, and this is {found}")
