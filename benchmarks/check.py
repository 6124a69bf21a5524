"""The gate of 500 prompts: CPU of whole processes, beside tiktoken in one process and ttok in a loop.

    python benchmarks/check.py [--files 500] [--rounds 5] [--corpus DIR] [--ttok 20]

500 files of 4 kB (a quarter Chinese; every one of its own, cut from real text, with headings) are checked against a
baseline for two models: with an empty cache, with a cache in which nothing changed, and after one file changed. Beside
it one process loads the two vocabularies into tiktoken (``tiktoken.Encoding`` of the same ranks and patterns) and
counts the same files; and ``ttok`` counts some of them, one process a file, as a hook without a tool of its own would.
The commands take turns, and the median of the rounds is shown. Counts are compared first.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from corpus import build
from processes import Usage, run

MODELS = ("o200k_base", "qwen3")
SIZE = 4096
"""Bytes of a prompt, about."""
TIKTOKEN = """
import json, sys, tiktoken, unicodedata
from pathlib import Path
from tiktoken.load import load_tiktoken_bpe
encodings = [
    tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(path), special_tokens={})
    for name, path, pattern in json.loads(sys.argv[2])
]
counts = [0] * len(encodings)
for path in sorted(Path(sys.argv[1]).rglob("*.md")):
    text = unicodedata.normalize("NFC", path.read_text("utf-8"))
    for at, encoding in enumerate(encodings):
        counts[at] += len(encoding.encode_ordinary(text))
print(*counts)
"""


def prompts(folder: Path, corpus: Path, number: int) -> None:
    """Files of Markdown, each of a stretch of text that no other has."""
    found = build(corpus, 6)
    texts = {kind: "".join(path.read_text("utf-8") for path in found[kind]) for kind in ("english", "chinese")}
    at = dict.fromkeys(texts, 0)
    for index in range(number):
        kind = "chinese" if index % 4 == 3 else "english"
        text, parts, size = texts[kind], [f"# Prompt {index}\n"], 0
        while size < SIZE:
            end = text.index("\n", at[kind] + SIZE // (8 if kind == "english" else 24))
            body = " ".join(text[at[kind] : end].split())
            at[kind] = end
            size += len(body.encode())
            parts.append(f"\n## Part {len(parts)}\n\n{body}\n")
        path = folder / f"group-{index % 20:02}" / f"prompt-{index:03}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts), "utf-8", newline="\n")


def rank_files(folder: Path) -> list[tuple[str, str, str]]:
    """Name, rank file and pattern of each vocabulary."""
    from tokaudit.tokenizers.bundled import manifest, table_path
    from tokaudit.tokenizers.table import Table, rank_file

    found = []
    for name in MODELS:
        path = folder / f"{name}.tiktoken"
        path.write_bytes(rank_file(Table(table_path(name)).tokens()))
        pattern = manifest()[name]["pattern_regex"]
        found.append((name, str(path), pattern if isinstance(pattern, str) else pattern[0]))
    return found


def ttok_loop(folder: Path, ranks: list[tuple[str, str, str]], number: int) -> float | None:
    """Seconds of CPU for each file, where ttok is installed; its vocabulary is laid where tiktoken keeps downloads."""
    command = shutil.which("ttok", path=str(Path(sys.executable).parent)) or shutil.which("ttok")
    if command is None:
        return None
    # tiktoken names a downloaded file by a hash of its address, which it tells only by asking for it.
    program = (
        "import hashlib, tiktoken_ext.openai_public as public\n"
        "public.load_tiktoken_bpe = lambda address, expected_hash=None: print("
        "hashlib.sha1(address.encode()).hexdigest()) or {}\n"
        "public.o200k_base()"
    )
    name = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    cache = folder / "downloads"
    cache.mkdir()
    shutil.copyfile(ranks[0][1], cache / name)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache)
    paths = sorted((folder / "prompts").rglob("*.md"))[:number]
    try:
        return sum(run([command, "-m", "gpt-4o", "-i", str(path)]).cpu for path in paths) / len(paths)
    finally:
        del os.environ["TIKTOKEN_CACHE_DIR"]


def median(usages: list[Usage]) -> float:
    return sorted(usage.cpu for usage in usages)[len(usages) // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "tokaudit-corpus")
    parser.add_argument("--ttok", type=int, default=20, help="files that ttok counts; 0 for none")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prompts(folder / "prompts", arguments.corpus, arguments.files)
        ranks = rank_files(folder)
        os.chdir(folder)
        tokaudit = [sys.executable, "-m", "tokaudit"]
        subprocess.run([*tokaudit, "baseline", "write", "prompts", "-m", ",".join(MODELS), "--quiet"], check=True)
        check = [*tokaudit, "check", "-m", ",".join(MODELS)]
        theirs = [sys.executable, "-c", TIKTOKEN, str(folder / "prompts"), json.dumps(ranks)]
        ours = json.loads(subprocess.run([*check, "--json"], capture_output=True, check=True).stdout)
        counts = [sum(file["tokens"][model] for file in ours["files"]) for model in MODELS]
        reference = subprocess.run(theirs, capture_output=True, text=True, check=True).stdout.split()
        if counts != list(map(int, reference)):
            raise SystemExit(f"counts differ: {counts} and {reference}")
        size = sum(path.stat().st_size for path in (folder / "prompts").rglob("*.md"))
        print(f"{arguments.files} files, {size / 1e6:.1f} MB; {', '.join(MODELS)}; {counts} tokens, as tiktoken counts")
        cache, changing = folder / ".tokaudit_cache", sorted((folder / "prompts").rglob("*.md"))[7]
        original = changing.read_text("utf-8")
        found: dict[str, list[Usage]] = {"tiktoken": [], "empty cache": [], "nothing changed": [], "one changed": []}
        for number in range(arguments.rounds):
            found["tiktoken"].append(run(theirs))
            shutil.rmtree(cache, ignore_errors=True)
            found["empty cache"].append(run(check))
            found["nothing changed"].append(run(check))
            changing.write_text(original[: -2 - number] + "\n", "utf-8", newline="\n")
            found["one changed"].append(run(check))
            changing.write_text(original, "utf-8", newline="\n")
        least = median(found["tiktoken"])
        for what, usages in found.items():
            ratios = sorted(usage.cpu / least for usage in usages)
            print(f"{what:16} {median(usages) / least:5.2f} of tiktoken's CPU ({ratios[0]:.2f} to {ratios[-1]:.2f})")
        each = ttok_loop(folder, ranks, arguments.ttok) if arguments.ttok else None
        if each is None:
            print("ttok             not installed")
        else:
            loop = each * arguments.files / least
            print(
                f"ttok in a loop   {loop:5.1f} ({arguments.ttok} files counted, one model, scaled to {arguments.files})"
            )


if __name__ == "__main__":
    main()
