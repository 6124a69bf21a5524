"""Characters of a PDF to characters of a text: ligatures, hyphens, spaces beside Chinese, what is no character."""

from __future__ import annotations

from unicodedata import normalize

MARK = "\x02"
HYPHENS = MARK + "\xad"
"""At the end of a line: hyphens that only divide a word."""
GAP = 0.15
"""Of the size: two glyphs that are further apart are two words, whether the engine says so or not."""
TOUCH = 0.08
"""Of the size: glyphs that are nearer are one word, though the engine supposes a space."""
_JUSTIFIED = 0.6
"""Of the size: what is less between two ideographs, with no space in the file, is a line stretched to the margin."""
_LIGATURES = {code: normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
# Stops, commas, brackets and quotes of full width: their glyphs have the space beside them within.
_FULL = frozenset("、。〈〉《》「」『』【】〔〕〖〗！（），：；？［］｛｝～")
_DROPPED = dict.fromkeys([*range(32), *range(0x7F, 0xA0), 0x200B, 0x2060, 0xFEFF])
_CLEANED = str.maketrans({**_DROPPED, **_LIGATURES})


def is_wide(char: str) -> bool:
    """Check whether a character is written without spaces around it: ideographs, kana, and their punctuation."""
    code = ord(char[-1])
    return code >= 0x2E80 and (
        0x2E80 <= code <= 0x312F
        or 0x31A0 <= code <= 0xA4CF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF01 <= code <= 0xFF60
        or 0x20000 <= code <= 0x3FFFF
    )


def is_leftward(char: str) -> bool:
    """Check whether a character is a letter that is written from the right: Hebrew, Arabic and their like."""
    return char >= "\u0590" and (char <= "\u08ff" or "\ufb1d" <= char <= "\ufdff" or "\ufe70" <= char <= "\ufefc")


def parted(before: str, after: str, gap: float, space: int) -> bool:
    """Check whether there is a space between two glyphs of a line.

    Args:
        before: Glyph on the left.
        after: Glyph on the right.
        gap: Between them, in sizes of the type.
        space: What the engine says: 0 none, 1 supposed, 2 in the file.
    """
    if gap < _JUSTIFIED:
        if before in _FULL or after in _FULL:
            return False
        if is_wide(before) and is_wide(after):
            return space == 2 and gap >= GAP  # one that was written, as between the marks of a pupil
    if space == 2:
        return gap > -1 or not (is_wide(before) or is_wide(after))
    return gap >= (TOUCH if space else GAP)


def cleaned(text: str) -> str:
    """A finished line: ligatures resolved, control characters dropped, hyphens that divide no line plain.

    A hyphen at the end that may only divide a word stays marked by U+0002: the whole document tells what it is.
    """
    if text.isascii() and text.isprintable():
        return text
    end = ""
    if text[-1:] in HYPHENS and text[-2:-1].isalpha():
        text, end = text[:-1], MARK
    if MARK in text or "\xad" in text:
        text = text.replace(MARK, "-").replace("\xad", "-")
    return text.translate(_CLEANED) + end
