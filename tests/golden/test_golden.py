"""Run every scenario folder through the installed command, and compare all that it says and writes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from tokaudit import __version__

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "samples"
OURS = {"cmd", "stdout", "stderr", "exit", "files", "head", "only", "setup.py"}
"""What is no input."""
SETTING_UP = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2])"
CACHE = ".tokaudit_cache"
"""Where measurements are kept, which is no output."""


def entry_point() -> list[str]:
    """The installed command of this interpreter."""
    found = shutil.which("tokaudit", path=str(Path(sys.executable).parent))
    return [found] if found else [sys.executable, "-m", "tokaudit"]


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
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8", "HOME": str(home)} | extra


def contents(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and CACHE not in path.parts and ".git" not in path.parts
    }


def normalised(data: bytes) -> str:
    return data.decode().replace(f"tokaudit {__version__}", "tokaudit VERSION").replace(
        f'"version": "{__version__}"', '"version": "VERSION"'
    )  # fmt: skip


def in_order(wanted: list[str], lines: list[str]) -> bool:
    """Whether the wanted lines are among the lines, in their order."""
    rest = iter(lines)
    return all(line in rest for line in wanted)


def prepared(folder: Path, work: Path, line: str) -> None:
    """A copy of the scenario's inputs."""
    shutil.copytree(folder, work, ignore=lambda where, names: OURS & set(names) if Path(where) == folder else set())
    if "samples/" in line:
        shutil.copytree(SAMPLES, work / "samples", ignore=shutil.ignore_patterns(CACHE))
    if (folder / "setup.py").exists():
        program = [sys.executable, "-I", "-c", SETTING_UP, str(HERE / "making"), str(folder / "setup.py")]
        subprocess.run(program, cwd=work, check=True)


def skip_where_words_differ(folder: Path) -> None:
    if not (folder / "only").exists():
        return
    package, wanted = (folder / "only").read_text().split()
    try:
        found = version(package)
    except PackageNotFoundError:
        found = "none"
    if found != wanted and not found.startswith(f"{wanted}."):
        pytest.skip(f"the words are those of {package} {wanted}, and this is {found}")


Outcome = tuple[int, bytes, bytes, dict[str, bytes]]


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What comes of each scenario that is to be tested; they run side by side, since each is a process anyway."""
    specs = [getattr(item, "callspec", None) for item in request.session.items]
    names = sorted({spec.params["scenario"] for spec in specs if spec and "scenario" in spec.params})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {name: pool.submit(run, HERE / name, tmp_path_factory.mktemp(name)) for name in names}


def run(folder: Path, tmp_path: Path) -> Outcome:
    """Exit code, standard output, standard error, and the files written."""
    line = (folder / "cmd").read_text(encoding="utf-8").strip()
    environ, arguments, stdin = parsed(line)
    work = tmp_path / "work"
    prepared(folder, work, line)
    before = contents(work)
    done = subprocess.run(
        [*entry_point(), *arguments],
        cwd=work,
        env=clean_environment(environ, tmp_path),
        input=(work / stdin).read_bytes() if stdin else b"",
        capture_output=True,
        timeout=60,
        check=False,
    )
    written = {name: data for name, data in contents(work).items() if before.get(name) != data}
    return done.returncode, done.stdout, done.stderr, written


def expected(path: Path) -> str:
    """What an expected file says; there is none for an empty output."""
    return path.read_bytes().decode() if path.exists() else ""


def update(folder: Path, code: int, stdout: bytes, stderr: bytes, written: dict[str, bytes]) -> None:
    told = {"stdout": normalised(stdout), "stderr": normalised(stderr), "exit": f"{code}\n" if code else ""}
    for name, text in told.items():
        (folder / name).unlink(missing_ok=True)
        if text and not (name == "stdout" and (folder / "head").exists()):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    shutil.rmtree(folder / "files", ignore_errors=True)
    for name, data in written.items():
        target = folder / "files" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(normalised(data), encoding="utf-8", newline="\n")


def test_golden(scenario: str, outcomes: dict[str, Any], pytestconfig: pytest.Config) -> None:
    folder = HERE / scenario
    skip_where_words_differ(folder)
    if (folder / "setup.py").exists() and sys.platform == "win32":
        pytest.skip("links and FIFOs are of POSIX")
    code, stdout, stderr, written = outcomes[scenario].result()
    if pytestconfig.getoption("--update-golden", default=False):
        update(folder, code, stdout, stderr, written)
    assert normalised(stderr) == expected(folder / "stderr")
    if (folder / "head").exists():
        wanted = (folder / "head").read_text(encoding="utf-8").splitlines()
        assert in_order(wanted, normalised(stdout).splitlines()), normalised(stdout)
    else:
        assert normalised(stdout) == expected(folder / "stdout")
    assert code == int(expected(folder / "exit") or 0)
    files = contents(folder / "files") if (folder / "files").exists() else {}
    assert {name: normalised(data) for name, data in written.items()} == {
        name: data.decode() for name, data in files.items()
    }
    assert b"Traceback" not in stderr
