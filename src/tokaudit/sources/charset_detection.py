"""The charset of bytes for which none is named.

A byte-order mark decides; then the escapes of 7-bit charsets; then strict UTF-8; then UTF-16 without a mark; then the
older charsets of Chinese, Japanese and Korean, told apart by what common characters each reading yields (``frequent``);
what is none of these is a guess among those of alphabets (``alphabets``).
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from tokaudit.model import InputError
from tokaudit.model.message import Message
from tokaudit.sources.signatures import SIGNATURES

_SAMPLE = 1 << 16
"""Bytes that detection looks at."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030", "gb18030"),
)
"""Byte-order marks: the charset of each for reports, and Python's codec for what follows it."""
# Controls that texts have: tab, newline, vertical tab, form feed, return, backspace, bell, escape (terminal logs).
_CONTROLS = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b") | {0x7F})
_NOT_CONTROLS = bytes(set(range(256)) - set(_CONTROLS))
WIDE = ("utf-16", "utf-32")
# Kanji in (JIS X 0208 of 1978 and 1983), GB 2312 and Korean by ISO 2022; Chinese by HZ.
_ESCAPES = (b"\x1b$@", b"\x1b$B", b"\x1b$A", b"\x1b$(", b"\x1b$)")
_SEVEN_BIT = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_ext", "iso2022_kr")
_HZ = rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}"


class Choice(NamedTuple):
    """A charset: its name for reports, Python's codec for what follows the byte-order mark, the mark's length."""

    name: str
    codec: str
    skip: int
    decided: str
    alternatives: tuple[str, ...] = ()


def without_ends(body: bytes, codec: str) -> tuple[str, tuple[int, int]] | None:
    """The text without the parts of characters at its ends, and the bytes of these; None where others are invalid."""
    most = 3 if codec.startswith(("utf", "gb")) else 1
    head = 0
    if codec == "utf-8":
        while head < min(3, len(body)) and 0x80 <= body[head] < 0xC0:
            head += 1
    for start in (head,) if codec == "utf-8" else (0, 1):
        try:
            return body[start:].decode(codec), (start, 0)
        except UnicodeDecodeError as error:
            tail = len(body) - start - error.start
            if 0 < tail <= most and (
                "incomplete" in error.reason or "end of data" in error.reason or "truncated" in error.reason
            ):
                text = body[start : start + error.start].decode(codec)
                return text, (start, tail)
        except UnicodeError:
            return None
        if codec.startswith(WIDE):
            return None
    return None


def is_binary(data: bytes) -> bool:
    """Check whether ``data``, a file or the beginning of one, is no text. A character cut off at the end is no sign."""
    try:
        detect(data, "", complete=False)
    except InputError as error:
        return error.code == "binary"
    return False


def detect(data: bytes, path: str, *, complete: bool = True) -> str:
    """The charset of ``data``, as Python names it (``shift_jis`` and ``euc_kr`` stand for their supersets).

    Args:
        data: a file, or the beginning of one.
        path: for messages.
        complete: False where ``data`` may end in the middle of a character.

    Raises:
        InputError: no text, which has the code ``binary``.
    """
    return detected(data, path, complete=complete).name


def detected(data: bytes, path: str, *, complete: bool) -> Choice:
    """The charset with how that was decided; as ``detect``."""
    mark = marked(data)
    if mark:
        return Choice(mark, "", 0, "mark")
    for magic, what in SIGNATURES:
        if data.startswith(magic):
            raise InputError(Message("binary file ({what})", what=what), what=path, code="binary")
    if b"\0" in data:
        wide = _without_mark(data)
        if wide:
            return Choice(wide, "", 0, "detected")
    escaped = seven_bit(data)
    if escaped:
        return Choice(escaped, "", 0, "detected")
    try:
        # The decoder is incremental so that a character cut off at the end is not an error.
        codecs.getincrementaldecoder("utf-8")().decode(data, final=complete)
    except UnicodeDecodeError as error:
        return _not_utf8(data, path, error, complete=complete)
    refuse_controls(data, path)
    return Choice("utf-8", "", 0, "detected")


def perhaps_seven_bit(data: bytes) -> bool:
    """False for bytes that surely have no escapes of a 7-bit charset."""
    # One byte is found many times as fast as two.
    return (b"\x1b" in data and any(escape in data for escape in _ESCAPES)) or (b"~" in data and b"~{" in data)


def seven_bit(data: bytes) -> str:
    """The 7-bit charset of Chinese, Japanese or Korean that escapes tell, or nothing."""
    if not perhaps_seven_bit(data) or not data.isascii():
        return ""
    from tokaudit.sources.frequent import plausibility

    sample = data[:_SAMPLE]
    if any(escape in data for escape in _ESCAPES):
        for name in _SEVEN_BIT:
            if (
                decodes(data, name)
                and plausibility(sample.decode(name, "ignore"), "cp949" if name.endswith("kr") else "cp932") > 0.25
            ):
                return name
    if re.search(_HZ, data) and decodes(data, "hz"):
        text = data.decode("hz")
        if sum(char > "\x7f" for char in text) >= 4 and plausibility(text, "gb18030") > 0.5:
            return "hz"
    return ""


def refuse_controls(data: bytes, path: str) -> None:
    """Refuse bytes that have too many controls for a text. Raises ``InputError`` with the code ``binary``."""
    # One stray NUL or control does not make a text binary; a tenth of them does.
    sample = data[:_SAMPLE]
    if len(sample.translate(None, _NOT_CONTROLS)) > max(1, len(sample) // 10):
        raise InputError("binary file (control characters)", what=path, code="binary")


def marked(data: bytes) -> str:
    """The charset that a byte-order mark tells, or nothing."""
    for bom, name, codec in MARKS:
        if not data.startswith(bom):
            continue
        # FF FE 00 00 is UTF-32's mark, or UTF-16's with a NUL after it.
        if name == "utf-32-le" and (len(data) % 4 or not decodes(data[: _SAMPLE - _SAMPLE % 4], codec)):
            continue
        return name
    return ""


def decodes(data: bytes, charset: str) -> bool:
    """True where all bytes are valid in a charset."""
    try:
        data.decode(charset)
    except UnicodeError:
        return False
    return True


def _without_mark(data: bytes) -> str:
    """UTF-16 or UTF-32 that has NULs and no mark, or nothing: by the places of the NULs."""
    sample = data[: _SAMPLE - _SAMPLE % 4]
    if len(data) % 2:
        data = data[:-1]  # the last character is cut in two
    if len(data) < 4:
        return ""
    quarters = [sample[i::4].count(0) for i in range(4)]
    size = len(sample) // 4 or 1
    if not len(data) % 4 and size >= 2:
        for name, high in (("utf-32-le", (2, 3)), ("utf-32-be", (1, 0))):
            # The highest byte is always NUL, the one below it for all but emoji and rare characters.
            top, below = quarters[high[1]], quarters[high[0]]
            lowest = quarters[3 - high[1]]
            if top == size and below >= size * 0.5 and lowest <= size * 0.1 and decodes(sample, name):
                return name
    from tokaudit.sources.frequent import plausibility

    even, odd = quarters[0] + quarters[2], quarters[1] + quarters[3]
    best = ""
    score = 0.5
    for name, high_nuls, low_nuls in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        # A high byte of NUL is a Latin letter; a low byte of NUL hardly occurs.
        if high_nuls > 2 * low_nuls and decodes(sample, name):
            found = plausibility(sample.decode(name), name)
            if found > score:
                best, score = name, found
    return best


def _not_utf8(data: bytes, path: str, error: UnicodeDecodeError, *, complete: bool) -> Choice:
    """The charset of bytes that are not UTF-8."""
    if _cut_utf8(data) or _faulty_utf8(data, error.start):
        return Choice("utf-8", "", 0, "detected")
    from tokaudit.sources.older import alphabet, multibyte

    nul = b"\0" in data
    head = data[:_SAMPLE]
    controls = len(head.translate(None, _NOT_CONTROLS))
    binary = nul or controls > max(1 if len(head) > 50 else 0, len(head) // 50)
    found = multibyte(data, wide_only=binary, complete=complete)
    if binary and not found:
        raise InputError("binary file", what=path, code="binary")
    found = found or alphabet(data)
    return Choice(found.name, "", 0, "detected" if found.sure else "guessed", found.others)


def _cut_utf8(data: bytes) -> bool:
    """Check for UTF-8 of which the beginning or the end cuts a character in two.

    A lone accent of another charset at the end looks the same: there must be characters beyond ASCII that are whole, or
    two bytes of one that is not.
    """
    found = without_ends(data, "utf-8")
    if found is None or b"\0" in data:
        return False
    text, ends = found
    whole = len(text) - len(text.encode("ascii", "ignore"))
    return whole >= 3 or (max(ends) > 1 and len(text) >= 20)


def _faulty_utf8(data: bytes, at: int) -> bool:
    """Check for UTF-8 with a fault at ``at``; text in another charset has one at almost every character."""
    begin = max(0, at - _SAMPLE // 2)
    around = data[begin : at + _SAMPLE // 2]
    if begin:
        around = around.lstrip(bytes(range(0x80, 0xC0)))  # the rest of a character that the sample begins in
    text = around.decode("utf-8", "replace")
    replaced = text.count("\ufffd")
    bad = replaced - around.count(b"\xef\xbf\xbd")
    good = len(re.findall(r"[^\x00-\x7f]", text)) - replaced
    return good >= 3 and good > 4 * bad and b"\0" not in data
