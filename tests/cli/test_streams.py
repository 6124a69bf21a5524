"""Where the output goes: pipes that close, disks that are full, consoles of other charsets, names of any bytes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from installed import command, environment

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and descriptors of POSIX")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs devices of Linux")


@posix
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_reader_that_goes_away_is_no_error(tmp_path, form):
    for number in range(150):
        (tmp_path / f"{number:03}.txt").write_text("some words\n" * 3)
    inner = subprocess.list2cmdline([*command(), "count", ".", "--by", "line", "--format", form])
    script = f"{inner} 2>err; echo $? >code"
    done = subprocess.run(
        ["bash", "-c", f"({script}) | head -1"], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""
    assert (tmp_path / "err").read_bytes() == b""
    assert (tmp_path / "code").read_text().strip() == "0"


@posix
def test_a_closed_standard_output_is_one_line(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    inner = subprocess.list2cmdline([*command(), "count", "a.txt"])
    done = subprocess.run(
        ["bash", "-c", f"{inner} >&-"], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == ["tokaudit: standard output is closed", "  use -o FILE"]


@posix
def test_closed_standard_error_changes_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    inner = subprocess.list2cmdline([*command()])
    for arguments, code in (("count a.txt -q -m gpt-4o", 0), ("count missing.txt", 2)):
        done = subprocess.run(
            ["bash", "-c", f"{inner} {arguments} 2>&-"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == code


@linux
def test_a_full_disk_on_standard_output(tmp_path, installed_tokaudit):
    (tmp_path / "a.txt").write_text("one\n")
    for arguments in (["count", "a.txt"], ["--help"]):
        with Path("/dev/full").open("wb") as full:
            done = installed_tokaudit(*arguments, stdout=full)
        assert done.returncode == 2
        assert done.stderr.decode().splitlines()[0].endswith("output cannot be written: No space left on device")
        assert len(done.stderr.splitlines()) <= 2


@linux
def test_a_full_disk_in_a_file(tmp_path, installed_tokaudit):
    (tmp_path / "a.txt").write_text("one\n")
    done = installed_tokaudit("count", "a.txt", "-o", "json=/dev/full")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "tokaudit: cannot write /dev/full: the disk is full",
        "  nothing was changed",
    ]


@linux
def test_device_as_output(tmp_path, installed_tokaudit):
    (tmp_path / "a.txt").write_text("one\n")
    done = installed_tokaudit("count", "a.txt", "-o", "json=/dev/stdout", "-m", "gpt-4o")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["totals"]["documents"] == 1


TEXT = "你好，世界 — naïve ☃ 😀\n"


@pytest.mark.parametrize("charset", ["ascii", "gbk", "utf-16"])
@pytest.mark.parametrize("form", ["table", "markdown", "csv", "jsonl", "json"])
def test_any_console_charset(tmp_path, installed_tokaudit, charset, form):
    (tmp_path / "数据☃.txt").write_text(TEXT * 3, encoding="utf-8")
    done = installed_tokaudit("count", ".", "--by", "line", "--top", "2", "-f", form, PYTHONIOENCODING=charset)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode(charset)
    if form == "json":
        assert json.loads(shown)["documents"][0]["path"] == "数据☃.txt"
    if form == "jsonl":
        assert json.loads(shown.splitlines()[0])["id"].startswith("数据☃.txt#")
    if charset == "gbk":
        assert "你好" in shown


@pytest.mark.parametrize("charset", ["ascii", "gbk"])
def test_errors_on_any_console_charset(installed_tokaudit, charset):
    done = installed_tokaudit("count", "没有☃.txt", PYTHONIOENCODING=charset)
    assert done.returncode == 2
    assert done.stderr.decode(charset).startswith("tokaudit: ")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "extra", "coloured"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "auto"], {"TERM": "xterm"}, False),
        ([], {"TOKAUDIT_COLOR": "always"}, True),
        (["--color", "auto"], {"TOKAUDIT_COLOR": "always"}, False),
        (["-f", "json"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(tmp_path, installed_tokaudit, options, extra, coloured):
    (tmp_path / "a.txt").write_text("你好，世界\n", encoding="utf-8")
    done = installed_tokaudit("count", "a.txt", "-m", "gpt-4o,glm-4.5", *options, **extra)
    assert done.returncode == 0
    assert (b"\x1b[" in done.stdout) is coloured


def on_terminal(tmp_path, *arguments, **extra):
    """What the command writes to a terminal, and its exit code."""
    import pty

    master, slave = pty.openpty()
    done = subprocess.Popen(
        [*command(), *arguments], cwd=tmp_path, env=environment(**extra), stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(master)
    return shown, done.wait(60)


@posix
@pytest.mark.parametrize(
    ("extra", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)],
)
def test_colour_on_a_terminal(tmp_path, extra, coloured):
    (tmp_path / "a.txt").write_text("你好，世界，今天\n", encoding="utf-8")
    shown, code = on_terminal(tmp_path, "count", "a.txt", "-m", "gpt-4o,glm-4.5", **extra)
    assert code == 0
    assert (b"\x1b[" in shown) is coloured


@posix
def test_no_input_on_a_terminal_says_what_to_do(tmp_path):
    shown, code = on_terminal(tmp_path, "count", TERM="xterm")
    assert code == 2
    assert shown.decode().splitlines() == [
        "tokaudit: nothing to count",
        "  name files, pipe a text in, or use --text",
    ]


@linux
@pytest.mark.parametrize("form", ["table", "csv", "json"])
@pytest.mark.parametrize("name", [b"caf\xe9 \xff.txt", b"two\nlines\x1b[31m.txt", b"-", "图　片 .txt".encode()])
def test_names_of_any_bytes(tmp_path, installed_tokaudit, name, form):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("one two\n")
    for arguments in ([b"./" + name], [b"."]) if form == "table" else ([b"."],):
        done = installed_tokaudit("count", *arguments, "-m", "gpt-4o", "-f", form)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout
        done.stdout.decode()
        if form == "json":
            assert json.loads(done.stdout)["documents"][0]["counts"]["gpt-4o"]["tokens"] == 3


def test_a_mistyped_path_is_never_text(installed_tokaudit):
    done = installed_tokaudit("count", "Please summarise this document.", "-m", "gpt-4o")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no such file" in done.stderr


def test_standard_input_in_another_charset(installed_tokaudit):
    text = "这是一份采购合同，双方应当遵守约定的条款。\n" * 3
    done = installed_tokaudit("count", "--json", "-m", "gpt-4o", stdin=text.encode("gb18030"))
    document = json.loads(done.stdout)["documents"][0]
    assert (document["path"], document["charset"], document["chars"]) == ("<stdin>", "gb18030", len(text))


def test_results_and_messages_do_not_mix(tmp_path, installed_tokaudit):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\r")
    for form in ("json", "csv"):
        done = installed_tokaudit("count", ".", "-f", form)
        assert done.stderr.decode() == "tokaudit: skipped b.png: binary file (PNG image)\n"
    for form in ("table", "markdown"):
        done = installed_tokaudit("count", ".", "-f", form)
        assert done.stderr == b""
        assert b"b.png" in done.stdout
    done = installed_tokaudit("count", ".", "-o", "report.md")
    assert (done.stdout, done.stderr.decode()) == (b"", "tokaudit: skipped b.png: binary file (PNG image)\n")


def test_a_file_that_cannot_be_written_leaves_the_others(tmp_path, installed_tokaudit):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "old.json").write_text("before\n")
    (tmp_path / "folder").mkdir()
    done = installed_tokaudit("count", "a.txt", "-o", "json=folder", "-o", "json=old.json")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == ["tokaudit: cannot write folder: it is a folder", "  name a file in it"]
    assert (tmp_path / "old.json").read_text() == "before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "folder", "old.json"]


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path, installed_tokaudit):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "a.txt").chmod(0)
    done = installed_tokaudit("count", "a.txt")
    assert done.returncode == 2
    assert b"permission denied" in done.stderr


@pytest.mark.parametrize("option", ["-", "json=-"])
def test_a_dash_is_standard_output(tmp_path, installed_tokaudit, option):
    done = installed_tokaudit("count", "--text", "x", "-m", "gpt-4o", "--json", "-o", option)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["totals"]["chars"] == 1
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_no_progress_on_a_dumb_terminal(monkeypatch, term):
    from tokaudit.cli import progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE", -1)
    monkeypatch.setenv("TERM", term)
    with progress.Bar(quiet=False) as bar:
        bar(1, 2)
    assert bool(stream.getvalue()) == (term != "dumb")


def test_large_standard_input_is_counted_as_a_file_is(tmp_path, installed_tokaudit):
    data = "这是一行中文，and some English words, 12345。\n".encode() * 200_000
    (tmp_path / "a.txt").write_bytes(data)
    for by in ("file", "class", "section"):
        options = ["--json", "--by", by, "-m", "qwen3,gpt-4o"]
        piped, read = installed_tokaudit("count", *options, stdin=data), installed_tokaudit("count", "a.txt", *options)
        assert (piped.returncode, piped.stderr) == (0, b"")
        assert json.loads(piped.stdout.replace(b"<stdin>", b"a.txt")) == json.loads(read.stdout)


def test_large_binary_standard_input(installed_tokaudit):
    done = installed_tokaudit("count", stdin=b"\x7fELF" + bytes(range(256)) * 40_000)
    assert done.returncode == 2
    assert done.stderr.startswith(b"tokaudit: <stdin>: binary file")
    assert b"text and PDF files are counted" in done.stderr


@posix
def test_named_pipes_are_read_once(tmp_path):
    (tmp_path / "a.md").write_text("Be brief.  \n\n\n\nBe kind.\n")
    inner = subprocess.list2cmdline([*command()])

    def run(arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", f"{inner} {arguments}"],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    whole = run("count a.md -q -m gpt-4o").stdout
    assert whole.strip().isdigit()
    assert run("count <(cat a.md) -q -m gpt-4o").stdout == whole
    assert run("slim <(cat a.md) -q -m gpt-4o").stdout == run("slim - -q -m gpt-4o < a.md").stdout
    assert run("diff a.md <(cat a.md) -q -m gpt-4o").stdout == run("diff a.md a.md -q -m gpt-4o").stdout
    refused = run("baseline write <(cat a.md)")
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        "tokaudit: /dev/fd/63: is a named pipe (FIFO), not a file",
        "  a gate compares files that stay: write its content to a file, and name that",
    ]


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 200])
@pytest.mark.parametrize("total", [90_000, 2_000_000_000])
def test_the_line_of_progress_fits_the_terminal(columns, total):
    from tokaudit.cli.progress import bar_line

    line = bar_line(total // 2, total, 2.5, columns)
    assert len(line) < columns
    assert "50%" in line
    assert abs(line.count("#") - line.count(".", 0, line.find("]") + 1)) <= 1


def test_the_line_of_progress_has_units_that_show_it_move():
    from tokaudit.cli.progress import bar_line

    assert bar_line(30_000, 90_000, 2.0, 80).endswith("]  33%  30 of 90 kB, 15 kB/s")
    assert bar_line(5_000_000, 12_000_000, 2.0, 80).endswith("]  42%  5 of 12 MB, 2.5 MB/s")
