"""Feed the native core with random and damaged input: ``python ci/fuzz_core.py CORE.so ROUNDS|threads [SEED]``.

Each round encodes mutated texts with one vocabulary, in blocks of memory of exactly their size where Python allocates
with malloc, and checks what the core says of them against itself; then it opens files that are damaged anywhere. Every
fourth round also takes a table in which only lengths, splits and slots are damaged, which opens mostly, and encodes
pieces of several blocks with it, which are found by the lengths of tokens. ``ci/sanitize`` runs it with the sanitizers;
by hand it may run longer. It fails with the seed of the round. ``threads`` has four of them encode the same texts with
one engine, for the thread sanitizer.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from array import array
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
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


def small_vocabularies() -> list[bytes]:
    """Tables of few tokens, which long pieces consist of: by ranks, and with listed merges."""
    singles = [bytes([byte]) for byte in range(256)]
    few = [*singles, b"ab", b"abab", "的".encode(), "的的".encode(), b"x" * 300]
    runs = [b"xx", b"aa", b"xxxx", b"ba", b"xab", b"x" * 8, b"abx", b"x" * 300, b"q" * 2_000, b"aaaa", b"xxx"]
    splits = [0] * 256 + [1, 1, 2, 1, 1, 4, 2, 0, 0, 2, 1]
    return [build_table(few), build_table([*singles, *runs]), build_table([*singles, *runs], splits)]


def long_text(chance: random.Random) -> str:
    """Letters that are one piece, of one block or many, and that no cut divides."""
    size = chance.choice((161, 300, 8_191, 8_193, 8_500, 17_000, 33_000, 70_000))
    letters = chance.choice(("x", "q", "a", "xq", "ab", "xabq"))  # of q, and of b, no tokens are made: many ids
    unit = "".join(chance.choices(letters, k=chance.choice((1, 1, 2, 3, 7, 300, 9_000))))
    text = unit * (size // len(unit) + 1)
    return text[:size] if chance.random() < 0.8 else text[: size - 1] + chance.choice(ALPHABET)


def with_other_lengths(table: bytes, chance: random.Random) -> bytes:
    """A table with some lengths, splits, ids or places that are not those of its tokens."""
    changed = bytearray(table)
    ids, slots, flags = (int.from_bytes(table[at : at + 4], "little") for at in (8, 12, 16))
    offsets = 64 + 8 * slots
    letters = [ord(letter) for letter in "xabq"] + list(range(256, ids))
    for _ in range(chance.choice((1, 1, 2, 6))):
        rank = chance.choice(letters)
        kind = chance.random()
        at, width = offsets + 4 * (rank + chance.randrange(2)), 4
        if kind < 0.2:
            used = [64 + 8 * slot for slot in range(slots) if any(table[64 + 8 * slot : 72 + 8 * slot])]
            at, width = chance.choice(used) + chance.randrange(6), 1
        elif kind < 0.3 and flags & 1:
            at, width = offsets + 4 * (ids + 1) + 2 * rank, 2
        elif kind < 0.35:
            at, width = 20, 4  # the longest token's length, by which blocks overlap
        if at == offsets + 4 * ids:
            continue  # the end of the last token is the file's
        value = int.from_bytes(changed[at : at + width], "little")
        step = chance.choice(
            (
                1,
                -1,
                2,
                300,
                -300,
                2_500,
                4_000,
                -4_000,
                chance.randrange(8_192),
                1 << 20,
                1 << 31,
                chance.randrange(1 << 32),
            )
        )
        changed[at : at + width] = (value + step & (1 << 8 * width) - 1).to_bytes(width, "little")
    return bytes(changed)


def _within(core: Any, offsets: array[int], text: str) -> object:
    return core.within(text, offsets)


def check_long_pieces(module: Any, tables: list[bytes], files: list[bytes], chance: random.Random) -> Counter[str]:
    """What the core does with long pieces and damaged lengths: it says so, or gives some tokens."""
    try:
        core = module.Engine(with_other_lengths(chance.choice(tables), chance), *files)
    except ValueError:
        return Counter(refused=1)
    done: Counter[str] = Counter()
    for _ in range(2):
        text = long_text(chance)
        offsets = array("q", sorted([0, chance.randrange(len(text)), chance.randrange(len(text))]))
        for call in (core.encode, core.count, partial(_within, core, offsets)):
            try:
                call(text)
                done["counted"] += 1
            except BufferError:
                done["found damaged"] += 1
    core.makes_all()
    return done


def check_threads(core: Any, texts: list[str]) -> None:
    """Four threads at once get what one alone gets. Texts of 16 kB and more let the others run meanwhile."""
    offsets = array("q", [0, 5, 9_000])
    calls = [(call, text) for text in texts for call in (core.count, core.encode, partial(_within, core, offsets))]
    expected = [call(text) for call, text in calls]
    with ThreadPoolExecutor(4) as threads:
        tasks = [threads.submit(lambda: [call(text) for _ in range(6) for call, text in calls]) for _ in range(4)]
        assert all(task.result() == expected * 6 for task in tasks)


def main() -> None:
    module = loaded(Path(sys.argv[1]))
    if sys.argv[2] == "threads":
        entry = manifest()["qwen3"]
        automaton = (TABLES / f"{entry['pattern']}.automaton").read_bytes()
        core = module.Engine(table_path("qwen3").read_bytes(), automaton, (TABLES / "classes.bin").read_bytes())
        chance = random.Random(1)
        check_threads(core, ["".join(chance.choices(ALPHABET, k=size)) for size in (5, 3_000, 9_000, 20_000, 30_000)])
        print("four threads: equal")
        return
    rounds, seed = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    classes = (TABLES / "classes.bin").read_bytes()
    entries = [(name, entry["pattern"]) for name, entry in manifest().items() if entry["format"] == "ranks"]
    cores = [
        module.Engine(table_path(name).read_bytes(), (TABLES / f"{pattern}.automaton").read_bytes(), classes)
        for name, pattern in entries
    ]
    tables = small_vocabularies()
    patterns = [(TABLES / "o200k.automaton").read_bytes(), classes]
    for table in tables:
        for _ in range(4):
            check(module.Engine(table, *patterns), long_text(random.Random(seed)), random.Random(seed))
    opened = 0
    long_pieces: Counter[str] = Counter()
    for number in range(rounds):
        chance = random.Random(seed * 1_000_003 + number)
        try:
            check(chance.choice(cores), text_of(chance), chance)
            if number % 4 == 0:
                long_pieces += check_long_pieces(module, tables, patterns, chance)
            files = damaged([tables[0], *patterns], chance)
            try:
                core = module.Engine(*files)
            except ValueError:
                continue
            opened += 1
            with suppress(BufferError):
                for _ in range(3):
                    core.encode(text_of(chance))
            core.makes_all()
        except BaseException:
            print(f"round {number} of seed {seed}", file=sys.stderr)
            raise
    print(f"{rounds} rounds, {opened} damaged files taken, the others refused; long pieces: {dict(long_pieces)}")
    if rounds >= 400 and min(long_pieces["counted"], long_pieces["found damaged"]) < rounds // 20:
        raise SystemExit("damaged lengths were hardly ever reached")


if __name__ == "__main__":
    main()
