"""Likeness of a text to Chinese, Japanese or Korean: the share of its characters that are frequent there.

The few hundred most frequent characters make up three quarters of any real text and about a tenth of a text read in
the wrong charset, so a sentence is enough to tell.
"""

from __future__ import annotations

import json
from pathlib import Path

CHARSETS = (
    ("gb18030", "gb18030", 0.08),
    ("big5", "big5hkscs", 0.0),
    ("shift_jis", "cp932", 0.0),
    ("euc_jp", "euc_jp", 0.0),
    ("euc_kr", "cp949", 0.0),
    ("utf-16-le", "utf-16-le", -0.05),
    ("utf-16-be", "utf-16-be", -0.05),
)
"""Name, Python codec (the widest of its family), and what is added to its score: Chinese first."""

_LISTS = json.loads(Path(__file__).with_name("frequent.json").read_text("utf-8"))
_HAN = frozenset("".join(_LISTS["han"]))
_KANA = frozenset(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7), 0x30FC, 0x3005)))
_HANGUL = frozenset("".join(_LISTS["hangul"]))
_PUNCTUATION = frozenset(_LISTS["punctuation"])


def plausibility(text: str, codec: str) -> float:
    """From about -1 (nonsense) to 1 (real text), over the characters beyond ASCII; 0.0 if there are none."""
    total = 0.0
    count = 0
    japanese = codec in ("cp932", "euc_jp")
    korean = codec == "cp949"
    wide = codec.startswith("utf-16")
    for char in text[:20000]:
        code = ord(char)
        if code < 0x80:
            if wide:
                # ASCII is evidence where each letter takes two bytes: nonsense would not give letters.
                count += 1
                total += 1.0 if char.isprintable() or char in "\t\r\n" else -2.0
            continue
        count += 1
        if char in _HAN:
            total += 0.4 if korean else 1.0
        elif char in _PUNCTUATION:
            total += 0.7
        elif char in _KANA:
            total += 1.0 if japanese or wide else 0.2
        elif char in _HANGUL:
            total += 1.0 if korean or wide else -0.5
        elif korean and 0xAC00 <= code <= 0xD7A3:
            total += 0.25 if _of_the_standard(char) else -0.25
        else:
            total += _rare(code, wide=wide)
    return total / count if count else 0.0


def _of_the_standard(char: str) -> bool:
    """Check for one of the 2,350 syllables of KS X 1001; the other 8,822 are for a wrong reading more likely."""
    try:
        char.encode("euc_kr")
    except UnicodeEncodeError:
        return False
    return True


def _rare(code: int, *, wide: bool) -> float:
    """Weight of a character that is on no list."""
    if 0x4E00 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7A3:
        return 0.0
    if 0x00A0 <= code <= 0x04FF or 0x2000 <= code <= 0x27BF or 0x3000 <= code <= 0x33FF or 0xFF00 <= code <= 0xFF60:
        # Symbols, and alphabets that the multibyte charsets have beside their own scripts.
        return 0.5 if wide and code <= 0x04FF else 0.2
    if code >= 0x1F000:
        return 0.3 if code < 0x20000 else 0.1
    # Half-width katakana, private use, C1 controls, the rarer blocks: what a wrong reading is full of.
    return -1.0
