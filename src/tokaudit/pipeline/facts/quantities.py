"""Numbers, dates, amounts and identifiers: the facts that a digit or a Chinese numeral begins or is in."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from tokaudit.pipeline.facts import dates
from tokaudit.pipeline.facts.dates import NUMERALS, simplified
from tokaudit.pipeline.facts.values import CURRENCIES, Fact, digest, number_value, scaled_value
from tokaudit.pipeline.patterns import lazy

NEGATIONS = {one: one for one in "不没无别勿未非莫甭否"} | {"無": "无", "沒": "没", "別": "别"}
"""Chinese characters that negate, with the value of each."""
_JOINERS = "_-./#+"
_HEAD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + _JOINERS
_NEAR = 24
"""Characters before a number that are looked at first: more than a month's name or a currency needs."""
_MONTH_ENDS = frozenset("bceghlnprtvyBCEGHLNPRTVY.")
"""The last letters of months' names."""
_CURRENCY_ENDS = frozenset(code[-1] for code in CURRENCIES) | frozenset(code[-1].lower() for code in CURRENCIES)
_PHONE = 7
"""Digits from which a number without separators is an identifier."""
_LABELS = ("单号", "單號", "编号", "編號", "流水号", "序列号", "账号", "帐号", "卡号", "工号", "学号", "证号", "机号")
"""Endings of names of fields whose values are identifiers."""
_LABEL_MARKS = ":：#=】]是为"
_LABEL_ENDS = frozenset(_LABEL_MARKS + "号號 \t")
_CURRENCY = (
    "人民币|元(?![素旦宵件])|圆|块钱|美元|美金|欧元|英镑|日元|港元|港币|韩元"
    "|(?:USD|CNY|RMB|EUR|GBP|JPY|HKD|KRW|yuan|dollars?|euros)(?![A-Za-z])"
)
_token = lazy(r"[0-9A-Za-z]+(?:[-_./#][0-9A-Za-z]+)*")
_time = lazy(dates.TIME)
_month_before, _after_month = lazy(dates.NAME_BEFORE), lazy(dates.AFTER_NAME)
_numeral = lazy(
    rf"{dates.NUMERAL}|(?P<months>(?P<months_n>[{NUMERALS}]+){dates.GAP}[个個]{dates.GAP}月)|(?P<run>[{NUMERALS}]+)"
)


@lru_cache(maxsize=2)
def starts(ascii_only: bool) -> re.Pattern[str]:
    """The characters that a fact may begin with, or that it is found by."""
    # It begins with one set, so that the search for it is one of a set, and takes all of a run of digits.
    return re.compile("[0-9][0-9]*" if ascii_only else f"[0-9{NUMERALS}{''.join(NEGATIONS)}](?:(?<=[0-9])[0-9]+)?")


_UNIT_STARTS = frozenset("%‰十百千万亿萬億人元圆块美欧英日港韩UCREGJHKyde")
"""First characters of a rate, a scale or a currency behind a number."""
_AFTER_BLANK = _UNIT_STARTS | frozenset("年月JFMASONDo \t\n\r\f\v\xa0\u3000")
_FORMS = {
    "-": (dates.ISO, "groups", "number"),
    "/": (dates.ISO, "fraction", "number"),
    ".": (dates.ISO, "number"),
    ":": (dates.TIME, "number"),
    "年": (dates.CHINESE, "number"),
    "月": (dates.MONTH_DAY,),
    " ": (dates.CHINESE, dates.MONTH_DAY, dates.DAY_NAME, "number"),
    "a": (dates.DAY_NAME, "number"),
    "1": ("number",),
}
"""Facts that a run of digits may begin, by the character behind it, most special first: a letter goes by ``a``,
a blank by a space, and what is not here by ``1``."""


def _class(following: str) -> str:
    """The key of ``_FORMS`` for what stands behind a run of digits; empty where they are a number and nothing else."""
    if following in _FORMS and following != " ":
        return following
    if following.isascii():
        if following.isalpha():
            return "a"
        return " " if following.isspace() else "1" if following in ",_#%" else ""
    if following == "：":
        return ":"
    return " " if following.isspace() else "1" if following in _UNIT_STARTS else ""


@cache
def _beginning(key: str) -> re.Pattern[str]:
    gap = dates.GAP
    ends = r"(?![0-9A-Za-z_]|\.[0-9]|[-/#][0-9]*[A-Za-z_])"
    forms = {
        "number": (
            r"(?P<num>(?P<n>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
            rf"{ends}(?:[^\S\n]?(?P<rate>[%‰])"
            rf"|{gap}(?P<scale>[十百千]?[万亿萬億]亿?|[百千](?=[元块]))(?:{gap}(?P<scaled>{_CURRENCY}))?"
            rf"|{gap}(?P<unit>{_CURRENCY}))?)"
        ),
        "groups": rf"(?P<groups>[0-9]+(?:-[0-9]+)+){dates.NOT_JOINED}",
        "fraction": rf"(?P<fraction>[0-9]+/[0-9]+){dates.NOT_JOINED}",
    }
    rest = r"(?P<token>[0-9A-Za-z]+(?:[-_./#][0-9A-Za-z]+)*)"
    return re.compile("|".join([*(forms.get(form, form) for form in _FORMS[key]), rest]))


def numeral_facts(text: str, at: int, facts: list[Fact]) -> int:
    """Adds the fact that begins with a Chinese numeral, and gives its end."""
    match = _numeral().match(text, at)
    if match is None:  # pragma: no cover - a run of numerals always matches
        return at + 1
    kind = match.lastgroup or ""
    if kind in ("cn", "md"):
        value = dates.numeral_value(match, kind)
        if value:
            facts.append(Fact(at, match.end(), "date", value))
            return match.end()
        end = at + 1
        while text[end : end + 1] and text[end] in NUMERALS:
            end += 1
        facts.append(Fact(at, end, "number", digest(simplified(text[at:end]))))
        return end
    value = match["months_n"] + "个月" if kind == "months" else match[0]
    facts.append(Fact(at, match.end(), "number", digest(simplified(value))))
    return match.end()


def digit_facts(text: str, at: int, end: int, floor: int, facts: list[Fact]) -> int:
    """Adds the facts that the run of digits at a place begins or is in, and gives the end of the last.

    ``floor`` is the end of the fact before, behind which they begin.
    """
    near = text[max(floor, at - _NEAR) : at]
    if near and near[-1] in _HEAD:
        head = near[len(near.rstrip(_HEAD)) :]
        if len(head) == _NEAR:
            near = text[floor:at]
            head = near[len(near.rstrip(_HEAD)) :]
        name = head.lstrip(_JOINERS)
        if name and name.upper() not in CURRENCIES:
            token = _token().match(text, at)
            end = token.end() if token else end
            facts.append(Fact(at - len(name), end, "identifier", digest(text[at - len(name) : end])))
            return end
    if near and near[-1].isspace():
        last = near.rstrip()[-1:]
        if last in _MONTH_ENDS and (named := _named_date(text, at, near, facts)):
            return named
    following = text[end : end + 1]
    key = _class(following)
    if key == " " and following == " " and text[end + 1 : end + 2] not in _AFTER_BLANK:
        key = ""
    if not key:
        return _plain_number(text, at, floor, near, (text[at:end], end, "", "", ""), facts)
    match = _beginning(key).match(text, at)
    if match is None:  # pragma: no cover - a digit always matches the last form
        return at + 1
    kind = match.lastgroup or ""
    if kind == "num":
        written, rate, scale = match.group("n", "rate", "scale")
        parts = (written, match.end(), rate, scale, match["scaled"] or match["unit"])
        return _plain_number(text, at, floor, near, parts, facts)
    if kind in ("iso", "cn", "md", "time", "dmy"):
        facts.append(Fact(at, match.end(), "date", dates.date_value(match, kind)))
        if kind == "iso" and text[match.end() : match.end() + 1] == "T":
            time = _time().match(text, match.end() + 1)
            if time is not None:
                facts.append(Fact(*time.span(), "date", dates.date_value(time, "time")))
                return time.end()
        return match.end()
    return _token_fact(text, at, floor, match, kind, facts)


def _named_date(text: str, at: int, near: str, facts: list[Fact]) -> int:
    month = _month_before().search(near)
    if month is None:
        return 0
    match = _after_month().match(text, at)
    if match is None:
        return 0
    facts.append(Fact(at - len(near) + month.start(), match.end(), "date", dates.named_value(month["name"], match)))
    return match.end()


def _token_fact(text: str, at: int, floor: int, match: re.Match[str], kind: str, facts: list[Fact]) -> int:
    written = match[0]
    if kind == "groups" and sum(map(len, written.split("-"))) < _PHONE:
        # A range, 3-5: each number for itself.
        end = at + written.index("-")
        facts.append(Fact(at, end, "number", written[: end - at]))
        return end
    start = at
    if kind == "groups" and text[at - 1 : at] == "+" and at - 1 >= floor:
        start -= 1
    known = "number" if kind == "fraction" or written.isdigit() else "identifier"
    facts.append(Fact(start, match.end(), known, digest(text[start : match.end()])))
    return match.end()


def _sign(text: str, at: int, floor: int) -> str:
    """The sign that is attached to a number, unless it stands between two words or numbers."""
    sign = text[at - 1 : at]
    if sign not in ("-", "+", ".") or at - 1 < floor:
        return ""
    if at == 1:
        return sign
    outer = text[at - 2]
    if at - 2 < floor or (outer.isascii() and (outer.isalnum() or outer in ")]%_-+.")):
        return ""
    return sign


_Parts = tuple[str, int, "str | None", "str | None", "str | None"]
"""A number: how it is written, its end with what follows, and the rate, scale and currency that follow."""


def _currency(near: str) -> tuple[str, int]:
    """The currency that stands right before a number, and how many characters before it begins; or nothing."""
    bare = near.rstrip()
    if bare[-1:] not in _CURRENCY_ENDS:
        return "", 0
    for length in (3, 1):
        code = bare[-length:].upper()
        if len(code) == length and code in CURRENCIES and code not in "元圆":
            if code.isalpha() and code.isascii() and bare[-length - 1 : -length].isalnum():
                continue
            return CURRENCIES[code], len(near) - len(bare) + length
    return "", 0


def _plain_number(text: str, at: int, floor: int, near: str, parts: _Parts, facts: list[Fact]) -> int:
    written, end, rate, scale, unit = parts
    sign = currency = ""
    start = at
    if near:
        sign = _sign(text, at, floor)
        start -= len(sign)
        if sign == ".":
            written, sign = "0." + written, ""
        currency, length = _currency(near[: len(near) - (at - start)])
    if currency:
        start -= length
        if not sign and _sign(text, start, floor) in ("-", "+"):
            sign = _sign(text, start, floor)
            start -= 1
    currency = CURRENCIES[unit.upper()] if unit else currency
    value = sign + (scaled_value(written, scale) if scale else number_value(written))
    if currency or scale:
        facts.append(Fact(start, end, "amount", digest(f"{currency} {value}".strip())))
        return end
    if rate:
        facts.append(Fact(start, end, "number", digest(value + rate)))
        return end
    kind = "number"
    if written.isdigit() and (len(written) >= _PHONE or _is_labelled(near)):
        kind = "identifier"
    facts.append(Fact(start, end, kind, digest(value)))
    return end


def _is_labelled(near: str) -> bool:
    # The blanks of a label that is spaced out do not count.
    return bool(near) and near[-1] in _LABEL_ENDS and "".join(near.split()).rstrip(_LABEL_MARKS).endswith(_LABELS)
