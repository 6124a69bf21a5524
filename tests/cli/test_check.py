"""``check`` and ``baseline`` in repositories and folders that are out of the ordinary."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from in_process import run_here
from installed import command, environment

TEXT = "# A\nhello world\n"
CONFIG = 'models = ["gpt-4o"]\n'
BUDGET = '[[budget]]\npaths = ["p/*"]\nmax_tokens = 30\n'
posix = pytest.mark.skipif(sys.platform == "win32", reason="names, links and signals of POSIX")


class Said(NamedTuple):
    """What came of a run, and its words."""

    returncode: int
    stdout: bytes
    stderr: bytes
    text: str
    said: str


class Folder:
    """A project, and what is run in it."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def write(self, name, data=TEXT):
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return self

    def git(self, *arguments):
        settings = ("user.name=A", "user.email=a@example.org", "protocol.file.allow=always", "commit.gpgsign=false")
        given = [word for setting in settings for word in ("-c", setting)]
        variables = environment(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
        done = subprocess.run(
            ["git", *given, *arguments], cwd=self.path, env=variables, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def commit(self):
        if not (self.path / ".git").exists():
            self.git("init", "-q", "-b", "main", ".")
        self.git("add", "-A", "-f", ".", ":!.tokaudit_cache")
        self.git("commit", "-q", "-m", "a", "--allow-empty")
        return self

    def run(self, *arguments, inside="", **variables):
        variables = environment(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull, **variables)
        done = run_here([os.fsdecode(word) for word in arguments], self.path / inside, variables)
        said = done.stderr.decode(errors="replace")
        assert done.returncode in {0, 1, 2, 3}, said
        assert "Traceback" not in said
        assert "internal error" not in said
        return Said(*done, done.stdout.decode(errors="replace"), said)

    def code(self, *arguments, **options):
        return self.run(*arguments, **options).returncode

    def data(self, *arguments, **options):
        return json.loads(self.run(*arguments, "--format", "json", **options).stdout)

    @property
    def baseline(self):
        return self.path / "tokaudit-baseline.json"


@pytest.fixture
def project(tmp_path):
    """A project with a configuration and a prompt."""
    return Folder(tmp_path / "project").write("tokaudit.toml", CONFIG).write("p/a.md")


def findings(data):
    return {(finding["path"], finding["rule"]) for finding in data["findings"]}


# Histories


def test_a_shallow_clone_says_what_is_missing(project, tmp_path):
    project.commit()
    for number in range(1, 3):
        project.write("p/a.md", TEXT + "more\n" * number).commit()
    project.git("tag", "old", "HEAD~1")
    clone = Folder(tmp_path / "clone")
    clone.git("clone", "-q", "--depth", "1", project.path.as_uri(), ".")
    assert clone.code("check", "p", "--against", "origin/main") == 0
    done = clone.run("check", "p", "--against", "HEAD~1")
    assert done.returncode == 2
    assert "git fetch --unshallow" in done.said
    assert "git fetch origin dev:" in clone.run("check", "p", "--against", "origin/dev").said
    clone.write("p/a.md", TEXT * 5).commit()
    clone.git("fetch", "-q", "--depth", "1", "origin", "tag", "old")
    done = clone.run("check", "p", "--against", "old")
    assert done.returncode == 1
    assert "no merge base" in done.text


@pytest.mark.parametrize("revision", ["", "-x", "--help", ":/a", "HEAD:p", "a\nb", "HEAD..HEAD"])
def test_what_names_no_commit_is_refused(project, revision):
    done = project.commit().run("check", "p", f"--against={revision}")
    assert done.returncode == 2
    assert "revision" in done.said
    assert "git fetch" not in done.said


def test_without_commits_and_without_a_working_tree(project, tmp_path):
    project.git("init", "-q", ".")
    assert "no commit here yet" in project.run("check", "p", "--against", "HEAD").said
    project.commit()
    bare = Folder(tmp_path / "bare")
    bare.git("clone", "-q", "--bare", project.path.as_uri(), ".")
    done = bare.write("p/a.md").run("check", "p", "-m", "gpt-4o", "--against", "main")
    assert done.returncode == 2
    assert "no working tree" in done.said


def test_variables_of_a_hook_do_not_hide_a_project_in_a_subfolder(tmp_path):
    folder = Folder(tmp_path).write("sub/tokaudit.toml", CONFIG).write("sub/p/a.md").commit()
    folder.write("sub/p/a.md", TEXT * 2)
    plain = folder.run("check", "p", "--against", "HEAD", inside="sub")
    assert plain.returncode == 1
    for variables in (
        {"GIT_DIR": str(tmp_path / ".git")},
        {"GIT_DIR": str(tmp_path / ".git"), "GIT_INDEX_FILE": str(tmp_path / ".git/index"), "GIT_PREFIX": "sub/"},
    ):
        assert folder.run("check", "p", "--against", "HEAD", inside="sub", **variables).stdout == plain.stdout


def test_a_worktree_and_a_subfolder(project, tmp_path):
    project.commit()
    project.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    tree = Folder(tmp_path / "tree").write("p/a.md", TEXT * 2)
    assert tree.code("check", "p", "--against", "main") == 1
    assert tree.code("check", "a.md", "--against", "main", inside="p") == 1


# What changed its place or kind


def test_a_renamed_file_that_grew_is_told_by_its_name_alone(project):
    lines = "".join(f"line number {number} of the text\n" for number in range(20))
    project.write("p/a.md", lines).commit()
    project.git("mv", "p/a.md", "p/b.md")
    project.write("p/b.md", lines + "one more line here\n")
    for names in (["p"], ["p/b.md"]):
        data = project.data("check", *names, "--against", "HEAD")
        assert findings(data) == {("p/b.md", "renamed"), ("p/b.md", "max-growth")}


def test_a_baseline_tells_a_renamed_file_by_its_name_alone(project):
    assert project.code("baseline", "write", "p") == 0
    (project.path / "p/a.md").rename(project.path / "p/b.md")
    assert findings(project.data("check", "p/b.md")) == {("p/b.md", "renamed")}


def test_update_removes_entries_of_files_that_are_gone(project):
    project.write("q/b.md").run("baseline", "write", "p", "q")
    (project.path / "q/b.md").unlink()
    assert project.code("check", "q/b.md") == 3
    assert project.code("baseline", "update", "q/b.md") == 0
    assert project.code("check") == 0
    assert project.code("baseline", "update", "q/b.md") == 2


@posix
def test_a_link_to_a_folder_is_that_folder(project):
    project.commit()
    (project.path / "link").symlink_to("p")
    project.write("p/a.md", TEXT * 2)
    assert findings(project.data("check", "link/", "--against", "HEAD")) == {("p/a.md", "max-growth")}


@posix
def test_a_file_with_two_names_is_held_against_what_is_of_each(project):
    (project.path / "A.md").symlink_to("p/a.md")
    project.run("baseline", "write", "A.md", "p/a.md")
    assert (
        project.code("check") == project.code("check", "A.md", "p/a.md") == project.code("check", "p/a.md", "A.md") == 0
    )
    project.write("p/a.md", TEXT * 2)
    for names in (["A.md", "p/a.md"], ["p/a.md", "A.md"], []):
        assert findings(project.data("check", *names)) == {("A.md", "max-growth"), ("p/a.md", "max-growth")}


@posix
def test_what_is_no_file_any_more_never_passes(project):
    project.write("tokaudit.toml", CONFIG + BUDGET).write("p/b.md").commit()
    project.run("baseline", "write")
    path = project.path / "p/a.md"
    path.unlink()
    for make in (lambda: path.symlink_to("nowhere"), lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/null")):
        make()
        assert project.code("check") == project.code("check", "--against", "HEAD") == 3
        path.unlink()
    path.write_bytes(b"\0\1\2" * 99)
    assert project.code("check") == project.code("check", "--against", "HEAD") == 3
    assert project.code("check", "p/a.md", "--no-baseline") == 3


def test_files_beside_the_project_are_compared_too(tmp_path):
    folder = (
        Folder(tmp_path / "repo").write("sub/tokaudit.toml", CONFIG).write("sub/p/a.md").write("shared/b.md").commit()
    )
    folder.write("shared/b.md", TEXT * 2).write("sub/p/a.md", TEXT * 2)
    found = findings(folder.data("check", "..", "--against", "HEAD", inside="sub"))
    assert found == {("../shared/b.md", "max-growth"), ("p/a.md", "max-growth")}
    Folder(tmp_path / "out").write("c.md")
    assert folder.code("check", "../../out/c.md", "--against", "HEAD", inside="sub") == 3


def test_submodules_are_not_judged(project, tmp_path):
    other = Folder(tmp_path / "other").write("x.md").commit()
    project.commit()
    project.git("submodule", "add", "-q", other.path.as_uri(), "lib")
    project.commit()
    done = project.run("check", "lib", "--against", "HEAD")
    assert done.returncode == 3
    assert "submodule" in done.text


def test_filters_named_in_a_subfolder(project):
    project.write("p/.gitattributes", "*.up filter=up\n*.u16 working-tree-encoding=UTF-16 text\n*.id ident\n")
    project.git("init", "-q", ".")
    project.git("config", "filter.up.clean", "tr A-Z a-z")
    project.git("config", "filter.up.smudge", "tr a-z A-Z")
    project.write("p/a.up", "HELLO WORLD THIS IS LOUD\n" * 3).write("p/b.u16", "# 世界\n".encode("utf-16"))
    project.write("p/c.id", "$Id$ hello\n").commit()
    shutil.rmtree(project.path / "p")
    project.git("checkout", "-q", "--", ".")
    assert project.data("check", "p", "--against", "HEAD")["outcome"] == "passed"
    project.git("config", "filter.up.smudge", "false")
    project.git("config", "filter.up.required", "true")
    assert project.code("check", "p", "--against", "HEAD") == 3


# Names


@posix
def test_names_that_cannot_be_printed(project):
    names = [b"p/\xff.md", b"p/new\nline.md", b"p/bell\x07.md", b"p/\xc2\x85.md", "p/\u202eabc.md".encode(), b"p/-d.md"]
    names += [b"p/[x].md", b"p/h#.md", b"p/!b.md", b"p/ s .md", "p/é.md".encode(), "p/e\u0301.md".encode()]
    try:
        for name in names:
            project.write(name)
    except OSError:
        pytest.skip("a file system that takes UTF-8 only")
    project.commit().run("baseline", "write", "p")
    assert project.code("check") == project.code("check", "p") == project.code("check", "p", "--against", "HEAD") == 0
    for name in names:
        project.write(name, TEXT * 2)
    for arguments in ([], ["p"], ["p", "--against", "HEAD"]):
        data = project.data("check", *arguments)
        assert len(findings(data)) == len(names)
        assert all(finding["place"]["line"] == 3 for finding in data["findings"])
    assert project.code("baseline", "update", "--", *map(os.fsdecode, names)) == 0
    assert project.code("check") == 0


@posix
def test_two_names_that_look_alike_do_not_hide_each_other(project):
    try:
        project.write(b"p/\xff.md")
    except OSError:
        pytest.skip("a file system that takes UTF-8 only")
    project.write("tokaudit.toml", CONFIG + BUDGET).write(b"p/\\xff.md")
    done = project.run("check")
    assert done.returncode == 3
    assert "two files have this name" in done.text


# Baselines


def test_a_broken_baseline_is_rebuilt_by_the_command_that_its_error_names(project):
    project.write("q/b.md").run("baseline", "write", "p", "q")
    good = project.baseline.read_text(encoding="utf-8")
    lines = good.splitlines(keepends=True)
    for at in (0, 5, len(lines)):
        sides = ["<<<<<<< a\n", *lines[at : at + 1], "=======\n", *lines[at : at + 1], ">>>>>>> b\n"]
        project.write("tokaudit-baseline.json", "".join([*lines[:at], *sides, *lines[at + 1 :]]))
        done = project.run("check")
        assert done.returncode == 2
        assert f"tokaudit-baseline.json:{at + 1}:1: the baseline has a merge conflict" in done.said
        assert "tokaudit baseline write" in done.said
        assert project.code("baseline", "update", "p") == 2
        assert project.code("baseline", "write") == 0
        assert project.baseline.read_text(encoding="utf-8") == good
    project.write("tokaudit-baseline.json", "")
    assert "tokaudit baseline write prompts/" in project.run("baseline", "write").said


def test_update_with_the_same_tokenizers_in_another_order_or_twice(project):
    project.run("baseline", "write", "p", "-m", "gpt-4o,qwen3")
    before = project.baseline.read_bytes()
    for models in ('["qwen3", "gpt-4o"]', '["gpt-4o-mini", "qwen3", "gpt-4o"]'):
        project.write("tokaudit.toml", f"models = {models}\n")
        assert project.code("baseline", "update", "p") == 0
        assert project.baseline.read_bytes() == before
    project.write("tokaudit.toml", 'models = ["qwen3"]\n')
    assert project.code("baseline", "update", "p") == 2


@pytest.mark.parametrize("name", ["p/a.md", "tokaudit.toml"])
def test_nothing_but_a_baseline_is_written_over(project, name):
    before = (project.path / name).read_bytes()
    done = project.run("baseline", "write", "p", "--baseline", name)
    assert done.returncode == 2
    assert "is not a baseline" in done.said
    project.run("baseline", "write", "p")
    for path in (name, "tokaudit-baseline.json"):
        for against in ([], ["--against", "HEAD"]):
            project.commit()
            assert project.code("check", "p", *against, "-o", f"json={path}") == 2
    assert (project.path / name).read_bytes() == before
    assert project.code("check") == 0


@posix
def test_strange_names_of_a_baseline(project):
    assert "there is no such baseline" in project.run("check", "p", "--baseline", "p").said
    assert (
        project.code("check", "p", "--baseline", "") == project.code("baseline", "write", "p", "--baseline", "p") == 2
    )
    if Path("/dev/full").exists():
        done = project.run("baseline", "write", "p", "--baseline", "/dev/full")
        assert done.returncode == 2
        assert "disk is full" in done.said
    project.write("tokaudit.toml", 'baseline = "a\\u0000b"\n' + CONFIG)
    assert project.code("baseline", "write", "p") == 2


def test_neither_the_baseline_nor_the_cache_is_measured(project):
    project.write("tokaudit.toml", "gitignore = false\n" + CONFIG)
    project.run("baseline", "write", ".")
    before = project.baseline.read_bytes()
    assert project.code("baseline", "write", ".") == 0
    assert project.baseline.read_bytes() == before
    project.git("init", "-q", ".")
    project.git("add", "-A", "-f")
    project.git("commit", "-q", "-m", "a")
    for arguments in (["check", "."], ["check", ".", "--against", "HEAD"]):
        data = project.data(*arguments)
        assert [file["path"] for file in data["files"]] == ["p/a.md", "tokaudit.toml"]
        assert not data["findings"]
    assert ".tokaudit_cache" not in project.run("count", ".").text


@posix
def test_interrupted_and_at_once(project):
    project.run("baseline", "write", "p")
    for number in range(4):
        project.write("p/a.md", TEXT * (number + 2))
        arguments = (["baseline", "write", "p"], ["check", "p"], ["baseline", "write", "p"])
        runs = [
            subprocess.Popen(
                [*command(), *words],
                cwd=project.path,
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for words in arguments
        ]
        time.sleep(0.05 * number)
        runs[2].send_signal(signal.SIGINT)
        codes = [run.wait() for run in runs]
        assert codes[0] == 0
        assert codes[1] in {0, 1}
        json.loads(project.baseline.read_text(encoding="utf-8"))
    assert not list(project.path.glob("*.tmp"))
    assert project.code("check") == 0


# The same bytes


def test_the_same_bytes_wherever_and_however_it_is_run(project, tmp_path):
    project.write("p/中文.md", "# 标题\n你好世界\n").write("p/B.md").write("p-x/é.md").run(
        "baseline", "write", "p", "p-x"
    )
    first = project.baseline.read_bytes()
    project.write("p/中文.md", "# 标题\n你好世界\n" * 3)
    other = Folder(tmp_path / "elsewhere" / "deep")
    shutil.copytree(project.path, other.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".tokaudit_cache"))
    plain = project.run("check", "p", "p-x", "--format", "json")
    assert plain.returncode == 1
    runs = [
        project.run("check", "p-x", "p/中文.md", "p", "--format", "json"),
        project.run("check", "--format", "json", "--no-cache"),
        project.run("check", "../p-x", ".", "--format", "json", inside="p"),
        other.run("check", "--format", "json", TZ="Asia/Shanghai", PYTHONHASHSEED="7"),
        other.run("check", "--format", "json", LC_ALL="C"),
    ]
    assert all(done.stdout == plain.stdout for done in runs)
    project.write("p/中文.md", "# 标题\n你好世界\n")
    for variables in ({}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        project.baseline.unlink()
        project.run("baseline", "write", "p-x", "p", **variables)
        assert project.baseline.read_bytes() == first


def test_line_ends_and_charsets_are_no_growth(project):
    text = "# 标题\n你好，世界。这是一个提示词文件，用于测试。\n" * 3
    names = ["p/crlf.md", "p/cr.md", "p/bom.md", "p/gbk.md", "p/u16.md"]
    for name in names:
        project.write(name, text)
    project.write("p/gbk.md", text.encode("gbk")).commit().run("baseline", "write", "p")
    project.write("p/crlf.md", text.replace("\n", "\r\n")).write("p/cr.md", text.replace("\n", "\r"))
    project.write("p/bom.md", b"\xef\xbb\xbf" + text.encode()).write("p/gbk.md", text)
    project.write("p/u16.md", text.encode("utf-16"))
    assert project.data("check")["outcome"] == project.data("check", "p", "--against", "HEAD")["outcome"] == "passed"


# Output


@posix
def test_closed_and_full_outputs(project):
    project.run("baseline", "write", "p")
    project.write("p/a.md", TEXT * 2)

    def shell(line):
        words = " ".join(command())
        return subprocess.run(
            ["sh", "-c", line.replace("tokaudit", words, 1)],
            cwd=project.path,
            env=environment(),
            capture_output=True,
            check=False,
        )

    assert shell("tokaudit check --quiet >&-").returncode == 1
    assert shell("tokaudit check -o json=r.json >&-").returncode == 1
    assert shell("tokaudit check --quiet >&- 2>&-").returncode == 1
    assert shell("tokaudit check >&-").returncode == 2
    if Path("/dev/full").exists():
        done = shell("tokaudit check >/dev/full")
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr


def test_prices_without_measure(project):
    project.write(
        "tokaudit.toml", 'requests_per_month = 1000000000000000\nprices = { "gpt-4o" = 1e308 }\n' + CONFIG + BUDGET
    )
    assert project.code("check") == 0
    assert project.data("check")["outcome"] == "passed"


def test_a_baseline_has_no_files_of_elsewhere(project):
    (project.path / "sub").mkdir()
    project.write("sub/tokaudit.toml", CONFIG).write("sub/p/a.md")
    done = project.run("baseline", "write", "../p", inside="sub")
    assert done.returncode == 2
    assert "a baseline cannot have ../p" in done.said
    assert "leaves the project's folder" in done.said
    assert not (project.path / "sub/tokaudit-baseline.json").exists()


NAMES = """models = ["gpt-4o"]

[prices]
"gpt-4p" = 2.5
qwen3 = 1
"*" = 3

[[budget]]
paths = ["p/*"]
max_tokens = { "gpt-4o" = 99, "GPT-4P" = 1 }

[[budget]]
paths = ["p/*"]
max_growth = { qwen33 = "5%", "*" = "5%" }
"""


@pytest.mark.parametrize(("name", "head", "more"), [("tokaudit.toml", "", 0), ("pyproject.toml", "tool.tokaudit.", 1)])
def test_limits_and_prices_of_unknown_models_are_mistakes(project, name, head, more):
    (project.path / "tokaudit.toml").unlink(missing_ok=True)
    text = NAMES.replace("[prices]", f"[{head}prices]").replace("[[budget]]", f"[[{head}budget]]")
    project.write(name, ("[tool.tokaudit]\n" if head else "") + text)
    for arguments in (["check", "p"], ["baseline", "write", "p"], ["check", "--why", "p/a.md"]):
        done = project.run(*arguments)
        assert done.returncode == 2, done.said
        assert f"{name}:{4 + more}:1: 'prices': unknown model 'gpt-4p'; did you mean gpt-4" in done.said
        assert f"{name}:{10 + more}:31: 'max_tokens': unknown model 'GPT-4P'; did you mean gpt-4" in done.said
        assert f"{name}:{14 + more}:16: 'max_growth': unknown model 'qwen33'; did you mean qwen3" in done.said
        assert "qwen3'" not in done.said
    known = text.replace("gpt-4p", "gpt-4").replace("GPT-4P", "*").replace("qwen33", "o200k_base")
    project.write(name, ("[tool.tokaudit]\n" if head else "") + known)
    assert project.run("check", "p", "--no-baseline").said == ""
