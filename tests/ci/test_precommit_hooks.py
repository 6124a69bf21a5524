"""The hooks of .pre-commit-hooks.yaml, run by pre-commit itself in a repository.

pre-commit clones the hooks from a repository of their own, where they are as they are here but for their language:
``system`` finds the tokaudit that is installed, and need not ask an index for an environment.
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

from git_repositories import environment, git, new_repository
from places import ROOT

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
BIN = Path(sys.executable).parent
CONFIG = 'models = ["gpt-4o"]\n[[budget]]\npaths = ["prompts/*.md"]\nmax_tokens = 30\n'
PROMPT = "# Shop\n\nAnswer briefly.\n"
PACK = """\
schema: tokaudit.rules/1
pack: my
version: 1.0.0
title: Mine
rules:
  - id: my.thanks
    title: Thanks
    why: Nobody reads it.
    class: lossy
    stage: lexical
    op: delete
    pattern: '(?m)^Thanks\\.$'
    examples:
      - {in: "Thanks.", out: "RESULT"}
      - {in: "No thanks.", same: true}
"""

PRE_COMMIT = [sys.executable, "-m", "pre_commit"]  # of the extra test: without it this fails


@pytest.fixture
def committed(tmp_path):
    """Runs the hooks on all files of a repository."""
    system = [hook | {"language": "system"} for hook in HOOKS]
    hooks = new_repository(tmp_path / "hooks", {".pre-commit-hooks.yaml": yaml.safe_dump(system)})

    def run(content, hook, **settings):
        config = {"repos": [{"repo": hooks.as_uri(), "rev": git(hooks, "rev-parse", "HEAD"), "hooks": [{"id": hook}]}]}
        config["repos"][0]["hooks"][0] |= settings
        folder = new_repository(tmp_path / "work", content | {".pre-commit-config.yaml": yaml.safe_dump(config)})
        done = subprocess.run(
            [*PRE_COMMIT, "run", "--color=never", "--all-files"],
            cwd=folder,
            env=environment(
                PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}",
                PRE_COMMIT_HOME=str(tmp_path / "home"),
                HOME=str(tmp_path),
            ),
            capture_output=True,
            timeout=120,
            check=False,
        )
        shutil.rmtree(folder)
        return done.returncode, (done.stdout + done.stderr).decode()

    return run


def test_the_manifest_is_valid():
    subprocess.run([*PRE_COMMIT, "validate-manifest", MANIFEST], check=True, timeout=60)
    assert [hook["id"] for hook in HOOKS] == ["tokaudit-check", "tokaudit-slim", "tokaudit-rules-test"]
    assert {hook["language"] for hook in HOOKS} == {"python"}
    assert all(hook["require_serial"] for hook in HOOKS)


def test_check_passes(committed):
    code, said = committed({"tokaudit.toml": CONFIG, "prompts/a b.md": PROMPT}, "tokaudit-check")
    assert code == 0, said
    assert re.search(r"tokaudit check\.+Passed", said)


def test_check_fails_with_its_explanation(committed):
    code, said = committed({"tokaudit.toml": CONFIG, "prompts/a b.md": PROMPT * 9}, "tokaudit-check")
    assert code == 1
    assert re.search(r"tokaudit check\.+Failed\n- hook id: tokaudit-check\n- exit code: 1", said), said
    assert "prompts/a b.md" in said


def test_check_tells_a_mistake(committed):
    code, said = committed({"tokaudit.toml": "modles = 1\n", "prompts/a.md": PROMPT}, "tokaudit-check")
    assert code == 1
    assert "- exit code: 2" in said
    assert "modles" in said


def test_slim_sees_prompts_only(committed):
    spaced = "订单号　　１２３４５６７８，已经发货。我们马上就给您办！！！\n"
    files = {"prompts/a b.md": spaced, "prompt/b.txt": "Answer.\n", "README.md": spaced}
    code, said = committed(files, "tokaudit-slim")
    assert code == 1
    assert "prompts/a b.md" in said
    assert "README.md" not in said
    code, said = committed(files, "tokaudit-slim", args=["--rules", "json"])
    assert code == 0, said
    code, said = committed(files, "tokaudit-slim", files="^nowhere/")
    assert (code, "(no files to check)Skipped" in said) == (0, True)


def test_rules_test(committed):
    assert committed({"rules/my.yaml": PACK.replace("RESULT", ""), "rules/x.txt": "x\n"}, "tokaudit-rules-test")[0] == 0
    code, said = committed({"rules/my.yaml": PACK.replace("RESULT", "Thank")}, "tokaudit-rules-test")
    assert code == 1
    assert "my.thanks" in said
