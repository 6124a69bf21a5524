"""Git repositories made for tests, with nothing of the user's configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def environment(**extra: str) -> dict[str, str]:
    """An environment in which git and tokaudit find nothing of the user's, and pull requests need no network."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return (
        kept
        | {
            "LC_ALL": "C.UTF-8",
            "HOME": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.com",
            "GIT_TERMINAL_PROMPT": "0",
        }
        | extra
    )


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder; what it prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout.strip()


def commit(folder: Path, files: dict[str, str], message: str = "change") -> str:
    """Write files and commit them; the commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def new_repository(folder: Path, files: dict[str, str]) -> Path:
    """A repository with one commit on main."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")  # as GitHub has it
    git(folder, "config", "receive.denyCurrentBranch", "ignore")
    commit(folder, files, "first")
    return folder
