"""Updates of a baseline that meet each other."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from in_process import run_here
from installed import environment
from tokaudit.gate.baseline import record_baseline
from tokaudit.gate.policy import policy_of
from tokaudit.jobs.inputs import Reading
from tokaudit.model import UsageError
from tokaudit.store.baseline import DEFAULT_NAME
from tokaudit.store.config import Config
from tokaudit.store.file_lock import locked


@pytest.fixture
def baseline(tmp_path):
    """A baseline of one prompt."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.md").write_text("# A\nhello world\n", encoding="utf-8")
    ran = run_here(["baseline", "write", "p", "-m", "gpt-4o", "--quiet"], tmp_path, environment())
    assert ran.returncode == 0, ran
    return tmp_path / DEFAULT_NAME


UPDATING = """
import sys
from pathlib import Path
from tokaudit.api.count import Reading
from tokaudit.gate.policy import policy_of
from tokaudit.gate.baseline import record_baseline
from tokaudit.store.config import Config
policy = policy_of(Config(), None, to_write=True)
for number in range(25):
    path = Path("p") / f"{sys.argv[1]}{number}.md"
    path.write_text(f"number {number}", encoding="utf-8")
    record_baseline([str(path)], None, policy, Reading(), update=True)
"""


def test_two_updates_at_once_lose_nothing(baseline):
    both = [
        subprocess.Popen([sys.executable, "-c", UPDATING, name], cwd=baseline.parent, stderr=subprocess.PIPE)
        for name in "xy"
    ]
    assert [process.communicate()[1] for process in both] == [b"", b""]
    wanted = {f"p/{name}{number}.md" for name in "xy" for number in range(25)}
    entries = json.loads(baseline.read_text(encoding="utf-8"))["entries"]
    assert wanted <= {entry.get("path") for entry in entries}
    assert not [path for path in baseline.parent.iterdir() if path.name.startswith(".tokaudit-")]


def test_an_update_that_cannot_have_the_lock_says_so(baseline, monkeypatch):
    monkeypatch.chdir(baseline.parent)
    monkeypatch.setattr("tokaudit.gate.baseline._WAIT", 0.05)
    policy = policy_of(Config(), None, to_write=True)
    with locked(baseline, wait=0), pytest.raises(UsageError, match="another tokaudit has been writing it"):
        record_baseline(["p"], None, policy, Reading(), update=True)
