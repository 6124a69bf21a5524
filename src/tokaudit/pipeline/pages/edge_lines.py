"""A line at the edge of a page by itself: its page number, its letters, a row of a table or not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tokaudit.pipeline.patterns import lazy

MASK = "#"
"""Stands for the page number in a line."""
_LONGEST = 160
"""Characters of a line that may be furniture, and of a heading."""


_ROMAN = r"(?:[ivxlc]{1,9}|[IVXLC]{1,9})"
_NAMED = (
    r"第\s*(?P<han>[0-9]{1,5})\s*[页頁](?:\s*[,，/·]?\s*共\s*[0-9]{1,5}\s*[页頁])?"
    r"|(?:[Pp]age|PAGE|[Pp]\.|[Ss]eite|[Pp][áa]gina|[Сс]тр\.)\s*(?P<page>[0-9]{1,5})"
    r"(?:\s*(?:of|OF|/|von|sur|de|di|из)\s*[0-9]{1,5})?"
    r"|(?P<total>[0-9]{1,5})\s*/\s*[0-9]{1,5}(?:\s*[页頁])?"
    r"|(?P<kana>[0-9]{1,5})\s*ページ"
)
"""A page number that names itself."""
_whole = lazy(
    rf"(?:{_NAMED}|[-–—·|]?\s*(?:(?P<bare>[0-9]{{1,5}})|(?P<slash>[0-9]{{1,5}})\s*/\s*[0-9]{{1,5}}"
    rf"|(?P<roman>{_ROMAN}))\s*[-–—·|]?)"
)
_within = lazy(rf"(?<![\w/.,-])(?:{_NAMED})(?![\w/.,-])")
_at_ends = lazy(
    rf"(?P<start>[0-9]{{1,5}}|{_ROMAN})(?=\s)|(?<=\s)[-–—|]?\s?(?P<end>[0-9]{{1,5}}|{_ROMAN})(?:\s?[-–—|])?$"
)
"""A bare number at either end."""


class Number(NamedTuple):
    """A page number that a line may have."""

    style: str
    """Numbers of different styles belong to different numberings."""
    value: int
    masked: str
    """The line with the number, and what belongs to it, masked."""

    @property
    def alone(self) -> bool:
        """True if there is nothing else on the line."""
        return self.masked == MASK

    @property
    def named(self) -> bool:
        """True if something says that it is a page's, as 'Page' and a total do."""
        return self.style not in {"bare", "start", "end"} and not self.roman

    @property
    def roman(self) -> bool:
        """True if it is of Roman digits."""
        return self.style.endswith("roman")


def page_numbers(text: str) -> list[Number]:
    """The page numbers that a line may have: one for the whole line, or those at its ends and of a form of their own.

    All other digits are content: `Release 4.6` of a header is not masked.
    """
    if len(text) > _LONGEST:
        return []
    if match := _whole().fullmatch(text):
        value = _value(match[match.lastgroup or 0])
        return [Number(match.lastgroup or "", value, MASK)] if value else []
    if match := _within().search(text):
        value = _value(match[match.lastgroup or 0])
        return [Number("in", value, _masked(text, match.start(), match.end()))] if value else []
    found = []
    for match in _at_ends().finditer(text):
        name = match.lastgroup or ""
        # Only at the very start: what follows a space inside is no end of the line.
        if (name == "start" and match.start()) or not (value := _value(match[name])):
            continue
        style = name if match[name].isdigit() else f"{name}-roman"
        found.append(Number(style, value, _masked(text, match.start(), match.end())))
    return found


def _masked(text: str, start: int, end: int) -> str:
    before, after = text[:start].strip(), text[end:].strip()
    return " ".join(part for part in (before, MASK, after) if part)


def _value(digits: str) -> int:
    if digits.isdigit():
        return int(digits)
    # Capitals and small letters are equal; letters that are no number are 0.
    lower = digits.lower()
    worth = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
    if not re.fullmatch("c*(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", lower):
        return 0
    values = [worth[digit] for digit in lower]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))


def unnumbered(masked: str) -> str:
    """A masked line without the mask."""
    return masked.replace(MASK, "").strip()


def wording(text: str) -> str:
    """The text of a line beside its page number."""
    numbers = page_numbers(text.strip())
    return unnumbered(numbers[0].masked) if numbers else text.strip()


def is_row(text: str, inner: str) -> bool:
    """True if a line and the one that follows inwards look like rows of one table.

    They have the same number of cells, three or more, or two apart by wide gaps; or as many words, and figures in
    either.
    """
    if "|" in text.strip("| ") and "|" in inner.strip("| "):
        return True
    cells, inner_cells = _cells(text), _cells(inner)
    if len(cells) > 1 and len(cells) == len(inner_cells):
        return True
    words, inner_words = text.split(), inner.split()
    if len(words) < 3 or len(words) != len(inner_words):
        return False
    return 2 * max(_figures(words), _figures(inner_words)) >= len(words)


# A number by itself: what carries a label, such as a code of a company, may stand in a header.
_FIGURE = re.compile(r"[-+−(（]?[¥￥$€]?\d[\d.,]*[%％)）]?")


def _cells(text: str) -> list[str]:
    return [cell for cell in re.split(r"\t| {2,}|\u3000{2,}", text.strip()) if cell]


def _figures(words: Sequence[str]) -> int:
    return sum(_FIGURE.fullmatch(word) is not None for word in words)


def letters(text: str) -> str:
    """The letters of a line, all small: what a heading and its running line have in common."""
    return "".join(filter(str.isalpha, text.casefold()))


_numbering = lazy(r"\s*(?:[^\W\d_]+\s)?[A-Z]?\d{0,3}(?:\.\d{1,3})*[.:]?\s")


def _figured(text: str) -> str:
    """The letters and digits of a line after the number of its section; empty where there are no digits."""
    if not any(map(str.isdigit, text)):
        return ""
    match = _numbering().match(text)
    rest = text[match.end() if match else 0 :]
    return "".join(filter(str.isalnum, rest.casefold())) if any(map(str.isdigit, rest)) else ""


class Headings:
    """The short lines of a document, any of which may be a heading that running lines repeat."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        self._figured: Counter[str] = Counter()
        self._joined: set[str] = set()
        last = ""
        for line in lines:
            if len(line) <= _LONGEST and (figured := _figured(line)):
                self._figured[figured] += 1
            now = letters(line) if len(line) <= _LONGEST else ""
            if now:
                self._counts[now] += 1
                # A heading of two lines: 'Chapter 5', 'Booting the system'.
                if last and len(last) + len(now) <= _LONGEST:
                    self._joined.add(last + now)
            last = now
        self._sorted = sorted({*self._counts, *self._joined})

    def count(self, said: str) -> int:
        """Number of lines of these letters."""
        return self._counts[said]

    def parts(self, text: str) -> int:
        """Of how many lines of the document a line is made: one, two, or more with parts left out (…).

        0 where it is made of none. One is the line itself, where there is no other.
        """
        pieces = re.split(r"…|\.\.\.", text)
        found = 0
        for number, piece in enumerate(pieces):
            said = letters(piece)
            if not said:
                continue
            parts = self._parts(said, cut=number + 1 < len(pieces))
            if not parts:
                return 0
            found += parts
        return found

    def elsewhere(self, text: str, here: int) -> bool:
        """True if a line is made of others: there are more of it than those here, or it is made of several.

        Lines with other figures are others, but for the number of a section before the title.
        """
        parts = self.parts(text)
        if parts != 1 or self._counts[letters(text)] <= here:
            return parts > 1
        figured = _figured(text)
        return not figured or self._figured[figured] > 1

    def _parts(self, said: str, *, cut: bool) -> int:
        if said in self._joined or (cut and self._begins(said)):
            return 2
        if any(
            self._is_one(said[:at]) and (self._is_one(said[at:]) or (cut and self._begins(said[at:])))
            for at in range(2, len(said) - 1)
        ):
            return 2
        return int(said in self._counts)

    def _is_one(self, said: str) -> bool:
        return said in self._counts or said in self._joined

    def _begins(self, said: str) -> bool:
        """True if a longer line begins so."""
        at = bisect_right(self._sorted, said)
        return at < len(self._sorted) and self._sorted[at].startswith(said)
