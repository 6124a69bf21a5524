"""Start-up: counting a 4 kB prompt for four models as a whole process, beside importing typer and loading tiktoken.

    python benchmarks/startup.py [--rounds 11]

Needs an installation with compiled bytecode (``pip install .`` compiles; an editable one compiles at its first run).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from processes import medians

SAMPLES = Path(__file__).parents[1] / "samples"
TIKTOKEN = """
import sys, tiktoken
path, text, pattern = sys.argv[1:]
from tiktoken.load import load_tiktoken_bpe
ranks = load_tiktoken_bpe(path)
encoding = tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=ranks,
                             special_tokens={})
print(len(encoding.encode_ordinary(open(text, encoding="utf-8").read())))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    arguments = parser.parse_args()
    from tokaudit.tokenizers.bundled import manifest, table_path
    from tokaudit.tokenizers.table import Table, rank_file

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ranks = folder / "o200k_base.tiktoken"
        ranks.write_bytes(rank_file(Table(table_path("o200k_base")).tokens()))
        zh, en = folder / "zh.txt", folder / "en.txt"
        zh.write_bytes((SAMPLES / "support-chat.zh.txt").read_bytes()[:4096].decode("utf-8", "ignore").encode())
        en.write_bytes((SAMPLES / "rag-prompt.en.txt").read_bytes()[:4096])
        count = [sys.executable, "-m", "tokaudit", "count", "--json"]
        found = medians(
            {
                "python -c 'import typer'": [sys.executable, "-c", "import typer"],
                "tokaudit count --json, Chinese, 4 models": [*count, str(zh)],
                "tokaudit count --json, English, 4 models": [*count, str(en)],
                "tiktoken, o200k_base only, Chinese": [
                    sys.executable,
                    "-c",
                    TIKTOKEN,
                    str(ranks),
                    str(zh),
                    manifest()["o200k_base"]["pattern_regex"],
                ],
            },
            arguments.rounds,
        )
    typer = found["python -c 'import typer'"].cpu
    tiktoken = found["tiktoken, o200k_base only, Chinese"].cpu
    for what, usage in found.items():
        ratios = f"{usage.cpu / typer:5.2f} x typer  {usage.cpu / tiktoken:5.2f} x tiktoken"
        print(f"{what:42} {usage.cpu * 1000:6.0f} ms CPU  {ratios}")


if __name__ == "__main__":
    main()
