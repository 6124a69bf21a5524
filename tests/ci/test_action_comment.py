"""The comment of the GitHub action, against a server that answers as GitHub's API does."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from places import ROOT

BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
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
    server.comments += [{"id": 77, "body": "<!-- tokaudit -->\nold", "user": BOT}]
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


@pytest.mark.parametrize("code", [401, 403, 404])
def test_where_updating_is_refused_a_new_one_is_written(server, commented, code):
    server.comments.append({"id": 3, "body": "<!-- tokaudit -->\nof another job", "user": BOT})
    server.refused["PATCH"] = code
    assert "comment 1001 created" in commented("ours")
    assert server.comments[0]["body"].endswith("of another job")


@pytest.mark.parametrize(
    "user",
    [
        {"login": "mallory", "id": 5, "type": "User"},
        {"login": "github-actions[bot]", "id": 5, "type": "User"},
        {"login": "github-actions", "id": 5, "type": "Bot"},
        {"login": "other-app[bot]", "id": 6, "type": "Bot"},
        {"login": "gitea-actions", "id": 6},
        {"login": ""},
        None,
    ],
)
@pytest.mark.parametrize("graphql", [True, False])
def test_a_comment_of_somebody_else_is_left_alone(server, commented, user, graphql):
    said = "<!-- tokaudit -->\nI begin as you do"
    server.comments.append({"id": 3, "body": said, "user": user})
    server.comments.append({"id": 4, "body": "<!-- tokaudit -->\nold", "user": BOT})
    variables = {"GITHUB_GRAPHQL_URL": f"{server.url}/graphql"} if graphql else {}
    assert "comment 4 updated" in commented("new", **variables)
    assert [comment["body"] for comment in server.comments] == [said, "<!-- tokaudit -->\nnew\n"]
    del server.comments[1]
    assert "created" in commented("new", **variables)
    assert server.comments[0]["body"] == said


def test_a_copy_of_the_whole_comment_does_not_count_as_it(server, commented):
    user = {"login": "mallory", "id": 5, "type": "User"}
    server.comments.append({"id": 3, "body": "<!-- tokaudit -->\nsame\n", "user": user})
    assert "comment 1001 created" in commented("same")


@pytest.mark.parametrize("user", [{"login": "gitea-actions", "id": -2}, {"login": "forgejo-actions", "id": -2}])
def test_the_bot_of_other_forges(server, commented, user):
    server.author = user
    commented("one")
    assert "comment 1000 updated" in commented("two")


def test_the_user_of_a_personal_token_is_asked_for_once(server, commented):
    server.user = {"login": "Octo-Cat", "id": 1}
    server.comments.append({"id": 3, "body": "<!-- tokaudit -->\na", "user": {"login": "mallory", "type": "User"}})
    server.comments.append({"id": 4, "body": "<!-- tokaudit -->\nb", "user": {"login": "octo-cat", "type": "User"}})
    assert "comment 4 updated" in commented("new")
    assert [path for _, path, _ in server.asked].count("/api/user") == 1


def test_the_bot_of_another_app_is_told_by_graphql(server, commented):
    server.author = {"login": "our-app[bot]", "id": 9, "type": "Bot"}
    server.viewer = "our-app[bot]"
    graphql = f"{server.url}/graphql"
    commented("one", GITHUB_GRAPHQL_URL=graphql)
    assert "comment 1000 updated" in commented("two", GITHUB_GRAPHQL_URL=graphql)
    server.viewer = None
    assert "comment 1001 created" in commented("three", GITHUB_GRAPHQL_URL=graphql)


def test_the_bot_of_the_jobs_costs_no_question(server, commented):
    commented("one")
    commented("two")
    assert not any("user" in path or "graphql" in path for _, path, _ in server.asked)


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
