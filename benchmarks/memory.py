"""Memory: a 2 GB file, counted in pieces, must stay under 500 MB.

python benchmarks/memory.py [--gb 2] [--models 4]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from corpus import build


def resident(pid: int) -> int:
    """Bytes resident in a process and its children, shared pages counted once where Linux says (PSS)."""
    total = 0
    for process in [pid, *children(pid)]:
        try:
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue
    return total


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            direct = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        found += direct
        for child in direct:
            found += children(child)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gb", type=float, default=2)
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "tokaudit-corpus")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--models", default="gpt-4o,qwen3,deepseek-v3,glm-4.5")
    arguments = parser.parse_args()
    arguments.corpus.mkdir(parents=True, exist_ok=True)
    files = build(arguments.corpus, 25)
    import subprocess

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "large.txt"
        with path.open("wb") as file:
            while file.tell() < arguments.gb * 1e9:
                for kind in ("english", "chinese"):
                    for part in files[kind]:
                        file.write(part.read_bytes())
        command = [sys.executable, "-m", "tokaudit", "count", "--json", str(path), "-m", arguments.models]
        began = time.perf_counter()
        process = subprocess.Popen([*command, "--jobs", str(arguments.jobs)], stdout=subprocess.DEVNULL)
        peak = 0

        def watch() -> None:
            nonlocal peak
            while process.poll() is None:
                peak = max(peak, resident(process.pid))
                time.sleep(0.2)

        thread = threading.Thread(target=watch)
        thread.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        thread.join()
        print(f"{path.stat().st_size / 1e9:.2f} GB, {arguments.models}, exit {process.returncode}")
        print(f"all processes at most {peak / 1e6:.0f} MB (PSS), the largest {usage.ru_maxrss / 1024:.0f} MB (RSS)")
        print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
