"""Completion for shells."""

from __future__ import annotations

import pytest

SHELLS = ["bash", "zsh", "fish", "powershell"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script(installed_tokaudit, shell):
    done = installed_tokaudit(_TOKAUDIT_COMPLETE=f"source_{shell}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"tokaudit" in done.stdout
    assert b"_TOKAUDIT_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("words", "cursor", "offered"),
    [
        (
            "tokaudit ",
            1,
            {"baseline", "budget", "check", "count", "diff", "fit", "models", "rules", "slim", "tokenizers"},
        ),
        ("tokaudit count --cha", 2, {"--charset"}),
    ],
)
def test_what_bash_is_offered(installed_tokaudit, words, cursor, offered):
    done = installed_tokaudit(_TOKAUDIT_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(cursor))
    assert (done.returncode, done.stderr) == (0, b"")
    assert set(done.stdout.decode().split()) == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tokaudit count -m cl100", {"cl100k_base"}),
        ("tokaudit count -m gpt-4o,o200k", {"gpt-4o,o200k_base", "gpt-4o,o200k_harmony"}),
        ("tokaudit count --by s", {"segment", "section"}),
        ("tokaudit count --sort d", {"density"}),
        ("tokaudit count --kind j", {"json", "jsonl"}),
        ("tokaudit models --format c", {"csv"}),
        ("tokaudit slim --rules c", {"chat", "cn", "code", "common"}),
        ("tokaudit slim --rules chat,e", {"chat,en"}),
        ("tokaudit slim --select md.im", {"md.image"}),
        (
            "tokaudit slim --ignore md.image,cod",
            {"md.image,code.*", "md.image,code.comments", "md.image,code.license-header"},
        ),
        ("tokaudit slim --explain cn.pol", {"cn.polite", "cn.polite-sentence", "cn.polite-tail"}),
        ("tokaudit rules show log.b", {"log.blob"}),
        ("tokaudit slim --lang z", {"zh"}),
        ("tokaudit slim -m cl100", {"cl100k_base"}),
        ("tokaudit diff -m cl100", {"cl100k_base"}),
        ("tokaudit check -m cl100", {"cl100k_base"}),
        ("tokaudit baseline write -m cl100", {"cl100k_base"}),
        ("tokaudit count --color a", {"auto", "always"}),
    ],
)
def test_values_of_options(installed_tokaudit, words, offered):
    done = installed_tokaudit(
        _TOKAUDIT_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1)
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert set(done.stdout.decode().split()) == offered
