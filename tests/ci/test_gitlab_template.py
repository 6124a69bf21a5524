"""The GitLab template: its shape, and its script run as a runner runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from git_repositories import commit, environment, git, new_repository
from places import ROOT

TEMPLATE = ROOT / "ci/gitlab/tokaudit.gitlab-ci.yml"
JOB = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["tokaudit"]
BIN = Path(sys.executable).parent
PROMPT = "# Shop\n\nAnswer briefly.\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the job runs in a Linux image")


def test_it_is_valid():
    program = shutil.which("check-jsonschema", path=str(BIN))
    if program is None:
        pytest.skip("check-jsonschema is not installed")
    done = subprocess.run(
        [program, "--builtin-schema", "vendor.gitlab-ci", TEMPLATE], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout


def test_reports_are_what_the_script_writes():
    script = JOB["script"][0]
    reports = JOB["artifacts"]["reports"]
    assert f"-o gitlab={reports['codequality']} " in script
    assert f"-o junit={reports['junit']} " in script
    assert JOB["artifacts"]["when"] == "always"
    assert [name for name in script.split() if "TOKAUDIT_" in name] == []


@pytest.fixture(params=["sh", "bash"])
def ran(request, tmp_path):
    shell = shutil.which(request.param)
    if shell is None:
        pytest.skip(f"there is no {request.param}")

    def run(folder, **variables):
        # As a runner does: one script, which ends at the first command that fails.
        script = "\n".join(["set -e", *JOB["script"]])
        done = subprocess.run(
            [shell],
            input=script.encode(),
            cwd=folder,
            env=environment(PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", **variables),
            capture_output=True,
            timeout=60,
            check=False,
        )
        return done.returncode, (done.stdout + done.stderr).decode()

    return run


def test_growth_in_a_merge_request(ran, tmp_path):
    folder = new_repository(tmp_path / "work", {"my prompts/a.md": PROMPT, "my prompts/b*.md": PROMPT})
    base = git(folder, "rev-parse", "HEAD")
    variables = {
        "CHECK_PATHS": "my prompts/a.md\nmy prompts/b*.md",
        "CHECK_AGAINST": "auto",
        "CHECK_ARGS": "--model=gpt-4o",
    }
    variables |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    code, said = ran(folder, **variables)
    assert code == 0, said
    commit(folder, {"my prompts/a.md": PROMPT * 2})
    code, said = ran(folder, **variables)
    assert code == 1, said
    assert "my prompts/a.md" in said
    found = json.loads((folder / "tokaudit-report/codequality.json").read_text(encoding="utf-8"))
    assert [issue["location"]["path"] for issue in found] == ["my prompts/a.md"]
    assert ET.parse(folder / "tokaudit-report/junit.xml").getroot().findall(".//failure")
    assert (folder / "tokaudit-report/report.md").is_file()
    assert ran(folder, **variables | {"CHECK_ARGS": "--model=gpt-4o\n--max-growth=200%"})[0] == 0
    del variables["CI_MERGE_REQUEST_DIFF_BASE_SHA"]  # after it is merged
    code, said = ran(folder, **variables)
    assert code == 0, said


def test_budgets_without_any_variable(ran, tmp_path):
    budget = 'models = ["gpt-4o"]\n[[budget]]\npaths = ["*.md"]\nmax_tokens = 5\n'
    folder = new_repository(tmp_path / "work", {"tokaudit.toml": budget, "a.md": PROMPT})
    assert ran(folder)[0] == 1
    commit(folder, {"a.md": "x\n"})
    assert ran(folder)[0] == 0


def test_a_mistake_ends_with_its_code(ran, tmp_path):
    folder = new_repository(tmp_path / "work", {"a.md": PROMPT})
    code, said = ran(folder, CHECK_PATHS="b.md", CHECK_ARGS="--max-growth=5%")
    assert code == 2
    assert "tokaudit: " in said
