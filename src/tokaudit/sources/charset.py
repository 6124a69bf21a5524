"""Bytes to text and back: which charset, how that was decided, and one clear error where bytes do not fit."""

from __future__ import annotations

import codecs
import threading
from dataclasses import replace

from tokaudit.model import Decoding, InputError, UsageError
from tokaudit.model.message import Message, joined
from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr
from tokaudit.sources.charset_detection import (
    MARKS,
    WIDE,
    Choice,
    decodes,
    detected,
    marked,
    perhaps_seven_bit,
    refuse_controls,
    without_ends,
)
from tokaudit.sources.signatures import STARTS

# Charsets as people write them that Python does not know.
_ALIASES = {"ansi": "cp1252", "gb-18030": "gb18030", "gb": "gb18030", "windows-31j": "cp932", "x-sjis": "shift_jis"}


ERRORS = ("strict", "replace")


@record
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
        Message("did you mean {near}?", near=joined(" or ", *near))
        if near
        else Message("known: {names}", names=tuple(_COMMON_NAMES))
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
    newline = "\n".encode(charset) if charset.startswith(WIDE) and not charset.endswith(("16", "32")) else b"\n"
    line = lines + data.count(newline, 0, at)
    bad = data[at] if at < len(data) else 0
    also = (
        Message("name another charset with --charset")
        if detected
        else Message("leave --charset out to have the charset detected")
    )
    hint = Message("--errors replace reads it with U+FFFD for what is invalid; or {also}", also=also)
    return InputError(
        Message(
            "not valid {charset} at byte {at} (0x{bad:02x}), line {line}: {reason}",
            charset=charset,
            at=offset + at,
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
            Message("invalid --errors {errors!r}", errors=errors),
            hint=Message("it takes {choices}", choices=joined(" or ", *ERRORS)),
        )
    if charset is None and not marked(data) and not data.startswith(STARTS) and b"\0" not in data:
        # Nearly every file: one strict decoding is the detection.
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            if not perhaps_seven_bit(data):
                refuse_controls(data, path)
                return Decoded(text, "utf-8", Decoding("detected"))
    choice = _choice(data, charset, path)
    decoding = Decoding(choice.decided, choice.alternatives)
    body = data[choice.skip :] if choice.skip else data
    try:
        return Decoded(body.decode(choice.codec), choice.name, decoding)
    except UnicodeError as error:
        cut = without_ends(body, choice.codec)
        if cut is not None:
            text, ends = cut
            return Decoded(text, choice.name, replace(decoding, cut=ends))
        if errors == "replace":
            text, lost = _with_replacements(body, choice.codec)
            return Decoded(text, choice.name, replace(decoding, replaced=lost))
        raise undecodable(error, body, choice.codec, path, offset=choice.skip, detected=charset is None) from error


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


def _choice(data: bytes, charset: str | None, path: str, *, complete: bool = True) -> Choice:
    """The charset of a file's bytes. Raises as ``decoded`` does, but for bytes that do not fit."""
    found = detected(data, path, complete=complete) if charset is None else Choice(lookup(charset), "", 0, "declared")
    name = codec = found.name
    skip = 0
    for bom, bom_name, bom_codec in MARKS:
        # "utf-16" and "utf-32" read their own mark.
        if data.startswith(bom) and name.replace("_", "-") in (bom_name, bom_codec):
            codec, skip = bom_codec, len(bom)
            break
    if charset is None:
        if codec == "shift_jis":
            codec = "cp932"  # the superset that files called Shift-JIS are in fact written in
        elif codec == "euc_kr":
            codec = "cp949"
        elif codec == "big5" and not decodes(data, "big5"):
            codec = "cp950" if decodes(data, "cp950") else "big5hkscs"
    return found._replace(codec=codec, skip=skip)


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
    for bom, own, _ in MARKS:
        # Named without an end, the mark says which; Python's own would write one in the order of this machine.
        if codec.replace("_", "-") in WIDE and own.startswith(codec.replace("_", "-")) and data.startswith(bom):
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
            Message("{codec} has no {char!r}, which a rule put into the text", codec=codec, char=text[error.start]),
            what=path,
            code="charset",
            hint="convert the file to UTF-8, or --ignore the rule",
        ) from error
