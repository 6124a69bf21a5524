"""Worst cases: a million characters in one piece. Twice the input may take at most 2.2 times as long.

    python benchmarks/worst.py [--models o200k_base,qwen3,...] [--rounds 5]

Each case is encoded by the default engine and, at a tenth of the size, by the fallback's Python: seconds of
CPU, the least of five rounds in which once and twice the input take turns, and the ratio of the two. A ratio above 2.2
may be another process's doing and is taken again, at most three times, all of which are shown; what grows with the
square of its size never comes under it. The last line has the verdict; the exit code is 1 where a case does not hold.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time

LIMIT = 2.2
AGAIN = 3
"""Times that a ratio above the limit is taken again."""
LEAST = 0.010
"""Seconds that twice the input must take for its ratio to count: less is the clock and not the text."""
CASES = {
    "a letter": "a",
    "spaces": " ",
    "newlines": "\n",
    "carriage returns": "\r",
    "line ends": "\r\n",
    "tabs": "\t",
    "dashes": "-",
    "carets": "^",
    "digits": "0",
    "的": "的",
    "U+3000": "\u3000",
    "emoji with joiners": "👩\u200d👩\u200d👧",
    "combining marks": "\u0301",
    "NUL": "\0",
    "unassigned": "\U000e0080",
}
AT_RANDOM = ("letters at random", "ideographs at random")
"""Cases without any repetition that could be made use of."""
A_QUARTER = {(case, "python") for case in AT_RANDOM}
"""Cases that are tried at a quarter of the size: Python does all of the work."""


def text_of(case: str, size: int, number: int) -> str:
    """A text of a case; each is a little longer than the one before it, or another, so that no cache has it."""
    if case in AT_RANDOM:
        chance = random.Random(f"{case} {size} {number}")
        low = chance.randbytes(size)
        if case == "letters at random":
            return low.translate(b"acgt" * 64).decode("ascii")
        both = bytearray(2 * size)
        both[::2], both[1::2] = low, chance.randbytes(size).translate(bytes(range(0x4E, 0x8E)) * 4)
        return both.decode("utf-16-le")
    unit = CASES[case]
    return unit * (size // len(unit) + number)


def once_and_twice(encode, case: str, size: int, rounds: int) -> tuple[float, float]:
    """Seconds of CPU for a size and for twice that, the least of some rounds."""
    best = [float("inf"), float("inf")]
    for number in range(rounds):
        for at in (0, 1):
            text = text_of(case, size << at, number)
            gc.collect()
            began = time.process_time()
            encode(text)
            best[at] = min(best[at], time.process_time() - began)
    return best[0], best[1]


def main() -> int:
    from tokaudit import load_tokenizer
    from tokaudit.tokenizers.bundled import manifest, table_path
    from tokaudit.tokenizers.pretokenize import Pattern
    from tokaudit.tokenizers.small import SmallEngine
    from tokaudit.tokenizers.table import Table

    entries = manifest()
    every = ",".join(name for name, entry in entries.items() if entry["format"] != "alias")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=every, help="default: every vocabulary that is bundled")
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    worst = (0.0, "")
    counted = 0
    for model in arguments.models.split(","):
        tokenizer = load_tokenizer(model)
        paths = {"default": (tokenizer.encode, arguments.size)}
        if entries[model]["format"] != "sentencepiece":
            small = SmallEngine(Table(table_path(model)), Pattern(entries[model]["pattern"]))
            paths["python"] = (lambda text, small=small: small.encode(small.cut(text)), arguments.size // 10)
        for case in (*CASES, *AT_RANDOM):
            shown = []
            for path, (encode, most) in paths.items():
                size = most // 4 if (case, path) in A_QUARTER else most
                once, twice = once_and_twice(encode, case, size, arguments.rounds)
                ratios = [twice / once]
                while twice >= LEAST and min(ratios) > LIMIT and len(ratios) <= AGAIN:
                    once, twice = once_and_twice(encode, case, size, arguments.rounds)
                    ratios.append(twice / once)
                if twice >= LEAST:
                    counted += 1
                    worst = max(worst, (min(ratios), f"{model}, {case}, {path}"))
                shown.append(f"{path} {size:>9,}: {once:6.3f} s, twice {' '.join(f'{r:5.2f}' for r in ratios)} x")
            print(f"{model:12} {case:20} {'   '.join(shown)}", flush=True)
    verdict = "holds" if worst[0] <= LIMIT else "BROKEN"
    print(f"at most {LIMIT} x {verdict}: the largest of {counted} ratios is {worst[0]:.2f} x ({worst[1]})")
    return int(worst[0] > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
