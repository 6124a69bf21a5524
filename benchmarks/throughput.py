"""Throughput of counting a corpus for four tokenizers, beside tiktoken on the same texts, vocabularies and cores.

    python benchmarks/throughput.py [--mb 25] [--corpus DIR] [--by segment] [--kinds english,chinese,code,json]

Each kind of text (and equal parts of all four) is counted by tokaudit through its command-line API, segments
attributed, with all cores; then by tiktoken's ``encode_ordinary_batch`` over the same files with the same vocabularies
(``tiktoken.Encoding`` made of the same ranks and patterns), one thread a core. The files are read and decoded within
both times. The vocabularies' loading is timed by itself and said, and is not within either time. Counts of both are
compared first: a faster wrong answer is none. (For DeepSeek and Qwen tiktoken merges by rank, which differs on rare
texts; the compared counts may then differ by a few, and the difference is printed.)
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from corpus import KINDS, build

MODELS = ("o200k_base", "qwen3", "deepseek-v3", "glm-4.5")


def tiktoken_encodings():
    import tiktoken

    from tokaudit.tokenizers.bundled import manifest, table_path
    from tokaudit.tokenizers.table import Table

    # DeepSeek's pattern is three in a row, which tiktoken cannot have: it gets the nearest single one.
    single = (
        r"\p{N}{1,3}|[一-龥぀-ゟ゠-ヿ]+|[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+|."
    )
    encodings = []
    for name in MODELS:
        entry = manifest()[name]
        patterns = entry["pattern_regex"]
        pattern = patterns if isinstance(patterns, str) else patterns[0] if len(patterns) == 1 else single
        ranks = {token: rank for rank, token in enumerate(Table(table_path(name)).tokens()) if token}
        encodings.append(tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}))
    return encodings


def theirs(files: list[Path], encodings) -> tuple[float, list[int]]:
    import unicodedata

    began = time.perf_counter()
    texts = [path.read_text("utf-8") for path in files]
    counts = []
    for name, encoding in zip(MODELS, encodings, strict=True):
        batch = [unicodedata.normalize("NFC", text) for text in texts] if name.startswith("qwen") else texts
        found = encoding.encode_ordinary_batch(batch, num_threads=os.cpu_count() or 1)
        counts.append(sum(map(len, found)))
    return time.perf_counter() - began, counts


def ours(files: list[Path], tokenizers, by: str) -> tuple[float, list[int]]:
    from tokaudit.api.count import wanted_of
    from tokaudit.jobs.count import count_sources
    from tokaudit.jobs.units import Task
    from tokaudit.sources import SourceFile

    task = Task(MODELS, wanted_of(by, 20, "tokens", 0.8), None, None, special=False, download=False)
    sources = [SourceFile(str(path), str(path), path.stat().st_size) for path in files]
    began = time.perf_counter()
    counts = [0] * len(MODELS)
    for result in count_sources(sources, tokenizers, task, jobs=0):
        counts = [total + tokens for total, tokens in zip(counts, result.tokens, strict=True)]
    return time.perf_counter() - began, counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=25, help="megabytes of each kind")
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "tokaudit-corpus")
    parser.add_argument("--by", default="segment")
    parser.add_argument("--kinds", default=",".join([*KINDS, "all"]))
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    arguments.corpus.mkdir(parents=True, exist_ok=True)
    files = build(arguments.corpus, arguments.mb)
    quarter = [path for kind in KINDS for path in files[kind][: max(1, len(files[kind]) // 4)]]

    from tokaudit import load_tokenizer

    began = time.perf_counter()
    tokenizers = [load_tokenizer(name) for name in MODELS]
    print(f"loading: tokaudit {time.perf_counter() - began:.2f} s", end="")
    began = time.perf_counter()
    encodings = tiktoken_encodings()
    print(f", tiktoken {time.perf_counter() - began:.2f} s")
    print(f"{os.cpu_count()} cores; --by {arguments.by}; {', '.join(MODELS)}")
    print(f"{'text':8} {'MB':>6} {'tokaudit MB/s':>14} {'tiktoken MB/s':>14} {'ratio':>6}  tokens")
    for kind in arguments.kinds.split(","):
        chosen = quarter if kind == "all" else files[kind]
        tokenizers = [load_tokenizer(name) for name in MODELS]  # with caches that are empty, as a run of its own has
        size = sum(path.stat().st_size for path in chosen) / 1e6
        mine, counts = min(ours(chosen, tokenizers, arguments.by) for _ in range(arguments.rounds))
        other, expected = min(theirs(chosen, encodings) for _ in range(arguments.rounds))
        same = (
            "equal"
            if counts == expected
            else "differ by "
            + ", ".join(
                f"{name} {one - two:+}" for name, one, two in zip(MODELS, counts, expected, strict=True) if one != two
            )
        )
        print(f"{kind:8} {size:6.1f} {size / mine:14.1f} {size / other:14.2f} {other / mine:6.2f}  {same}", flush=True)


if __name__ == "__main__":
    main()
