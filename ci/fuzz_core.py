"""Feed the native core with random and damaged input: ``python ci/fuzz_core.py CORE.so ROUNDS [SEED]``.

Each round encodes mutated texts with one vocabulary, in blocks of memory of exactly their size where Python allocates
with malloc, and checks what the core says of them against itself; then it opens damaged files. ``ci/sanitize`` runs it
with the sanitizers; by hand it may run longer. It fails with the seed of the round.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from array import array
from pathlib import Path
from typing import Any

from tokaudit.tokenizers.bundled import manifest, table_path
from tokaudit.tokenizers.pretokenize import TABLES
from tokaudit.tokenizers.table import build_table

ALPHABET = [
    *"aAzZ'sStTlLvVeErR 09\n\r\t.,!-_/=#{}\0\x7f",
    *("\u0301", "\u3000", "１", "١", "😀", "👩\u200d👧", "ſ", "K", "é", "ß", "\u2028", "\x85", "\ufeff", "\U000e0080"),
    *"的一是在不了有和人这龥鿿㐀𠀀かナ゜한ᄀㄱกا",
    *("   ", "\n\n", "\r\n", "aaaa", "的的的的", "word", " the", "123456", "--------"),
]


def loaded(path: Path, name: str = "_core") -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.1:
        codes = [chance.randrange(0x110000) for _ in range(300)]
        return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
    if kind < 0.2:
        return chance.choice(ALPHABET) * chance.choice((1, 15, 16, 160, 161, 8_192, 8_193, 30_000))
    return "".join(chance.choices(ALPHABET, k=chance.choice((1, 3, 16, 60, 400, 3_000))))


def check(core: Any, text: str, chance: random.Random) -> None:
    """What the core says of a text in its several ways is one."""
    ids, ends = (array("I", data) for data in core.encode(text))
    size = len(text.encode())
    assert core.count(text) == len(ids) == len(ends)
    assert list(ends) == sorted(ends) and (not ends or ends[-1] == size)
    offsets = array("q", sorted([0, *(chance.randrange(size + 1) for _ in range(5))]))
    total, counts = core.within(text, offsets)
    assert total == len(ids) == sum(array("q", counts))
    pieces = array("I", core.pieces(text))
    assert set(pieces) <= {*ends} and (not pieces or pieces[-1] == size)
    core.settled(text)


def damaged(files: list[bytes], chance: random.Random) -> list[bytes]:
    result = [bytearray(file) for file in files]
    for _ in range(chance.choice((1, 2, 30))):
        file = chance.choice(result)
        if not file:
            continue
        if chance.random() < 0.1:
            del file[chance.randrange(len(file)) :]
        else:
            file[chance.randrange(len(file))] = chance.randrange(256)
    return [bytes(file) for file in result]


def main() -> None:
    module = loaded(Path(sys.argv[1]))
    rounds, seed = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    classes = (TABLES / "classes.bin").read_bytes()
    entries = [(name, entry["pattern"]) for name, entry in manifest().items() if entry["format"] == "ranks"]
    cores = [
        module.Engine(table_path(name).read_bytes(), (TABLES / f"{pattern}.automaton").read_bytes(), classes)
        for name, pattern in entries
    ]
    few = [bytes([byte]) for byte in range(256)] + [b"ab", b"abab", "的".encode(), "的的".encode(), b"x" * 300]
    small = [build_table(few), (TABLES / "o200k.automaton").read_bytes(), classes]
    opened = 0
    for number in range(rounds):
        chance = random.Random(seed * 1_000_003 + number)
        try:
            check(chance.choice(cores), text_of(chance), chance)
            files = damaged(small, chance)
            try:
                core = module.Engine(*files)
            except ValueError:
                continue
            opened += 1
            for _ in range(3):
                core.encode(text_of(chance))
            core.makes_all()
        except MemoryError:  # what a damaged table says of its tokens asked for too much
            continue
        except BaseException:
            print(f"round {number} of seed {seed}", file=sys.stderr)
            raise
    print(f"{rounds} rounds, {opened} damaged files taken, the others refused")


if __name__ == "__main__":
    main()
