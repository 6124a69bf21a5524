"""Unreadable text of a PDF: glyphs without a character, and paragraphs that no charset explains."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from tokaudit.pipeline.pages.split import pages
from tokaudit.pipeline.patterns import lazy

UNREADABLE = 0.2
"""Share of a page's characters that are glyphs without one from which on it needs OCR."""
UNIT = "(?:[(]cid:[0-9]{1,6}[)]|[\ufffd\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd])"
"""A glyph without a character: as readers of PDF write it, the replacement character, or one of private use."""
_LEAST = 20
"""Characters that a paragraph has at least, without white space, to be judged."""
_WITNESSES = frozenset("锟烫屯")
_KINDS = 4
"""Different signs that a paragraph of symbols has at least; ratings and lists have fewer."""
_KNOWN, _SYMBOLS, _WRONG = 0.5, 0.3, 0.2
"""Shares of a paragraph: known characters below which, and symbols and classic damage above which, it is garbled."""
unit = lazy(UNIT)
"""The pattern of one glyph without a character."""
_paragraph = lazy(r"[^\s\f][^\n\f]*(?:\n(?![ \t\r]*(?:\n|\Z))[^\n\f]+)*")
_damage = lazy("(?:锟斤拷|[锟斤拷]{4,}|烫{4,}|屯{4,})+")
"""Signs of UTF-8 read as GBK and of memory that was never written."""
_suspicious = lazy(r"[(]cid:|[!-/:-@\[-`{-~]{4}|[\0-\x08\x0e-\x1f]")
"""Signs that a garbled text of ASCII must have: glyphs without a character, or a run of signs."""
_code = lazy(r"[=\\{}\[\]|<>`~^_;]|[\u2200-\u23ff\u2500-\u259f\u27c0-\u27ef\u2980-\u2aff]|[0-9][-+*/][0-9]|(.)\1{3}")
"""Signs of code, formulas, tables, rules and encoded data."""
_words = lazy(r"[A-Za-z]{3,}|[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}")


def may_have_units(text: str) -> bool:
    """True if a text may have glyphs without a character: a check that costs next to nothing."""
    return "(cid:" in text or (not text.isascii() and unit().search(text) is not None)


def unreadable_pages(text: str) -> Iterator[tuple[int, int, int, float]]:
    """Start and end of each page that has glyphs without a character, how many, and which share of its characters."""
    if not may_have_units(text):
        return
    for start, end in pages(text):
        found = [match.end() - match.start() for match in unit().finditer(text, start, end)]
        if found:
            page = text[start:end]
            blank = sum(map(len, re.findall(r"\s+", page)))
            yield start, end, len(found), len(found) / (end - start - blank - sum(found) + len(found))


def garbled_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs of which nobody can read much: ascending and apart, without the line end after them.

    Code, formulas, tables and encoded data are of ASCII with signs of their own, and no other script is taken for
    damage: what is judged are characters that no ordinary text has, and symbols without any words between.
    """
    if text.isascii() and not _suspicious().search(text):
        return
    for match in _paragraph().finditer(text):
        if match.end() - match.start() >= _LEAST and _is_garbled(match[0]):
            yield match.span()


def _is_garbled(paragraph: str) -> bool:
    body = "".join(unit().sub("\ufffd", paragraph).split())
    size = len(body)
    if size < _LEAST:
        return False
    counts = Counter(body)
    wrong = sum(len(match[0]) for match in _damage().finditer(body)) if counts.keys() & _WITNESSES else 0
    unknown = wrong + sum(number for char, number in counts.items() if not _is_known(char))
    if wrong > _WRONG * size or unknown > (1 - _KNOWN) * size or _is_misread(body):
        return True
    return _is_of_symbols(body, paragraph, counts)


def _is_known(char: str) -> bool:
    """True if a character may be of an ordinary text, of whatever script.

    Those of Latin-1 are what text in other charsets is mistaken for: no language has half of its characters there.
    """
    code = ord(char)
    if code < 0x100:
        return 0x20 <= code < 0x7F or char in "°·±×÷§©®«»"
    return code != 0xFFFD and unicodedata.category(char) not in {"Cn", "Co", "Cc", "Cs"}


def _is_misread(body: str) -> bool:
    """True if a text is Chinese in UTF-8 that was read as GBK: its bytes are UTF-8 again, of a third fewer characters.

    Not by chance: of the bytes of ordinary Chinese in GBK hardly any two follow each other as UTF-8 wants them.
    """
    if body.isascii():
        return False
    data = re.sub("[\0-\x7f]+", "", body).encode("gbk", "ignore")
    read = data.decode("utf-8", "replace")
    if 3 * read.count("\ufffd") > len(read):
        return False
    good = sum(1 for char in read if "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef")
    return 6 * good > len(data)


def _is_of_symbols(body: str, paragraph: str, counts: Mapping[str, int]) -> bool:
    """True if signs that are no marks of sentences are much of a paragraph, with hardly a word and no code in it."""
    signs = [number for char, number in counts.items() if _is_symbol(char)]
    if sum(signs) <= _SYMBOLS * len(body) or len(signs) < _KINDS or _code().search(body):
        return False
    return sum(len(word) for word in _words().findall(paragraph)) < (1 - _KNOWN) * len(body)


def _is_symbol(char: str) -> bool:
    if char.isalnum() or char in ".,;:!?'\"()-…—–，。、；：？！“”‘’（）《》【】·•%/":
        return False
    category = unicodedata.category(char)
    emoji = category == "So" and (ord(char) >= 0x1F000 or 0x2600 <= ord(char) <= 0x27BF)
    return category[0] in "SP" and not emoji
