"""Words of a text by Unicode's rules of segmentation, counted in time linear in the text.

The boundaries are those of UAX #29 (https://www.unicode.org/reports/tr29/#Word_Boundaries, rules WB4 to WB13): letters
with their marks, digits and ``_`` are one word, also across ``'``, ``.`` and ``:`` between letters and ``.``, ``,`` and
``;`` between digits (``can't``, ``3.14``, ``max_tokens``). Han characters are words by themselves, as are, by the same
rules, Hiragana and the letters of Thai, Lao, Khmer and Burmese. Punctuation, symbols and spaces are none.
"""

from __future__ import annotations

import re

_LATIN, _LETTER, _HEBREW, _DIGIT, _KATAKANA, _JOINER = "LlBDKE"
"""Characters of words; ``_JOINER`` is ExtendNumLet, of which alone there is no word."""
_HAN, _SINGLE = "Hh"
"""Characters that are words by themselves: ideographs, and others."""
_MARK, _MID_BOTH, _MID_LETTER, _MID_NUMBER, _QUOTE, _NONE = "XMCNQ "
"""Marks and format characters; what joins letters and digits, letters, digits, Hebrew letters; all else."""

_MIDS = {
    _MID_BOTH: "'.\u2018\u2019\u2024\ufe52\uff07\uff0e",
    _MID_LETTER: ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a",
    _MID_NUMBER: ",;\u037e\u0589\u060c\u060d\u066b\u066c\u07f8\u2044\ufe50\ufe54\uff0c\uff1b",
    _QUOTE: '"',
    _JOINER: "_\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f\u202f",
    _DIGIT: "\u19da\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u0890\u0891\u08e2\U000110bd\U000110cd",
    _LETTER: "\u00b8\u02c2\u02c3\u02c4\u02c5\u055a\u055b\u055c\u055e\u058a\u05f3\u070f",
    _SINGLE: "\u3006",
    _MARK: "\uff9e\uff9f",
    _NONE: "\u200b",
}
"""Word_Break of single characters (Unicode's WordBreakProperty.txt); U+066B, a decimal sign, is no number by itself"""
_SINGLES = (
    *((0x0E00, 0x0E7F), (0x0E80, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF)),
    *((0x3041, 0x309A), (0x309D, 0x309F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xAA80, 0xAADF), (0x1B001, 0x1B11F)),
    *((0x11700, 0x1174F), (0x1F200, 0x1F200), (0x1B132, 0x1B152)),
    *((0x17000, 0x18DFF), (0x1B170, 0x1B2FF)),
)
"""Letters without spaces between words: Line_Break=Complex_Context, Hiragana, Tangut, Khitan and Nushu."""
_KATAKANAS = (
    *((0x3031, 0x3035), (0x309B, 0x309C), (0x30A0, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0x32D0, 0x32FE)),
    *((0x3300, 0x3357), (0xFF66, 0xFF9D), (0x1AFF0, 0x1AFFE), (0x1B000, 0x1B000), (0x1B120, 0x1B122)),
    (0x1B164, 0x1B167),
)
_HEBREWS = ((0x05D0, 0x05EA), (0x05EF, 0x05F2), (0xFB1D, 0xFB1D), (0xFB1F, 0xFB28), (0xFB2A, 0xFB4F))
_LETTER_SYMBOLS = (
    *((0x02D2, 0x02D7), (0x02DE, 0x02DF), (0x02E5, 0x02EB), (0x02ED, 0x02ED), (0x02EF, 0x02FF), (0x24B6, 0x24E9)),
    *((0xA708, 0xA716), (0xA720, 0xA721), (0xA789, 0xA78A), (0xAB5B, 0xAB5B), (0x1F130, 0x1F149), (0x1F150, 0x1F169)),
    (0x1F170, 0x1F189),
)
"""Symbols that are letters of words: modifiers, and letters in circles and squares."""

_JOINED = re.compile(rb"[MCNQ](?:(?<=[LlB][MC])(?=[LlB])|(?<=D[MN])(?=D)|(?<=BQ)(?=B))")
"""What stands between letters or digits as a part of their word (WB6, WB7, WB7b, WB7c, WB11, WB12)."""
_LEADING = re.compile(rb" E+")


def _class_of(code: int) -> str:
    """The class of a character in what is counted; general classes are the pinned ones of pre-tokenization."""
    from unicodedata import category

    from tokaudit.tokenizers.unicode_classes import HAN, flags_of, general_of, script_name

    char = chr(code)
    for name, chars in _MIDS.items():
        if char in chars:
            return name
    general = general_of(code)
    if general == "mark":
        return _MARK
    if flags_of(code) & HAN and general in {"letter", "number"}:
        return _HAN
    for name, ranges in ((_KATAKANA, _KATAKANAS), (_HEBREW, _HEBREWS), (_LETTER, _LETTER_SYMBOLS)):
        if any(first <= code <= last for first, last in ranges):
            return name
    if general == "number":
        return {"Nd": _DIGIT, "Nl": _LETTER}.get(category(char), _NONE)
    if general in {"upper", "lower", "letter"}:
        if any(first <= code <= last for first, last in _SINGLES):
            return _SINGLE
        return _LATIN if script_name(code) == "latin" else _LETTER
    return _MARK if 0x1F3FB <= code <= 0x1F3FF or category(char) == "Cf" else _NONE


class _Classes(dict[int, str]):
    """The classes of characters, kept as they are met; a table for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _class_of(code)
        return found


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ASCII = {ord(char): name for name, chars in _MIDS.items() for char in chars if char.isascii()}
_ASCII |= {**dict.fromkeys(map(ord, _LETTERS), _LATIN), **dict.fromkeys(map(ord, "0123456789"), _DIGIT)}
_CLASSES = _Classes({code: _ASCII.get(code, _NONE) for code in range(128)})
_ASCII_TABLE = "".join(_CLASSES[code] for code in range(128)).encode().ljust(256)


def words_by_class(text: str) -> tuple[int, ...]:
    """Words of a text by the class of their first letter or digit, in the order of ``unicode_classes.SCRIPTS``.

    Their sum is the number of words. Punctuation, space and emoji have none.
    """
    if text.isascii():
        data = text.encode().translate(_ASCII_TABLE)
        han = single = 0
    else:
        data = text.translate(_CLASSES).encode().replace(b"X", b"")
        han, single = data.count(b"H"), data.count(b"h")
        data = data.translate(_NO_SINGLES)
    data = b" " + _JOINED.sub(b"E", data).translate(_NO_MIDS)
    if b" E" in data:
        data = _LEADING.sub(b" ", data)
    latin, digit = data.count(b" L"), data.count(b" D")
    other = single + data.count(b" l") + data.count(b" B") + data.count(b" K")
    if b"K" in data:  # nothing joins Katakana and other letters but what stands for a joiner
        latin += data.count(b"KL")
        digit += data.count(b"KD")
        other += sum(map(data.count, (b"Kl", b"KB", b"LK", b"lK", b"BK", b"DK")))
    return (0, digit, 0, han, latin, 0, other)


_NO_SINGLES = bytes.maketrans(b"Hh", b"  ")
_NO_MIDS = bytes.maketrans(b"MCNQ", b"    ")
