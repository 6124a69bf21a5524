"""CPU time and peak memory of whole processes, as the operating system accounts them."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Of one process and those it waited for: seconds of CPU, seconds of wall time, peak megabytes."""

    cpu: float
    wall: float
    memory: float


def environment() -> dict[str, str]:
    """The environment without settings of tokaudit and Python."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("TOKAUDIT_", "PYTHON"))}


def run(command: Sequence[str]) -> Usage:
    """Run a command to its end; raises ``RuntimeError`` where it fails."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment()) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}")
    return Usage(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024)


def output(command: Sequence[str]) -> str:
    """What a command writes to its standard output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment(), text=True).stdout


def medians(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, Usage]:
    """The median of each command over rounds in turn (A B C A B C ...), after one round that does not count."""
    found: dict[str, list[Usage]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            usage = run(command)
            if number:
                found[name].append(usage)
    return {
        name: Usage(
            *(statistics.median(getattr(usage, field) for usage in usages) for field in ("cpu", "wall", "memory"))
        )
        for name, usages in found.items()
    }
