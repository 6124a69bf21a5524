"""A gate does not pass what it could not see: files that git tracks, links, and chats of any form."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from git_repositories import commit, git, new_repository
from in_process import run_here
from tokaudit.tokenizers import load_tokenizer

CONFIG = 'models = ["gpt-4o"]\ncache = false\n[[budget]]\n'
LONG = "Always answer briefly, never reveal the key, and cite sources. " * 20
SYSTEM = {"role": "system", "content": LONG}
ASK = {"role": "user", "content": "hi"}


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)


def run(*arguments: str):
    done = run_here(arguments, Path.cwd(), dict(os.environ))
    return done.returncode, done.stdout.decode()


def test_a_tracked_prompt_that_a_pattern_would_hide(tmp_path):
    new_repository(tmp_path / "r", {"gen/system.md": LONG, "a.md": "x", "tokaudit.toml":
                                    f'{CONFIG}paths = ["**/*.md"]\nmax_tokens = 3\n'})  # fmt: skip
    os.chdir("r")
    Path(".gitignore").write_text("gen/**\n")
    code, said = run("check")
    assert code == 1
    assert "gen/system.md" in said
    assert "1 of 2 files" in said


@pytest.mark.parametrize("pattern", ["CLAUDE.md", "*.md", "d/CLAUDE.md"])
def test_a_link_has_the_budget_of_its_name(tmp_path, pattern):
    config = f'{CONFIG}paths = ["{pattern}"]\nmax_tokens = 30\n'
    new_repository(tmp_path / "r", {"AGENTS.md": "Be brief.\n", "d/x.txt": "x", "tokaudit.toml": config})
    os.chdir("r")
    Path("CLAUDE.md").symlink_to("AGENTS.md")
    Path("d/CLAUDE.md").symlink_to("../CLAUDE.md")
    commit(Path(), {}, "links")
    assert run("check")[0] == 0
    assert run("check", "--against", "HEAD")[0] == 0
    Path("AGENTS.md").write_text(LONG)
    for arguments in (["check"], ["check", "--against", "HEAD"], ["check", "--against", "HEAD", "."]):
        code, said = run(*arguments)
        assert code == 1
        assert "CLAUDE.md" in said
    assert run("slim", "-w", "CLAUDE.md", "-q")[0] in {0, 2}
    assert Path("CLAUDE.md").is_symlink()


def test_a_link_out_of_the_project_is_not_judged(tmp_path):
    new_repository(tmp_path / "r", {"a.md": "x", "tokaudit.toml": f'{CONFIG}paths = ["*.md"]\nmax_tokens = 30\n'})
    (tmp_path / "out.md").write_text(LONG)
    (tmp_path / "r/b.md").symlink_to("../out.md")
    os.chdir("r")
    code, said = run("check")
    assert code == 3
    assert "b.md" in said
    assert "symbolic link, not followed" in said


@pytest.mark.parametrize(
    "records",
    [
        [{"messages": [SYSTEM, ASK]}, {"note": "exported"}],
        [{"messages": [{**SYSTEM, "role": "developer"}, ASK]}],
        [{"messages": [SYSTEM, {"role": "assistant"}]}],
        [{"messages": [SYSTEM, {"role": "user", "parts": [{"type": "text", "text": "hi"}]}]}],
        [{"prompt": [SYSTEM, ASK], "chosen": [ASK], "rejected": [ASK]}],
        [{"request": {"contents": [{"parts": [{"text": "x"}]}], "systemInstruction": {"parts": [{"text": LONG}]}}}],
    ],
)
def test_chats_of_any_form(records):
    Path("tokaudit.toml").write_text(f'{CONFIG}paths = ["*.jsonl"]\nrole = "system"\nmax_tokens = 50\n')
    Path("a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    code, said = run("check")
    assert code == 1
    assert "role system" in said


def test_what_is_no_chat_that_we_know_is_not_judged():
    Path("tokaudit.toml").write_text(f'{CONFIG}paths = ["*.jsonl"]\nrole = "system"\nmax_tokens = 50\n')
    Path("a.jsonl").write_text(json.dumps({"messages": [{"role": "system", "content": "x"}, ASK]}) + "\n")
    Path("b.jsonl").write_text(json.dumps({"inputs": {"messages": [SYSTEM]}}) + "\n")
    code, said = run("check")
    assert code == 3
    assert "no chat is recognised in it" in said.replace("\n  ", " ")
    assert "b.jsonl" in said
    git(Path(), "init", "-q")
    Path("b.jsonl").write_text("")  # nothing to judge
    assert run("check")[0] == 0


def test_a_role_is_its_texts_alone() -> None:
    said = json.dumps("简短 and short\nplease", ensure_ascii=True)
    request = f'{{"custom_id": "request-1", "body": {{"messages": [{{"role": "system", "content": {said}}}]}}}}'
    Path("a.jsonl").write_text(f"{request}\n{request}\n")
    config = f'{CONFIG}paths = ["*.jsonl"]\nrole = "system"\nmax_tokens = 1\n'
    Path("tokaudit.toml").write_text(config.replace("cache = false\n", ""))
    tokens = 2 * load_tokenizer("gpt-4o").count("简短 and short\nplease")
    for _ in range(2):  # the second time from the cache
        assert f"{tokens} / 1 " in run("check")[1]


def test_growth_of_a_role_is_not_judged_by_a_baseline_without_roles() -> None:
    Path("a.json").write_text(json.dumps([SYSTEM, ASK]))
    Path("tokaudit.toml").write_text(f'{CONFIG}paths = ["*.json"]\nrole = "system"\nmax_growth = "0%"\n')
    run("baseline", "write", "a.json")
    assert run("check")[0] == 0
    path = Path("tokaudit-baseline.json")
    content = json.loads(path.read_text())
    content["entries"] = [entry for entry in content["entries"] if entry.get("kind") != "role"]
    path.write_text(json.dumps(content))
    code, said = run("check")
    assert (code, "not judged" in said) == (3, True)
