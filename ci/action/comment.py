"""Write a report as a comment on a pull request, over the one of the run before.

Standard library only. The REST API is GitHub's, which Gitea and Forgejo have too. Whatever goes wrong is said in the
log and ends with 0: a comment is no gate, and a pull request from a fork has no right to one.

Only a comment that the token's own user wrote, or the bot of the jobs, is written over: anybody can begin one with our
hidden line.

Variables: IN_TOKEN, IN_REPORT (path of the Markdown), IN_PULL_REQUEST (number), IN_COMMENT_NAME (tells several comments
of one pull request apart), GITHUB_API_URL, GITHUB_GRAPHQL_URL, GITHUB_REPOSITORY.
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

MOST = 60_000
"""Characters of a comment; GitHub refuses more than 65,536."""
ACTIONS = "github-actions[bot]"
"""Who writes with the token of a job on GitHub; no account can have brackets in its name."""
EXTERNAL = {"gitea-actions", "forgejo-actions"}
"""The same on Gitea and Forgejo, where it is no account: its number is below 0."""
PAGES = 30
"""Most pages of 100 comments that are looked through."""
TRIES = 3
_NO_RIGHT = {401, 403, 404}
"""What the API answers where the token may not do it; 404 also for what the token may not see."""


def marker(name: str) -> str:
    """The hidden line by which the comment is found again."""
    name = re.sub(r"[^\w./ ]", "_", name).strip()
    return f"<!-- tokaudit: {name} -->" if name else "<!-- tokaudit -->"


def body_of(report: str, mark: str) -> str:
    """The comment's text; of a long report its beginning, cut at a line's end."""
    text = report.strip()
    if len(text) > MOST:
        text = text[: text.rfind("\n", 0, MOST)] + "\n\nCut here: the whole report is in the summary of the run."
    return f"{mark}\n{text}\n"


class Api:
    """The comments of one pull request."""

    def __init__(self, url: str, repository: str, number: str, token: str, graphql: str = "") -> None:
        self._url = url.rstrip("/")
        self._graphql = graphql
        self._comments = f"{self._url}/repos/{repository}/issues"
        self._number = number
        self._token = token
        self._login: str | None = None

    def _asked(self, method: str, url: str, data: Mapping[str, Any] | None = None) -> tuple[Any, Mapping[str, str]]:
        """The answer and its headers; an overloaded server is asked again."""
        request = urllib.request.Request(  # noqa: S310 - the server is the runner's own
            url, method=method, data=None if data is None else json.dumps(data).encode()
        )
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("Content-Type", "application/json")
        request.add_header("User-Agent", "tokaudit")
        # Not sent on where an answer leads to another host.
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        for attempt in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                    return json.loads(answer.read() or b"null"), answer.headers
            except urllib.error.HTTPError as error:
                if error.code < 500 or attempt == TRIES:
                    raise
            except urllib.error.URLError:
                # A comment that was written though no answer came would be written twice.
                if method == "POST" or attempt == TRIES:
                    raise
            time.sleep(float(os.environ.get("IN_PAUSE", "2")) * attempt)
        raise AssertionError

    def comments(self) -> Iterator[Mapping[str, Any]]:
        """All comments, oldest first."""
        url = f"{self._comments}/{self._number}/comments?per_page=100"
        for _ in range(PAGES):
            found, headers = self._asked("GET", url)
            yield from found
            following = re.search(r'<([^>]+)>;\s*rel="next"', headers.get("Link") or "")
            if following is None or not following[1].startswith(self._comments.partition("/repos/")[0]):
                return
            url = following[1]

    def login(self) -> str:
        """Whose the token is; empty where that is not told. Asked once."""
        if self._login is None:
            self._login = self._asked_login()
        return self._login

    def _asked_login(self) -> str:
        try:
            user, _ = self._asked("GET", f"{self._url}/user")
            return str(user.get("login") or "")
        except urllib.error.HTTPError as error:  # the token of an app has no user
            if error.code not in _NO_RIGHT or not self._graphql:
                return ""
        try:
            answer, _ = self._asked("POST", self._graphql, {"query": "query { viewer { login } }"})
            return str(answer["data"]["viewer"]["login"])
        except (OSError, ValueError, LookupError, TypeError):
            return ""

    def is_ours(self, comment: Mapping[str, Any]) -> bool:
        """Whether the bot of the jobs wrote a comment, or the user of the token."""
        user = comment.get("user") or {}
        login, number = str(user.get("login") or ""), user.get("id")
        if login == ACTIONS and user.get("type") == "Bot":
            return True
        if login in EXTERNAL and isinstance(number, int) and number < 0:
            return True
        return bool(login) and login.lower() == self.login().lower()

    def write(self, body: str, mark: str) -> str:
        """Write the comment over the one of the run before, or else anew; says what was done."""
        for comment in self.comments():
            if not str(comment.get("body") or "").startswith(mark):  # somebody's quotation of it does not begin so
                continue
            if not self.is_ours(comment):
                continue
            if str(comment["body"]).strip() == body.strip():
                return f"comment {comment['id']} stands as it is"
            try:
                self._asked("PATCH", f"{self._comments}/comments/{comment['id']}", {"body": body})
            except urllib.error.HTTPError as error:
                if error.code not in _NO_RIGHT:
                    raise
                continue  # of another job, whose token could do more
            return f"comment {comment['id']} updated"
        created, _ = self._asked("POST", f"{self._comments}/{self._number}/comments", {"body": body})
        return f"comment {created['id']} created"


def main() -> None:
    """Write the comment that the variables ask for."""
    environ = os.environ
    number = environ.get("IN_PULL_REQUEST", "").strip()
    if not number.isdecimal():
        _say("this is no pull request: no comment")
        return
    if not environ.get("IN_TOKEN"):
        _say("there is no token: no comment", "notice")
        return
    mark = marker(environ.get("IN_COMMENT_NAME", ""))
    try:
        body = body_of(Path(environ["IN_REPORT"]).read_text(encoding="utf-8"), mark)
        url = environ.get("GITHUB_API_URL") or "https://api.github.com"
        graphql = environ.get("GITHUB_GRAPHQL_URL", "")
        _say(Api(url, environ["GITHUB_REPOSITORY"], number, environ["IN_TOKEN"], graphql).write(body, mark))
    except urllib.error.HTTPError as error:
        if error.code in _NO_RIGHT:
            _say(
                f"no comment: the token may not write to this pull request ({error.code}). A fork's never may; else the"
                " job needs `permissions: pull-requests: write`. The report is in the summary of the run.",
                "notice",
            )
        else:
            _say(f"no comment: the server answered {error.code}", "warning")
    except (OSError, ValueError, KeyError, TypeError) as error:
        _say(f"no comment: {type(error).__name__}: {error}", "warning")


def _say(message: str, level: str = "") -> None:
    """One line in the log, or an annotation."""
    line = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A") if level else message
    sys.stdout.write(f"::{level} title=tokaudit::{line}\n" if level else f"tokaudit: {line}\n")


if __name__ == "__main__":
    main()
