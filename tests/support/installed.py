"""The installed command, for tests that run it as a process of its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def command() -> list[str]:
    """The command of this interpreter."""
    found = shutil.which("tokaudit", path=str(Path(sys.executable).parent))
    return [found] if found else [sys.executable, "-m", "tokaudit"]


def environment(**extra: str) -> dict[str, str]:
    """An environment in which nothing is set that tokaudit looks at."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "HOME") if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8"} | extra
