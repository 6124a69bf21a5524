"""Chinese numerals as numbers, where a date needs them as numbers."""

from __future__ import annotations

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
