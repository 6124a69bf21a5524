"""``tokaudit slim`` as it is used: streams, files in place, folders, goals, checks, and what may go wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from installed import command, environment
from places import SAMPLES
from tokaudit import slim
from tokaudit.jobs.count import SPREAD_FROM
from work import assert_linear

CHAT = "用户：您好，订单ＡＢＣ１２３到了吗？？？！！！\r\n客服：好的好的，１２３４５已发出。\r\n用户：谢谢！！！\r\n"
SLIM = "用户：您好，订单ABC123到了吗？！\r\n客服：好的好的，12345已发出。\r\n用户：谢谢！！！\r\n"
ONE = ["-m", "gpt-4o"]
SCHEMA = files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8")
VALIDATOR = Draft202012Validator(json.loads(SCHEMA))


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.txt"
    path.write_bytes(CHAT.encode())
    return path


def test_the_text_goes_to_stdout_and_the_savings_to_stderr(tokaudit, chat):
    done = tokaudit("slim", "chat.txt", *ONE)
    assert (done.returncode, done.stdout.decode()) == (0, SLIM)
    told = done.stderr.decode()
    assert told.startswith("chat.txt (chat); rules: common, en, chat, cn; safe edits only\n")
    assert "cn.fw-alnum" in told
    assert chat.read_bytes() == CHAT.encode()


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_a_pipe(tokaudit, arguments):
    done = tokaudit("slim", *arguments, *ONE, "--quiet", stdin=CHAT.encode())
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, SLIM, b"")


def test_two_commands_in_a_pipe_give_what_one_gives(tokaudit, chat):
    first = tokaudit("slim", "chat.txt", *ONE, "-q")
    second = tokaudit("slim", *ONE, "-q", stdin=first.stdout)
    assert first.stdout == second.stdout
    assert tokaudit("slim", "--check", "-q", *ONE, stdin=first.stdout).returncode == 0


@pytest.mark.parametrize(
    ("charset", "mark"),
    [("gbk", b""), ("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
def test_a_file_keeps_its_charset_its_mark_and_its_line_ends(tokaudit, chat, charset, mark):
    chat.write_bytes(mark + CHAT.encode(charset))
    done = tokaudit("slim", "chat.txt", "--write", "--backup", *ONE, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert chat.read_bytes() == mark + SLIM.encode(charset)
    assert (chat.parent / "chat.txt.orig").read_bytes() == mark + CHAT.encode(charset)
    done = tokaudit("slim", "chat.txt", "-o", "other.txt", *ONE, "-q")
    assert (chat.parent / "other.txt").read_bytes() == chat.read_bytes()


def test_backups_are_not_slimmed_the_next_time(tokaudit, chat):
    assert tokaudit("slim", ".", "-w", "--backup", *ONE).returncode == 0
    assert tokaudit("slim", ".", "-w", "--lossy", *ONE).returncode == 0
    names = sorted(path.name for path in chat.parent.iterdir())
    assert names == ["chat.txt", "chat.txt.orig"]


@pytest.mark.parametrize("text", ["", "\n", "一行没有换行ＡＢＣ！！！", "a", "\ufeff"])
def test_small_texts(tokaudit, tmp_path, text):
    (tmp_path / "a.txt").write_bytes(text.encode())
    assert tokaudit("slim", "a.txt", "-w").returncode == 0
    after = (tmp_path / "a.txt").read_bytes()
    assert tokaudit("slim", "a.txt", "--check", "-q").returncode == 0
    assert after.endswith(b"\n") == text.endswith("\n")
    if "ＡＢＣ" not in text:
        assert after == text.encode()


def test_what_is_not_to_change_is_not_written(tokaudit, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("好。\n", encoding="utf-8")
    os.utime(path, (1, 1))
    assert tokaudit("slim", "a.txt", "-w", "--backup").returncode == 0
    assert path.stat().st_mtime == 1
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]


def test_broken_lines_of_jsonl_stay_as_they_are(tokaudit, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1,  "b": [1, 2]}\n{"a": 1,  broken\n\n{"c":   "x"}', encoding="utf-8")
    assert tokaudit("slim", "a.jsonl", "-w").returncode == 0
    assert path.read_text(encoding="utf-8") == '{"a":1,"b":[1,2]}\n{"a": 1,  broken\n\n{"c":"x"}'


def test_check(tokaudit, chat):
    assert tokaudit("slim", "chat.txt", "--check", *ONE).returncode == 1
    done = tokaudit("slim", "chat.txt", "--check", "--json", *ONE)
    assert done.returncode == 1
    assert json.loads(done.stdout)["totals"]["counts"]["gpt-4o"]["saved"] > 0
    assert tokaudit("slim", "chat.txt", "--check", "--ignore", "cn", *ONE).returncode == 0
    assert chat.read_bytes() == CHAT.encode()


def test_the_sums_are_exact(tokaudit, tmp_path):
    shutil.copytree(SAMPLES, tmp_path / "in", ignore=shutil.ignore_patterns("*.pdf"))
    for lossy in ([], ["--lossy"]):
        report = json.loads(tokaudit("slim", "in", "--json", *lossy).stdout)
        for part in (report["totals"], *report["documents"]):
            for model, counts in part["counts"].items():
                assert counts["before"] - counts["after"] == counts["saved"]
                assert sum(rule["saved"][model] for rule in part["rules"]) == counts["saved"]
                assert counts["saved"] >= 0
            for rule in part["rules"]:
                assert rule["matches"] == rule["applied"] + rule["refused"] + rule["undone"]


def test_the_pages_say_what_is_saved(monkeypatch, capsys):
    from tokaudit.cli import main

    row = re.compile(r"^\| `([\w./-]+\.\w+(?: --[^`]*)?)` \|((?: [\d.]+% \|){4})$", re.MULTILINE)
    readme, chinese_readme, page, chinese_page = (
        row.findall((SAMPLES.parent / name).read_text(encoding="utf-8"))
        for name in ("README.md", "README.zh-CN.md", "docs/savings.md", "docs/savings.zh.md")
    )
    assert readme == chinese_readme
    assert page == chinese_page
    assert len(page) > 8
    assert readme
    assert set(readme) <= set(page)
    monkeypatch.chdir(SAMPLES.parent)
    for line, shares in page:
        measured = ""
        for model in ("o200k_base", "cl100k_base", "qwen3", "deepseek-v3"):
            monkeypatch.setattr(sys, "argv", ["tokaudit", "slim", *line.split(), "-m", model, "-f", "csv"])
            assert main.outcome() == 0
            row = next(row for row in csv.DictReader(io.StringIO(capsys.readouterr().out)) if row["path"])
            before, after = int(row["before"]), int(row["after"])
            measured += f" {(before - after) / before:.1%} |"
        assert shares == measured, line


REPORTS = [
    ["--json"],
    ["--json", "--lossy", "--target", "90%", "--select", "md", "--ignore", "cn.fw-alnum"],
    ["--json", "--budget", "5000", "-m", "gpt-6-sol,gpt-4o"],
    ["--json", "-o", "out", "--rules", "cn"],
]


@pytest.mark.parametrize("arguments", REPORTS)
def test_reports_are_as_the_schema_says(tokaudit, tmp_path, arguments):
    shutil.copytree(SAMPLES, tmp_path / "in", ignore=shutil.ignore_patterns("*.pdf", "prompts"))
    (tmp_path / "in" / "bin.txt").write_bytes(b"\x00\x01" * 100)
    report = json.loads(tokaudit("slim", "in", *arguments).stdout)
    VALIDATOR.validate(report)
    assert len(report["documents"]) == len([*(tmp_path / "in").iterdir()]) - 1
    assert [item["what"] for item in report["skipped"]] == ["in/bin.txt"]
    assert {pack["name"] for pack in report["packs"]} >= {"cn", "common"}
    for document in report["documents"]:
        assert ("text" in document) == ("-o" not in arguments)
        if "text" in document:
            before = (tmp_path / document["path"]).read_text(encoding="utf-8")
            after, at = "", 0
            for change in document["changes"]:
                after += before[at : change["start"]] + change["text"]
                at = change["end"]
            assert after + before[at:] == document["text"]


def test_every_field_of_a_report_is_required(tokaudit, chat):
    report = json.loads(tokaudit("slim", "chat.txt", "--json", "--budget", "1", *ONE).stdout)
    VALIDATOR.validate(report)
    missing = []
    document = report["documents"][0]
    parts = (report, report["totals"], report["packs"][0], report["goal"])
    for part in (*parts, document, document["rules"][0], document["ledger"], document["changes"][0]):
        for key in [key for key in part if key not in {"schema_version", "text"}]:
            value = part.pop(key)
            if VALIDATOR.is_valid(report):
                missing.append(key)
            part[key] = value
    assert missing == []


def test_a_goal_takes_the_classes_that_it_needs(tokaudit, chat):
    done = tokaudit("slim", "chat.txt", "--target", "1%", *ONE)
    assert done.returncode == 0
    assert "met with lossless, near-lossless rules" in done.stderr.decode()
    done = tokaudit("slim", "chat.txt", "--budget", "1", "-w", *ONE)
    assert done.returncode == 1
    assert "after all rules" in done.stderr.decode()
    assert chat.read_bytes() == CHAT.encode()
    done = tokaudit("slim", "chat.txt", "--budget", "1", "-w", *ONE, "-q")
    tokens = int(done.stderr.decode().removeprefix("tokaudit: over budget by ").partition(" tokens after all rules")[0])
    assert 0 < tokens < 100
    report = json.loads(tokaudit("slim", "chat.txt", "--budget", "1", "--json", *ONE).stdout)
    assert (report["documents"][0]["met"], report["findings"][0]["rule"]) == (False, "goal")
    assert report["goal"] == {"budget": 1, "target": None}


def test_a_selected_rule_is_applied_whatever_the_packs(tokaudit, tmp_path):
    (tmp_path / "a.md").write_text("# T\n\nIn order to **run** it, ![a](b.png) press.\n", encoding="utf-8")
    plain = tokaudit("slim", "a.md", "-q", *ONE).stdout.decode()
    assert "**run**" in plain
    for name in ("md.emphasis", "markdown", "md", "md.*"):
        assert "**run**" not in tokaudit("slim", "a.md", "-q", "--select", name, *ONE).stdout.decode()
    both = tokaudit("slim", "a.md", "-q", "--select", "md", "--ignore", "md.emphasis,md.image", *ONE).stdout.decode()
    assert "**run**" in both
    (tmp_path / "b.txt").write_text("好的。訂單號\n", encoding="utf-8")
    done = tokaudit("slim", "b.txt", "--select", "en.polite", *ONE)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--select", "cn.fnal-particle"], "did you mean cn.final-particle"),
        (["--ignore", "markdwn"], "did you mean markdown?"),
        (["--select", "en.polite", "-r", "cn"], "--select en.polite: there is no such rule in the packs"),
        (["--rules", "chinese"], "no pack is named 'chinese'"),
        (["--lossy", "--lossless"], "contradict each other"),
        (["--lossless", "--budget", "3"], "contradict each other"),
        (["--write", "--diff"], "--write and --diff contradict each other"),
        (["--write", "-o", "x"], "--write and -o contradict each other"),
        (["--backup"], "--backup needs --write"),
        (["--diff", "--json"], "--diff and --format contradict each other"),
        (["--budget", "-1"], "--budget -1 is negative"),
        (["--target", "30"], "such as 30%"),
        (["--target", "x%"], "must be between 0% and 100%"),
        (["--target", "nan"], "must be between 0% and 100%"),
        (["--target", "100%"], "must be between 0% and 100%"),
        (["--select", ""], "--select '' names no rule"),
        (["--ignore", " , "], "--ignore ' , ' names no rule"),
        (["--explain", "cn.x"], "there is no rule 'cn.x'"),
        (["--jobs", "-1"], "--jobs -1 is negative"),
        (["--kind", "html"], "html"),
        (["-m", "gpt-4oo"], "unknown model 'gpt-4oo'"),
        (["-f", "xml"], "unknown format 'xml'"),
        (["-o", "chat.txt"], "would overwrite an input"),
        (["-o", "./"], "would overwrite the input chat.txt"),
        (["-o", "no/such/file"], "there is no folder no/such"),
        (["-r", "other.yaml"], "there is no pack other.yaml"),
        (["chat.txt", "."], "cannot print several files to stdout"),
    ],
)
def test_a_slip_is_one_error_and_changes_nothing(tokaudit, chat, arguments, message):
    done = tokaudit("slim", "chat.txt", *arguments)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stderr.startswith(b"tokaudit: ")
    assert len(done.stderr.splitlines()) <= 2
    assert done.stdout == b""
    assert [path.name for path in chat.parent.iterdir()] == ["chat.txt"]
    assert chat.read_bytes() == CHAT.encode()


def test_a_pattern_for_several_files_is_no_one_text_either(tokaudit, chat):
    shutil.copy(chat, chat.parent / "other.txt")
    done = tokaudit("slim", "*.txt", *ONE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "cannot print several files to stdout" in done.stderr.decode()
    assert tokaudit("slim", "c*.txt", *ONE, "-q").stdout.decode() == SLIM
    assert tokaudit("slim", "*.txt", *ONE, "-q", "-o", "out").returncode == 0
    assert sorted(path.name for path in (chat.parent / "out").iterdir()) == ["chat.txt", "other.txt"]


def test_a_folder_with_one_file_has_one_text(tokaudit, tmp_path):
    (tmp_path / "in").mkdir()
    done = tokaudit("slim", "in", *ONE)
    assert (done.returncode, done.stderr.decode().splitlines()[0]) == (
        2,
        "tokaudit: in: no readable files in this folder",
    )
    (tmp_path / "in/a.txt").write_bytes(CHAT.encode())
    assert tokaudit("slim", "in", *ONE, "-q").stdout.decode() == SLIM
    (tmp_path / "in/b.txt").write_bytes(CHAT.encode())
    done = tokaudit("slim", "in", *ONE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "cannot print several files to stdout" in done.stderr.decode()
    (tmp_path / "x.txt").write_bytes(b"mine")
    done = tokaudit("slim", "in/a.txt", "in", "-o", "x.txt", *ONE)
    assert (done.returncode, (tmp_path / "x.txt").read_bytes()) == (2, b"mine")
    assert "-o x.txt is a file; several texts need a folder" in done.stderr.decode()


def test_the_folder_of_the_output_is_not_read(tokaudit, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_bytes(CHAT.encode())
    for _ in range(2):
        done = tokaudit("slim", "in", "-o", "in/out", *ONE, "-q")
        assert done.returncode == 0
        files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.txt"))
        assert files == ["in/a.txt", "in/out/in/a.txt"]
    assert "skipped in/out: left out" in done.stderr.decode()
    done = tokaudit("slim", "in", "-o", "in", *ONE)
    assert (done.returncode, done.stderr.decode().splitlines()[0]) == (2, "tokaudit: -o in is the folder that is read")


def test_a_backup_is_never_overwritten(tokaudit, chat):
    backup = chat.parent / "chat.txt.orig"
    backup.write_bytes(b"precious")
    done = tokaudit("slim", "chat.txt", "--write", "--backup", *ONE)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("tokaudit: chat.txt.orig exists, and chat.txt is left as it is\n")
    assert (backup.read_bytes(), chat.read_bytes()) == (b"precious", CHAT.encode())


@pytest.mark.parametrize("kind", ["log", "chat"])
def test_kinds_that_only_slim_knows(tokaudit, chat, kind):
    report = json.loads(tokaudit("slim", "chat.txt", "--kind", kind, "--json", *ONE).stdout)
    assert report["documents"][0]["kind"] == kind
    assert tokaudit("count", "chat.txt", "--kind", kind).returncode == 2


def test_a_pack_whose_rules_wait_for_an_option(tokaudit, chat):
    rule = "\n- {id: p.x, title: t, why: w, class: CLASS, stage: final, op: delete, pattern: x, default: ON}\n"
    head = "schema: tokaudit.rules/1\npack: p\nversion: 1.0.0\ntitle: t\nrules:"
    for rule_class, on, why in (("lossy", "true", "lossy, give --lossy"), ("near", "false", "off, give --select p.x")):
        text = head + rule.replace("CLASS", rule_class).replace("ON", on)
        (chat.parent / "p.yaml").write_text(text, encoding="utf-8")
        told = f"1 rule of p.yaml not applied: {why}"
        assert told in tokaudit("slim", "chat.txt", "-r", "p.yaml", *ONE).stderr.decode()
        assert (
            told not in tokaudit("slim", "chat.txt", "-r", "p.yaml", "--lossy", "--select", "p", *ONE).stderr.decode()
        )


def test_folders_keep_their_shape_below_another(tokaudit, tmp_path):
    for name in ("in/a.txt", "in/子/b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(CHAT.encode())
    (tmp_path / "in" / "x.bin").write_bytes(bytes(range(256)))
    done = tokaudit("slim", "in", "-o", "out", *ONE, "-q")
    assert done.returncode == 0
    assert "skipped in/x.bin: binary file" in done.stderr.decode()
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert written == ["in/a.txt", "in/子/b.txt"]
    assert (tmp_path / "out/in/a.txt").read_bytes() == SLIM.encode()
    done = tokaudit("slim", str(SAMPLES / "requests.jsonl"), "-", "-o", "new/", *ONE, "-q", stdin=CHAT.encode())
    assert done.returncode == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["requests.jsonl", "stdin.txt"]


def test_two_inputs_never_share_a_place(tokaudit, tmp_path):
    for name in ("a", "b"):
        (tmp_path / "deep" / name).mkdir(parents=True)
        (tmp_path / "deep" / name / "x.txt").write_bytes(CHAT.encode())
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [*command(), "slim", "../deep/a/x.txt", "../deep/b/x.txt", "-o", "out", *ONE, "-q"],
        cwd=tmp_path / "work", env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "would both be written to" in done.stderr.decode()
    assert (tmp_path / "work/out/x.txt").read_bytes() == SLIM.encode()


def test_two_processes_give_what_one_gives(tokaudit, tmp_path):
    for number in range(24):
        text = (SAMPLES / "support-chat.zh.txt").read_text(encoding="utf-8") * 5
        (tmp_path / "in" / str(number % 3)).mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / str(number % 3) / f"{number}.txt").write_text(f"{number}：ＡＢＣ！！！\n{text}", "utf-8")
    (tmp_path / "in" / "0" / "bin.txt").write_bytes(b"\x00\x01" * 100)
    assert sum(path.stat().st_size for path in (tmp_path / "in").rglob("*.txt")) > SPREAD_FROM // 16
    one, two = (tokaudit("slim", "in", "--json", "--lossy", "-j", jobs, *ONE) for jobs in "12")
    assert one.returncode == 0
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr
    for jobs in "12":
        assert tokaudit("slim", "in", "-o", f"out{jobs}", "-q", "-j", jobs, *ONE).returncode == 0
    found = {}
    for jobs in "12":
        root = tmp_path / f"out{jobs}"
        found[jobs] = {path.relative_to(root): path.read_bytes() for path in root.rglob("*.txt")}
    assert found["1"] == found["2"]
    assert len(found["1"]) == 24


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_read_only_file_stays(tokaudit, chat):
    chat.chmod(0o444)
    if os.access(chat, os.W_OK):
        pytest.skip("this user may write everything")
    done = tokaudit("slim", "chat.txt", "-w", *ONE, "-q")
    assert done.returncode == 2
    assert "chat.txt is read-only, and is left as it is" in done.stderr.decode()
    assert chat.read_bytes() == CHAT.encode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("way", ["stdout", "file"])
def test_a_full_disk(installed_tokaudit, chat, way):
    if way == "file":
        done = installed_tokaudit("slim", "chat.txt", "-o", "/dev/full", *ONE, "-q")
    else:
        with open("/dev/full", "wb") as full:  # noqa: PTH123
            done = installed_tokaudit("slim", "chat.txt", *ONE, "-q", stdout=full)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2
    assert chat.read_bytes() == CHAT.encode()


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    (tmp_path / "a.txt").write_text("一二三四，五六七八。\n" * 40000, encoding="utf-8")
    process = subprocess.Popen(
        [*command(), "slim", "a.txt", *ONE, "-q"], cwd=tmp_path, env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert (process.stderr.read(), process.wait(60)) == (b"", 0)
    process.stderr.close()


def test_a_console_that_lacks_a_character_gets_an_error_and_never_another_text(installed_tokaudit, tmp_path):
    (tmp_path / "a.txt").write_text("你好😀ＡＢＣ\n", encoding="utf-8")
    done = installed_tokaudit("slim", "a.txt", *ONE, PYTHONIOENCODING="gbk")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "which has no" in done.stderr.decode("gbk")
    (tmp_path / "b.txt").write_text("你好ＡＢＣ\n", encoding="utf-8")
    done = installed_tokaudit("slim", "b.txt", *ONE, "-q", PYTHONIOENCODING="gbk")
    assert (done.returncode, done.stdout.decode("gbk")) == (0, "你好ABC\n")


def test_colours(tokaudit, chat):
    plain = tokaudit("slim", "chat.txt", "--diff", *ONE)
    assert b"\x1b" not in plain.stdout + plain.stderr
    assert "[-ＡＢＣ１２３-]{+ABC123+}" in plain.stdout.decode()
    red = tokaudit("slim", "chat.txt", "--diff", "--color", "always", *ONE)
    assert "\x1b[9;31mＡＢＣ１２３\x1b[0m\x1b[32mABC123\x1b[0m" in red.stdout.decode()
    assert b"\x1b" in red.stderr
    for extra in ({"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        done = tokaudit("slim", "chat.txt", "--diff", *ONE, **extra)
        assert b"\x1b" not in done.stdout + done.stderr


def test_a_long_line_takes_linear_work():
    unit = "这是一个ＡＢＣ，测试！！！  and words   here. "
    assert_linear(lambda text: slim(text, models=["gpt-4o"]), lambda units: unit * units, 200)


def test_a_file_that_changes_meanwhile_is_left_alone(chat, monkeypatch, capsys):
    from tokaudit.cli import main, slim_writer

    real = slim_writer.Writer._replace

    def late(self, document, file):
        chat.write_text("new", encoding="utf-8")
        real(self, document, file)

    monkeypatch.setattr(slim_writer.Writer, "_replace", late)
    monkeypatch.setattr(sys, "argv", ["tokaudit", "slim", str(chat), "-w", "-q", *ONE])
    assert main.outcome() == 2
    assert "changed while it was slimmed, and is left as it is" in capsys.readouterr().err
    assert chat.read_text(encoding="utf-8") == "new"


@pytest.mark.timeout(120)
@pytest.mark.skipif(sys.platform != "linux", reason="sends signals to a process group")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_in_a_folder_leaves_every_file_whole(tmp_path, jobs):
    text = (SAMPLES / "support-chat.zh.txt").read_text(encoding="utf-8")
    for number in range(300):
        (tmp_path / f"{number:03}.txt").write_text(f"{number}\n{text * 10}", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    process = subprocess.Popen(
        [*command(), "slim", ".", "-w", "-j", jobs, "-m", "gpt-4o"],
        cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    while (tmp_path / "000.txt").read_bytes() == before["000.txt"] and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"tokaudit: interrupted\n")
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert after.keys() == before.keys()
    shutil.copytree(tmp_path, tmp_path.parent / f"again{jobs}", dirs_exist_ok=True)
    changed = [name for name in before if after[name] != before[name]]
    assert 0 < len(changed) < 300
    (slimmed,) = {after[name].split(b"\n", 1)[1] for name in changed}
    assert len(slimmed) < len(text.encode()) * 10
    assert slimmed.count(b"\n") == text.count("\n") * 10


def test_files_of_tools_are_left_alone_unless_they_are_named(tokaudit, tmp_path):
    (tmp_path / "web/.vscode").mkdir(parents=True)
    for name in ("package.json", ".vscode/settings.json", "data.json"):
        (tmp_path / "web" / name).write_text('{\n  "a": [1, 2, 3]\n}\n', encoding="utf-8")
    done = tokaudit("slim", "web", "-w", *ONE)
    assert b"2 files belong to tools; name them to slim them" in b" ".join(done.stderr.split())
    assert done.stderr.endswith(b"\n1 file rewritten\n")
    assert (tmp_path / "web/data.json").read_text(encoding="utf-8") == '{"a":[1,2,3]}\n'
    assert "  " in (tmp_path / "web/package.json").read_text(encoding="utf-8")
    report = json.loads(tokaudit("slim", "web", "--json", "--check", *ONE).stdout)
    assert [(item["what"], item["code"]) for item in report["skipped"]] == [
        ("web/.vscode/settings.json", "tool-file"),
        ("web/package.json", "tool-file"),
    ]
    assert tokaudit("slim", "web/package.json", "-w", *ONE).stderr.endswith(b"\n1 file rewritten\n")
    assert b"belong" in tokaudit("slim", "w*/package.json", "--check", *ONE).stderr


def test_the_command_that_mends_has_the_options_that_matter(tokaudit, tmp_path):
    (tmp_path / "my prompts").mkdir()
    (tmp_path / "my prompts/a.txt").write_text("订单ＡＢＣ１２３到了！！！\n", encoding="utf-8")
    done = tokaudit("slim", "my prompts", "--check", "--select", "cn.polite", "--exclude", "*.md", "-r", "cn", *ONE)
    command = done.stderr.decode().splitlines()[-1].partition("tokaudit ")[2]
    assert command == "slim -w -r cn -m gpt-4o --select cn.polite --exclude '*.md' 'my prompts'"
    assert tokaudit(*shlex.split(command)).returncode == 0
    assert tokaudit(*shlex.split(command.replace("-w", "--check"))).returncode == 0


HINT = "rules that are off would save "


def hint_of(done) -> list[tuple[float, list[str]]]:
    """Each saving that a run tells of, with the options for it."""
    lines = done.stderr.decode()
    if HINT not in lines:
        return []
    told = " ".join(lines.partition(HINT)[2].partition("\n\n")[0].split("\n"))
    found = re.findall(r"([0-9.]+)% more(?:, deleting content)?: ((?:--[a-z]+(?: [a-z.,-]+)?(?: |;|$|(?= \()))+)", told)
    return [(float(share), shlex.split(options.strip("; "))) for share, options in found]


def saved_share(tokaudit, *options) -> float:
    data = json.loads(tokaudit("slim", *options, "--json", *ONE).stdout)
    counts = data["totals"]["counts"]["gpt-4o"]
    return counts["saved"] / counts["before"]


LOG = "".join(
    f"2025-03-02 08:00:0{second} INFO [main] shop.Stock: item {name} is in\n" for second, name in enumerate("abcde")
)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.md", "# Title\n\n![logo](https://cdn.example.com/logo.png) and **text**\n", [["--select"]]),
        ("a.log", LOG, [["--select"]]),
        ("a.txt", "用户：呃，还没收到货呢！\n客服：嗯，我看一下啊。\n用户：好的呢！\n", [["--lossy"]]),
        ("a.log", LOG.replace("08:00:0", "08:00:00.12345"), [["--select"], ["--select"]]),
    ],
)
def test_what_rules_that_are_off_would_save_is_what_they_save(tokaudit, tmp_path, name, text, options):
    (tmp_path / name).write_text(text, encoding="utf-8")
    hints = hint_of(tokaudit("slim", name, "--check", *ONE))
    assert [[word for word in words if word.startswith("--")] for _, words in hints] == options
    now = saved_share(tokaudit, name)
    for share, words in hints:
        assert share == pytest.approx(100 * (saved_share(tokaudit, name, *words) - now), abs=0.051)


def test_a_dash_is_standard_output(tokaudit, tmp_path):
    (tmp_path / "a.txt").write_text("好的！！！\n", encoding="utf-8")
    done = tokaudit("slim", "a.txt", "-o", "-", *ONE)
    assert done.stdout == tokaudit("slim", "a.txt", *ONE).stdout != b""
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (
            "Why does\nthe shop\nlose orders\nat night,\nand not\nby day?\n" + re.sub("item .", "item", LOG),
            ["--kind", "log"],
        ),
        ("你好啊我想查一下我的订单号#ORD-2024-7890谢谢呢\n", ["--kind", "chat", "--lossy"]),
    ],
)
def test_rules_for_another_kind_are_told_with_what_they_save(tokaudit, tmp_path, text, options):
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    ran = tokaudit("slim", "a.txt", "--check", *ONE)
    told = " ".join(ran.stderr.decode().split())
    found = re.search(r"([0-9]+) rules? (?:is|are) for (?:chats|logs) only and would save ([0-9]+) tokens?: (.*)", told)
    assert found is not None
    assert shlex.split(found[3])[: len(options)] == options
    data = json.loads(tokaudit("slim", "a.txt", *options, "--json", *ONE).stdout)
    rules = [rule for rule in data["totals"]["rules"] if rule["saved"]["gpt-4o"] > 0]
    assert sum(rule["saved"]["gpt-4o"] for rule in rules) >= int(found[2]) > 0
    assert len(rules) >= int(found[1]) > 0


def test_the_rules_of_logs_are_told_of(tokaudit, tmp_path):
    (tmp_path / "a.log").write_text(LOG, encoding="utf-8")
    [(_, (_, names))] = hint_of(tokaudit("slim", "a.log", "--check", *ONE))
    assert "log.above" in names.split(",")


def test_rules_that_are_off_are_not_told_of_where_none_was_looked_for(tokaudit, tmp_path):
    text = "![logo](https://cdn.example.com/logo.png) and **text**\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    assert hint_of(tokaudit("slim", "a.md", "--check", "--lossless", *ONE)) == []
    (tmp_path / "a.md").write_text(text * 1000, encoding="utf-8")
    assert hint_of(tokaudit("slim", "a.md", "a.md", "--text", "b", "--check", *ONE)) == []


def test_a_long_text_is_judged_by_its_beginning(tokaudit, tmp_path):
    (tmp_path / "a.log").write_text(LOG * 400, encoding="utf-8")
    done = tokaudit("slim", "a.log", "--check", *ONE)
    [(share, words)] = hint_of(done)
    assert re.search(r"\(of\s+the\s+first\s+49,\d\d\d\s+characters\)", done.stderr.decode())
    more = saved_share(tokaudit, "a.log", *words) - saved_share(tokaudit, "a.log")
    assert share == pytest.approx(100 * more, abs=2)


PARAGRAPHS = "".join(f'<p class="text">On day {at} it is <b>open</b>.</p>' for at in range(1200))
PAGE = f"<html><body>{PARAGRAPHS}</body></html>"


@pytest.mark.parametrize(
    ("name", "text", "rules"),
    [
        ("a.html", PAGE, "html.text"),
        ("a.json", json.dumps([{"role": "tool", "content": PAGE}]), "html.text"),
        (
            "a.json",
            json.dumps({"text": json.dumps([{"id": at, "b": [at]} for at in range(3000)], indent=1)}),
            "json.nested,json.rows",
        ),
    ],
)
def test_a_long_page_or_document_of_json_is_judged_as_a_whole(tokaudit, tmp_path, name, text, rules):
    assert len(text) > 50_000
    (tmp_path / name).write_text(text, encoding="utf-8")
    [(share, words)] = hint_of(tokaudit("slim", name, "--check", *ONE))
    assert words == ["--select", rules]
    more = saved_share(tokaudit, name, *words) - saved_share(tokaudit, name)
    assert share == pytest.approx(100 * more, abs=0.051)


def test_packs_by_commas_and_besides_the_chosen_ones(tokaudit, tmp_path):
    (tmp_path / "my.yaml").write_text(
        "schema: tokaudit.rules/1\npack: my\nversion: 1.0.0\ntitle: t\nrules:\n  - id: my.word\n    title: A word\n"
        "    why: It is long.\n    class: near-lossless\n    stage: lexical\n    op: delete\n    pattern: ' indeed'\n",
        encoding="utf-8",
    )
    (tmp_path / "a.md").write_text(
        "| a     | b |\n|-------|---|\n| c     | d |\n\nIt is so indeed.\n", encoding="utf-8"
    )

    def packs(*words):
        report = json.loads(tokaudit("slim", "a.md", "--json", *words, *ONE).stdout)
        return report["documents"][0]["packs"], {rule["rule"] for rule in report["documents"][0]["rules"]}

    assert packs("-r", "chat,markdown")[0] == ["chat", "markdown"]
    names, rules = packs("-r", "+my.yaml")
    assert names == ["markdown", "en", "my.yaml"]
    assert {"my.word", "md.table-compact"} <= rules
    assert b"A word" in tokaudit("rules", "show", "my.word", "-r", "my.yaml").stdout
    (tmp_path / "tokaudit.toml").write_text(
        '[slim]\nrules = ["+my.yaml"]\nignore = ["md.*"]\nlossy = true\nexclude = ["b*"]\n', encoding="utf-8"
    )
    assert packs() == (["markdown", "en", "my.yaml"], {"my.word"})
    assert "md.table-compact" in packs("--ignore", "en.*")[1]
    assert b"lossy edits too" in tokaudit("slim", "a.md", "--check", *ONE).stderr
    assert b"safe edits only" in tokaudit("slim", "a.md", "--check", "--no-lossy", *ONE).stderr
    (tmp_path / "b.md").write_text("It is so indeed.\n", encoding="utf-8")
    assert "b.md" not in tokaudit("slim", ".", "--check", *ONE).stderr.decode()
    (tmp_path / "tokaudit.toml").write_text('[slim]\nruels = ["cn"]\n', encoding="utf-8")
    done = tokaudit("slim", "a.md", "--check")
    assert (
        done.returncode,
        b"tokaudit.toml:2:1: unknown key 'ruels' of slim; did you mean 'rules'?" in done.stderr,
    ) == (2, True)


def test_kinds_are_explained_to_programs_too(tokaudit, tmp_path):
    (tmp_path / "a.txt").write_text(LOG, encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"\0\1")
    done = tokaudit("slim", "--explain-kind", ".", "--json")
    data = json.loads(done.stdout)
    [document] = data["documents"]
    assert (document["path"], document["kind"]) == ("a.txt", "log")
    assert document["evidence"][0] | {"what": ""} == {
        "kind": "log",
        "what": "",
        "lines": 5,
        "of": 5,
        "first": [1, 2, 3],
    }
    assert [item["what"] for item in data["skipped"]] == ["b.txt"]
    people = tokaudit("slim", "--explain-kind", ".")
    assert "a.txt: log" in people.stdout.decode()
    assert "skipped b.txt" in people.stderr.decode()
    assert tokaudit("slim", "--explain-kind", "b.txt").returncode == 2
