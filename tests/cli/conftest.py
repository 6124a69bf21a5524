from __future__ import annotations

import subprocess

import pytest

from installed import command, environment


@pytest.fixture
def tokaudit(tmp_path):
    """Run the installed command in ``tmp_path``; environment variables by keyword."""

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
