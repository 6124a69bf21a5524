"""Time against size, from 100 bytes to 100 MB, for one model and for four: whole processes.

    python benchmarks/curve.py [--most 100000000] [--rounds 3]

The curve must have no step: each size is ten times the one before, half-decades
between, and the last column says how many times the CPU of the size before it takes (beyond the start-up, a tenfold
text may take about tenfold, never much more).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from corpus import DEFAULT, build, text_of
from processes import medians

SIZES = (100, 1_000, 10_000, 31_600, 100_000, 316_000, 1_000_000, 3_160_000, 10_000_000, 31_600_000, 100_000_000)
"""Bytes; a kind that has less text than that ends with the size before."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", type=Path, default=DEFAULT)
    parser.add_argument("--kinds", default="english,chinese")
    arguments = parser.parse_args()
    files = build(arguments.corpus, 100, tuple(arguments.kinds.split(",")))
    with tempfile.TemporaryDirectory() as name:
        for kind in arguments.kinds.split(","):
            before = {1: 0.0, 4: 0.0}
            for size in (size for size in SIZES if size <= arguments.most):
                if size > sum(path.stat().st_size for path in files[kind]):
                    break
                text = (
                    text_of(files[kind], size) or files[kind][0].read_bytes()[:size].decode("utf-8", "ignore").encode()
                )
                path = Path(name) / f"{kind}.txt"
                path.write_bytes(text)
                count = [sys.executable, "-m", "tokaudit", "count", "--json", str(path)]
                found = medians({"1": [*count, "-m", "gpt-4o"], "4": count}, arguments.rounds if size < 1e7 else 1)
                for models in (1, 4):
                    usage = found[str(models)]
                    grown = f"{usage.cpu / before[models]:5.1f} x" if before[models] else ""
                    figures = f"{usage.cpu:8.3f} s CPU  {usage.wall:8.3f} s  {grown}"
                    print(f"{kind:8} {size:>11,} bytes  {models} models  {figures}", flush=True)
                    before[models] = usage.cpu


if __name__ == "__main__":
    main()
