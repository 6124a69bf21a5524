"""Bytes to text: which charset, strictly decoded, or one clear error.

A byte-order mark decides; then strict UTF-8; then UTF-16 without a mark; then the older charsets of Chinese, Japanese
and Korean, by the common characters that each reading yields (``frequent``); what is none of these goes to
charset-normalizer, whose strength is alphabets.
"""

from __future__ import annotations

import codecs
import re

from tokaudit.model import InputError, UsageError
from tokaudit.sources.signatures import SIGNATURES, STARTS

_SAMPLE = 1 << 16
"""Bytes that detection looks at."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030", "gb18030"),
)
# Controls that texts have: tab, newline, vertical tab, form feed, return, backspace, bell, escape (terminal logs).
_CONTROLS = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b") | {0x7F})
_NOT_CONTROLS = bytes(set(range(256)) - set(_CONTROLS))
_WIDE = ("utf-16", "utf-32")
# Charsets as people write them that Python does not know.
_ALIASES = {"ansi": "cp1252", "gb-18030": "gb18030", "gb": "gb18030", "windows-31j": "cp932", "x-sjis": "shift_jis"}


def lookup(charset: str) -> str:
    """Python's name of a text charset; UsageError with the nearest names for an unknown one."""
    wanted = _ALIASES.get(charset.strip().lower(), charset.strip())
    try:
        info = codecs.lookup(wanted)
    except (LookupError, ValueError):
        info = None
    if info is not None and getattr(info, "_is_text_encoding", True) and info.name not in ("undefined", "mbcs"):
        return info.name
    import difflib
    from encodings.aliases import aliases

    names = sorted({alias.replace("_", "-") for alias in aliases} | {name.replace("_", "-") for name in _COMMON_NAMES})
    near = difflib.get_close_matches(charset.lower().replace("_", "-"), names, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(_COMMON_NAMES)}"
    raise UsageError(f"unknown charset {charset!r}", hint=hint)


_COMMON_NAMES = ("utf-8", "utf-16", "gb18030", "gbk", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1252", "latin-1")


def undecodable(
    error: UnicodeError,
    data: bytes,
    charset: str,
    path: str,
    *,
    offset: int = 0,
    lines: int = 1,
    detected: bool = False,
) -> InputError:
    """The error for bytes that are not in a charset: names path, byte offset and line of the first invalid byte.

    Args:
        error: what the codec raised for ``data``.
        data: the bytes that were being decoded.
        charset: as Python names it.
        path: for the message.
        offset: byte offset of ``data`` in the file.
        lines: 1-based line at which ``data`` begins.
        detected: the charset was found by us rather than named by the user.
    """
    at = error.start if isinstance(error, UnicodeDecodeError) else 0
    reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
    newline = "\n".encode(charset) if charset.startswith(_WIDE) and not charset.endswith(("16", "32")) else b"\n"
    line = lines + data.count(newline, 0, at)
    bad = data[at] if at < len(data) else 0
    hint = (
        "name the file's charset with --charset, as in --charset gb18030"
        if detected
        else "leave --charset out to have the charset detected"
    )
    return InputError(
        f"not valid {charset} at byte {offset + at} (0x{bad:02x}), line {line}: {reason}",
        what=path,
        code="charset",
        hint=hint,
    )


def decode(data: bytes, charset: str | None, path: str) -> tuple[str, str]:
    """The text of ``data`` and the name of its charset.

    A byte-order mark is not part of the text; line ends stay as they are.

    Args:
        data: the whole file.
        charset: None to detect it.
        path: for messages.

    Raises:
        InputError: detected to be no text, which has the code ``binary``, or bytes that are not in the charset named
            or detected; names path, byte offset and line.
        UsageError: unknown ``charset``.
    """
    detected = charset is None
    if charset is None and not _marked(data) and not data.startswith(STARTS) and b"\0" not in data:
        # Nearly every file: one strict decoding is the detection.
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            _refuse_controls(data, path)
            return text, "utf-8"
    name, codec, skip = _codec(data, charset, path)
    body = data[skip:] if skip else data
    try:
        return body.decode(codec), name
    except UnicodeError as error:
        raise undecodable(error, body, codec, path, offset=skip, detected=detected) from error


def _codec(data: bytes, charset: str | None, path: str) -> tuple[str, str, int]:
    """The charset's name for reports, Python's codec for what follows the byte-order mark, and the mark's length."""
    name = detect(data, path) if charset is None else lookup(charset)
    codec, skip = name, 0
    for bom, bom_name, bom_codec in _BOMS:
        # "utf-16" and "utf-32" read their own mark.
        if data.startswith(bom) and name.replace("_", "-") in (bom_name, bom_codec):
            codec, skip = bom_codec, len(bom)
            break
    if charset is None:
        if codec == "shift_jis":
            codec = "cp932"  # the superset that files called Shift-JIS are in fact written in
        elif codec == "euc_kr":
            codec = "cp949"
        elif codec == "big5" and not _decodes(data, "big5"):
            codec = "cp950" if _decodes(data, "cp950") else "big5hkscs"
    return name, codec, skip


def encode_like(text: str, data: bytes, charset: str | None, path: str) -> bytes:
    """A text in the charset of the file that it was, with its byte-order mark.

    Args:
        text: what to encode.
        data: the file's bytes.
        charset: as it was given to ``decode`` for them.
        path: for messages.

    Raises:
        InputError: the charset has no room for a character of the text, or the bytes cannot be given back as they
            were, so that writing them would change more than was asked for.
    """
    _, codec, skip = _codec(data, charset, path)
    for bom, own, _ in _BOMS:
        # Named without an end, the mark says which; Python's own would write one in the order of this machine.
        if codec.replace("_", "-") in _WIDE and own.startswith(codec.replace("_", "-")) and data.startswith(bom):
            codec, skip = own, len(bom)
            break
    mark, body = data[:skip], data[skip:]
    if body.decode(codec).encode(codec) != body:
        raise InputError(
            f"its bytes have several spellings in {codec}, and writing would change them everywhere",
            what=path,
            code="charset",
            hint="convert the file to UTF-8 first",
        )
    try:
        return mark + text.encode(codec)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{codec} has no {text[error.start]!r}, which a rule put into the text",
            what=path,
            code="charset",
            hint="convert the file to UTF-8, or --ignore the rule",
        ) from error


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
        InputError: no text, which has the code ``binary``, or UTF-8 but for a few invalid bytes.
    """
    marked = _marked(data)
    if marked:
        return marked
    for magic, what in SIGNATURES:
        if data.startswith(magic):
            raise InputError(f"binary file ({what})", what=path, code="binary")
    if b"\0" in data:
        wide = _without_mark(data)
        if wide:
            return wide
    try:
        # The decoder is incremental so that a character cut off at the end is not an error.
        codecs.getincrementaldecoder("utf-8")().decode(data, final=complete)
    except UnicodeDecodeError as error:
        return _not_utf8(data, path, error, complete=complete)
    _refuse_controls(data, path)
    return "utf-8"


def _refuse_controls(data: bytes, path: str) -> None:
    # One stray NUL or control does not make a text binary; a tenth of them does.
    sample = data[:_SAMPLE]
    if len(sample.translate(None, _NOT_CONTROLS)) > max(1, len(sample) // 10):
        raise InputError("binary file (control characters)", what=path, code="binary")


def _marked(data: bytes) -> str:
    """The charset that a byte-order mark tells, or nothing."""
    for bom, name, codec in _BOMS:
        if not data.startswith(bom):
            continue
        # FF FE 00 00 is UTF-32's mark, or UTF-16's with a NUL after it.
        if name == "utf-32-le" and (len(data) % 4 or not _decodes(data[: _SAMPLE - _SAMPLE % 4], codec)):
            continue
        return name
    return ""


def _decodes(data: bytes, charset: str) -> bool:
    try:
        data.decode(charset)
    except UnicodeError:
        return False
    return True


def _without_mark(data: bytes) -> str:
    """UTF-16 or UTF-32 that has NULs and no mark, or nothing: by the places of the NULs."""
    sample = data[: _SAMPLE - _SAMPLE % 4]
    if len(data) % 2 or len(data) < 4:
        return ""
    quarters = [sample[i::4].count(0) for i in range(4)]
    size = len(sample) // 4 or 1
    if not len(data) % 4 and size >= 2:
        for name, high in (("utf-32-le", (2, 3)), ("utf-32-be", (1, 0))):
            # The highest byte is always NUL, the one below it for all but emoji and rare characters.
            top, below = quarters[high[1]], quarters[high[0]]
            lowest = quarters[3 - high[1]]
            if top == size and below >= size * 0.5 and lowest <= size * 0.1 and _decodes(sample, name):
                return name
    from tokaudit.sources.frequent import plausibility

    even, odd = quarters[0] + quarters[2], quarters[1] + quarters[3]
    best = ""
    score = 0.5
    for name, high_nuls, low_nuls in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        # A high byte of NUL is a Latin letter; a low byte of NUL hardly occurs.
        if high_nuls > 2 * low_nuls and _decodes(sample, name):
            found = plausibility(sample.decode(name), name)
            if found > score:
                best, score = name, found
    return best


def _not_utf8(data: bytes, path: str, error: UnicodeDecodeError, *, complete: bool) -> str:
    """The charset of bytes that are not UTF-8."""
    # Around the first invalid byte: is this UTF-8 with a fault, or no UTF-8 at all? Text in another charset has an
    # invalid sequence at almost every character.
    begin = max(0, error.start - _SAMPLE // 2)
    around = data[begin : error.start + _SAMPLE // 2]
    if begin:
        around = around.lstrip(bytes(range(0x80, 0xC0)))  # the rest of a character that the sample begins in
    text = around.decode("utf-8", "replace")
    replaced = text.count("\ufffd")
    bad = replaced - around.count(b"\xef\xbf\xbd")
    good = len(re.findall(r"[^\x00-\x7f]", text)) - replaced
    nul = b"\0" in data
    if good >= 3 and good > 4 * bad and not nul:
        raise undecodable(error, data, "utf-8", path, detected=True) from error
    from tokaudit.sources.older import alphabet, multibyte

    head = data[:_SAMPLE]
    controls = len(head.translate(None, _NOT_CONTROLS))
    binary = nul or controls > max(1 if len(head) > 50 else 0, len(head) // 50)
    found = multibyte(data, wide_only=binary, complete=complete)
    if binary and not found:
        raise InputError("binary file", what=path, code="binary")
    return found or alphabet(data)
