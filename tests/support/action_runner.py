"""Runs the steps of action.yml as a runner does: expressions, conditions, variables, outputs.

Of GitHub's expressions it knows what action.yml uses, and fails on anything else.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from git_repositories import environment
from places import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
BASH = shutil.which("bash")


@dataclass
class Ran:
    """What came of an action."""

    code: int = 0
    """Of the first step that failed."""
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    steps: list[str] = field(default_factory=list)


def run_action(
    folder: Path, temporary: Path, inputs: Mapping[str, str], github: Mapping[str, str], **extra: str
) -> Ran:
    """Run the action in a folder, with tokaudit as it is installed here."""
    assert not set(inputs) - set(ACTION["inputs"])
    temporary.mkdir(exist_ok=True)
    _as_installed(temporary)
    context = {f"github.{name}": value for name, value in github.items()}
    for name, given in ACTION["inputs"].items():
        context[f"inputs.{name}"] = inputs[name] if name in inputs else _filled(given["default"], context)
    ran = Ran()
    summary = temporary / "summary.md"
    for number, step in enumerate(ACTION["runs"]["steps"]):
        if "if" in step and not _holds(step["if"], context):
            continue
        assert "run" in step, f"{step['name']} cannot be run here"
        assert step["shell"] == "bash"
        output = temporary / f"output-{number}"
        output.touch()
        variables = {name: _filled(value, context) for name, value in step.get("env", {}).items()}
        script = temporary / f"step-{number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=folder,
            env=environment(
                GITHUB_ACTION_PATH=str(ROOT),
                GITHUB_OUTPUT=str(output),
                GITHUB_STEP_SUMMARY=str(summary),
                GITHUB_ACTIONS="true",
                RUNNER_TEMP=str(temporary),
                **variables,
                **extra,
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        ran.log += done.stdout.decode()
        ran.steps.append(step["name"])
        for line in output.read_text(encoding="utf-8").splitlines():
            name, equals, value = line.partition("=")
            assert equals, line
            context[f"steps.{step.get('id')}.outputs.{name}"] = value
        if done.returncode:
            ran.code = done.returncode
            break
    ran.outputs = {name: _filled(given["value"], context) for name, given in ACTION["outputs"].items()}
    ran.summary = summary.read_text(encoding="utf-8") if summary.is_file() else ""
    return ran


def _as_installed(temporary: Path) -> None:
    """What install.sh leaves behind, so that it need not ask an index."""
    home = temporary / "tokaudit-environment"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    python = home / "bin/python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (home / "installed").write_text(f"{ROOT}\n", encoding="utf-8")


def _filled(text: str, context: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{\s*(.+?)\s*\}\}", lambda match: _value(match[1], context), text)


def _value(name: str, context: Mapping[str, str]) -> str:
    assert re.fullmatch(r"(inputs|github|steps)(\.[\w-]+)+", name), name
    return context.get(name, "")


def _holds(condition: str, context: Mapping[str, str]) -> bool:
    for part in condition.split(" && "):
        name, operator, wanted = re.fullmatch(r"([\w.-]+)(?: (==|!=) '([^']*)')?", part).groups()
        value = _value(name, context)
        if not (bool(value) if operator is None else (value == wanted) == (operator == "==")):
            return False
    return True
