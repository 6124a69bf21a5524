"""Run every scenario folder, and compare all that the command says and writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from in_process import run_here
from places import GOLDEN
from scenarios import Outcome, contents, outcome_of, prepare, run_installed, skip_unless_words_are_of

SMOKE = {
    "baseline-write",
    "check-grown",
    "check-against",
    "config-pyproject",
    "count-jobs",
    "count-pdf-by-section",
    "count-stdin-pipe",
    "diff-git",
    "models-table",
    "no-command",
    "rules-test",
    "slim-folder",
    "slim-stdin",
    "tokenizers-table",
    "wrong-command",
}
"""Run by the installed command, as a process of its own; all others by its entry function, in this process."""


def words_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def in_order(wanted: list[str], lines: list[str]) -> bool:
    """Whether the wanted lines are among the lines, in their order."""
    rest = iter(lines)
    return all(line in rest for line in wanted)


def expected(path: Path) -> str:
    """What an expected file says; there is none for an empty output."""
    return path.read_bytes().decode() if path.exists() else ""


def update(folder: Path, outcome: Outcome) -> None:
    code = f"{outcome.code}\n" if outcome.code else ""
    for name, text in {"stdout": outcome.stdout, "stderr": outcome.stderr, "exit": code}.items():
        (folder / name).unlink(missing_ok=True)
        if text and not (name == "stdout" and (folder / "head").exists()):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    shutil.rmtree(folder / "files", ignore_errors=True)
    for name, text in outcome.written.items():
        target = folder / "files" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def test_golden(scenario: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    folder = GOLDEN / scenario
    if (folder / "only").exists():
        skip_unless_words_are_of((folder / "only").read_text(encoding="utf-8"))
    line = (folder / "cmd").read_text(encoding="utf-8").strip()
    work = tmp_path / "work"
    prepare(work, line, words_of(folder / "inputs"), own=folder)
    outcome = outcome_of(line, work, run_installed if scenario in SMOKE else run_here)
    if pytestconfig.getoption("--update-golden", default=False):
        update(folder, outcome)
    assert outcome.stderr == expected(folder / "stderr")
    if (folder / "head").exists():
        wanted = (folder / "head").read_text(encoding="utf-8").splitlines()
        assert in_order(wanted, outcome.stdout.splitlines()), outcome.stdout
    else:
        assert outcome.stdout == expected(folder / "stdout")
    assert outcome.code == int(expected(folder / "exit") or 0)
    files = contents(folder / "files") if (folder / "files").exists() else {}
    assert outcome.written == {name: data.decode() for name, data in files.items()}
    assert "Traceback" not in outcome.stderr


def test_smoke_scenarios_are_there() -> None:
    assert {name for name in SMOKE if not (GOLDEN / name / "cmd").exists()} == set()
