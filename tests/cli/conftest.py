from __future__ import annotations

import os
import subprocess

import pytest

from in_process import run_here
from installed import command, environment


@pytest.fixture
def tokaudit(tmp_path):
    """Run the command in ``tmp_path``, in this process; environment variables by keyword."""

    def run(*arguments, stdin=b"", **extra):
        return run_here([os.fsdecode(word) for word in arguments], tmp_path, environment(**extra), stdin)

    return run


@pytest.fixture
def installed_tokaudit(tmp_path):
    """Run the installed command in ``tmp_path``, as a process of its own; environment variables by keyword."""

    def run(*arguments, stdin=b"", stdout=subprocess.PIPE, **extra):
        return subprocess.run(
            [*command(), *arguments],
            cwd=tmp_path,
            env=environment(**extra),
            input=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )

    return run
