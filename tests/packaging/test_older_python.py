"""A Python that is too old: one line and exit code 2, however it meets the package."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys

import pytest

from installed import environment
from places import ROOT

SRC = ROOT / "src"
AS_OLD = """
import sys
sys.version_info = (3, 10, 14, "final", 0)
{start}
"""
STARTS = {
    "imported": "import tokaudit",
    "a module imported": "import tokaudit.api.count",
    "started": "import runpy; runpy.run_module('tokaudit', run_name='__main__', alter_sys=True)",
    "the command": "from tokaudit.cli.start import run; run()",
}


def message(version: str, executable: str) -> bytes:
    return f"tokaudit needs Python 3.11 or newer; this is {version}: {executable}\n".encode()


@pytest.mark.parametrize("start", STARTS.values(), ids=list(STARTS))
def test_one_line_and_exit_2(tmp_path, start):
    done = subprocess.run(
        [sys.executable, "-c", AS_OLD.format(start=start)],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(SRC)),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", message("3.10", sys.executable))


def test_an_older_python_can_read_what_says_so():
    ast.parse((SRC / "tokaudit" / "__init__.py").read_text("utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("version", ["3.6", "3.7", "3.8", "3.9", "3.10"])
def test_an_older_python_itself(tmp_path, version):
    found = shutil.which(f"python{version}")
    said = [found or "", "-c", "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"]
    asked = subprocess.run(said, capture_output=True, text=True, check=False) if found else None
    if asked is None or asked.returncode or asked.stdout.split()[0] != version:
        pytest.skip(f"no Python {version} here")
    for arguments in (["-m", "tokaudit", "count", "x"], ["-c", "import tokaudit"]):
        done = subprocess.run(
            [found, "-B", *arguments],
            cwd=tmp_path,
            env=environment(PYTHONPATH=str(SRC), PYENV_VERSION=os.environ.get("PYENV_VERSION", "")),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == message(version, asked.stdout.splitlines()[1])
