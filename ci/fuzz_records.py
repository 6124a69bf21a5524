"""Feed the walk through JSON with random and damaged text: ``python ci/fuzz_records.py RECORDS.so ROUNDS [SEED]``.

What it says of a text is checked against itself: places ascend and lie in the text. Whether it says what the Python
reader says is a matter of the tests. ``ci/sanitize`` runs it with the sanitizers.
"""

from __future__ import annotations

import json
import random
import sys
from array import array
from pathlib import Path
from typing import Any

from fuzz_core import loaded

from tokaudit.sources.chat_shapes import KEYS

ODD = [
    *'{}[]",:\\ \t\r\n-+.eE01u/\0\x1f',
    '"role"',
    '"messages": [',
    '\\"',
    "\\u12",
    "\\ud83d",
    "true",
    "nul",
    "名",
    "😀",
    "é" * 9,
]


def value_of(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if kind < 0.4 or depth > 5:
        return chance.choice([None, True, -1.5e-7, 10**30, "", "user", "名" * chance.randrange(40), "a" * 9, "\n\\"])
    if kind < 0.6:
        return [value_of(chance, depth + 1) for _ in range(chance.randrange(5))]
    return {
        chance.choice(KEYS)[0] * chance.choice((1, 1, 1, 3)): value_of(chance, depth + 1)
        for _ in range(chance.randrange(6))
    }


def text_of(chance: random.Random) -> str:
    ends = ("\n", "\n", "\r\n", " \n\n", "", " " * 9)
    values = (json.dumps(value_of(chance), ensure_ascii=chance.random() < 0.3) for _ in range(chance.randrange(1, 9)))
    text = "".join(value + chance.choice(ends) for value in values)
    if chance.random() < 0.1:
        text = chance.choice("[{") * 300 + text
    for _ in range(chance.choice((0, 0, 1, 3))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(ODD) + text[at + chance.randrange(3) :]
    return text[: chance.randrange(len(text) + 1)] if chance.random() < 0.2 else text


def check(records: Any, text: str, wanted: int, lines: int) -> None:
    rows, others, names, byte, place, _ = records.scan(text, KEYS, wanted, lines, 0, 0, 0, -1, 1)
    assert len(text[:place].encode()) == byte or not (lines or byte)
    for numbers in (array("q", rows)[1::5], array("q", others)[:: 3 - wanted] if wanted else ()):
        assert [*numbers] == sorted(numbers) and all(0 <= number < max(len(text), 1) for number in numbers)
    assert all(0 <= number < len(names) for number in array("q", rows)[3::5] if wanted == 2)


def main() -> None:
    records = loaded(Path(sys.argv[1]), "_records")
    rounds, seed = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for number in range(rounds):
        chance = random.Random(seed * 1_000_003 + number)
        text = text_of(chance)
        try:
            for wanted in range(3):
                for lines in range(2):
                    check(records, text, wanted, lines)
        except BaseException:
            print(f"round {number} of seed {seed}", file=sys.stderr)
            raise
    print(f"{rounds} rounds of JSON")


if __name__ == "__main__":
    main()
