"""Words of a text by Unicode's rules of segmentation, counted in time linear in the text.

The boundaries are those of UAX #29 (https://www.unicode.org/reports/tr29/#Word_Boundaries, rules WB4 to WB13): letters
with their marks, digits and ``_`` are one word, also across ``'``, ``.`` and ``:`` between letters and ``.``, ``,`` and
``;`` between digits (``can't``, ``3.14``, ``max_tokens``). Han characters are words by themselves, as are, by the same
rules, Hiragana and the letters of Thai, Lao, Khmer and Burmese. Punctuation, symbols and spaces are none.

``words.bin`` (written by ``scripts/vendor_words.py``) gives each character a class: ``L`` Latin letter, ``l`` other
letter, ``B`` Hebrew letter, ``D`` digit, ``K`` Katakana; ``E`` what joins all of these and is no word alone; ``M``,
``C``, ``N`` and ``Q`` what joins letters and digits, letters, digits, Hebrew letters; ``X`` marks and format
characters; ``H`` Han and ``h`` other characters that are words by themselves; a space for all else.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tokaudit.tokenizers.native import count_words

_JOINED = re.compile(rb"[MCNQ](?:(?<=[LlB][MC])(?=[LlB])|(?<=D[MN])(?=D)|(?<=BQ)(?=B))")
"""What stands between letters or digits as a part of their word (WB6, WB7, WB7b, WB7c, WB11, WB12)."""
_LEADING = re.compile(rb" E+")
_NO_SINGLES = bytes.maketrans(b"Hh", b"  ")
_NO_MIDS = bytes.maketrans(b"MCNQ", b"    ")


def words_by_class(text: str) -> tuple[int, ...]:
    """Words of a text by the class of their first letter or digit, in the order of ``unicode_classes.SCRIPTS``.

    Their sum is the number of words. Punctuation, space and emoji have none.
    """
    found = count_words(text, _table())
    digit, han, latin, other = _counted(text) if found is None else found
    return (0, digit, 0, han, latin, 0, other)


@cache
def _table() -> bytes:
    return Path(__file__).with_name("words.bin").read_bytes()


class _Classes(dict[int, str]):
    """The classes of characters, kept as they are met; a table for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        table = _table()
        found = self[code] = chr(table[0x1100 + table[code >> 8] * 256 + (code & 255)])
        return found


_CLASSES = _Classes()


def _counted(text: str) -> tuple[int, int, int, int]:
    """Words that begin with a digit, a Han character, a Latin and another letter, without the native core."""
    data = text.translate(_CLASSES).encode().replace(b"X", b"")
    han, other = data.count(b"H"), data.count(b"h")
    data = b" " + _JOINED.sub(b"E", data.translate(_NO_SINGLES)).translate(_NO_MIDS)
    if b" E" in data:
        data = _LEADING.sub(b" ", data)
    latin, digit = data.count(b" L"), data.count(b" D")
    other += data.count(b" l") + data.count(b" B") + data.count(b" K")
    if b"K" in data:  # nothing joins Katakana and other letters but what joins all
        latin += data.count(b"KL")
        digit += data.count(b"KD")
        other += sum(map(data.count, (b"Kl", b"KB", b"LK", b"lK", b"BK", b"DK")))
    return digit, han, latin, other
