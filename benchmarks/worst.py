"""Worst cases: a million of one character. Twice the input may take at most 2.5 times as long.

    python benchmarks/worst.py [--models o200k_base,qwen3,...]

Each case is encoded by the bulk path (vocabulary loaded) and, at a tenth of the size, by the small one; seconds of
CPU, the least of three, and the ratio of twice the input to once.
"""

from __future__ import annotations

import argparse
import time

CASES = {
    "a letter": "a",
    "spaces": " ",
    "newlines": "\n",
    "carriage returns": "\r",
    "tabs": "\t",
    "dashes": "-",
    "carets": "^",
    "的": "的",
    "U+3000": "\u3000",
    "emoji with joiners": "👩\u200d👩\u200d👧",
    "combining marks": "\u0301",
    "NUL": "\0",
}


def fastest(encode, unit: str, size: int, rounds: int = 3) -> float:
    """Seconds of CPU, the least of some rounds; each text is a little longer, so that no cache has it."""
    times = []
    for extra in range(rounds):
        text = unit * (size // len(unit) + extra)
        began = time.process_time()
        encode(text)
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--models", default="o200k_base,cl100k_base,qwen3,deepseek-v3,glm-4.5,kimi-k2,tekken,mistral-v1"
    )
    parser.add_argument("--size", type=int, default=1_000_000)
    arguments = parser.parse_args()
    from tokaudit import load_tokenizer
    from tokaudit.tokenizers.bundled import manifest, table_path
    from tokaudit.tokenizers.small import SmallEngine
    from tokaudit.tokenizers.table import Table

    worst = {"bulk": 0.0, "small": 0.0}
    for model in arguments.models.split(","):
        tokenizer = load_tokenizer(model)
        tokenizer.expect(1 << 40)
        paths = {"bulk": (tokenizer.encoding, arguments.size)}
        if manifest()[model]["format"] != "sentencepiece":
            small = SmallEngine(Table(table_path(model)), manifest()[model]["pattern"])
            paths["small"] = (lambda text, small=small: small.encode(small.cut(text)), arguments.size // 10)
        for name, unit in CASES.items():
            shown = []
            for path, (encode, size) in paths.items():
                once, twice = fastest(encode, unit, size), fastest(encode, unit, 2 * size)
                if twice > 0.05:
                    worst[path] = max(worst[path], twice / once)
                shown.append(f"{path} {size:>9,}: {once:6.3f} s, twice {twice / once:5.2f} x")
            print(f"{model:12} {name:20} {'   '.join(shown)}", flush=True)
    print("the worst growth of cases over 50 ms:", ", ".join(f"{path} {ratio:.2f} x" for path, ratio in worst.items()))


if __name__ == "__main__":
    main()
