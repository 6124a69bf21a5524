"""For ``setup.py`` of scenarios: files, and a git repository that no configuration of this machine touches."""

import os
import subprocess
from pathlib import Path

_ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
_ENVIRONMENT |= {
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


def write(path, text):
    """A file with its folders; line ends as they are in the text."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())


def git(*arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false"]
    command = ["git", *identity, "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", *arguments]
    subprocess.run(command, env=_ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def commit(message="one"):
    """A commit of all that is there."""
    if not Path(".git").exists():
        git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", message)
