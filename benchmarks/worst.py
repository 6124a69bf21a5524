"""Worst cases: a million of one character. Twice the input may take at most 2.5 times as long.

    python benchmarks/worst.py [--models o200k_base,qwen3,...]

Each case is encoded by the bulk path (vocabulary loaded, cold caches: a new tokenizer each time) and, at a tenth of
the size, by the small one; seconds of CPU, and the ratio of twice the input to once.
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


def seconds(encode, text: str) -> float:
    began = time.process_time()
    encode(text)
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--models", default="o200k_base,cl100k_base,qwen3,deepseek-v3,glm-4.5,kimi-k2,tekken,mistral-v1"
    )
    parser.add_argument("--size", type=int, default=1_000_000)
    arguments = parser.parse_args()
    from tokaudit import load_tokenizer

    worst = 0.0
    for model in arguments.models.split(","):
        for name, unit in CASES.items():
            times = []
            for size in (arguments.size, 2 * arguments.size):
                tokenizer = load_tokenizer(model)
                tokenizer.expect(1 << 40)
                text = unit * (size // len(unit))
                times.append(seconds(tokenizer.encoding, text))
            small = []
            if hasattr(tokenizer, "expect_small"):
                for size in (arguments.size // 10, arguments.size // 5):
                    text = unit * (size // len(unit))
                    small.append(seconds(load_tokenizer(model).small, text))
            ratio = times[1] / times[0]
            worst = max(worst, ratio if times[1] > 0.05 else 0)
            shown = f"  small, a tenth: {small[0]:.2f} s, {small[1] / small[0]:.2f} x" if small and small[0] else ""
            print(f"{model:12} {name:20} {times[0]:6.3f} s  twice: {ratio:5.2f} x{shown}", flush=True)
    print(f"the worst growth (of cases over 50 ms): {worst:.2f} x")


if __name__ == "__main__":
    main()
