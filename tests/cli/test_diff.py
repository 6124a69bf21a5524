"""``tokaudit diff`` as a process: what the golden scenarios cannot say."""

from __future__ import annotations

import json

import pytest

BEFORE, AFTER = "你好，world。\n第二行\n", "您好，brave world。\n第二行\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.txt").write_text(BEFORE, encoding="utf-8")
    (tmp_path / "b.txt").write_text(AFTER, encoding="utf-8")


@pytest.mark.usefixtures("files")
def test_the_bare_delta_is_that_of_the_counts(tokaudit):
    counts = [int(tokaudit("count", name, "-q", "-m", "qwen3").stdout) for name in ("a.txt", "b.txt")]
    for arguments, delta in ((("a.txt", "b.txt"), counts[1] - counts[0]), (("b.txt", "a.txt"), counts[0] - counts[1])):
        done = tokaudit("diff", *arguments, "-q", "-m", "qwen3")
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{delta}\n".encode(), b"")


@pytest.mark.usefixtures("files")
def test_colour_and_brackets(tokaudit):
    arguments = ("diff", "a.txt", "b.txt", "-m", "gpt-4o", "--word-diff")
    plain = tokaudit(*arguments).stdout.decode()
    assert "[-你-]{+您+}好，{+brave·+}world。\n第二行\n" in plain
    colored = tokaudit(*arguments, "--color", "always").stdout.decode()
    assert "\x1b[9;31m你\x1b[0m\x1b[32m您\x1b[0m好，\x1b[32mbrave·\x1b[0mworld。\n第二行\n" in colored
    assert tokaudit(*arguments, FORCE_COLOR="1").stdout.decode() == colored
    assert tokaudit(*arguments, FORCE_COLOR="1", NO_COLOR="1").stdout.decode() == plain


@pytest.mark.usefixtures("files")
def test_no_text_has_no_text(tokaudit):
    document = json.loads(tokaudit("diff", "a.txt", "b.txt", "--json", "--no-text").stdout)["documents"][0]
    assert (document["changes"], document["changes_total"]) == ([], None)
    assert b"brave" not in tokaudit("diff", "a.txt", "b.txt", "--no-text", "--by", "file").stdout


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("charset", ["gb18030", "ascii"])
def test_consoles_of_other_charsets(installed_tokaudit, charset):
    done = installed_tokaudit("diff", "a.txt", "b.txt", "--word-diff", PYTHONIOENCODING=charset)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(charset)


@pytest.mark.usefixtures("files")
def test_standard_input_on_either_side(tokaudit):
    wanted = json.loads(tokaudit("diff", "a.txt", "b.txt", "--json").stdout)["totals"]
    for arguments, data in ((("-", "b.txt"), BEFORE), (("a.txt", "-"), AFTER)):
        done = tokaudit("diff", *arguments, "--json", stdin=data.encode())
        assert json.loads(done.stdout)["totals"] == wanted


def test_control_characters_do_not_reach_the_terminal(tokaudit, tmp_path):
    (tmp_path / "a.txt").write_text("a\x1b[31mred\u202e\n")
    (tmp_path / "b.txt").write_text("b\x1b]0;title\x07 red\u202d\n")
    done = tokaudit("diff", "a.txt", "b.txt", "--word-diff")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert not set("\u202e\u202d\x07") & set(done.stdout.decode())


def test_files_are_not_overwritten_by_their_report(tokaudit, tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(name)
    done = tokaudit("diff", "a.md", "b.md", "-o", "b.md")
    assert (done.returncode, (tmp_path / "b.md").read_text()) == (2, "b.md")
    assert b"would overwrite an input" in done.stderr


def test_a_file_that_is_read_on_one_side_only_is_in_no_figure(tokaudit, tmp_path):
    for side, data in (("old", b"text\n"), ("new", b"\x00\x01\x02")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "x.dat").write_bytes(data)
        (tmp_path / side / "y.txt").write_text("y")
    found = json.loads(tokaudit("diff", "old", "new", "--json", "-m", "gpt-4o").stdout)
    assert [document["path"] for document in found["documents"]] == ["y.txt"]
    assert [item["what"] for item in found["skipped"]] == ["new/x.dat"]
