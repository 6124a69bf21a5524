r"""Write ``src/tokaudit/tokenizers/words.bin``: the class of every character for counting words.

Classes are the values of Word_Break (UAX #29), read off the ``regex`` module, which has Unicode's own tables; of
letters also whether they are Latin, for ``count --by class``. Characters that are words by themselves are Han
(``\p{Han}``) and letters without a value, as of Thai and Hiragana. The file is a table of two stages: for every 256
code points the number of their block, a byte each, then the blocks.

Run: ``python scripts/vendor_words.py``; needs the package's own dependencies.
"""

from __future__ import annotations

import sys
from pathlib import Path

import regex

TARGET = Path(__file__).parents[1] / "src/tokaudit/tokenizers/words.bin"
CLASSES = {  # the first that matches; the letters are those of tokaudit.tokenizers.words
    "H": r"[\p{Han}&&[\p{L}\p{N}]]",
    "X": r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]",
    "L": r"[\p{WB=ALetter}&&\p{Latin}]",
    "l": r"\p{WB=ALetter}",
    "B": r"\p{WB=Hebrew_Letter}",
    "N": r"[\p{WB=MidNum}\u066b]",  # the Arabic decimal sign is no number by itself
    "D": r"\p{WB=Numeric}",
    "K": r"\p{WB=Katakana}",
    "E": r"\p{WB=ExtendNumLet}",
    "M": r"[\p{WB=MidNumLet}\p{WB=Single_Quote}]",
    "C": r"\p{WB=MidLetter}",
    "Q": r"\p{WB=Double_Quote}",
    "h": r"\p{L}",
}


def table() -> bytes:
    """The class of every code point, a byte each; a space where it is of no word."""
    text = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    found = bytearray(b" " * (sys.maxunicode + 1))
    for name, pattern in reversed(CLASSES.items()):
        for char in regex.findall(pattern, text, regex.V1):
            found[ord(char)] = ord(name)
    return bytes(found)


def main() -> None:
    whole = table()
    blocks = [whole[at : at + 256] for at in range(0, len(whole), 256)]
    numbers = {block: number for number, block in enumerate(dict.fromkeys(blocks))}
    TARGET.write_bytes(bytes(numbers[block] for block in blocks) + b"".join(numbers))
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes, regex {regex.__version__}")


if __name__ == "__main__":
    main()
