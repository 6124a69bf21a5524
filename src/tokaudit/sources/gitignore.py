"""The lines of a .gitignore file, for where git cannot be asked; matching is that of git's ``wildmatch``, in bytes.

``pathspec``, which matches the patterns of options and budgets, takes ``gen/**`` for ``gen`` itself, ``*`` with ``!*/``
for all that is in a folder, and knows no ``[[:digit:]]``.
"""

from __future__ import annotations

import os
import re
import string
from typing import NamedTuple

_PARTS = re.compile(rb"(?:\A|(?<=/))\*\*/|(?<=/)\*\*\Z|\*+|\?|\[|\\.|[^*?\[\\]+|\\\Z", re.DOTALL)
_TRAILING = re.compile(rb"(?<!\\)((?:\\\\)*) +\Z")
_CLASSES = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, [*range(32), 127])),
    b"digit": string.digits,
    b"graph": "".join(map(chr, range(33, 127))),
    b"lower": string.ascii_lowercase,
    b"print": "".join(map(chr, range(32, 127))),
    b"punct": string.punctuation,
    b"space": string.whitespace,
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}


class _Line(NamedTuple):
    match: re.Pattern[bytes]
    is_excluded: bool
    """False for a line that begins with ``!``."""
    folders_only: bool
    names_only: bool
    """Matched with the last part of a path."""


class IgnoreFile:
    """The patterns of one file, for paths relative to its folder."""

    def __init__(self, content: bytes) -> None:
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        self._lines = [line for text in reversed(lines) if (line := _line(text.removesuffix(b"\r"))) is not None]

    def decide(self, path: str, *, is_folder: bool) -> bool | None:
        """True where the path is ignored, False where a ``!`` line takes it out again, None where no line matches."""
        whole = os.fsencode(path)
        name = whole.rpartition(b"/")[2]
        for line in self._lines:  # the last that matches decides
            if (is_folder or not line.folders_only) and line.match.fullmatch(name if line.names_only else whole):
                return line.is_excluded
        return None


def _line(text: bytes) -> _Line | None:
    if text.startswith(b"#"):
        return None
    text = _TRAILING.sub(rb"\1", text)
    is_excluded = not text.startswith(b"!")
    text = text.removeprefix(b"!")
    folders_only = text.endswith(b"/")
    text = text.removesuffix(b"/")
    if not text:
        return None
    pattern = _pattern(text.removeprefix(b"/"))
    return None if pattern is None else _Line(pattern, is_excluded, folders_only, b"/" not in text)


def _pattern(text: bytes) -> re.Pattern[bytes] | None:
    """The regular expression of a pattern; None for one that matches nothing, as with a ``[`` that is never closed."""
    parts = []
    at = 0
    while at < len(text):
        found = _PARTS.match(text, at)
        part = b"" if found is None else found[0]
        at += len(part)
        if part == b"[":
            chosen, at = _bytes_of(text, at)
            if not chosen:
                return None
            parts.append(b"[" + b"".join(rb"\x%02x" % code for code in sorted(chosen)) + b"]")
        elif part == b"**/":
            parts.append(b"(?:.*/)?")
        elif part == b"**" and at == len(text) and len(text) > 2 and text[-3:-2] == b"/":
            parts.append(b".+")
        elif part.startswith(b"*"):
            parts.append(b"[^/]*")
        elif part == b"?":
            parts.append(b"[^/]")
        elif part == b"\\":
            return None
        else:
            parts.append(re.escape(part.removeprefix(b"\\") if len(part) == 2 else part))
    return re.compile(b"".join(parts), re.DOTALL)


def _bytes_of(text: bytes, at: int) -> tuple[set[int], int]:
    """The bytes that the brackets before ``at`` stand for, and the offset behind them; none where they do not close."""
    negated = text[at : at + 1] in (b"!", b"^")
    at += negated
    chosen: set[int] = set()
    first = at
    while at < len(text):
        if text[at : at + 1] == b"]" and at > first:
            found = set(range(256)) - chosen if negated else chosen
            return found - {ord("/")}, at + 1
        if text.startswith(b"[:", at):
            end = text.find(b":]", at)
            names = _CLASSES.get(text[at + 2 : end]) if end > 0 else None
            if names is None:
                break
            chosen.update(map(ord, names))
            at = end + 2
            continue
        low, at = _escaped(text, at)
        if text[at : at + 1] == b"-" and text[at + 1 : at + 2] not in (b"]", b""):
            high, at = _escaped(text, at + 1)
            chosen.update(range(low, high + 1))
        else:
            chosen.add(low)
    return set(), at


def _escaped(text: bytes, at: int) -> tuple[int, int]:
    at += text[at : at + 1] == b"\\" and at + 1 < len(text)
    return text[at], at + 1
