"""Folders as git sees them, and the same without git: compared with git itself."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from git_repositories import commit, git, new_repository
from tokaudit.sources import discover
from tokaudit.sources.git_files import git_files

NAMES = ["a.md", "b.md", "c.txt", "é.md", "x.log", "9.md", "ab.md", "README.md", "system.md", "!a.md", "#c"]
FOLDERS = ["gen", "gen/x", "docs", "docs/api", "src", "build", "a b"]
LINES = [
    "*",
    "!*/",
    "!*.md",
    "gen/**",
    "!gen/system.md",
    "!gen/",
    "*.log",
    "/build/",
    "build",
    "docs/*",
    "!docs/api",
    "!docs/api/**",
    "**/x",
    "[[:digit:]].md",
    "?.md",
    "[a-b]*.md",
    "a?.md",
    "**/*.txt",
    "/*",
    "!/src",
    "src/**/a.md",
    "#c",
    "\\#c",
    "a b/",
    "a b/*.md ",
    "!README.md",
    "docs/",
    "docs/**",
    "!docs/**/a.md",
    "*.m[!d]",
    "[!a].md",
    "/gen/*/",
    "gen/x/",
    "**",
    "!**/b.md",
    "docs/**/",
    "[]a].md",
    "x.log/",
    "\\!a.md",
    "*.md",
    "!a.md",
    "doc?",
    "*/",
    "**/gen/**",
    "!gen/**",
    "[z-a].md",
    "[a.md",
    "a\\",
    "[^[:alpha:]].md",
    "a***.md",
    "gen/**/x/**",
    "system.md\\ ",
    "\ufeff*.md",
    "!/gen/**/system.md\r",
]


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)


def names(folder: str = ".") -> list[str]:
    return [file.path for file in discover([folder]).files]


def listed(*more: str) -> list[str]:
    done = git(Path(), "ls-files", "-z", "--cached", "--others", "--exclude-standard", *more)
    return sorted(filter(None, done.split("\0")), key=lambda path: path.split("/"))


def generated(seed: int) -> list[str]:
    """A tree with ignore files in the working directory; some files are tracked, though they may be ignored."""
    dice = random.Random(seed)
    git(Path(), "init", "-q")
    for folder in ("", *FOLDERS):
        Path(folder).mkdir(exist_ok=True)
        for name in dice.sample(NAMES, 5):
            Path(folder, name).write_text("x\n", encoding="utf-8")
    lines = [dice.choices(LINES, k=dice.randint(1, 4)) for _ in range(2)]
    Path(".gitignore").write_bytes("\n".join(lines[0]).encode() + b"\n")
    if dice.random() < 0.4:
        Path("docs/.gitignore").write_bytes("\n".join(lines[1]).encode())
    return lines[0]


@pytest.mark.parametrize("seed", range(40))
def test_generated_trees(seed, monkeypatch):
    lines = generated(seed)
    wanted = listed()
    assert (lines, sorted(map(str, git_files(os.path.realpath(".")).entries))) == (lines, sorted(wanted))
    if wanted:
        assert (lines, names()) == (lines, wanted)
        with monkeypatch.context() as without:
            without.setattr("tokaudit.sources.git_files.git_files", lambda _: None)
            assert (lines, names()) == (lines, wanted)
    git(Path(), "add", "-f", "gen", "docs/api")
    assert (lines, names()) == (lines, listed())


def test_tracked_files_count_whatever_is_ignored(tmp_path):
    new_repository(tmp_path / "r", {"gen/system.md": "x", "a.md": "x"})
    os.chdir("r")
    Path(".gitignore").write_text("gen/\nlocal.md\n")
    Path("local.md").write_text("x")
    Path("gen/other.md").write_text("x")
    assert names() == [".gitignore", "a.md", "gen/system.md"]
    assert names("gen") == ["gen/system.md"]
    Path("a.md").unlink()  # tracked, and not there
    assert names() == [".gitignore", "gen/system.md"]


def test_names_of_any_bytes(tmp_path):
    new_repository(tmp_path / "r", {"a\nb.md": "x", "é.md": "x", '"q".md': "x"})
    os.chdir("r")
    assert names() == ['"q".md', "a\\nb.md", "é.md"]


def test_excludes_of_a_worktree_and_of_the_user(tmp_path, monkeypatch):
    new_repository(tmp_path / "r", {"a.md": "x"})
    git(tmp_path / "r", "worktree", "add", "-q", str(tmp_path / "w"))
    (tmp_path / "r/.git/info/exclude").write_text("private.md\n")
    (tmp_path / "excludes").write_text("mine.md\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {(tmp_path / 'excludes').as_posix()}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    for name in ("private.md", "mine.md", "b.md"):
        (tmp_path / "w" / name).write_text("x")
    assert names("w") == ["w/a.md", "w/b.md"]


def test_repositories_in_one(tmp_path):
    new_repository(tmp_path / "r", {"a.md": "x", ".gitignore": "vendor/\n*.log\n"})
    for name in ("nested", "vendor", "sub"):
        new_repository(tmp_path / "r" / name, {f"{name}.md": "x", "x.log": "x"})
    commit(tmp_path / "r", {}, "with a link to sub")
    git(tmp_path / "r/nested", "rm", "-q", "--cached", "nested.md")  # still there, and seen
    assert names("r") == ["r/.gitignore", "r/a.md", *(f"r/{n}" for n in ("nested/nested.md", "nested/x.log")),
                          "r/sub/sub.md", "r/sub/x.log"]  # fmt: skip
    shutil.rmtree(tmp_path / "r/sub")
    (tmp_path / "r/sub").mkdir()  # a submodule that was not fetched
    assert "r/sub/sub.md" not in names("r")


def test_a_folder_that_became_a_link(tmp_path):
    new_repository(tmp_path / "r", {"d/a.md": "x", "e/a.md": "y"})
    shutil.rmtree(tmp_path / "r/d")
    (tmp_path / "r/d").symlink_to("e")
    found = discover(["r"])
    assert [file.path for file in found.files] == ["r/e/a.md"]
    assert [(item.what, item.code) for item in found.skipped] == [("r/d", "symlink")]


def test_variables_of_a_hook_are_of_another_repository(tmp_path, monkeypatch):
    new_repository(tmp_path / "hooked", {"other.md": "x"})
    new_repository(tmp_path / "r", {"gen/a.md": "x", "b.md": "x"})
    (tmp_path / "r/.gitignore").write_text("gen/\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "hooked/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "hooked/.git/index"))
    assert names("r") == ["r/.gitignore", "r/b.md", "r/gen/a.md"]


def test_no_command_of_a_repository_is_run(tmp_path):
    new_repository(tmp_path / "r", {"a.md": "x"})
    git(tmp_path / "r", "config", "core.fsmonitor", f"touch {(tmp_path / 'touched').as_posix()}; false")
    assert names("r") == ["r/a.md"]
    assert not (tmp_path / "touched").exists()


def test_without_git_it_is_said_once(tmp_path, monkeypatch):
    new_repository(tmp_path / "r", {"a.md": "x", "d/b.md": "x", ".gitignore": "*.log\n"})
    (tmp_path / "r/x.log").write_text("x")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = discover(["r"])
    assert [file.path for file in found.files] == ["r/.gitignore", "r/a.md", "r/d/b.md"]
    assert [(item.what, item.code, item.reason, item.hint) for item in found.skipped] == [
        ("r", "gitignore", "git is not installed; .gitignore files are read without it", "install git")
    ]
    assert not discover(["r"], use_gitignore=False).skipped


def test_a_repository_that_git_refuses(tmp_path, monkeypatch):
    new_repository(tmp_path / "r", {"a.md": "x"})
    refusal = f"fatal: detected dubious ownership in repository at '{tmp_path}/r'\n"
    monkeypatch.setattr("tokaudit.sources.git_files._asked", lambda _: ("", refusal, 128))
    [item] = discover(["r"]).skipped
    assert item.reason.startswith("git refuses the repository, which belongs to another user; .gitignore")
    assert item.hint == f"if you trust it: git config --global --add safe.directory '{tmp_path}/r'"
    assert names("r") == ["r/a.md"]


def test_a_folder_that_cannot_be_read(tmp_path, monkeypatch):
    new_repository(tmp_path / "r", {"a.md": "x"})
    warning = "warning: could not open directory 'locked/': Permission denied\n"
    monkeypatch.setattr("tokaudit.sources.git_files._asked", lambda _: ("a.md\0", warning, 0))
    found = discover(["r"])
    assert [(item.what, item.reason) for item in found.skipped] == [("r/locked", "cannot be read: Permission denied")]


def test_one_file_starts_no_git(tmp_path, monkeypatch):
    new_repository(tmp_path / "r", {"a.md": "x"})
    monkeypatch.setattr(subprocess, "run", None)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert names("r/a.md") == ["r/a.md"]


def test_options_as_before(tmp_path):
    new_repository(tmp_path / "r", {"d/a.md": "x", "d/b.txt": "x", "d/build/c.md": "x", "d/x/build/e.md": "x"})
    os.chdir("r")

    def chosen(**options) -> list[str]:
        return [file.path for file in discover(["d"], **options).files]

    assert chosen(include=["*.md"]) == ["d/a.md", "d/build/c.md", "d/x/build/e.md"]
    assert chosen(exclude=["build/"]) == ["d/a.md", "d/b.txt"]
    assert chosen(exclude=["d/build"]) == ["d/a.md", "d/b.txt", "d/x/build/e.md"]
    assert chosen(include=["*.md"], exclude=["/build"]) == ["d/a.md", "d/x/build/e.md"]


def test_links_to_files_of_the_project(tmp_path):
    new_repository(tmp_path / "r", {"AGENTS.md": "x", "d/a.md": "x"})
    (tmp_path / "out.md").write_text("x")
    for name, target in {
        "CLAUDE.md": "AGENTS.md", "d/up.md": "../AGENTS.md", "two.md": "CLAUDE.md", "out.md": "../out.md",
        "gone.md": "nothing.md", "loop.md": "loop.md", "folder.md": "d", "git.md": ".git/HEAD",
    }.items():  # fmt: skip
        (tmp_path / "r" / name).symlink_to(target)
    found = discover(["r"], links_within=os.path.realpath("r"))
    assert [file.path for file in found.files] == [
        "r/AGENTS.md", "r/CLAUDE.md", "r/d/a.md", "r/d/up.md", "r/two.md",
    ]  # fmt: skip
    assert {item.what for item in found.skipped} == {f"r/{name}.md" for name in ("out", "gone", "loop", "folder")}
    assert names("r") == ["r/AGENTS.md", "r/d/a.md"]
