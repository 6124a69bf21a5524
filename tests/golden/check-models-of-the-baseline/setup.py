import subprocess
import sys

from gated import project

project(config="")
subprocess.run(
    [sys.executable, "-m", "tokaudit", "baseline", "write", "prompts", "-m", "glm-4.5", "--quiet"],
    check=True,
    stdin=subprocess.DEVNULL,
)
