import os
import subprocess
from pathlib import Path

environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
environment |= {"HOME": str(Path.cwd()), "GIT_CONFIG_NOSYSTEM": "1"}


def git(*arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false"]
    subprocess.run(["git", *identity, *arguments], env=environment, check=True)


Path("提示").mkdir()
Path("提示/a.md").write_text("# 退款\n\n请在三个工作日内回复。\n", encoding="utf-8")
Path("提示/old.txt").write_text("old\n")
Path("same.txt").write_text("same\n")
git("init", "-q")
git("add", "提示", "same.txt")
git("commit", "-qm", "one")
git("tag", "v1")
Path("提示/a.md").write_text("# 退款\n\n请在3个工作日内回复。\n", encoding="utf-8")
git("commit", "-qam", "two")
Path("提示/old.txt").unlink()
Path("提示/new.txt").write_text("brand new\n")
