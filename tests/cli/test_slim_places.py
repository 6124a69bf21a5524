"""Where ``tokaudit slim`` reads and writes: reports beside the text, backups, files that cannot be read, goals."""

from __future__ import annotations

import json
import os

import pytest

TEXT = "订单ＯＲＤ－２０２４到了吗？？？已经等了  ３天\n"
SLIM = "订单ORD-2024到了吗？已经等了 3天\n"
ONE = ["-m", "gpt-4o", "-r", "cn"]


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_reports_are_written_beside_the_text(tokaudit, note, tmp_path):
    done = tokaudit("slim", "note.txt", *ONE, "-o", "slim.txt", "-o", "json=r.json", "-o", "csv=r.csv", "-q")
    assert (done.returncode, done.stdout) == (0, b"")
    slim = (tmp_path / "slim.txt").read_text(encoding="utf-8")
    assert slim != TEXT
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (report["command"], report["documents"][0]["path"]) == ("slim", "note.txt")
    assert "text" not in report["documents"][0]  # it is in a file of its own
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").count("note.txt") >= 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["note.txt", "r.csv", "r.json", "slim.txt"]
    printed = tokaudit("slim", "note.txt", *ONE, "-o", "json=t.json", "-q")
    assert printed.stdout.decode() == slim  # the text still goes to standard output
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))["documents"][0]["text"] == slim


def test_several_reports_with_a_format(tokaudit, note, tmp_path):
    done = tokaudit("slim", "note.txt", *ONE, "-f", "json", "-o", "json=q.json", "-o", "csv=q.csv")
    assert done.returncode == 0
    assert json.loads(done.stdout)["documents"] == json.loads((tmp_path / "q.json").read_bytes())["documents"]
    assert {"q.json", "q.csv", "note.txt"} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        (["a.txt", "b.txt"], "the text goes to one place"),
        (["jsn=a"], "did you mean -o json=a?"),
        (["sarif=a"], "this command has no such format"),
        (["json="], "names no file"),
        (["json=note.txt"], "would overwrite an input"),
        (["a.txt", "json=a.txt"], "named for the text and for a report"),
    ],
)
def test_places_that_cannot_be(tokaudit, note, tmp_path, outputs, said):
    done = tokaudit("slim", "note.txt", *ONE, *(part for output in outputs for part in ("-o", output)))
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]
    assert note.read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize("way", [["."], ["*"], ["note.txt", "note.txt.orig"]])
def test_backups_are_no_input(tokaudit, note, tmp_path, way):
    assert tokaudit("slim", ".", *ONE, "--write", "--backup", "-q").returncode == 0
    assert (tmp_path / "note.txt.orig").read_text(encoding="utf-8") == TEXT
    checked = tokaudit("slim", *way, *ONE, "--check")
    assert checked.returncode == 0, checked.stderr.decode()
    assert tokaudit("slim", *way, *ONE, "--diff", "-q").stdout == b""
    assert tokaudit("slim", *way, *ONE, "--write", "-q").returncode == 0
    assert (tmp_path / "note.txt.orig").read_text(encoding="utf-8") == TEXT
    # By itself it is a file like any other.
    assert tokaudit("slim", "note.txt.orig", *ONE, "--check", "-q").returncode == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="who may read everything")
@pytest.mark.parametrize("mode", [["--write"], ["--check"], ["--diff"], []])
def test_a_file_that_cannot_be_read(tokaudit, note, mode):
    note.chmod(0)
    done = tokaudit("slim", "note.txt", *ONE, *mode)
    assert done.returncode == 2
    assert "ermission denied" in done.stderr.decode()


@pytest.mark.parametrize("mode", [["--write"], ["--check"], []])
def test_a_file_that_fails_to_open(tokaudit, note, mode, tmp_path):
    """As with a file that may not be read, whoever runs the test."""
    loop = tmp_path / "loop.txt"
    loop.symlink_to(loop)
    done = tokaudit("slim", "loop.txt", *ONE, *mode)
    assert done.returncode == 2, done.stderr.decode()


def test_a_budget_that_is_met_already(tokaudit, note):
    done = tokaudit("slim", "note.txt", *ONE, "--budget", "400")
    assert (done.returncode, done.stdout.decode()) == (0, TEXT)
    assert "at most 400 tokens: already met; no rules applied" in done.stderr.decode()
    assert "no rule found anything" not in done.stderr.decode()


def test_a_rule_that_runs_out_of_time_is_named(tokaudit, tmp_path):
    (tmp_path / "slow.yaml").write_text(
        "schema: tokaudit.rules/1\npack: slow\nversion: 1.0.0\ntitle: Slow\nrules:\n"
        "  - {id: slow.dots, title: t, why: w, class: near, stage: lexical, op: delete, timeout_ms: 20,\n"
        "     pattern: 'a.*b.*c.*d.*e', examples: [{in: x, same: true}]}\n"
    )
    text = "abcd " * 16_000
    (tmp_path / "slow.txt").write_text(text)
    done = tokaudit("slim", "slow.txt", "-m", "gpt-4o", "-r", "slow.yaml")
    assert (done.returncode, done.stdout.decode()) == (0, text)
    told = " ".join(done.stderr.decode().split())
    assert "warning slow.txt: the rule slow.dots ran out of time, so its edits are left out; the text is whole" in told
    assert "or give --ignore slow.dots" in told
