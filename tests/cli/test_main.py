"""Every way in which a run can end, and its exit code."""

from __future__ import annotations

import sys

import pytest
import typer

from tokaudit.cli import main
from tokaudit.model import InputError


def ending(monkeypatch, error):
    """The exit code where the command raises ``error``."""

    def raising(**_):
        raise error

    monkeypatch.setattr(main, "app", raising)
    return main.outcome()


def test_a_bug_is_70_and_has_no_traceback(monkeypatch, capsys):
    monkeypatch.delenv("TOKAUDIT_DEBUG", raising=False)
    assert ending(monkeypatch, ZeroDivisionError("division by zero")) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "tokaudit: internal error: ZeroDivisionError: division by zero",
        "  please report it, with the output of the same command under TOKAUDIT_DEBUG=1",
    ]


def test_debug_shows_the_traceback(monkeypatch, capsys):
    monkeypatch.setenv("TOKAUDIT_DEBUG", "1")
    assert ending(monkeypatch, ZeroDivisionError("division by zero")) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_an_interruption_is_130_and_one_line(monkeypatch, capsys, error):
    assert ending(monkeypatch, error) == 130
    assert capsys.readouterr().err == "tokaudit: interrupted\n"


def test_no_memory_is_2(monkeypatch, capsys):
    assert ending(monkeypatch, MemoryError()) == 2
    assert capsys.readouterr().err.startswith("tokaudit: out of memory\n  ")


def test_a_closed_pipe_is_0(monkeypatch, capsys):
    assert ending(monkeypatch, BrokenPipeError()) == 0
    assert capsys.readouterr() == ("", "")


def test_an_error_of_ours_has_its_hint_below(monkeypatch, capsys):
    assert ending(monkeypatch, InputError("a.txt: gone", hint="look again")) == 2
    assert capsys.readouterr().err == "tokaudit: a.txt: gone\n  look again\n"


def test_a_message_that_the_console_cannot_show(monkeypatch, capfdbinary):
    import io

    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict", write_through=True)
    monkeypatch.setattr(sys, "stderr", stream)
    assert ending(monkeypatch, InputError("图.txt: gone \udcff")) == 2
    assert (
        stream.buffer.getvalue()
        == b"tokaudit: \\u56fe.txt: gone \\udcff\n  check that the file is there and that you may read it\n"
    )


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["count", "--nope"], "tokaudit count"),
        (["count", "a.txt", "-m"], "tokaudit count"),
        (["count", "--top", "x"], "tokaudit count"),
        (["--nope"], "tokaudit"),
        (["frobnicate"], "tokaudit"),
    ],
)
def test_a_wrong_command_line_is_2_and_names_the_help(monkeypatch, capsys, arguments, command):
    monkeypatch.setattr(sys, "argv", ["tokaudit", *arguments])
    assert main.outcome() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tokaudit: ")
    assert err.splitlines()[1:] == [f"  {command} --help lists the options"]


@pytest.mark.parametrize(
    ("option", "value"), [("--top", "1.5"), ("--top", "x"), ("--jobs", ""), ("--density-threshold", "high")]
)
def test_what_is_no_number(monkeypatch, capsys, option, value):
    monkeypatch.setattr(sys, "argv", ["tokaudit", "count", "--text", "x", option, value])
    assert main.outcome() == 2
    assert "number" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_no_density_threshold(monkeypatch, capsys, value):
    monkeypatch.setattr(sys, "argv", ["tokaudit", "count", "--text", "x", f"--density-threshold={value}", "--json"])
    assert main.outcome() == 2
    assert "invalid --density-threshold" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["count", "models", "tokenizers"])
def test_wrong_colour_or_format_in_every_command(monkeypatch, capsys, command):
    for option in ("--color", "--format"):
        monkeypatch.setattr(sys, "argv", ["tokaudit", command, option, "none"])
        assert main.outcome() == 2
        assert "'none'" in capsys.readouterr().err


def test_the_process_ends_with_the_code(installed_tokaudit):
    done = installed_tokaudit("count", "--text", "x", "-m", "gpt-4oo")
    assert done.returncode == 2
    assert b"did you mean gpt-4o" in done.stderr


def test_every_option_is_in_the_help(monkeypatch, capsys):
    for command in main.app.registered_commands:
        monkeypatch.setattr(sys, "argv", ["tokaudit", command.name, "--help"])
        assert main.outcome() == 0
        shown = capsys.readouterr().out
        assert "Usage: tokaudit" in shown
        for option in ("--format", "--json", "--output", "--quiet", "--color", "--help"):
            assert option in shown
    monkeypatch.setattr(sys, "argv", ["tokaudit", "count", "-h"])
    assert main.outcome() == 0
    shown = capsys.readouterr().out
    for option in ("--text", "--model", "--by", "--top", "--sort", "--charset", "--special", "--jobs", "--kind"):
        assert option in shown
