"""What is ignored in the folder docs, what leads out of it, and what is no file."""

import os
from pathlib import Path

Path("docs/.gitignore").write_text("build/\n*.tmp\n")
Path("docs/build").mkdir()
Path("docs/build/made.txt").write_text("ignored\n")
Path("docs/x.tmp").write_text("ignored\n")
Path("docs/loop").symlink_to("..")
Path("docs/link.txt").symlink_to("a.txt")
os.mkfifo("docs/pipe")
