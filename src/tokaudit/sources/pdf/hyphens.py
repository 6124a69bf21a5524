"""Words divided at the ends of lines, joined over the whole document.

An engine marks a hyphen at the end of a line, but cannot tell whether it divides a word (``pack-age``) or belongs to
it (``Multi-Arch``). The document can: most words occur elsewhere in it undivided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tokaudit.model.pages import Page, PageLine
from tokaudit.sources.pdf.text import MARK

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"[^\W\d_]+$")
_FIRST = re.compile(r"[^\W\d_]+")
_PREFIXES = frozenset(("anti", "co", "de", "micro", "pre", "pro", "re", "semi"))
"""Parts that may stand before a hyphen or without: re-sent is not resent."""
_FIRST_PARTS = frozenset(("cross", "mid", "non", "quasi", "self", "semi", "vice", "well"))
"""Parts that hardly begin a word without a hyphen."""
_PART = 4
"""Letters at least of both parts of a compound whose parts are words of the document."""
_SUSPENDED = frozenset(("and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"))
"""Words after a hyphen that stands for a part said later: mid- to long-term."""
_FIGURES = re.compile(r"\d-$")
"""A hyphen after a digit: no word is divided there, so that it belongs to what it stands in."""
_LEAST = 20
"""Characters of a line that such a hyphen may end, lest it be a cell."""
_WITHIN = re.compile(rf"(\S*){MARK}(\S*)")


def with_whole_words(pages: Sequence[Page]) -> list[Page]:
    """Pages without marks: the second part of a divided word goes up to the first. The number of lines stays."""
    marked = [any(MARK in line.text or line.text.endswith("-") for line in page.lines) for page in pages]
    if not any(marked):
        return list(pages)
    words = known_words(line.text for page in pages for line in page.lines)
    return [
        replace(page, lines=_whole(page.lines, words)) if has else page for page, has in zip(pages, marked, strict=True)
    ]


def known_words(texts: Iterable[str]) -> frozenset[str]:
    """Words of texts in small letters, those with hyphens whole; what stands at a mark is none."""
    words: set[str] = set()
    for text in texts:
        if MARK in text:
            text = _WITHIN.sub(" ", text)  # noqa: PLW2901 - the same text
        words.update(_WORD.findall(text.lower()))
    return frozenset(words)


def _whole(lines: Sequence[PageLine], words: frozenset[str]) -> tuple[PageLine, ...]:
    texts = [line.text for line in lines]
    for index, line in enumerate(lines):
        if line.kind == "table":
            texts[index] = _WITHIN.sub(lambda found: found[1] + link(found[1], found[2], words) + found[2], line.text)
            continue
        figures = len(texts[index]) >= _LEAST and _FIGURES.search(texts[index]) is not None
        if not texts[index].endswith(MARK) and not figures:
            continue
        after = index + 1 if index + 1 < len(lines) and lines[index + 1].kind == line.kind else 0
        head = texts[index][:-1]
        tail, _, rest = texts[after].partition(" ") if after else ("", "", "")
        joint = "-" if figures and (tail[:1].isdigit() or tail[:1].islower()) else ""
        if tail[:1].isalpha() and head[-1:].isalpha():
            joint = link(head.rsplit(" ", 1)[-1], tail, words)
        elif not joint:
            tail = ""
        if not tail or _is_suspended(head, tail, words):
            texts[index] = head + "-"
            continue
        texts[index] = head + joint + tail
        texts[after] = rest
    return tuple(line._replace(text=text) for line, text in zip(lines, texts, strict=True) if text)


def _is_suspended(head: str, tail: str, words: frozenset[str]) -> bool:
    """Check whether a hyphen stands for a part that is said later."""
    last = _LAST.search(head)
    return tail.lower() in _SUSPENDED and (last is None or last[0].lower() + tail.lower() not in words)


def link(head: str, tail: str, words: frozenset[str]) -> str:
    """Text between two parts of a word: nothing, or the hyphen where it belongs to the word."""
    start, end = _LAST.search(head), _FIRST.match(tail)
    if not start or not end:
        return "-"
    one, other = start[0].lower(), end[0].lower()
    if end[0][0].isupper() and not start[0].isupper():
        return "-"  # Multi-Arch, though the document may have multiarch too
    # No word is divided after one letter (e-mail), nor where two equal vowels meet (co-operative).
    if len(one) == 1 or (one in _PREFIXES and (other in words or other[0] == one[-1])):
        return "-"
    if one + other in words:
        return ""
    if f"{one}-{other}" in words or _is_name(head) or _is_name(tail):
        return "-"
    # A word that the document has only once, of parts that hardly are words, or of two that the document has.
    compound = min(len(one), len(other)) >= _PART and one in words and other in words
    return "-" if compound or one in _FIRST_PARTS else ""


def _is_name(part: str) -> bool:
    """Check whether a part is of a file name, an address, an option, a compound: it has what no word has."""
    word = part.strip("()[]{}<>“”‘’\"'`*,.;:!?…")
    return not word.replace("’", "").replace("'", "").isalpha()
