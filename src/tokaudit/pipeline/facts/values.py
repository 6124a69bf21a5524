"""Values of facts: one text for all forms that are written differently and mean the same."""

from __future__ import annotations

import hashlib
import json
import re
from typing import NamedTuple

from tokaudit.pipeline.patterns import lazy


class Fact(NamedTuple):
    """One fact of a text: half-open, in code points."""

    start: int
    end: int
    kind: str
    """Of ``model.rules.FACTS``."""
    value: str
    """The value that must stay equal, however it is written."""


_LONGEST = 60
"""Characters of a value that is kept as it is; of a longer one, a digest is."""
# Full-width forms that facts are made of, and the radicals and compatibility forms of numerals, of the marks of a date
# and of negations. Each is one character for one, so that places stay what they are.
_FOLDED = {
    0xFEE0 + code: chr(code) for code in range(ord("!"), ord("~")) if chr(code).isalnum() or chr(code) in ".-+%#/@_$"
}
_FOLDED |= dict(
    zip(
        map(ord, "￥−\u2f00\u2f06\u2f0b\u2f17\u2f46\u2f47\u2f49\u2fae\uf967\uf9d1\uf973"),
        "¥-一二八十无日月非不六拾",
        strict=True,
    )
)
_CURRENCY_NAMES = {
    "CNY": "¥ RMB CNY 元 圆 块钱 人民币 YUAN",
    "USD": "$ US$ USD 美元 美金 DOLLAR DOLLARS",
    "HKD": "HK$ HKD 港元 港币",
    "EUR": "€ EUR 欧元 EUROS",
    "GBP": "£ GBP 英镑",
    "JPY": "JPY 日元",
    "KRW": "KRW 韩元",
}
CURRENCIES = {name: code for code, names in _CURRENCY_NAMES.items() for name in names.split()}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
_folding = lazy("[" + re.escape("".join(map(chr, _FOLDED))) + "]+")
# A string that never ends is one token up to the end of its line, so that its quotes are not tried again.
_json_tokens = lazy(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|[\[\]{},:]|[^\s\[\]{},:"]+')


def fold(text: str) -> str:
    """The text with the full-width letters and digits and old forms that facts are made of as usual ones."""
    return text if text.isascii() else _folding().sub(lambda match: match[0].translate(_FOLDED), text)


def digest(text: str) -> str:
    """The text itself where it is short, and its SHA-256 in 24 hexadecimal digits where it is not."""
    if len(text) <= _LONGEST:
        return text
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def number_value(written: str) -> str:
    """1,299.00, 1299.0 and 1299 as 1299. Leading zeros stay, and so does the form of an exponent."""
    value = written.replace(",", "")
    if "e" in value or "E" in value:
        return value.lower()
    return value.rstrip("0").rstrip(".") if "." in value else value


def scaled_value(written: str, scale: str) -> str:
    """3.5 and 万 as 35000, exactly."""
    power = sum(_POWERS[one] for one in scale)
    whole, _, part = number_value(written).partition(".")
    digits = (whole + part[:power].ljust(power, "0")).lstrip("0") or "0"
    return f"{digits}.{part[power:]}" if part[power:] else digits


def json_value(text: str) -> str:
    """The value of JSON: its tokens, with numbers as written, keys in order and strings without escapes.

    A text that is no JSON has such a value too, and any change but of blanks between tokens changes it.
    """
    tokens = _json_tokens().findall(text)
    if "\\" in text or '"[' in text or '"{' in text:
        tokens = [_json_string(token) if "\\" in token or token[:2] in ('"[', '"{') else token for token in tokens]
    return digest(" ".join(tokens))


def _json_string(token: str) -> str:
    if token[0] != '"':
        return token
    try:
        text = json.loads(token, strict=False)
    except ValueError:
        return token
    if text.lstrip()[:1] in ("{", "[") and _is_json(text):
        text = json_value(text)  # a text that is JSON says what that says
    return json.dumps(text, ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def code_value(code: str) -> str:
    """The digest of code, whatever its line ends; JSON by its value, which minifying keeps."""
    code = code.replace("\r\n", "\n")
    inner = code.strip()
    if inner[:1] in ("{", "[") and inner[-1:] in ("}", "]") and _is_json(inner):
        return json_value(inner)
    return digest(code)
