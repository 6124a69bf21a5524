"""Character classes pinned to the reference engines, so that no library's Unicode version changes a count.

``unicode.bin`` (written by ``scripts/vendor_unicode.py``) says of every code point which general class the reference
engines give it. For pre-tokenization a text is translated, code point by code point, into a text of *stand-ins*: ASCII
stands for itself, and every other character for one of a few Latin-1 characters, one for each combination of classes
that a pattern can tell apart. The patterns then run on that text with the standard library's ``re``.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

GENERAL = ("upper", "lower", "letter", "mark", "number", "punctuation", "symbol", "space", "other")
"""General classes in the file's order: Lu and Lt; Ll; Lm and Lo; M; N; P; S; White_Space; none of these."""
SCRIPTS = ("space", "digit", "emoji", "han", "latin", "punctuation", "other")
"""Classes of ``count --by class``, in the file's order."""
HAN, CJK = 1 << 4, 1 << 5
"""Flags: ``\\p{Han}`` (Kimi's pattern), and DeepSeek's range of ideographs and kana."""
_INERT, SETTLED = 1 << 6, 1 << 7
"""Flags: left alone by the reference's NFC but not by newer tables; changed by no NFC, whatever stands beside it."""
_CLASS = 0x0F
_PATTERN_BITS = 0x3F
# The combinations that occur, in a fixed order; U+017F folds to "s" in contractions and gets a stand-in of its own.
COMBINATIONS: tuple[int, ...] = (
    *(0, 1, 2, 3, 4, 5, 6, 7, 8, 2 | HAN, 2 | HAN | CJK, 3 | HAN, 4 | HAN, 5 | HAN, 6 | HAN),
    *(2 | CJK, 3 | CJK, 5 | CJK, 6 | CJK, 8 | CJK),
)
_STAND_IN = {combination: chr(0x80 + index) for index, combination in enumerate(COMBINATIONS)}
LONG_S = chr(0x80 + len(COMBINATIONS))


def stand_ins(*classes: str, without: int = 0) -> str:
    """The stand-ins of some general classes, but for those that have a flag of ``without``; not ASCII."""
    wanted = {GENERAL.index(name) for name in classes}
    chosen = [_STAND_IN[c] for c in COMBINATIONS if c & _CLASS in wanted and not c & without]
    return "".join(chosen) + (LONG_S if "lower" in classes else "")


def flagged(flag: int) -> str:
    """The stand-ins of all combinations that have a flag."""
    return "".join(_STAND_IN[combination] for combination in COMBINATIONS if combination & flag)


@lru_cache(maxsize=1)
def _ranges() -> tuple[memoryview, bytes, bytes]:
    """Start of each range, its flags, its script class."""
    data = Path(__file__).with_name("unicode.bin").read_bytes()
    starts = b"".join(data[at : at + 4] for at in range(0, len(data), 6))
    return memoryview(starts).cast("I"), data[4::6], data[5::6]


def ranges() -> Iterator[tuple[int, int, int]]:
    """Start, end and flags of each range of code points, in order, without gaps."""
    starts, flags, _ = _ranges()
    for at, start in enumerate(starts):
        yield start, starts[at + 1] if at + 1 < len(starts) else sys.maxunicode + 1, flags[at]


def combination_of(flags: int) -> int:
    """Index in ``COMBINATIONS`` of what patterns can tell apart in the flags of a character."""
    return COMBINATIONS.index(flags & _PATTERN_BITS)


def _flags(code: int) -> int:
    starts, flags, _ = _ranges()
    return flags[bisect_right(starts, code) - 1]


class _Filled(dict[K, V]):
    """Characters to values that a function gives, kept as they are met; also a table for ``str.translate``."""

    def __init__(self, value_of: Callable[[K], V], known: Mapping[K, V] | None = None) -> None:
        super().__init__(known or {})
        self._value_of = value_of

    def __missing__(self, key: K) -> V:
        value = self[key] = self._value_of(key)
        return value


_TRANSLATION = _Filled(
    lambda code: _STAND_IN[_flags(code) & _PATTERN_BITS], {code: chr(code) for code in range(128)} | {0x17F: LONG_S}
)


def to_stand_ins(text: str) -> str:
    """The text of stand-ins: as many code points as ``text``, all below U+0100."""
    return text if text.isascii() else text.translate(_TRANSLATION)


def _script(code: int) -> str:
    starts, _, scripts = _ranges()
    return chr(scripts[bisect_right(starts, code) - 1])


def utf8_length(code: int) -> int:
    """Bytes of a code point in UTF-8."""
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


_SCRIPT_BYTES: _Filled[int, str] = _Filled(lambda code: _script(code) * utf8_length(code))
_SCRIPT_CHARS = _Filled(_script)


def script_of_bytes(text: str) -> bytes:
    """For each byte of the text's UTF-8, the index in ``SCRIPTS`` of the character that it belongs to."""
    return text.translate(_SCRIPT_BYTES).encode("latin-1")


def script_of_chars(text: str) -> bytes:
    """For each code point of the text, the index of its class in ``SCRIPTS``."""
    return text.translate(_SCRIPT_CHARS).encode("latin-1")


@lru_cache(maxsize=1)
def _inert() -> frozenset[str]:
    """Characters that the reference's NFC leaves alone and that a newer Unicode would compose or reorder."""
    starts, flags, _ = _ranges()
    found: list[str] = []
    for index, flag in enumerate(flags):
        if flag & _INERT:
            found.extend(map(chr, range(starts[index], starts[index + 1])))
    return frozenset(found)


@lru_cache(maxsize=1)
def _perhaps_inert() -> re.Pattern[str]:
    """Matches every inert character, and all beyond U+FFFF: a class with many of those apart is slow to search for."""
    return re.compile(f"[{''.join(char for char in sorted(_inert()) if char < _ASTRAL)}{_ASTRAL}-\U0010ffff]")


_ASTRAL = "\U00010000"


_SETTLED_CHARS: _Filled[str, bool] = _Filled(lambda char: bool(_flags(ord(char)) & SETTLED))
"""True where no NFC changes a character, whatever stands beside it."""
_ASCII = bytes(range(128))


Change = tuple[int, int, str]
"""A part of a text, as code points, and what NFC makes of it."""
# Where NFC may change something: characters that may join with others, and the one before them. Ideographs never join
# backwards, so that they part a text like ASCII does.
_JOINING = "[^\x00-\x7f\u3400-\u4dbf\u4e00-\u9fff]+"
_JOINING_ALONE = re.compile(_JOINING)
_JOINING_WITH_BASE = re.compile(f"[\x00-\x7f\u3400-\u4dbf\u4e00-\u9fff]?{_JOINING}")
_WIDE = re.compile("[^\x00-\x7f]+")
_FEW = 64
"""Different characters up to which a search for each of them beats one for their class."""


@lru_cache(maxsize=2)
def without_ascii(text: str) -> str:
    """The characters of a text beyond ASCII; the last texts are remembered, since it is asked for more than once."""
    return text.encode().translate(None, _ASCII).decode()


def nfc_changes(text: str) -> list[Change]:
    """Changes of NFC to a text, as the reference (Hugging Face tokenizers) has it, in order."""
    if text.isascii():
        return []
    # Most texts have no character that NFC could change: the distinct ones are few, and looked at once.
    wide = without_ascii(text)
    unsettled = [char for char in set(wide) if not _SETTLED_CHARS[char]]
    changes = []
    for start, end in _joining(text, len(wide), unsettled):
        part = text[start:end]
        normal = _whole_nfc(part)
        if normal is not part and normal != part:
            changes.append((start, end, normal))
    return changes


def _joining(text: str, wide: int, unsettled: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The stretches of a text that NFC may change, as code points, each with the character before it.

    ``wide`` is how many characters are not ASCII. A search for each of a few rare characters is many times as fast as
    one for a class.
    """
    few = len(text) >> 8
    places: list[int] = []
    for char in unsettled if len(unsettled) <= _FEW else ():
        at = text.find(char)
        while at >= 0 and len(places) <= few:
            places.append(at)
            at = text.find(char, at + 1)
    if len(unsettled) > _FEW or len(places) > few:
        if wide * 8 < len(text):  # then a search that need not look at ASCII twice is faster
            for match in _WIDE.finditer(text):
                start, end = match.span()
                yield max(start - 1, 0), end
        else:
            yield from (match.span() for match in _JOINING_WITH_BASE.finditer(text))
        return
    end = 0
    for place in sorted(places):
        if place < end:
            continue
        start = place
        while start > end and _JOINING_ALONE.match(text, start - 1, start):
            start -= 1
        found = _JOINING_ALONE.match(text, start)
        end = found.end() if found else place + 1
        yield max(start - 1, 0), end


@lru_cache(maxsize=2)
def normalized(text: str) -> tuple[list[Change], str]:
    """The changes and the text in NFC; the last texts are remembered, since several tokenizers ask for the same."""
    changes = nfc_changes(text)
    if not changes:
        return changes, text
    parts = []
    at = 0
    for start, end, normal in changes:
        parts += [text[at:start], normal]
        at = end
    return changes, "".join([*parts, text[at:]])


def is_inert(char: str) -> bool:
    """Check whether the reference's NFC leaves a character alone that a newer Unicode would compose or reorder."""
    return char in _inert()


def nfc(text: str) -> str:
    """NFC as the reference (Hugging Face tokenizers) has it, whatever Unicode version Python comes with."""
    return normalized(text)[1]


def _whole_nfc(text: str) -> str:
    """NFC between the characters that are inert in the reference's."""
    if _perhaps_inert().search(text) is not None:
        inert = _inert() & set(_perhaps_inert().findall(text))
        if inert:
            parts = re.split(f"([{''.join(sorted(inert))}])", text)
            return "".join(unicodedata.normalize("NFC", part) for part in parts)
    return unicodedata.normalize("NFC", text)  # which gives the text itself back where a quick look suffices
