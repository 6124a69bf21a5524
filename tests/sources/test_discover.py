from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from tokaudit.model import InputError
from tokaudit.sources import Discovery, discover

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX file system")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(root: Path, *names: str, text: str = "x") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def names(found: Discovery) -> list[str]:
    return [file.path for file in found.files]


def test_folder_is_sorted_and_recursive(tree: Path) -> None:
    put(tree, "d/b.txt", "d/a.txt", "d/c/z.txt", "d/c/.hidden", "d/B.txt")
    found = discover(["d"])
    assert names(found) == ["d/B.txt", "d/a.txt", "d/b.txt", "d/c/.hidden", "d/c/z.txt"]
    assert all(Path(file.location).is_absolute() and file.size == 1 for file in found.files)
    assert found.skipped == ()
    assert names(discover([tree])) == names(discover(["."])) == names(found)


def test_each_file_once_in_the_order_given(tree: Path) -> None:
    put(tree, "d/a.txt", "d/b.txt")
    assert names(discover(["d/b.txt", "d", "./d/../d/a.txt"])) == ["d/b.txt", "d/a.txt"]
    assert names(discover(["d/a.txt", "d/b.txt", "d"])) == ["d/a.txt", "d/b.txt"]


def test_path_elsewhere_is_shown_as_given(tree: Path) -> None:
    put(tree, "work/x", "other/a.txt")
    os.chdir(tree / "work")
    assert names(discover(["../other"])) == ["../other/a.txt"]
    assert names(discover([str(tree / "other")])) == [(tree / "other" / "a.txt").as_posix()]
    # A folder whose name begins like the working directory's is not inside it.
    put(tree, "work2/a.txt")
    assert names(discover([str(tree / "work2/a.txt")])) == [(tree / "work2" / "a.txt").as_posix()]


def test_missing_path_names_the_nearest(tree: Path) -> None:
    put(tree, "prompts/system.md")
    with pytest.raises(InputError) as caught:
        discover(["prompts/sistem.md"])
    assert caught.value.message.startswith("prompts/sistem.md: ")
    assert "prompts/system.md" in caught.value.hint
    with pytest.raises(InputError) as caught:
        discover(["promts/system.md"])
    assert "prompts" in caught.value.hint
    with pytest.raises(InputError) as caught:
        discover(["zzzz"])
    assert caught.value.hint == "use --text for literal text"


@pytest.mark.parametrize("path", ["", "nul\0byte", "x" * 5000, "请总结这段话。" * 50, "a\nb"])
def test_text_given_as_a_path_is_an_error(tree: Path, path: str) -> None:
    with pytest.raises(InputError) as caught:
        discover([path])
    assert "--text" in caught.value.hint
    assert "\n" not in str(caught.value)
    assert len(caught.value.message) < 300


def test_folder_with_nothing_to_read(tree: Path) -> None:
    (tree / "empty" / "inner").mkdir(parents=True)
    with pytest.raises(InputError, match="empty: no readable files"):
        discover(["empty"])
    put(tree, "d/a.txt")
    with pytest.raises(InputError, match="no readable files"):
        discover(["d"], include=["*.md"])
    with pytest.raises(InputError, match="empty: no readable files"):
        discover(["d", "empty"])


def test_globs(tree: Path) -> None:
    put(tree, "a.md", "b.txt", "d/c.md", "d/e/f.md", ".h/g.md", "d/.git/h.md", "[x].md")
    assert names(discover(["*.md"])) == ["[x].md", "a.md"]
    assert names(discover(["**/*.md"])) == ["[x].md", "a.md", "d/c.md", "d/e/f.md"]
    assert names(discover(["d/**/*.md"])) == ["d/c.md", "d/e/f.md"]
    assert names(discover(["**/**/f.md"])) == ["d/e/f.md"]
    assert names(discover(["d/**"])) == ["d/c.md", "d/e/f.md"]
    assert names(discover(["?.txt"])) == ["b.txt"]
    assert names(discover(["[x].md"])) == ["[x].md"]  # a path that exists is that path
    assert names(discover([str(tree / "*.txt")])) == ["b.txt"]
    for pattern in ("*.rst", "nowhere/*.md", "a.md/*", "**/x.y"):
        with pytest.raises(InputError, match="matches this pattern"):
            discover([pattern])


def test_include_and_exclude(tree: Path) -> None:
    put(tree, "d/a.md", "d/b.txt", "d/build/c.md", "d/x/build/e.md")
    assert names(discover(["d"], include=["*.md"])) == ["d/a.md", "d/build/c.md", "d/x/build/e.md"]
    assert names(discover(["d"], exclude=["build/"])) == ["d/a.md", "d/b.txt"]
    assert names(discover(["d"], exclude=["d/build"])) == ["d/a.md", "d/b.txt", "d/x/build/e.md"]
    assert names(discover(["d"], include=["*.md"], exclude=["/build"])) == ["d/a.md", "d/x/build/e.md"]
    assert names(discover(["d/a.md", "d/b.txt"], include=["*.md"], exclude=["a.*"])) == ["d/b.txt"]


def test_too_large_is_said(tree: Path) -> None:
    put(tree, "d/small.txt")
    put(tree, "d/large.txt", text="x" * 101)
    found = discover(["d"], max_file_size=100)
    assert names(found) == ["d/small.txt"]
    assert [(one.what, "101" in one.reason and "100" in one.reason) for one in found.skipped] == [("d/large.txt", True)]


def test_gitignore_at_every_level(tree: Path) -> None:
    (tree / "repo/.git/info").mkdir(parents=True)
    put(tree, "repo/.git/config", "repo/zz/.git", "repo/zz/x.txt")
    put(tree, "repo/.git/info/exclude", text="private.txt\n")
    put(tree, "repo/.gitignore", text="*.log\n/build/\ndeep/*.tmp\n!keep.log\n")
    put(tree, "repo/sub/.gitignore", text="!wanted.log\nlocal.txt\n/only-here.txt\n")
    put(tree, "repo/a.txt", "repo/a.log", "repo/keep.log", "repo/build/x.txt", "repo/private.txt")
    put(tree, "repo/sub/build/x.txt", "repo/sub/wanted.log", "repo/sub/b.log", "repo/sub/local.txt")
    put(tree, "repo/sub/only-here.txt", "repo/sub/in/only-here.txt", "repo/deep/a.tmp", "repo/sub/deep/a.tmp")
    put(tree, ".gitignore", text="*\n")  # above the root of the repository: does not count
    inside = [
        "repo/sub/.gitignore",
        "repo/sub/build/x.txt",
        "repo/sub/deep/a.tmp",
        "repo/sub/in/only-here.txt",
        "repo/sub/wanted.log",
    ]
    assert names(discover(["repo"])) == ["repo/.gitignore", "repo/a.txt", "repo/keep.log", *inside, "repo/zz/x.txt"]
    assert names(discover(["repo/sub"])) == inside  # the parents' files count
    everything = names(discover(["repo"], use_gitignore=False))
    assert "repo/a.log" in everything
    assert not any("/.git/" in name or name.endswith("/.git") for name in everything)
    # A file named by itself is read, ignored or not.
    assert names(discover(["repo/a.log"])) == ["repo/a.log"]


@posix
def test_links_pipes_and_sockets(tree: Path) -> None:
    put(tree, "d/a.txt", "elsewhere.txt")
    (tree / "d/parent").symlink_to("..")
    (tree / "d/self").symlink_to("self")
    (tree / "d/link.txt").symlink_to("../elsewhere.txt")
    os.mkfifo(tree / "d/pipe")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(tree / "d")  # the name of a socket must be short
        server.bind("sock")
        os.chdir(tree)
        found = discover(["d"])
    assert names(found) == ["d/a.txt"]
    reasons = {one.what: one.reason for one in found.skipped}
    assert set(reasons) == {"d/parent", "d/self", "d/link.txt", "d/pipe", "d/sock"}
    assert "FIFO" in reasons["d/pipe"]
    assert "socket" in reasons["d/sock"]
    # Named by themselves links are followed; a pipe is refused at once, without waiting for a writer.
    assert names(discover(["d/link.txt"])) == ["d/link.txt"]
    assert names(discover(["d/link.txt", "elsewhere.txt"])) == ["d/link.txt"]
    with pytest.raises(InputError, match="FIFO"):
        discover(["d/pipe"])
    with pytest.raises(InputError, match="d/self"):
        discover(["d/self"])


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_names_that_cannot_be_printed(tree: Path) -> None:
    (tree / "d").mkdir()
    for name in (b"bad-\xff.txt", b"two\nlines.txt", "中文 名.txt".encode(), b"tab\t.txt", b"-"):
        (tree / "d" / os.fsdecode(name)).write_text("x")
    found = discover(["d"])
    assert set(names(found)) == {"d/bad-\\xff.txt", "d/two\\nlines.txt", "d/中文 名.txt", "d/tab\\t.txt", "d/-"}
    for file in found.files:
        assert file.path.encode()
        assert Path(file.location).read_text() == "x"
    os.chdir(tree / "d")
    assert names(discover(["-"])) == ["-"]
    assert names(discover([os.fsdecode(b"bad-\xff.txt")])) == ["bad-\\xff.txt"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_folder_that_may_not_be_read(tree: Path) -> None:
    put(tree, "d/a.txt", "d/closed/b.txt")
    (tree / "d/closed").chmod(0)
    try:
        found = discover(["d"])
        assert names(found) == ["d/a.txt"]
        assert [one.what for one in found.skipped] == ["d/closed"]
        with pytest.raises(InputError, match="d/closed"):
            discover(["d/closed"])
    finally:
        (tree / "d/closed").chmod(0o700)


BASELINE = '{\n"schema_version": "1.0",\n"tool": {"name": "tokaudit", "version": "9"},\n'


def test_baselines_and_the_cache_are_no_prompts(tree: Path) -> None:
    put(tree, "d/a.json", "d/sub/b.json", "d/c.md")
    put(tree, "d/tokaudit-baseline.json", "d/sub/tokaudit-baseline.json", "d/.tokaudit_cache/measures.bin", text="{}")
    put(tree, "d/.tokaudit-0a.lock", "d/.tokaudit-0a.tmp")
    put(tree, "d/counts.json", "d/sub/tokens.lock", text=BASELINE)
    (tree / "d/crlf.json").write_bytes(BASELINE.replace("\n", "\r\n").encode())
    wanted = ["d/a.json", "d/c.md", "d/sub/b.json"]
    assert names(discover(["d"])) == names(discover(["d"], use_gitignore=False)) == wanted
    assert names(discover(["d"], include=["*.json"])) == ["d/a.json", "d/sub/b.json"]
    assert names(discover(["d/*.json"])) == ["d/a.json"]
    assert discover(["d"]).skipped == ()
    with pytest.raises(InputError, match="no file matches this pattern"):
        discover(["d/tokaudit-*"])


def test_a_baseline_that_is_named_is_read(tree: Path) -> None:
    put(tree, "d/tokaudit-baseline.json", "d/.tokaudit_cache/CACHEDIR.TAG")
    put(tree, "d/counts.json", text=BASELINE)
    given = ["d/tokaudit-baseline.json", "d/counts.json", "d/.tokaudit_cache/CACHEDIR.TAG"]
    assert names(discover(given)) == given


def test_other_reports_and_data_are_read(tree: Path) -> None:
    put(tree, "d/report.json", text='{\n  "schema_version": "1.0",\n')
    put(tree, "d/row.json", text='{"schema_version": "1.0"}')
    assert names(discover(["d"])) == ["d/report.json", "d/row.json"]


@posix
def test_what_is_no_file_is_not_opened_to_see_what_it_is(tree: Path) -> None:
    put(tree, "d/a.md")
    os.mkfifo(tree / "d/pipe.json")
    assert names(discover(["d"])) == ["d/a.md"]


def test_the_name_of_a_baseline_is_the_same_everywhere() -> None:
    from tokaudit.sources import discover as module
    from tokaudit.store.baseline import DEFAULT_NAME

    assert sys.modules[module.__module__].BASELINE == DEFAULT_NAME
