"""Dates and times in every notation, as patterns and as one value each, and the Chinese numerals in them.

A full date is ``2024-05-20``, a month ``2024-05``, a year ``2024``, a day of any year ``--05-20``, a month of any year
``--05``, and a time ``08:00`` with what seconds and zone are written.
"""

from __future__ import annotations

import re

DIGITS = {one: value for value, ones in enumerate(("零〇○", "一壹", "二贰", "三叁", "四肆", "五伍")) for one in ones}
DIGITS |= {one: value for value, ones in enumerate(("六陆", "七柒", "八捌", "九玖"), 6) for one in ones}
NUMERALS = "一二三四五六七八九十百千万亿两零〇廿卅壹贰叁肆伍陆柒捌玖拾佰仟兩萬億貳參陸"
"""The characters that a run of numerals consists of."""
_SIMPLE = str.maketrans("兩萬億貳參陸個", "两万亿贰叁陆个")


def simplified(numerals: str) -> str:
    """Numerals with the simplified forms for the traditional ones."""
    return numerals.translate(_SIMPLE)


def year(numerals: str) -> str:
    """The digits that a year is spelled with, one for each character; empty for what spells none."""
    digits = [DIGITS.get(one) for one in numerals]
    return "" if None in digits else "".join(map(str, digits))


def small_number(numerals: str) -> int:
    """The number from 1 to 99 that a month or day is written with (三, 十二, 二十, 三十一, 廿五), or 0."""
    numerals = numerals.replace("廿", "二十").replace("卅", "三十").replace("拾", "十")
    tens, ten, ones = numerals.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        return 0
    high = (DIGITS.get(tens, 0) if tens else 1) if ten else 0
    low = DIGITS.get(ones, 0)
    if (ones and not low) or (tens and not high):
        return 0
    return high * 10 + low


GAP = r"[^\S\n]*(?:\n[^\S\n]*)?"
"""Text between the parts of a date or amount: blanks and one line break, as layout may add or take away."""
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?=[JFMASOND])(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![A-Za-z])"
)
NOT_JOINED = r"(?![0-9A-Za-z_]|[-_./#][0-9A-Za-z])"
"""A token ends here: neither a letter nor a digit goes on, not even behind a joiner."""

ISO = (
    rf"(?P<iso>(?P<iso_y>[12][0-9]{{3}})(?P<iso_s>[-/.])(?P<iso_m>{_MONTH})(?P=iso_s)(?P<iso_d>{_DAY})"
    r"(?![0-9_]|(?!T[0-9])[A-Za-z]|[-_./#][0-9A-Za-z]))"
)
CHINESE = (
    rf"(?P<cn>(?P<cn_y>[0-9]{{4}}(?={GAP}年)|[0-9]{{2}}(?={GAP}年{GAP}{_MONTH}{GAP}月)){GAP}年"
    rf"(?:{GAP}(?P<cn_m>{_MONTH}){GAP}月(?:{GAP}(?P<cn_d>{_DAY}){GAP}[日号號])?)?)"
)
MONTH_DAY = rf"(?P<md>(?P<md_m>{_MONTH}){GAP}月(?:{GAP}(?P<md_d>{_DAY}){GAP}[日号號])?)"
TIME = (
    r"(?P<time>(?P<time_h>2[0-4]|[01]?[0-9])[:：](?P<time_m>[0-5][0-9])"
    r"(?:[:：](?P<time_s>[0-5][0-9]|60)(?:[.,](?P<time_f>[0-9]{1,9})(?![0-9]))?)?"
    r"(?P<time_z>Z|[+-][0-9]{2}:?[0-9]{2}|[^\S\n]?[AaPp][Mm](?![A-Za-z]))?(?![0-9A-Za-z_]|[:：][0-9A-Za-z]))"
)
DAY_NAME = (
    rf"(?P<dmy>(?P<dmy_d>{_DAY})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<dmy_m>{_NAME})"
    r"(?:\.?,?\s+(?P<dmy_y>[12][0-9]{3})(?![0-9A-Za-z]))?)"
)
NAME_BEFORE = rf"(?<![A-Za-z])(?P<name>{_NAME})\.?\s{{1,4}}\Z"
"""The name of a month at the end of what stands before a number."""
AFTER_NAME = (
    rf"(?:(?P<y>[12][0-9]{{3}})|(?P<d>{_DAY})(?:st|nd|rd|th)?(?![0-9A-Za-z:：/]|[-.][0-9A-Za-z])"
    r"(?:,?\s{1,4}(?P<dy>[12][0-9]{3})(?![0-9A-Za-z]|[-/:][0-9A-Za-z]))?)(?![0-9A-Za-z])"
)
"""The day and year that follow the name of a month."""
_NUMERAL = "[一二三四五六七八九十廿卅]"
NUMERAL = (
    rf"(?P<cn>(?P<cn_y>[一二三四五六七八九〇零○]{{4}}){GAP}年"
    rf"(?:{GAP}(?P<cn_m>{_NUMERAL}{{1,2}}){GAP}月(?:{GAP}(?P<cn_d>{_NUMERAL}{{1,3}}){GAP}[日号號])?)?)"
    rf"|(?P<md>(?P<md_m>{_NUMERAL}{{1,2}}){GAP}月(?:{GAP}(?P<md_d>{_NUMERAL}{{1,3}}){GAP}[日号號])?)"
)


def _date(year_digits: str, month: int, day: int) -> str:
    return f"{year_digits or '-'}" + (f"-{month:02d}" if month else "") + (f"-{day:02d}" if day else "")


def _named(name: str) -> int:
    return _NAMES.index(name[:3].lower()) + 1


def date_value(match: re.Match[str], kind: str) -> str:
    """The value of what one of the patterns matched; ``kind`` is its outer group (iso, cn, md, time, dmy)."""
    if kind == "time":
        hour, minute, second, fraction, zone = match.group("time_h", "time_m", "time_s", "time_f", "time_z")
        value = f"{hour:0>2}:{minute}" + (f":{second}" if second else "") + (f".{fraction}" if fraction else "")
        return value + zone.strip().lower() if zone else value
    if kind == "dmy":
        return _date(match["dmy_y"] or "", _named(match["dmy_m"]), int(match["dmy_d"]))
    if kind == "md":
        return _date("", int(match["md_m"]), int(match["md_d"] or 0))
    return _date(match[f"{kind}_y"], int(match[f"{kind}_m"] or 0), int(match[f"{kind}_d"] or 0))


def named_value(name: str, match: re.Match[str]) -> str:
    """The value of the name of a month and what ``AFTER_NAME`` matched behind it."""
    return _date(match["y"] or match["dy"] or "", _named(name), int(match["d"] or 0))


def numeral_value(match: re.Match[str], kind: str) -> str:
    """The value of a date in Chinese numerals, or nothing where the numerals are no month or day."""
    month_text, day_text = match.group(f"{kind}_m", f"{kind}_d")
    month = small_number(month_text) if month_text else 0
    day = small_number(day_text) if day_text else 0
    if (month_text and not 1 <= month <= 12) or (day_text and not 1 <= day <= 31):
        return ""
    return _date(year(match["cn_y"]) if kind == "cn" else "", month, day)
