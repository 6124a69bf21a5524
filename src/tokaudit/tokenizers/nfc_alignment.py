"""Character by character, which part of a text became which part of its NFC.

The reference (Hugging Face tokenizers) keeps for every composed character the character that it began with. The steps
here are its steps: decompose, order marks by class, compose; each character carries how many it replaced.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tokaudit.tokenizers.unicode_classes import Change, is_inert, nfc

_JAMO_FIRST, _JAMO_LAST = "\u1160", "\u11ff"
"""Vowels and final consonants of Korean, which join the consonant before them."""


def aligned(text: str, changes: Sequence[Change]) -> Iterator[Change]:
    """The changes that NFC makes, each as small as the reference has it: nearly always one composed character.

    Args:
        text: the text before NFC.
        changes: as ``nfc_changes`` finds them: parts as code points with their NFC, in order.
    """
    for start, end, _ in changes:
        for begin, cluster in _clusters(text, start, end):
            at = begin
            for size, normal in _within(cluster):
                if text[at : at + size] != normal:
                    yield at, at + size, normal
                at += size


def _clusters(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Characters with all that may join them; NFC of the whole is that of these one behind the other."""
    begin = start
    for at in range(start + 1, end + 1):
        if at == end or not _joins(text[at]) or is_inert(text[at - 1]):
            yield begin, text[begin:at]
            begin = at


@lru_cache(maxsize=4096)
def _joins(char: str) -> bool:
    """Check whether a character may compose with one before it, or change places with it."""
    return (_JAMO_FIRST <= char <= _JAMO_LAST or unicodedata.category(char)[0] == "M") and not is_inert(char)


@lru_cache(maxsize=16_384)
def _within(cluster: str) -> tuple[tuple[int, str], ...]:
    """Parts of a cluster: code points, and what they became, which begins where they began."""
    normal = nfc(cluster)
    if normal == cluster:
        return tuple((1, char) for char in cluster)
    if len(normal) == 1:
        return ((len(cluster), normal),)
    begun: dict[int, str] = {}  # where characters begin, in order, and which do
    at = start = 0
    for char, change in _composed(_ordered(cluster)):
        # An added character begins where the last one taken away did.
        start = max(start, min(at - 1 if change > 0 else at, len(cluster) - 1))
        begun[start] = begun.get(start, "") + char
        at += 0 if change > 0 else 1 - change
    ends = [*list(begun)[1:], len(cluster)]
    return tuple((end - start, begun[start]) for start, end in zip(begun, ends, strict=True))


def _ordered(cluster: str) -> list[tuple[str, int]]:
    """The decomposed characters in canonical order, each with 1 where it was added, else 0."""
    found = [(char, int(index > 0)) for one in cluster for index, char in enumerate(unicodedata.normalize("NFD", one))]
    result: list[tuple[str, int]] = []
    marks: list[tuple[str, int]] = []
    for item in found:
        if unicodedata.combining(item[0]):
            marks.append(item)
            continue
        result += sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))
        marks = []
        result.append(item)
    return result + sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))


def _composed(items: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The characters composed; the number falls by one for each character that another has taken in."""
    result: list[tuple[str, int]] = []
    base = -1  # index in ``result`` of what the next character may join
    last = 0  # class of the mark that stands between them
    for char, change in items:
        kind = unicodedata.combining(char)
        if base >= 0 and (len(result) == base + 1 or last < kind):
            joined = unicodedata.normalize("NFC", result[base][0] + char)
            if len(joined) == 1:
                result[base] = joined, result[base][1] + change - 1
                continue
        if not kind:
            base = len(result)
        last = kind
        result.append((char, change))
    return result
