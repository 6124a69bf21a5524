"""The older charset of bytes that are not UTF-8."""

from __future__ import annotations

import codecs
import re

from tokaudit.model.record import record

_SAMPLE = 1 << 16
"""Bytes that are looked at."""
_LEAST, _LEAST_FLAWED, _SURE = 0.25, 0.4, 0.4
"""Plausibility from which on a charset is considered, the same with invalid bytes, and from which on it is sure."""
_FLAWED = 0.1
"""What invalid bytes take off a plausibility."""
_FEW = 50
"""Characters of which one may be invalid."""
_ENOUGH = 12
"""Characters beyond ASCII from which on one invalid byte among them may be a fault of the text."""
CLOSE = 0.2
"""Plausibility by which another charset may be worse and still be an alternative."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_TWO_BEYOND_ASCII = re.compile(rb"[\x80-\xff]{2}")
_THREE_BEYOND_ASCII = re.compile(rb"[\x80-\xff]{3}")


@record
class Guess:
    """A charset, what else it may be, the likeliest first, and whether there is no doubt."""

    name: str
    others: tuple[str, ...] = ()
    sure: bool = False


def _text(data: bytes, codec: str, *, final: bool) -> str | None:
    """The text of ``data``, or None; a character cut off at the end is no fault unless ``final``."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final=final)
    except UnicodeError:
        return None


def multibyte(data: bytes, *, wide_only: bool, complete: bool) -> Guess | None:
    """The charset of Chinese, Japanese or Korean text, Chinese first where nothing tells; None if it is none of these.

    A few bytes may be invalid in it: one stray byte does not make a log of another language.

    Args:
        data: has a byte beyond ASCII.
        wide_only: only UTF-16 is possible, for there are NULs or controls.
        complete: False where ``data`` may end in the middle of a character.
    """
    from tokaudit.sources.frequent import CHARSETS, plausibility

    sample = _sample(data)
    final = complete and data.endswith(sample) and len(data) <= _SAMPLE
    narrow = not wide_only and not _accents_only(sample)
    ranked: list[tuple[float, int, str, str, bool]] = []
    for order, (name, codec, bias) in enumerate(CHARSETS):
        wide = codec.startswith("utf-16")
        if (wide and len(data) % 2) or not (wide or narrow):
            continue
        text = _text(data[:_SAMPLE] if wide else sample, codec, final=final)
        valid = text is not None
        if text is None and not wide:
            text = _nearly(sample, codec)
        score = -1.0 if text is None else plausibility(text, codec) + bias - (0.0 if valid else _FLAWED)
        if score > (_LEAST if valid else _LEAST_FLAWED):
            ranked.append((-score, order, name, codec, valid))
    ranked.sort()
    for at, (score, _, name, codec, valid) in enumerate(ranked):
        # A charset that does not hold to the end: decoding then names the first byte that does not fit.
        if len(data) <= _SAMPLE or name == "big5" or not valid or _text(data, codec, final=complete) is not None:
            others = tuple(other for also, _, other, *_ in ranked[:at] + ranked[at + 1 :] if also < score + CLOSE)
            return Guess(name, others, sure=valid and -score >= _SURE and not others)
    if ranked:
        return Guess(ranked[0][2], tuple(name for _, _, name, *_ in ranked[1:]))
    ordinary = _ordinary(sample) if narrow else ""
    return Guess(ordinary) if ordinary else None


def _nearly(sample: bytes, codec: str) -> str | None:
    """The text without the few bytes that are invalid; None where these are many."""
    text = sample.decode(codec, "replace")
    beyond = sum(char > "\x7f" for char in text)
    kept = text.replace("\ufffd", "")
    return kept if beyond >= _ENOUGH and len(text) - len(kept) <= max(1, beyond // _FEW) else None


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


def alphabet(data: bytes) -> Guess:
    """The single-byte charset of an alphabet, always a guess; latin-1, which takes all bytes, if none is left."""
    sample = _sample(data)
    if _half_width(sample) and _text(data, "cp932", final=True) is not None:
        return Guess("shift_jis")
    from tokaudit.sources.alphabets import CLOSE as NEAR
    from tokaudit.sources.alphabets import ranked

    # With the word that the sample begins in.
    start = data.rfind(b"\n", 0, len(data) - len(data.lstrip(bytes(range(0x80))))) + 1
    found = [
        (score, name)
        for score, name in ranked(data[start : start + _SAMPLE])
        if _text(data, name, final=True) is not None
    ]
    if not found:
        return Guess("latin_1")
    best, name = found[0]
    near = [other for score, other in found[1:4] if score > best - NEAR]
    others = tuple(codecs.lookup(other).name for other in near or [other for score, other in found[1:2] if score > 0])
    return Guess(codecs.lookup(name).name, others)
