r"""Large files in pieces, cut only where the count of the pieces is the count of the whole.

Every byte-level pre-tokenization has a boundary just after a newline that is followed by a character that is neither
white space nor ``/`` nor a combining mark. Cuts are made there and nowhere else; where there is no such place, the
piece grows. GPT-2's pattern also wants the newline to be the only white space before that character: those cuts are
called plain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import IO

from tokaudit.model import InputError, UsageError
from tokaudit.model.message import Message

_BLOCK = 1 << 20
"""Bytes looked at together when searching for a cut."""
_BEFORE = 6
"""Bytes before such a block that are looked at as well: a character, and a blank line of two newlines or CRLF."""
_BOM = b"\xef\xbb\xbf"
# What may follow a cut, as far as one byte tells: printable ASCII but the slash, or the lead of a longer character,
# which `_opens` then looks at. Controls are left out: some of them are white space.
_CUT = re.compile(rb"\n(?=[!-.0-~\xc2-\xf4])")
_BLANK_CUT = re.compile(rb"\n\r?\n(?=[!-.0-~\xc2-\xf4])")
_TEXT_CUT = re.compile(r"\n(?=[^\s/\x00-\x1f\x7f])")
_TEXT_BLANK_CUT = re.compile(r"\n\r?\n(?=[^\s/\x00-\x1f\x7f])")


def _joins(char: str) -> bool:
    """Check whether a character may belong to a pre-token that began before it, or to the character before it."""
    import unicodedata

    return char.isspace() or char == "/" or unicodedata.category(char)[0] == "M"


def _opens(data: bytes, at: int) -> bool:
    """Check whether the UTF-8 character at ``at`` may be the first of a piece."""
    if data[at] < 0x80:
        return True
    length = 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
    try:
        return not _joins(data[at : at + length].decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _ends_plainly(data: bytes, at: int) -> bool:
    """Check whether the newline before ``at`` follows a character that is no white space and is in ``data`` whole."""
    end = at - 1
    begin = end - 1
    while begin >= 0 and end - begin < 4 and data[begin] & 0xC0 == 0x80:
        begin -= 1
    try:
        return 0 <= begin < end and not data[begin:end].decode("utf-8").isspace()
    except UnicodeDecodeError:
        return False


def _last_cut(data: bytes, low: int, high: int, plain: bool) -> int | None:
    """The last cut in ``[low, high]``, after a blank line if any is; ``data`` reaches 4 bytes beyond ``high``."""
    for pattern in (_CUT,) if plain else (_BLANK_CUT, _CUT):
        for at in reversed([m.end() for m in pattern.finditer(data, low, min(high + 1, len(data)))]):
            if low < at <= high and _opens(data, at) and (not plain or _ends_plainly(data, at)):
                return at
    return None


def cut_points(
    path: str | os.PathLike[str], size: int, piece_bytes: int, *, plain: bool = False
) -> list[tuple[int, int]]:
    """Byte ranges ``[start, end)`` of the pieces of a UTF-8 file, in order, without gaps.

    Each is about ``piece_bytes`` long, more where the file has no place to cut. A byte-order mark is before the first
    range. Only the first ``size`` bytes of the file are looked at, however it grows. With ``plain``, they are cut for
    GPT-2's pattern too, and not after a blank line or CRLF.

    Raises:
        InputError: the file cannot be read.
        UsageError: ``piece_bytes`` is less than 1.
    """
    if piece_bytes < 1:
        raise UsageError(Message("pieces of {size} bytes are not possible", size=piece_bytes), hint="give 1 or more")
    ranges = []
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - pathlib is slow to import
            start = 3 if size >= 3 and stream.read(3) == _BOM else 0
            while size - start > piece_bytes:
                end = _cut_before(stream, start, start + piece_bytes, size, plain)
                if end is None:
                    end = _cut_after(stream, start + piece_bytes, size, plain)
                if end is None:
                    break
                ranges.append((start, end))
                start = end
    except OSError as error:
        raise InputError.unreadable(error, os.fspath(path)) from error
    if start < size:
        ranges.append((start, size))
    return ranges


def _window(stream: IO[bytes], low: int, high: int, size: int) -> bytes:
    """Bytes ``[low, high)`` of the file and 4 more, if it has them."""
    stream.seek(low)
    return stream.read(min(high + 4, size) - low)


def _cut_before(stream: IO[bytes], start: int, target: int, size: int, plain: bool) -> int | None:
    """The last cut in ``(start, target]``, searched backwards in blocks."""
    high = target
    while high > start:
        # Blocks overlap, so that a newline or a blank line that straddles two is seen.
        low = max(start, high - _BLOCK)
        origin = max(start, low - _BEFORE)
        data = _window(stream, origin, high, size)
        at = _last_cut(data, 0, high - origin, plain)
        if at is not None:
            return origin + at
        high = low
    return None


def _cut_after(stream: IO[bytes], target: int, size: int, plain: bool) -> int | None:
    """The first cut after ``target``."""
    low = target
    while low < size:
        origin = max(0, low - _BEFORE)
        data = _window(stream, origin, low + _BLOCK, size)
        if not data:
            return None
        for match in _CUT.finditer(data, max(0, low - 1 - origin)):
            if _opens(data, match.end()) and (not plain or _ends_plainly(data, match.end())):
                return origin + match.end()
        low += _BLOCK
    return None


def safe_cut(text: str, target: int) -> int | None:
    """Offset at which to cut ``text``: the last place at or before ``target`` code points, or else the first after it.

    After a blank line for preference. None where there is no place to cut; never 0 nor the end of the text, since
    what comes after the end is not known.
    """
    for pattern in (_TEXT_BLANK_CUT, _TEXT_CUT):
        for at in reversed([m.end() for m in pattern.finditer(text, 0, min(target + 1, len(text)))]):
            if at <= target and not _joins(text[at]):
                return at
    for match in _TEXT_CUT.finditer(text, max(0, target - 1)):
        if not _joins(text[match.end()]):
            return match.end()
    return None


def iter_text(
    source: str | os.PathLike[str] | IO[bytes], charset: str, piece_chars: int, *, size: int | None = None
) -> Iterator[str]:
    """The text of a file or binary stream in pieces that can be counted one by one; together they are the whole.

    Args:
        source: a path or a stream opened for bytes.
        charset: as Python names it; strict. A byte-order mark is not part of the text.
        piece_chars: length aimed at, in code points.
        size: bytes to read at most; None: to the end.

    Raises:
        InputError: the file cannot be read, or has bytes that are not in ``charset``.
        UsageError: ``piece_chars`` is less than 1, or an unknown charset.
    """
    if piece_chars < 1:
        raise UsageError(
            Message("pieces of {size} characters are not possible", size=piece_chars), hint="give 1 or more"
        )
    if not isinstance(source, (str, os.PathLike)):
        stream = source
        yield from _pieces(_decoded(stream, charset, piece_chars, size, str(getattr(stream, "name", "<stream>"))))
        return
    path = os.fspath(source)
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            yield from _pieces(_decoded(stream, charset, piece_chars, size, path))
    except OSError as error:
        raise InputError.unreadable(error, path) from error


def _pieces(blocks: Iterator[tuple[str, int]]) -> Iterator[str]:
    """Blocks of text, each with the length then aimed at, to pieces that end at cuts."""
    held: list[str] = []
    length = 0
    wanted = 0
    for block, piece_chars in blocks:
        held.append(block)
        length += len(block)
        if length <= max(wanted, piece_chars):
            continue
        text = "".join(held)
        start = 0
        while len(text) - start > piece_chars:
            # The slice makes each search cost what the piece does, not what the rest does.
            cut = safe_cut(text[start : start + piece_chars + 1], piece_chars)
            if cut is None:
                cut = safe_cut(text[start:], piece_chars)
            if cut is None:
                break
            yield text[start : start + cut]
            start += cut
        text = text[start:]
        held, length = [text], len(text)
        # Where nothing could be cut, twice as much is awaited before the next look: linear for a text without lines.
        wanted = 2 * length
    text = "".join(held)
    if text:
        yield text


def _decoded(
    stream: IO[bytes], charset: str, piece_chars: int, size: int | None, path: str
) -> Iterator[tuple[str, int]]:
    """Blocks of decoded text without the byte-order mark."""
    import codecs

    from tokaudit.sources.charset import lookup, undecodable

    name = lookup(charset)
    decoder = codecs.getincrementaldecoder(name)("strict")
    done = 0
    lines = 1
    first = True
    while True:
        data = stream.read(_BLOCK if size is None else min(_BLOCK, size - done))
        pending = decoder.getstate()[0]
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeError as error:
            raise undecodable(error, pending + data, name, path, offset=done - len(pending), lines=lines) from error
        done += len(data)
        lines += text.count("\n")
        if first and text:
            first = False
            if name.startswith("utf"):
                text = text.removeprefix("\ufeff")
        if text:
            yield text, piece_chars
        if not data:
            return
