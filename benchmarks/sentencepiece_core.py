"""A trial: SentencePiece models on the native core, over a table that is made of their pieces.

    python benchmarks/sentencepiece_core.py [--models mistral-v1,mistral-v3] FILE...

For each model it compares the ids of 8,000 texts, of all code points and of runs of spaces with the library's, then the
CPU time of both on each file (4 kB, 100 kB and 1 MB in turn, five rounds, each on the next
as much of it, which takes files of 5 MB).
ADR 0018 has what came of it. The exit code is 1 where a text differs.

The table: a token for each byte; for the first bytes of each character that is a piece (so that bytes merge to
characters, as the model begins with characters); for the characters; and for all other pieces, by their scores. A
token that is only the first bytes of a character that is no piece stands for the pieces of these bytes.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tokaudit.tokenizers import load_tokenizer
from tokaudit.tokenizers.bundled import FOLDER
from tokaudit.tokenizers.native import open_core
from tokaudit.tokenizers.pretokenize import Pattern
from tokaudit.tokenizers.table import Table, build_table, marked_made

SIZES = (4_000, 100_000, 1_000_000)
ROUNDS = 5


def tokens_of(model: Any) -> tuple[list[bytes], list[list[int]]]:
    """The tokens of a table, in the order of their merging, and the ids of the model that each stands for."""
    kinds = (model.is_byte, model.is_control, model.is_unknown, model.is_unused)
    size = model.get_piece_size()
    pieces = [(model.id_to_piece(i), i) for i in range(size) if not any(kind(i) for kind in kinds)]
    of_byte = {int(model.id_to_piece(i)[3:5], 16): i for i in range(size) if model.is_byte(i)}
    of_char = {piece: i for piece, i in pieces if len(piece) == 1}
    # Those of score 0 in mistral-v3 are the user's symbols, which are found before merging: left out here.
    words = [(-model.get_score(i), piece, i) for piece, i in pieces if len(piece) > 1 and model.get_score(i) != 0]
    found = {bytes([byte]): [i] for byte, i in of_byte.items()}
    found |= {char.encode(): [i] for char, i in of_char.items() if char.isascii()}
    wide = {char.encode(): i for char, i in of_char.items() if not char.isascii()}
    for first in sorted({data[:end] for data in wide for end in range(2, len(data))}, key=len):
        found[first] = [of_byte[byte] for byte in first]
    found |= {data: [i] for data, i in wide.items()}
    found |= {piece.encode(): [i] for _, piece, i in sorted(words, key=lambda word: word[0])}
    return list(found), list(found.values())


class OnCore:
    """A model on the core. Its texts begin with a space, and its spaces are U+2581."""

    def __init__(self, model: Any) -> None:
        tokens, self._ids = tokens_of(model)
        table, pattern = build_table(tokens), Pattern(text=r"[^\n]+|\n")  # no piece has a line feed in it
        core = open_core(Table(Path("new"), table), pattern)
        if core is None:
            raise SystemExit("without the native core there is nothing to try")
        self.made = core.makes_all()
        again = open_core(Table(Path("new"), marked_made(table)), pattern) if self.made else core
        self._core: Any = again
        self._sizes = np.array([len(ids) for ids in self._ids])

    def _found(self, text: str) -> Any:
        written = "\u2581" + text.replace(" ", "\u2581") if text else ""
        return np.frombuffer(self._core.encode(written)[0], np.uint32)

    def count(self, text: str) -> int:
        return int(self._sizes[self._found(text)].sum())

    def ids(self, text: str) -> list[int]:
        return [i for token in self._found(text).tolist() for i in self._ids[token]]


def texts(files: Sequence[Path]) -> Iterator[str]:
    chance = random.Random(4)
    bodies = [path.read_text("utf-8") for path in files]
    for _ in range(4_000):
        body = chance.choice(bodies)
        at = chance.randrange(len(body))
        yield body[at : at + chance.choice((5, 40, 300, 2_000))]
    blocks = ((0, 0x250), (0x2500, 0x2600), (0x3040, 0x3100), (0x4E00, 0x4F00), (0xAC00, 0xAC40), (0x1F600, 0x1F640))
    pool = [chr(code) for start, end in blocks for code in range(start, end)] + ["  ", "\n\n", "\u2581", "the", " of"]
    for _ in range(4_000):
        yield "".join(chance.choices(pool, k=chance.choice((1, 2, 3, 10, 60))))
    for size in range(400):
        yield " " * size
        yield "x" + " " * size + "the"
    codes = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    yield from ("".join(codes[at : at + 64]) for at in range(0, len(codes), 64))


def seconds(call: Any, text: str, times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        call(text)
    return (time.process_time() - start) / times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--models", default="mistral-v1,mistral-v3")
    options = parser.parse_args()
    import sentencepiece

    different = 0
    for name in options.models.split(","):
        model: Any = sentencepiece.SentencePieceProcessor()
        model.LoadFromSerializedProto((FOLDER / f"{name}.model").read_bytes())
        core, library = OnCore(model), load_tokenizer(name)
        wrong = compared = 0
        for text in texts(options.files):
            expected = model.encode(text)
            compared += 1
            wrong += core.ids(text) != expected or core.count(text) != len(expected)
        print(f"{name}: {compared} texts compared, {wrong} differ; merging makes every token: {core.made}")
        different += wrong
        for path in options.files:
            data = path.read_bytes()
            for size in SIZES:
                ratios = []
                for number in range(ROUNDS):
                    text = data[number * size : (number + 1) * size].decode("utf-8", "ignore")
                    times = max(1, 50_000 // size)
                    ours = seconds(core.count, text, times)
                    ratios.append(seconds(library.count, text, times) / ours)
                print(f"  {path.name} {size:>9,}: library / core {min(ratios):.1f} .. {statistics.median(ratios):.1f}")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
