"""Files of revisions: what git has, told apart from what is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tokaudit import diff_git
from tokaudit.model import InputError, UsageError
from tokaudit.store.git import Repository, pair_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, "-c", "core.autocrlf=false", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Two commits in a folder that is the working directory."""
    root = tmp_path / "repository"
    (root / "prompts" / "中文").mkdir(parents=True)
    git(root, "init", "-q")
    (root / "prompts" / "a.txt").write_text("hello world\n", newline="")
    (root / "prompts" / "中文" / "b.md").write_bytes("你好，世界。\n".encode())
    (root / "top.txt").write_text("top\n", newline="")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "tag", "first")
    (root / "prompts" / "a.txt").write_text("hello brave world\n", newline="")
    git(root, "commit", "-qam", "two")
    monkeypatch.chdir(root)
    return root


def statuses(revisions, paths=(), **options):
    found = diff_git(revisions, paths, ["gpt-4o"], **options)
    return {document["path"]: document["status"] for document in found["documents"]}


def test_the_files_of_a_revision(repository):
    opened = Repository(str(repository))
    tree = opened.tree(opened.commit("first"), checkout="never")
    assert [(file.path, file.size, file.fault) for file in tree.files] == [
        ("prompts/a.txt", 12, ""), ("prompts/中文/b.md", 19, ""), ("top.txt", 4, ""),
    ]  # fmt: skip

    assert [tree.read(file) for file in tree.files] == [b"hello world\n", "你好，世界。\n".encode(), b"top\n"]
    tree.close()
    tree.close()
    assert opened.root == os.path.realpath(repository)


@pytest.mark.parametrize("revision", ["first", "HEAD~1", "HEAD^", "tags/first"])
def test_two_revisions(repository, revision):
    assert statuses(f"{revision}..HEAD") == {
        "prompts/a.txt": "changed", "prompts/中文/b.md": "equal", "top.txt": "equal",
    }  # fmt: skip
    assert statuses(f"{revision}..") == statuses(f"{revision}..HEAD")
    assert statuses(f"HEAD..{revision}", ["prompts/a.txt"]) == {"prompts/a.txt": "changed"}
    found = diff_git(f"{revision}..HEAD", ["prompts"], ["gpt-4o"])
    assert (found["before"], found["after"]) == (revision, "HEAD")


def test_the_working_tree(repository):
    (repository / "prompts" / "中文" / "b.md").unlink()
    (repository / "prompts" / "new.txt").write_text("new\n")
    (repository / "top.txt").write_text("top of it\n")
    assert statuses("HEAD") == {
        "prompts/a.txt": "equal", "prompts/new.txt": "added", "prompts/中文/b.md": "removed", "top.txt": "changed",
    }  # fmt: skip
    assert statuses("HEAD", ["prompts/new.txt"]) == {"prompts/new.txt": "added"}
    assert statuses("HEAD", ["prompts/中文"]) == {"prompts/中文/b.md": "removed"}
    assert statuses("HEAD", [], exclude=["prompts/"]) == {"top.txt": "changed"}
    assert statuses("HEAD", [], include=["*.md"]) == {"prompts/中文/b.md": "removed"}


def test_paths_are_from_the_working_directory(repository, monkeypatch):
    monkeypatch.chdir(repository / "prompts")
    assert statuses("first") == {"a.txt": "changed", "中文/b.md": "equal"}
    assert statuses("first", ["../top.txt"]) == {"../top.txt": "equal"}
    assert statuses("first..HEAD", [repository / "prompts" / "a.txt"]) == {"a.txt": "changed"}


def test_a_file_that_git_tracks_and_ignores(repository):
    (repository / ".gitignore").write_text("top.txt\nother.txt\n")
    (repository / "other.txt").write_text("ignored\n")
    assert statuses("HEAD") == {
        ".gitignore": "added", "prompts/a.txt": "equal", "prompts/中文/b.md": "equal", "top.txt": "equal",
    }  # fmt: skip


def test_line_ends_as_git_checks_them_out(repository):
    (repository / ".gitattributes").write_text("*.txt text eol=crlf\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "attributes")
    (repository / "top.txt").unlink()
    git(repository, "checkout", "-q", "--", "top.txt")
    assert (repository / "top.txt").read_bytes() == b"top\r\n"
    assert statuses("HEAD", ["top.txt"]) == {"top.txt": "equal"}


@pytest.mark.skipif(os.name == "nt", reason="links are of POSIX")
def test_what_is_no_text_file_is_skipped(repository):
    (repository / "link").symlink_to("top.txt")
    (repository / "x.bin").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "more")
    for revisions in ("HEAD", "HEAD~1..HEAD", "HEAD~1"):
        found = diff_git(revisions, (), ["gpt-4o"])
        assert {item["what"]: item["reason"] for item in found["skipped"]} == {
            "link": "symbolic link, not followed", "x.bin": "binary file (PNG image)",
        }  # fmt: skip
        assert {document["status"] for document in found["documents"]} == {"equal"}
    (repository / "top.txt").unlink()
    (repository / "top.txt").symlink_to("x.bin")
    assert "top.txt" not in statuses("HEAD")


@pytest.mark.skipif(os.name == "nt", reason="such names are of POSIX")
@pytest.mark.parametrize("name", ["-x.txt", "a b.txt", "*.txt", ":top.txt", "tab\t.txt", "line\nend.txt", 'quote".txt'])
def test_odd_names(repository, name):
    (repository / name).write_text("odd\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd")
    (repository / name).write_text("odder than that\n")
    found = statuses("HEAD", [f"./{name}"])
    assert list(found.values()) == ["changed"]
    assert list(statuses("HEAD~1..HEAD", [f"./{name}"]).values()) == ["added"]


def test_submodules_are_skipped(repository, tmp_path):
    git(tmp_path, "clone", "-q", str(repository), "inner")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "inner"), "sub")
    git(repository, "commit", "-qm", "sub")
    found = diff_git("HEAD", (), ["gpt-4o"])
    assert ("sub", "a submodule, not a file") in {(item["what"], item["reason"]) for item in found["skipped"]}
    assert not any(document["path"].startswith("sub/") for document in found["documents"])


@pytest.mark.parametrize("revision", ["nope", "-x", "--help", "HEAD:top.txt", "a\0b", "HEAD~99", "first;x", ""])
def test_no_such_revision(repository, revision):
    opened = Repository(str(repository))
    with pytest.raises(InputError, match="revision") as caught:
        opened.commit(revision)
    assert "git log" in caught.value.hint


def test_a_path_on_neither_side(repository):
    for revisions, words in (("HEAD", "nor in the working tree"), ("first..HEAD", "neither in first, nor in HEAD")):
        with pytest.raises(InputError, match=words):
            diff_git(revisions, ["prompts", "nope.txt"], ["gpt-4o"])


def test_a_path_outside(repository):
    with pytest.raises(InputError, match="not in the repository"):
        diff_git("HEAD", [repository.parent], ["gpt-4o"])


def test_no_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(InputError, match="not in a git repository"):
        diff_git("HEAD", (), ["gpt-4o"])


def test_a_repository_without_commits(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no revision 'HEAD'"):
        diff_git("HEAD", (), ["gpt-4o"])


def test_git_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="git is not installed"):
        Repository(str(tmp_path))


def test_a_missing_object_is_skipped(repository):
    blob = git(repository, "rev-parse", "first:prompts/a.txt").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = diff_git("first..HEAD", (), ["gpt-4o"])
    assert [item["what"] for item in found["skipped"]] == ["prompts/a.txt"]
    assert len(found["documents"]) == 2


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("HEAD", ("HEAD", None)),
        ("a..b", ("a", "b")),
        ("..b", ("HEAD", "b")),
        ("a..", ("a", "HEAD")),
        ("", ("", None)),
    ],
)
def test_revisions(text, pair):
    assert pair_of(text) == pair


def test_three_dots_are_refused():
    with pytest.raises(UsageError, match="three dots") as caught:
        pair_of("main...topic")
    assert caught.value.hint.endswith("--git $(git merge-base main topic)..topic")
