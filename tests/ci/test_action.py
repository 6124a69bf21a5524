"""action.yml: its shape, and its steps run in a repository with a pull request."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from action_runner import ACTION, BASH, ROOT, run_action
from git_repositories import commit, environment, git, new_repository

SCRIPTS = sorted((ROOT / "ci/action").glob("*.sh"))
PROMPT = "# Shop\n\nAnswer briefly.\n\n## Rules\n\nBe polite.\n"
GROWN = PROMPT + "Never promise a refund before you have looked at the order, whatever the customer says.\n"
PULL = {
    "base_ref": "main",
    "event.pull_request.number": "7",
    "token": "secret-token",
    "action_repository": "o/tokaudit",
}

pytestmark = pytest.mark.skipif(os.name == "nt" or BASH is None, reason="needs bash on a POSIX system")


def test_it_is_valid():
    program = shutil.which("check-jsonschema", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("check-jsonschema is not installed")
    done = subprocess.run(
        [program, "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_no_input_becomes_part_of_a_script():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert text.startswith("#!/usr/bin/env bash\n")
        assert "\nset -euo pipefail\n" in text
        text = re.sub(r"(?m)^ *#.*$", "", text)
        assert not re.search(r"\beval\b|mapfile|readarray|declare -A|\$\{\w+[,^]{1,2}\}", text)  # not in bash 3.2


def test_every_input_is_used_and_every_variable_given():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    runs = text[text.index("\nruns:") :]
    for name, given in ACTION["inputs"].items():
        assert f"inputs.{name}" in runs, name
        assert given["description"].endswith(".")
    for step in ACTION["runs"]["steps"]:
        found = re.search(r"ci/action/([\w.]+)", step.get("run", ""))
        if found:
            wanted = set(re.findall(r"\bIN_\w+", (ROOT / "ci/action" / found[1]).read_text(encoding="utf-8")))
            assert wanted - {"IN_PAUSE"} == set(step["env"]) - ({"IN_PYTHON"} if found[1] == "comment.py" else set())
        assert not [name for name in step.get("env", {}) if name.startswith("TOKAUDIT_")]


def test_shellcheck_finds_nothing():
    program = shutil.which("shellcheck", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None:
        pytest.skip("shellcheck is not installed")
    done = subprocess.run([program, *SCRIPTS], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def pull_request(tmp_path):
    """A shallow checkout of the merge of a pull request, as actions/checkout makes it; main has gone on since."""

    def make(files, before=None, shallow=True):
        origin = new_repository(tmp_path / "origin", {"prompts/shop prompt.md": PROMPT} | (before or {}))
        for number in range(4):
            commit(origin, {"other.txt": f"{number}\n"})
        git(origin, "checkout", "-q", "-b", "change")
        commit(origin, files)
        git(origin, "checkout", "-q", "main")
        commit(origin, {"other.txt": "later\n"})
        git(origin, "checkout", "-q", "--detach")
        git(origin, "merge", "-q", "--no-ff", "-m", "merge", "change")
        git(origin, "update-ref", "refs/pull/7/merge", "HEAD")
        git(origin, "checkout", "-q", "main")
        commit(origin, {"prompts/later.md": "later\n"})
        folder = tmp_path / "work"
        folder.mkdir()
        git(folder, "init", "-q")
        git(folder, "remote", "add", "origin", origin.as_uri())
        depth = ["--depth=1"] if shallow else []
        git(folder, "fetch", "-q", *depth, "origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge")
        git(folder, "checkout", "-q", "--detach", "refs/remotes/pull/7/merge")
        return folder

    return make


AGAINST = {"paths": "prompts", "models": "gpt-4o", "against": "auto", "comment": "false"}


def test_a_change_that_adds_no_tokens_passes(pull_request, tmp_path):
    ran = run_action(pull_request({"notes.txt": "x\n"}), tmp_path / "temporary", AGAINST, PULL)
    assert ran.code == 0, ran.log
    assert ran.outputs["outcome"] == "passed"
    assert ran.outputs["exit-code"] == "0"
    assert ran.steps == ["Install tokaudit", "Fetch what to compare with", "Check", "Outcome"]


def test_a_grown_prompt_fails_with_annotation_summary_and_reports(pull_request, tmp_path):
    ran = run_action(pull_request({"prompts/shop prompt.md": GROWN}), tmp_path / "temporary", AGAINST, PULL)
    assert ran.code == 1, ran.log
    assert ran.outputs["outcome"] == "failed"
    assert "::error " in ran.log
    assert "file=prompts/shop prompt.md" in ran.log
    assert "shop prompt.md" in ran.summary
    assert ran.summary.strip() == Path(ran.outputs["report"]).read_text(encoding="utf-8").strip()
    assert '"2.1.0"' in Path(ran.outputs["sarif"]).read_text(encoding="utf-8")


def test_commands_to_the_runner_are_off_while_the_table_is_shown(pull_request, tmp_path):
    files = {"prompts/shop prompt.md": GROWN + "\n::error::by a prompt\n"}
    ran = run_action(pull_request(files), tmp_path / "temporary", AGAINST, PULL)
    pause = re.search(r"^::stop-commands::(tokaudit-[0-9a-f]{32})$", ran.log, re.MULTILINE)
    shown = ran.log[pause.end() : ran.log.index(f"\n::{pause[1]}::\n")]
    assert "shop prompt.md" in shown
    commands = re.findall(r"(?m)^::.*", ran.log.replace(shown, ""))
    assert all(line.startswith((f"::{pause[1]}", "::stop-commands", "::error ", "::notice ")) for line in commands)
    assert "::error::by a prompt" not in commands


def test_budgets_of_the_configuration_in_a_folder(pull_request, tmp_path):
    files = {
        "app/tokaudit.toml": 'models = ["gpt-4o"]\n[[budget]]\npaths = ["*.md"]\nmax_tokens = 3\n',
        "app/a.md": GROWN,
    }
    inputs = {"working-directory": "app", "comment": "false"}
    ran = run_action(pull_request(files), tmp_path / "temporary", inputs, PULL)
    assert ran.code == 1, ran.log
    assert "file=app/a.md" in ran.log
    inputs |= {"args": "--max-growth=5%\n", "baseline": "none"}
    assert run_action(tmp_path / "work", tmp_path / "temporary", inputs, PULL).code == 1


def test_what_matches_nothing_is_unmeasured(pull_request, tmp_path):
    files = {"tokaudit.toml": 'models = ["gpt-4o"]\n[[budget]]\npaths = ["none/*.md"]\nmax_tokens = 3\n'}
    ran = run_action(pull_request(files), tmp_path / "temporary", {"comment": "false"}, PULL)
    assert (ran.code, ran.outputs["outcome"]) == (3, "unmeasured"), ran.log


def test_a_mistake_is_told_in_log_and_report(pull_request, tmp_path):
    folder = pull_request({"tokaudit.toml": "modles = 1\n"})
    ran = run_action(folder, tmp_path / "temporary", AGAINST, PULL)
    assert (ran.code, ran.outputs["outcome"]) == (2, "error")
    assert "modles" in ran.log
    assert "could not run** (exit code 2)" in ran.summary
    assert "modles" in ran.summary
    assert ran.outputs["sarif"] == ""


def test_inputs_are_arguments_and_nothing_else(pull_request, tmp_path):
    hostile = "$(touch pwned)\n`touch pwned`\n'; touch pwned; '\n--version\n*"
    for inputs in (
        AGAINST | {"paths": hostile},
        AGAINST | {"models": hostile},
        AGAINST | {"args": "$(touch pwned)"},
        AGAINST | {"against": "--upload-pack=touch pwned"},
        AGAINST | {"against": "$(touch pwned)"},
        AGAINST | {"working-directory": "$(touch pwned)"},
    ):
        if not (tmp_path / "work").exists():
            pull_request({"notes.txt": "x\n"})
        ran = run_action(tmp_path / "work", tmp_path / "temporary", inputs, PULL)
        assert ran.code == (1 if "working-directory" in inputs else 2), ran.log
        assert not list(tmp_path.rglob("pwned"))


def test_modules_of_the_repository_are_not_imported(pull_request, tmp_path):
    trap = "raise SystemExit('imported from the repository')\n"
    folder = pull_request({"json.py": trap, "tokaudit/__init__.py": trap, "typing.py": trap})
    ran = run_action(folder, tmp_path / "temporary", AGAINST, PULL, PYTHONPATH=str(folder))
    assert ran.code == 0, ran.log


def test_the_comment_is_written(pull_request, tmp_path, server):
    folder = pull_request({"prompts/shop prompt.md": PROMPT + "Ask more.\n", "prompts/ask @alice about #12.md": "Hi"})
    github = {"GITHUB_API_URL": server.url, "GITHUB_REPOSITORY": "octo/prompts", "IN_PAUSE": "0"}
    ran = run_action(folder, tmp_path / "temporary", AGAINST | {"comment": "true"}, PULL, **github)
    assert ran.code == 1, ran.log
    (comment,) = server.comments
    assert comment["body"].startswith("<!-- tokaudit -->\n")
    assert "alice" in comment["body"]
    assert not re.search(r"@\w|(?<!&)#\d", comment["body"])  # nobody is called by the name of a prompt
    assert "secret-token" not in ran.log
    server.refused["POST"] = server.refused["PATCH"] = 403
    server.comments.clear()
    ran = run_action(folder, tmp_path / "temporary", AGAINST | {"comment": "true"}, PULL, **github)
    assert (ran.code, ran.outputs["outcome"]) == (1, "failed")


# What to compare with


def fetched(folder, tmp_path, against, base_ref=""):
    output = tmp_path / "base-output"
    output.write_text("", encoding="utf-8")
    done = subprocess.run(
        [BASH, ROOT / "ci/action/base.sh"],
        cwd=folder,
        env=environment(IN_AGAINST=against, IN_BASE_REF=base_ref, GITHUB_OUTPUT=str(output)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, output.read_text(encoding="utf-8")


@pytest.mark.parametrize("shallow", [True, False])
def test_the_base_is_fetched_as_deep_as_needed(pull_request, tmp_path, shallow):
    folder = pull_request({"notes.txt": "x\n"}, shallow=shallow)
    assert fetched(folder, tmp_path, "auto", "main") == (0, "", "against=origin/main\n")
    base = git(folder, "merge-base", "origin/main", "HEAD")
    assert git(folder, "show", f"{base}:other.txt") == "later"


def test_tags_branches_and_commits_are_fetched(pull_request, tmp_path):
    folder = pull_request({"notes.txt": "x\n"})
    origin = tmp_path / "origin"
    git(origin, "tag", "v1", "main~3")
    first = git(origin, "rev-list", "--max-parents=0", "main")
    for against in ("v1", "change", first):
        code, said, output = fetched(folder, tmp_path, against)
        name = "origin/change" if against == "change" else against
        assert (code, said, output) == (0, "", f"against={name}\n")
        assert git(folder, "merge-base", name, "HEAD")


def test_outside_of_pull_requests_nothing_is_fetched(pull_request, tmp_path):
    folder = pull_request({"notes.txt": "x\n"})
    assert fetched(folder, tmp_path, "auto") == (0, "", "against=HEAD\n")
    assert fetched(folder, tmp_path, "") == (0, "", "against=\n")


def test_what_cannot_be_fetched_is_said(pull_request, tmp_path):
    folder = pull_request({"notes.txt": "x\n"})
    code, said, output = fetched(folder, tmp_path, "origin/nowhere")
    assert (code, output) == (0, "against=origin/nowhere\n")
    assert said == "::warning title=tokaudit::origin/nowhere cannot be fetched; check out with fetch-depth: 0\n"
    git(folder, "remote", "remove", "origin")
    assert fetched(folder, tmp_path, "auto", "main")[0] == 0


@pytest.mark.parametrize("against", ["-x", "--upload-pack=x", "a\nb=c"])
def test_no_option_and_no_second_output(pull_request, tmp_path, against):
    code, said, output = fetched(pull_request({}), tmp_path, against)
    assert (code, output) == (2, "")
    assert said.startswith("::error ")


# Installation


@pytest.fixture
def installed(tmp_path):
    """Runs install.sh with a Python that only writes down what is asked of it."""
    stub = tmp_path / "python-stub"
    stub.write_text(
        '#!/bin/bash\nprintf "%s\\n" "$*" >>"$RECORD"\n'
        'if [ "$1 $2 $3" = "-I -m venv" ]; then mkdir -p "${!#}/bin"; cp "$0" "${!#}/bin/python"; fi\n',
        encoding="utf-8",
    )
    stub.chmod(0o755)
    (tmp_path / "runner temp").mkdir()

    def run(**variables):
        record, output = tmp_path / "record", tmp_path / "output"
        record.write_text("", encoding="utf-8")
        output.write_text("", encoding="utf-8")
        given = {
            "IN_PYTHON": str(stub),
            "GITHUB_ACTION_PATH": "/actions/tokaudit v1",
            "RUNNER_TEMP": str(tmp_path / "runner temp"),
            "GITHUB_OUTPUT": str(output),
            "RECORD": str(record),
            "IN_REPOSITORY": "octo/tokaudit",
        }
        done = subprocess.run(
            [BASH, ROOT / "ci/action/install.sh"],
            env=environment(**(given | variables)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        asked = [line for line in record.read_text(encoding="utf-8").splitlines() if " install " in line]
        requirements = [line.rpartition("--disable-pip-version-check ")[2] for line in asked]
        return done, requirements, output.read_text(encoding="utf-8")

    return run


@pytest.mark.parametrize(
    ("variables", "requirement"),
    [
        ({}, "/actions/tokaudit v1"),
        ({"IN_EXTRAS": "more, claude"}, "/actions/tokaudit v1[more,claude]"),
        ({"IN_VERSION": "0.2.0"}, "tokaudit==0.2.0"),
        ({"IN_VERSION": "1.0rc1", "IN_EXTRAS": "more"}, "tokaudit[more]==1.0rc1"),
        ({"IN_VERSION": "v0.2.0"}, "tokaudit @ git+https://github.com/octo/tokaudit@v0.2.0"),
        (
            {"IN_VERSION": "feature/x", "GITHUB_SERVER_URL": "https://git.example"},
            "tokaudit @ git+https://git.example/octo/tokaudit@feature/x",
        ),
        ({"IN_VERSION": "0" * 40}, f"tokaudit @ git+https://github.com/octo/tokaudit@{'0' * 40}"),
    ],
)
def test_what_is_installed(installed, tmp_path, variables, requirement):
    done, requirements, output = installed(**variables)
    assert done.returncode == 0, done.stderr
    assert requirements == [requirement]
    python = tmp_path / "runner temp/tokaudit-environment/bin/python"
    assert output == f"python={python}\n"
    again, requirements, same = installed(**variables)
    assert (again.returncode, requirements, same) == (0, [], output)
    _, other, _ = installed(**variables, IN_PYTHON=str(tmp_path / "python-stub"))
    assert other == []


@pytest.mark.parametrize(
    "variables",
    [
        {"IN_VERSION": "--index-url=x"},
        {"IN_VERSION": "1.0; touch x"},
        {"IN_VERSION": "a b"},
        {"IN_VERSION": "../x"},
        {"IN_EXTRAS": "more]; touch x"},
        {"IN_VERSION": "main", "IN_REPOSITORY": ""},
    ],
)
def test_what_is_not_installed(installed, variables):
    done, requirements, output = installed(**variables)
    assert (done.returncode, requirements, output) == (2, [], "")
    assert done.stdout.startswith("::error title=tokaudit::")


def test_a_python_that_is_too_old_is_said(installed, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for name in ("python3", "python"):
        (empty / name).write_text("#!/bin/bash\nexit 1\n", encoding="utf-8")
        (empty / name).chmod(0o755)
    done, _, _ = installed(IN_PYTHON="", PATH=str(empty))
    assert done.returncode == 2
    assert "set the input python-version" in done.stdout
