"""The comment of the GitHub action, against a server that answers as GitHub's API does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "ci/action/comment.py"


@pytest.fixture
def commented(server, tmp_path):
    def run(report, **extra):
        (tmp_path / "report.md").write_text(report, encoding="utf-8")
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        variables = {
            "IN_TOKEN": "secret-token",
            "IN_REPORT": str(tmp_path / "report.md"),
            "IN_PULL_REQUEST": "7",
            "IN_PAUSE": "0",
            "GITHUB_API_URL": server.url,
            "GITHUB_REPOSITORY": "octo/prompts",
        }
        done = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", SCRIPT],
            env=kept | variables | extra,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert done.stderr == b""
        assert b"secret-token" not in done.stdout
        return done.stdout.decode()

    return run


def test_first_run_creates_the_comment(server, commented):
    server.comments.append({"id": 1, "body": "> <!-- tokaudit -->\n> quoted by somebody"})
    assert "comment 1001 created" in commented("# Tokens\n\n提示 grew\n")
    assert server.comments[1]["body"] == "<!-- tokaudit -->\n# Tokens\n\n提示 grew\n"
    assert {authorization for _, _, authorization in server.asked} == {"Bearer secret-token"}


def test_later_runs_write_over_it(server, commented):
    commented("one")
    server.comments.append({"id": 5, "body": "I agree"})
    assert "comment 1000 updated" in commented("two")
    assert [comment["body"] for comment in server.comments] == ["<!-- tokaudit -->\ntwo\n", "I agree"]
    asked = len(server.asked)
    assert "comment 1000 stands as it is" in commented("two")
    assert [method for method, _, _ in server.asked[asked:]] == ["GET"]


def test_it_is_found_on_a_later_page(server, commented):
    server.per_page = 2
    server.comments += [{"id": number, "body": "x"} for number in range(5)]
    server.comments += [{"id": 77, "body": "<!-- tokaudit -->\nold"}]
    assert "comment 77 updated" in commented("new")
    assert [method for method, _, _ in server.asked] == ["GET"] * 3 + ["PATCH"]


def test_names_tell_comments_apart(server, commented):
    commented("one", IN_COMMENT_NAME="chat")
    commented("two", IN_COMMENT_NAME="tools --> <b>")
    commented("three", IN_COMMENT_NAME="chat")
    bodies = [comment["body"] for comment in server.comments]
    assert bodies == ["<!-- tokaudit: chat -->\nthree\n", "<!-- tokaudit: tools ___ _b_ -->\ntwo\n"]


def test_a_fork_may_not_and_does_not_fail(server, commented):
    server.refused["POST"] = 403
    shown = commented("grew")
    assert shown.startswith("::notice title=tokaudit::no comment: the token may not write")
    assert server.comments == []


def test_what_may_not_be_changed_is_somebody_else_s(server, commented):
    server.comments.append({"id": 3, "body": "<!-- tokaudit -->\nby somebody else"})
    server.refused["PATCH"] = 403
    assert "comment 1001 created" in commented("ours")
    assert server.comments[0]["body"].endswith("by somebody else")


def test_an_overloaded_server_is_asked_again(server, commented):
    server.refused["GET"] = [502, 503]
    assert "created" in commented("x")
    server.refused["PATCH"] = 500
    assert "::warning title=tokaudit::no comment: the server answered 500" in commented("y")


def test_a_long_report_is_cut_at_a_line(server, commented):
    commented("| row |\n" * 30_000)
    body = server.comments[0]["body"]
    assert len(body) < 65_536
    assert body.count("| row |\n") > 7_000
    assert body.endswith("| row |\n\nCut here: the whole report is in the summary of the run.\n")


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"IN_PULL_REQUEST": ""}, "no pull request"),
        ({"IN_TOKEN": ""}, "no token"),
        ({"IN_REPORT": "missing.md"}, "FileNotFoundError"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9/api"}, "URLError"),
    ],
)
def test_nothing_makes_the_job_fail(server, commented, extra, said):
    assert said in commented("x", **extra)
    assert server.comments == []
