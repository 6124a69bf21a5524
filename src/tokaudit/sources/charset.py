"""Bytes to text: which charset, how that was decided, and one clear error where bytes do not fit.

A byte-order mark decides; then the escapes of 7-bit charsets; then strict UTF-8; then UTF-16 without a mark; then the
older charsets of Chinese, Japanese and Korean, told apart by what common characters each reading yields (``frequent``);
what is none of these is a guess among those of alphabets (``alphabets``).
"""

from __future__ import annotations

import codecs
import re
import threading
from dataclasses import dataclass, replace
from typing import Literal

from tokaudit.model import Decoding, InputError, UsageError
from tokaudit.model.message import Message
from tokaudit.model.short_repr import ShortRepr
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


# Kanji in (JIS X 0208 of 1978 and 1983), GB 2312 and Korean by ISO 2022; Chinese by HZ.
_ESCAPES = (b"\x1b$@", b"\x1b$B", b"\x1b$A", b"\x1b$(", b"\x1b$)")
_SEVEN_BIT = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_ext", "iso2022_kr")
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
Errors = Literal["strict", "replace"]
ERRORS = ("strict", "replace")


@dataclass(frozen=True, slots=True)
class _Choice:
    """A charset: its name for reports, Python's codec for what follows the byte-order mark, the mark's length."""

    name: str
    codec: str
    skip: int
    decided: str
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Decoded(ShortRepr):
    """The text of a file, the name of its charset, and how that was decided."""

    text: str
    charset: str
    decoding: Decoding


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
    hint = (
        Message("did you mean {v0}?", v0=" or ".join(near))
        if near
        else Message("known: {v0}", v0=", ".join(_COMMON_NAMES))
    )
    raise UsageError(Message("unknown charset {charset!r}", charset=charset), hint=hint)


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
    also = "name another charset with --charset" if detected else "leave --charset out to have the charset detected"
    hint = f"--errors replace reads it with U+FFFD for what is invalid; or {also}"
    return InputError(
        Message(
            "not valid {charset} at byte {v1} (0x{bad:02x}), line {line}: {reason}",
            charset=charset,
            v1=offset + at,
            bad=bad,
            line=line,
            reason=reason,
        ),
        what=path,
        code="charset",
        hint=hint,
    )


def decode(data: bytes, charset: str | None, path: str) -> tuple[str, str]:
    """The text of ``data`` and the name of its charset, as ``decoded`` has them."""
    found = decoded(data, charset, path)
    return found.text, found.charset


def decoded(data: bytes, charset: str | None, path: str, *, errors: str = "strict") -> Decoded:
    """The text of ``data``, the name of its charset, and how that was decided.

    A byte-order mark is not part of the text; line ends stay as they are. A character that the beginning or the end of
    the file cuts in two is left out, and told.

    Args:
        data: the whole file.
        charset: None to detect it.
        path: for messages.
        errors: ``strict`` to refuse bytes that are not in the charset, ``replace`` to read each as U+FFFD.

    Raises:
        InputError: detected to be no text, which has the code ``binary``, or bytes that are not in the charset named
            or detected; names path, byte offset and line.
        UsageError: unknown ``charset`` or ``errors``.
    """
    if errors not in ERRORS:
        raise UsageError(
            Message("invalid --errors {errors!r}", errors=errors), hint=Message("it takes {v0}", v0=" or ".join(ERRORS))
        )
    if charset is None and not _marked(data) and not data.startswith(STARTS) and b"\0" not in data:
        # Nearly every file: one strict decoding is the detection.
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            if not _perhaps_seven_bit(data):
                _refuse_controls(data, path)
                return Decoded(text, "utf-8", Decoding("detected"))
    choice = _choice(data, charset, path)
    decoding = Decoding(choice.decided, choice.alternatives)
    body = data[choice.skip :] if choice.skip else data
    try:
        return Decoded(body.decode(choice.codec), choice.name, decoding)
    except UnicodeError as error:
        cut = _without_ends(body, choice.codec)
        if cut is not None:
            text, ends = cut
            return Decoded(text, choice.name, replace(decoding, cut=ends))
        if errors == "replace":
            text, lost = _with_replacements(body, choice.codec)
            return Decoded(text, choice.name, replace(decoding, replaced=lost))
        raise undecodable(error, body, choice.codec, path, offset=choice.skip, detected=charset is None) from error


def _without_ends(body: bytes, codec: str) -> tuple[str, tuple[int, int]] | None:
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
        if codec.startswith(_WIDE):
            return None
    return None


class _Lost(threading.local):
    count = 0


_LOST = _Lost()


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """The handler of Python's codecs that counts the bytes that it replaces."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _LOST.count += error.end - error.start
    return "\ufffd", error.end


def _with_replacements(body: bytes, codec: str) -> tuple[str, int]:
    """The text with U+FFFD in the place of what is invalid, and how many bytes that are."""
    codecs.register_error("tokaudit.replace", _replaced)
    _LOST.count = 0
    text = body.decode(codec, "tokaudit.replace")
    return text, _LOST.count


def _choice(data: bytes, charset: str | None, path: str, *, complete: bool = True) -> _Choice:
    """The charset of a file's bytes. Raises as ``decoded`` does, but for bytes that do not fit."""
    found = _detected(data, path, complete=complete) if charset is None else _Choice(lookup(charset), "", 0, "declared")
    name = codec = found.name
    skip = 0
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
    return replace(found, codec=codec, skip=skip)


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
    choice = _choice(data, charset, path)
    codec, skip = choice.codec, choice.skip
    for bom, own, _ in _BOMS:
        # Named without an end, the mark says which; Python's own would write one in the order of this machine.
        if codec.replace("_", "-") in _WIDE and own.startswith(codec.replace("_", "-")) and data.startswith(bom):
            codec, skip = own, len(bom)
            break
    mark, body = data[:skip], data[skip:]
    try:
        same = body.decode(codec).encode(codec) == body
    except UnicodeError as error:
        raise InputError(
            Message("some of its bytes are not valid {codec}, and writing would lose them", codec=codec),
            what=path,
            code="charset",
            hint="convert the file to UTF-8 first",
        ) from error
    if not same:
        raise InputError(
            Message(
                "its bytes have several spellings in {codec}, and writing would change them everywhere", codec=codec
            ),
            what=path,
            code="charset",
            hint="convert the file to UTF-8 first",
        )
    try:
        return mark + text.encode(codec)
    except UnicodeEncodeError as error:
        raise InputError(
            Message("{codec} has no {v1!r}, which a rule put into the text", codec=codec, v1=text[error.start]),
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
        InputError: no text, which has the code ``binary``.
    """
    return _detected(data, path, complete=complete).name


def _detected(data: bytes, path: str, *, complete: bool) -> _Choice:
    marked = _marked(data)
    if marked:
        return _Choice(marked, "", 0, "mark")
    for magic, what in SIGNATURES:
        if data.startswith(magic):
            raise InputError(Message("binary file ({what})", what=what), what=path, code="binary")
    if b"\0" in data:
        wide = _without_mark(data)
        if wide:
            return _Choice(wide, "", 0, "detected")
    escaped = seven_bit(data)
    if escaped:
        return _Choice(escaped, "", 0, "detected")
    try:
        # The decoder is incremental so that a character cut off at the end is not an error.
        codecs.getincrementaldecoder("utf-8")().decode(data, final=complete)
    except UnicodeDecodeError as error:
        return _not_utf8(data, path, error, complete=complete)
    _refuse_controls(data, path)
    return _Choice("utf-8", "", 0, "detected")


def _perhaps_seven_bit(data: bytes) -> bool:
    return any(escape in data for escape in _ESCAPES) or b"~{" in data


def seven_bit(data: bytes) -> str:
    """The 7-bit charset of Chinese, Japanese or Korean that escapes tell, or nothing."""
    if not _perhaps_seven_bit(data) or not data.isascii():
        return ""
    from tokaudit.sources.frequent import plausibility

    sample = data[:_SAMPLE]
    if any(escape in data for escape in _ESCAPES):
        for name in _SEVEN_BIT:
            if (
                _decodes(data, name)
                and plausibility(sample.decode(name, "ignore"), "cp949" if name.endswith("kr") else "cp932") > 0.25
            ):
                return name
    if _HZ.search(data) and _decodes(data, "hz"):
        text = data.decode("hz")
        if sum(char > "\x7f" for char in text) >= 4 and plausibility(text, "gb18030") > 0.5:
            return "hz"
    return ""


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


def _not_utf8(data: bytes, path: str, error: UnicodeDecodeError, *, complete: bool) -> _Choice:
    """The charset of bytes that are not UTF-8."""
    if _cut_utf8(data) or _faulty_utf8(data, error.start):
        return _Choice("utf-8", "", 0, "detected")
    from tokaudit.sources.older import alphabet, multibyte

    nul = b"\0" in data
    head = data[:_SAMPLE]
    controls = len(head.translate(None, _NOT_CONTROLS))
    binary = nul or controls > max(1 if len(head) > 50 else 0, len(head) // 50)
    found = multibyte(data, wide_only=binary, complete=complete)
    if binary and not found:
        raise InputError("binary file", what=path, code="binary")
    found = found or alphabet(data)
    return _Choice(found.name, "", 0, "detected" if found.sure else "guessed", found.others)


def _cut_utf8(data: bytes) -> bool:
    """Check for UTF-8 of which the beginning or the end cuts a character in two.

    A lone accent of another charset at the end looks the same: there must be characters beyond ASCII that are whole, or
    two bytes of one that is not.
    """
    found = _without_ends(data, "utf-8")
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
