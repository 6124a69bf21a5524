"""Slimming beside two other slimmers, on one core: CPU for the same text, without start-up.

    python benchmarks/slim.py [--mb 10] [--kinds markdown,chinese] [--rivals DIR]

tokaudit with the packs that it chooses by itself, one guard model, ledger included; promptslim's ``strip_text`` (no
counting, no checks) and the rules of prompt-tokensaver (without its counting). They are no dependencies of ours:
install them into a virtual environment of their own and name its Python with ``--rivals``; without it only tokaudit is
measured. prompt-tokensaver compares paragraphs pairwise, so it gets a smaller text (``--pairwise-kb``), and its speed
there is an upper bound of its speed on the whole.

With ``--growth`` tokaudit alone is measured on texts of about 1 MB and more, each twice the one before: the beginning
of the next one, whose documents are in a random order, so that all are of one make. A step above 2.5 may be another
process's doing and is taken again, at most three times, all of which are shown.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

from corpus import build

LIMIT = 2.5
AGAIN = 3

OURS = """
import json, sys, time
from pathlib import Path
from tokaudit import load_tokenizer
from tokaudit.features.slim.types import Choice
from tokaudit.jobs.slim_plan import SlimPlan
text = Path(sys.argv[1]).read_text(encoding="utf-8")
tokenizer = load_tokenizer("o200k_base")
plan = SlimPlan(None, Choice())
plan.slimmed(plan.text("warm.md", "warm  up", sys.argv[2]), [tokenizer])
began = time.process_time()
result = plan.slimmed(plan.text("text", text, sys.argv[2]), [tokenizer]).result
seconds = time.process_time() - began
print(json.dumps({"seconds": seconds, "saved": 1 - result.tokens_after[0] / result.tokens_before[0]}))
"""
PROMPTSLIM = """
import json, sys, time
from pathlib import Path
from promptslim import strip_text
text = Path(sys.argv[1]).read_text(encoding="utf-8")
strip_text("warm  up")
began = time.process_time()
strip_text(text)
print(json.dumps({"seconds": time.process_time() - began}))
"""
TOKENSAVER = """
import json, sys, time
from pathlib import Path
from tokensaver.optimizer import RULES
text = Path(sys.argv[1]).read_text(encoding="utf-8")
began = time.process_time()
for rule in RULES:
    rule.find(text)
print(json.dumps({"seconds": time.process_time() - began}))
"""


def texts(folder: Path, megabytes: int) -> dict[str, tuple[list[str], str]]:
    """Each kind's documents, at least so many bytes of them in a random order, and the kind of document they are."""
    found = sorted(distributions(), key=lambda item: item.metadata["Name"].lower())
    readmes = [
        item.metadata.get_payload()
        for item in found
        if item.metadata.get_content_type() == "text/markdown" or item.metadata.get_payload()
    ]
    chinese = [path.read_text("utf-8") for path in build(folder, 25)["chinese"]]
    # A file of the corpus has hundreds of kilobytes, which are paragraphs of one book.
    chinese = [part + "\n" for text in chinese for part in re.findall(r"(?s).{1,20000}(?:\n|\Z)", text)]
    return {"markdown": (drawn(readmes, megabytes), "markdown"), "chinese": (drawn(chinese, megabytes), "text")}


def drawn(documents: list[str], megabytes: int) -> list[str]:
    """The documents in a random order, all of them as often as it takes."""
    chance = random.Random(1)
    result: list[str] = []
    left = megabytes * 1_000_000
    while left > 0:
        some = chance.sample(documents, len(documents))
        result += some
        left -= sum(len(document.encode()) for document in some)
    return result


def first(documents: list[str], size: int) -> str:
    """The first documents of at least ``size`` bytes together."""
    result = []
    for document in documents:
        if size <= 0:
            break
        result.append(document)
        size -= len(document.encode())
    return "".join(result)


def measured(python: str, code: str, *arguments: str) -> dict[str, float]:
    done = subprocess.run([python, "-c", code, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{python}: {done.stderr.strip().rpartition(chr(10))[2]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=10)
    parser.add_argument("--kinds", default="markdown,chinese")
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "tokaudit-corpus")
    parser.add_argument("--rivals", help="a Python that has promptslim and prompt-tokensaver")
    parser.add_argument("--pairwise-kb", type=int, default=200, help="text for prompt-tokensaver")
    parser.add_argument("--growth", type=int, default=0, help="megabytes up to which tokaudit's growth is measured")
    arguments = parser.parse_args()
    arguments.corpus.mkdir(parents=True, exist_ok=True)
    chosen = texts(arguments.corpus, max(arguments.mb, arguments.growth))
    with tempfile.TemporaryDirectory() as name:
        for kind in arguments.kinds.split(","):
            documents, document = chosen[kind]
            path = Path(name) / f"{kind}.txt"
            if arguments.growth:
                growth(path, documents, document, arguments.growth)
                continue
            text = first(documents, arguments.mb * 1_000_000)
            path.write_text(text, encoding="utf-8")
            size = path.stat().st_size / 1e6
            ours = measured(sys.executable, OURS, str(path), document)
            print(f"{kind:9} {size:5.1f} MB  tokaudit {size / ours['seconds']:6.2f} MB/s, saves {ours['saved']:.2%}")
            if not arguments.rivals:
                continue
            other = measured(arguments.rivals, PROMPTSLIM, str(path))
            ratio = other["seconds"] / ours["seconds"]
            print(f"{'':18}  promptslim {size / other['seconds']:6.2f} MB/s: ours {ratio:.2f} times as fast")
            small = path.with_suffix(".small")
            small.write_text(text[: arguments.pairwise_kb * 1000], encoding="utf-8")
            size = small.stat().st_size / 1e6
            other = measured(arguments.rivals, TOKENSAVER, str(small))
            print(f"{'':18}  prompt-tokensaver, {size:.1f} MB only: {size / other['seconds']:6.2f} MB/s")


def growth(path: Path, documents: list[str], document: str, most: int) -> None:
    """Seconds for a text, for twice that, and so on, and how many times those of the one before each takes."""
    sizes = [1 << power for power in range(most.bit_length())]
    before = 0.0
    for size in sizes if sizes[-1] == most else [*sizes, most]:
        path.write_text(first(documents, size * 1_000_000), encoding="utf-8")
        seconds = measured(sys.executable, OURS, str(path), document)["seconds"]
        ratios = [seconds / before] if before else []
        while ratios and min(ratios) > LIMIT and len(ratios) <= AGAIN:
            seconds = min(seconds, measured(sys.executable, OURS, str(path), document)["seconds"])
            ratios.append(seconds / before)
        shown = f"{document:9} {path.stat().st_size / 1e6:5.1f} MB {seconds:7.2f} s"
        print(shown + (f"  {' '.join(f'{ratio:.2f}' for ratio in ratios)} times" if ratios else ""), flush=True)
        before = seconds


if __name__ == "__main__":
    main()
