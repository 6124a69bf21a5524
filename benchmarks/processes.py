"""CPU time and peak memory of whole processes, as the operating system accounts them."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

LAUNCHER = """
import os, sys, time
began = time.perf_counter()
null = os.open(os.devnull, os.O_RDWR)
actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - began
print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
"""Runs a command from a small process: the peak of a new process begins with the memory of the one that starts it."""


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
    said = output([sys.executable, "-I", "-S", "-c", LAUNCHER, *command])
    cpu, wall, kilobytes, code = said.split()
    if code != "0":
        raise RuntimeError(f"{' '.join(command)}: exit {code}")
    return Usage(float(cpu), float(wall), int(kilobytes) / 1000)


def output(command: Sequence[str]) -> str:
    """What a command writes to its standard output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment(), text=True).stdout


def medians(commands: dict[str, Sequence[str]], rounds: int, unmeasured: int = 1) -> dict[str, Usage]:
    """The median of each command over rounds in turn (A B C A B C ...), after rounds that do not count."""
    found: dict[str, list[Usage]] = {name: [] for name in commands}
    for number in range(rounds + unmeasured):
        for name, command in commands.items():
            usage = run(command)
            if number >= unmeasured:
                found[name].append(usage)
    return {
        name: Usage(
            *(statistics.median(getattr(usage, field) for usage in usages) for field in ("cpu", "wall", "memory"))
        )
        for name, usages in found.items()
    }
