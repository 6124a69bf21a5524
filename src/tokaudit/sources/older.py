"""The older charset of bytes that are not UTF-8."""

from __future__ import annotations

import codecs
import re

_SAMPLE = 1 << 16
"""Bytes that are looked at."""
_ALPHABETS = ("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874")
_WESTERN = frozenset("éèêëàâáäãåçùûúüîïíìôóöòñßøÉÈÊÀÁÂÄÅÇÙÚÜÎÍÔÓÖÑØ«»°’‘“”–—…€£§©®·¿¡ºª\xa0")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_TWO_BEYOND_ASCII = re.compile(rb"[\x80-\xff]{2}")
_THREE_BEYOND_ASCII = re.compile(rb"[\x80-\xff]{3}")
_FOUR_LETTERS = re.compile(rb"[\xc0-\xff]{4}")


def _text(data: bytes, codec: str, *, final: bool) -> str | None:
    """The text of ``data``, or None; a character cut off at the end is no fault unless ``final``."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final=final)
    except UnicodeError:
        return None


def multibyte(data: bytes, *, wide_only: bool, complete: bool) -> str:
    """The charset of Chinese, Japanese or Korean text, Chinese first where nothing tells; empty if it is none of these.

    Args:
        data: has a byte beyond ASCII.
        wide_only: only UTF-16 is possible, for there are NULs or controls.
        complete: False where ``data`` may end in the middle of a character.
    """
    from tokaudit.sources.frequent import CHARSETS, plausibility

    sample = _sample(data)
    final = complete and data.endswith(sample) and len(data) <= _SAMPLE
    narrow = not wide_only and not _accents_only(sample)
    ranked = []
    for order, (name, codec, bias) in enumerate(CHARSETS):
        wide = codec.startswith("utf-16")
        if (wide and len(data) % 2) or not (wide or narrow):
            continue
        text = _text(data[:_SAMPLE] if wide else sample, codec, final=final)
        score = -1.0 if text is None else plausibility(text, codec) + bias
        if score > 0.25:
            ranked.append((-score, order, name, codec))
    ranked.sort()
    for _, _, name, codec in ranked:
        if len(data) <= _SAMPLE or name == "big5" or _text(data, codec, final=complete) is not None:
            return name
    if ranked:
        return ranked[0][2]  # decoding then names the first byte that does not fit
    return _ordinary(sample) if narrow else ""


def _sample(data: bytes) -> bytes:
    """From the first byte beyond ASCII, which begins a character in each of these charsets."""
    first = _BEYOND_ASCII.search(data)
    start = first.start() if first else 0
    return data[start : start + _SAMPLE]


def _accents_only(sample: bytes) -> bool:
    """Check whether single bytes beyond ASCII stand in a text of ASCII: the accents of a European language."""
    beyond = len(sample) - len(sample.translate(None, bytes(range(0x80, 0x100))))
    return beyond * 4 <= len(sample) and not _TWO_BEYOND_ASCII.search(sample)


def _ordinary(sample: bytes) -> str:
    """Chinese without a frequent character: a few words, all from the common part of a charset.

    Words of an alphabet hardly ever are: their letters come in odd numbers, and from the bytes of the rarer part.
    """
    for name, low, high, share in (("gb2312", 0xB0, 0xD7, 0.5), ("big5", 0xA4, 0xC6, 1.0)):
        text = _text(sample, name, final=True)
        if text is None:
            continue
        leads = [char.encode(name)[0] for char in text if char > "\x7f"]
        if sum(low <= lead <= high for lead in leads) >= share * len(leads) > 0:
            return "gb18030" if name == "gb2312" else name
    return ""


def _half_width(sample: bytes) -> bool:
    """Check whether all that is beyond ASCII may be half-width katakana of Shift-JIS, and hardly anything else.

    Its first rows (B1 to BF) are signs or rare letters in the alphabets, of whose words hardly one is without a byte
    from E0 on, but for capitals, which are none of these rows. BB tells nothing: it is the mark of a quotation.
    """
    beyond = sample.translate(None, bytes(range(0x80)))
    signs = len(beyond) - len(beyond.translate(None, bytes({*range(0xB0, 0xC0)} - {0xBB})))
    others = len(beyond) - len(beyond.translate(None, bytes(range(0xC0, 0xE0))))
    kana_only = not beyond.translate(None, bytes(range(0xA6, 0xE0)))
    return kana_only and others > 0 and signs * 4 >= len(beyond) and _THREE_BEYOND_ASCII.search(sample) is not None


def alphabet(data: bytes) -> str:
    """The single-byte charset of an alphabet; latin-1, in which all bytes are valid, if there is no better."""
    sample = _sample(data)
    if _half_width(sample) and _text(data, "cp932", final=True) is not None:
        return "shift_jis"
    western = _text(sample, "cp1252", final=True)
    letters = re.sub(r"[\x00-\x7f]", "", western or "")
    preferred: list[str] = []
    if _FOUR_LETTERS.search(sample) or sum(char in _WESTERN for char in letters) < 0.85 * len(letters):
        # Few letters beyond ASCII are too little for statistics. Four in a row are no accents, most likely Cyrillic.
        if len(letters) >= 8:
            from charset_normalizer import from_bytes

            # From the beginning of a line, for words cut in two mislead it.
            start = data.rfind(b"\n", 0, len(data) - len(data.lstrip(bytes(range(0x80))))) + 1
            found = from_bytes(data[start : start + _SAMPLE], cp_isolation=list(_ALPHABETS)).best()
            preferred = [found.encoding] if found is not None else []
        elif _FOUR_LETTERS.search(sample):
            preferred = ["cp1251"]
    for name in (*preferred, "cp1252", "cp1250", "latin_1"):
        if _text(data, name, final=True) is not None:
            break
    return codecs.lookup(name).name
