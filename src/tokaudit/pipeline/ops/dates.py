"""Dates in a shorter notation."""

from __future__ import annotations

import datetime as dt
import re

from tokaudit.pipeline.ops.replace import trimmed
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Rewrite dates such as 2024年5月20日 as 2024-05-20; never parts of ranges, nor dates that are none."
PARAMETERS: Parameters = KEEP
_date = lazy(r"(?<![\d/.\-])([12]\d{3})年(\d{1,2})月(\d{1,2})[日号]", re.ASCII)
_RANGE = re.compile(r"\s*(?:[-~－–—―～〜/]|[至到与和及、](?=\s*[\d一二三十]))")
"""The rest of a range, or of a list that shares its year, after the first date."""
_RANGE_BEFORE = re.compile(r"[\d日号月年]\s*[-~－–—―～〜/至到与和及、]\s*\Z")
_LUNAR = re.compile(r"(?:农历|阴历|旧历|夏历|民国|昭和|平成|令和)\s*\Z")


def prepare(values: Values) -> Find:
    """A finder of dates that stand alone and are days of the calendar."""
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)

    def find(view: View) -> Edits:
        text = view.text
        if "年" not in text:
            return
        for match in _date().finditer(text):
            start, end = match.span()
            year, month, day = map(int, match.groups())
            if (
                not _is_day(year, month, day)
                or _stands_in_range(text, start, end)
                or keep_words.touches(text, start, end)
            ):
                continue
            if text[end : end + 1].isascii() and text[end : end + 1].isalnum():
                continue  # 2024年5月20日8时 would become 2024-05-208时
            yield trimmed(start, match[0], f"{year:04}-{month:02}-{day:02}")

    return find


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True


def _stands_in_range(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 6) : start]
    return bool(_RANGE.match(text, end) or _RANGE_BEFORE.search(before) or _LUNAR.search(before))
