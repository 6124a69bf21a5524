"""Two commits, and changes after them in the working tree."""

from pathlib import Path

from repository import git, write

write("提示/a.md", "# 退款\n\n请在三个工作日内回复。\n")
write("提示/old.txt", "old\n")
write("same.txt", "same\n")
git("init", "-q")
git("add", "提示", "same.txt")
git("commit", "-qm", "one")
git("tag", "v1")
write("提示/a.md", "# 退款\n\n请在3个工作日内回复。\n")
git("commit", "-qam", "two")
Path("提示/old.txt").unlink()
write("提示/new.txt", "brand new\n")
