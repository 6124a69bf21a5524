"""Counting for four tokenizers beside tiktoken and gigatoken: the same texts, vocabularies and cores, in one run.

    python benchmarks/throughput.py whole|corpus|core [--rounds 5] [--mb 100] [--kinds chinese,...] [--corpus DIR]

- ``whole``: files of 100 kB, 1 MB and 10 MB, whole processes with all that they load, each on one core:
  ``tokaudit count --json --jobs 1`` and a process that loads the four rank files into ``tiktoken.Encoding`` and calls
  ``encode_ordinary`` (``rivals.py``). Peak memory is of the whole process, too.
- ``corpus``: ``--mb`` megabytes of each kind in files of about 1 MB, whole processes on all cores, loading included:
  ``tokaudit count --by segment`` (parts attributed, which the others do not do), tiktoken and gigatoken with a process
  a core, each with its share of the files.
- ``core``: one vocabulary (o200k_base) on one core within a process, after a pass over the same 10 MB: megabytes a
  second, of CPU.

Figures are medians of rounds in which the commands take turns. All counts are compared: the line says whose differ.
(tiktoken's for deepseek-v3 do on some texts: see ``rivals.DEEPSEEK``.)
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from corpus import DEFAULT, KINDS, build, text_of
from processes import medians, output
from rivals import MODELS, write_vocabularies

SIZES = (100_000, 1_000_000, 10_000_000)
RIVALS = Path(__file__).with_name("rivals.py")
SUFFIXES = {"chinese": "txt", "english": "txt", "code": "py", "json": "jsonl"}


def counts_of(command: list[str]) -> list[int]:
    """The tokens for each model that a command of any of them says."""
    said = json.loads(output(command))
    return [said["totals"]["counts"][name]["tokens"] if "totals" in said else said[name] for name in MODELS]


def compare(commands: dict[str, list[str]], rounds: int, title: str) -> None:
    """Print one line: ours, how many times as long the others take, and whose counts differ."""
    counts = {
        name: counts_of(command) for name, command in commands.items()
    }  # which reads the files for the first time
    found = medians(commands, rounds, unmeasured=0)
    ours = found["tokaudit"]
    figures = [f"{ours.wall:6.2f} s wall {ours.cpu:6.2f} CPU {ours.memory:5.0f} MB"]
    for name, usage in found.items():
        if name != "tokaudit":
            wrong = [model for model, a, b in zip(MODELS, counts["tokaudit"], counts[name], strict=True) if a != b]
            differ = f" ({', '.join(wrong)} differ)" if wrong else ""
            figures.append(f"{name} {usage.wall / ours.wall:5.2f} wall {usage.cpu / ours.cpu:5.2f} CPU{differ}")
    print(f"{title:20} {'   '.join(figures)}", flush=True)


def whole(files: dict[str, list[Path]], folder: Path, rounds: int) -> None:
    for kind, paths in files.items():
        for size in SIZES:
            text = text_of(paths, size)
            path = folder / f"{kind}.{SUFFIXES[kind]}"
            path.write_bytes(text)
            commands = {
                "tokaudit": [
                    sys.executable,
                    "-m",
                    "tokaudit",
                    "count",
                    "--json",
                    "--jobs",
                    "1",
                    "-m",
                    ",".join(MODELS),
                ],
                "tiktoken": [sys.executable, str(RIVALS), str(folder), "tiktoken"],
            }
            commands = {name: [*command, str(path)] for name, command in commands.items()}
            compare(commands, rounds, f"{kind} {size / 1e6:g} MB")


def corpus(files: dict[str, list[Path]], folder: Path, rounds: int, by: str) -> None:
    processes = str(os.cpu_count() or 1)
    for kind, paths in files.items():
        commands = {
            "tokaudit": [
                sys.executable,
                "-m",
                "tokaudit",
                "count",
                "--json",
                "--by",
                by,
                "--top",
                "20",
                "-m",
                ",".join(MODELS),
            ]
        }
        for name in ("tiktoken", "gigatoken"):
            commands[name] = [sys.executable, str(RIVALS), str(folder), name, "-p", processes]
        commands = {name: [*command, str(paths[0].parent)] for name, command in commands.items()}
        size = sum(path.stat().st_size for path in paths) / 1e6
        compare(commands, rounds, f"{kind} {size:.0f} MB")


def core(files: dict[str, list[Path]], rounds: int) -> None:
    from tokaudit import load_tokenizer

    for kind, paths in files.items():
        text = text_of(paths, 10_000_000).decode()
        tokenizer = load_tokenizer("o200k_base")
        seconds = []
        for _ in range(rounds + 1):
            began = time.process_time()
            tokenizer.count(text)
            seconds.append(time.process_time() - began)
        size = len(text.encode()) / 1e6
        print(
            f"{kind:10} {size / statistics.median(seconds[1:]):6.1f} MB/s (first {size / seconds[0]:.1f})", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("whole", "corpus", "core"))
    parser.add_argument("--mb", type=int, default=100, help="megabytes of each kind")
    parser.add_argument("--corpus", type=Path, default=DEFAULT)
    parser.add_argument("--by", default="segment")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    files = build(arguments.corpus, arguments.mb, tuple(arguments.kinds.split(",")))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.what == "core":
            core(files, arguments.rounds)
            return
        write_vocabularies(folder)
        if arguments.what == "whole":
            whole(files, folder, arguments.rounds)
        else:
            corpus(files, folder, arguments.rounds, arguments.by)


if __name__ == "__main__":
    main()
