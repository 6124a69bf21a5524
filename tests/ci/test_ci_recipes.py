"""docs/ci.md: its files are valid for those who read them, and their commands run.

Each block begins with the name of its file. Commands run in a repository with prompts, with the tokaudit that is
installed: what would install it is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from action_runner import ACTION, run_action
from git_repositories import commit, environment, git, new_repository
from places import ROOT

TEXT = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent
PROMPT = "# Shop\n\nAnswer briefly.\n"
GROWN = PROMPT + "\nNever promise a refund.\n"
CONFIG = next(body for name, body in BLOCKS if name == "toml")


def of(language, start=""):
    """Blocks of a language whose file's name begins so, by that name."""
    found = {body.partition("\n")[0].lstrip("#/ "): body for name, body in BLOCKS if name == language}
    return {name: body for name, body in found.items() if name.startswith(start)}


WORKFLOWS = of("yaml", ".github/") | of("yaml", ".gitea/")
needs_bash = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash on a POSIX system")


def checked(schema, name, body, tmp_path):
    program = shutil.which("check-jsonschema", path=str(BIN))
    if program is None:
        pytest.skip("check-jsonschema is not installed")
    path = tmp_path / Path(name).name
    path.write_text(body, encoding="utf-8")
    done = subprocess.run([program, "--builtin-schema", schema, path], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


def test_every_block_is_of_a_known_sort():
    assert {name for name, _ in BLOCKS} == {"toml", "sh", "yaml", "groovy", "python"}
    assert len(WORKFLOWS) == 5
    assert set(of("yaml")) - set(WORKFLOWS) == {".gitlab-ci.yml", ".pre-commit-config.yaml"}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_are_valid(name, tmp_path):
    checked("vendor.github-workflows", name, WORKFLOWS[name], tmp_path)


def test_the_gitlab_file_is_valid_and_names_the_template(tmp_path):
    ((name, body),) = of("yaml", ".gitlab").items()
    content = yaml.safe_load(body)
    template = (ROOT / content["include"][0]["file"]).read_text(encoding="utf-8")
    assert all(f"${{{variable}:" in template for variable in content["variables"])
    checked("vendor.gitlab-ci", name, body, tmp_path)


def test_the_pre_commit_file_is_valid_and_names_the_hooks(tmp_path):
    ((_, body),) = of("yaml", ".pre-commit").items()
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert {hook["id"] for hook in yaml.safe_load(body)["repos"][0]["hooks"]} == hooks
    program = shutil.which("pre-commit", path=str(BIN))
    if program is None:
        pytest.skip("pre-commit is not installed")
    (tmp_path / "config.yaml").write_text(body, encoding="utf-8")
    subprocess.run([program, "validate-config", tmp_path / "config.yaml"], check=True, timeout=60)


def steps(name):
    """The steps of a workflow that are ours, and those that are commands."""
    (job,) = yaml.safe_load(WORKFLOWS[name])["jobs"].values()
    ours = [step for step in job["steps"] if "OWNER/tokaudit@" in step.get("uses", "")]
    return ours, [step["run"] for step in job["steps"] if "run" in step]


def test_inputs_are_in_a_table():
    rows = re.findall(r"^\| `([\w-]+)` \|", TEXT.partition("## GitLab")[0], re.MULTILINE)
    assert sorted(rows) == sorted(ACTION["inputs"])
    for name in ACTION["outputs"]:
        assert f"`{name}`" in TEXT


def shell(folder, script, **variables):
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment(PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).decode()


@pytest.fixture
def pull_request(tmp_path):
    """A repository with a baseline and, on a branch, a grown prompt; its main is another one's."""
    origin = new_repository(tmp_path / "origin", {"prompts/system.md": PROMPT, "tokaudit.toml": CONFIG})
    assert shell(origin, "tokaudit baseline write")[0] == 0
    commit(origin, {})
    git(tmp_path, "clone", "-q", origin.as_uri(), "work")
    commit(tmp_path / "work", {"prompts/system.md": GROWN})
    return tmp_path / "work"


@needs_bash
@pytest.mark.parametrize("name", [name for name in WORKFLOWS if steps(name)[0]])
def test_the_action_in_a_workflow(name, pull_request, tmp_path):
    ((ours,), _) = steps(name)
    inputs = {key: str(value) for key, value in ours.get("with", {}).items()} | {"comment": "false"}
    ran = run_action(pull_request, tmp_path / "temporary", inputs, {"base_ref": "main"})
    assert ran.code == 1, ran.log
    assert "prompts/system.md" in Path(ran.outputs["sarif"]).read_text(encoding="utf-8")
    commit(pull_request, {"prompts/system.md": PROMPT})
    assert run_action(pull_request, tmp_path / "temporary", inputs, {"base_ref": "main"}).code == 0


@needs_bash
@pytest.mark.parametrize("name", [name for name in WORKFLOWS if not steps(name)[0]])
def test_the_commands_of_a_workflow(name, pull_request, tmp_path):
    install, *runs = steps(name)[1]
    assert install.startswith('python -m pip install "git+https://github.com/OWNER/tokaudit@')
    (run,) = runs
    summary = tmp_path / "summary.md"
    variables = {"GITHUB_BASE_REF": "main", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    code, said = shell(pull_request, run, **variables)
    assert (code, "::error file=prompts/system.md" in said) == (1, True), said
    assert "prompts/system.md" in summary.read_text(encoding="utf-8")
    commit(pull_request, {"prompts/system.md": PROMPT})
    assert shell(pull_request, run, **variables)[0] == 0


@needs_bash
def test_the_commands_of_jenkins(pull_request, tmp_path):
    (body,) = of("groovy").values()
    assert body.count("{") == body.count("}")
    install, check = re.findall(r"sh '''\n(.*?)'''", body, re.DOTALL)
    assert install.split()[:3] == ["python3", "-m", "venv"]
    (results,) = re.findall(r"testResults: '(.+?)'", body)
    assert f"junit={results}" in check
    tools = tmp_path / "tools/tokaudit/bin"
    tools.mkdir(parents=True)
    (tools / "tokaudit").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tokaudit "$@"\n', encoding="utf-8")
    (tools / "tokaudit").chmod(0o755)
    code, said = shell(pull_request, check, WORKSPACE_TMP=str(tmp_path / "tools"))
    assert (code, "prompts/system.md" in said) == (1, True), said
    assert "<failure" in (pull_request / results).read_text(encoding="utf-8")
    commit(pull_request, {"prompts/system.md": PROMPT})
    code, said = shell(pull_request, check, WORKSPACE_TMP=str(tmp_path / "tools"))
    assert code == 0, said


@needs_bash
def test_the_commands_of_a_person(tmp_path):
    folder = new_repository(tmp_path / "work", {"prompts/system.md": PROMPT, "tokaudit.toml": CONFIG})
    first, accept = [body for name, body in BLOCKS if name == "sh"]
    code, said = shell(folder, first)
    assert code == 0, said
    commit(folder, {"prompts/system.md": GROWN})
    assert shell(folder, "tokaudit check")[0] == 1
    code, said = shell(folder, accept)
    assert code == 0, said
    assert shell(folder, "tokaudit check")[0] == 0
    assert "tokaudit-baseline.json" in git(folder, "diff", "--cached", "--name-only")


@pytest.mark.parametrize("number", range(sum(name == "toml" for name, _ in BLOCKS)))
def test_configurations_load(number, tmp_path):
    from tokaudit.store.config import load_config

    body = [body for name, body in BLOCKS if name == "toml"][number]
    (tmp_path / "tokaudit.toml").write_text(body, encoding="utf-8")
    assert load_config(tmp_path / "tokaudit.toml").budget


def test_the_tests_of_prompts(tmp_path):
    (body,) = of("python").values()
    folder = new_repository(
        tmp_path / "work", {"prompts/system.md": PROMPT, "tokaudit.toml": CONFIG, "test_prompts.py": body}
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=folder,
            env=environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", HOME=str(tmp_path)),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert run("tokaudit", "baseline", "write").returncode == 0
    done = run("pytest", "-q", "-p", "tokaudit.pytest_plugin", "-p", "no:cacheprovider")
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


def test_exit_codes_are_those_of_the_command():
    from tokaudit.cli.check import EPILOG

    rows = re.findall(r"^\| (\d+) \|", TEXT.partition("## Exit codes")[2].partition("\n## ")[0], re.MULTILINE)
    assert rows == re.findall(r"(?<!\d)(\d+) [a-z]", EPILOG.replace("\n", " "))
