"""Pre-tokenization: where a byte-level tokenizer cuts a text before it merges bytes.

Each pattern is the reference's (``pattern_regex`` in the manifest) written for the text of stand-ins that
``unicode_classes`` makes, so that it runs on the standard library's ``re`` with the reference's character classes.
``tests/equivalence`` compares the pieces with the reference engines'.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from tokaudit.tokenizers.unicode_classes import CJK, HAN, LONG_S, flagged, stand_ins, to_stand_ins

# Members of character classes: ASCII first, then the stand-ins.
_SPACE = r" \t\n\r\f\v" + stand_ins("space")
_NUMBER = "0-9" + stand_ins("number")
_LETTER = "A-Za-z" + stand_ins("upper", "lower", "letter")
_LETTER_MARK = _LETTER + stand_ins("mark")
# Upper-case side and lower-case side of the o200k family; Lm, Lo and M are on both.
_UPPER = "A-Z" + stand_ins("upper", "letter", "mark")
_LOWER = "a-z" + stand_ins("lower", "letter", "mark")
_CONTRACTION = rf"'(?:[sdmtSDMT{LONG_S}]|[lL][lL]|[vV][eE]|[rR][eE])"
_TAIL = rf"[{_SPACE}]*[\r\n]+|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+"


def _gpt2() -> str:
    """r50k_base and p50k_base, as tiktoken has it."""
    return (
        rf"'(?:[sdmt]|ll|ve|re)| ?[{_LETTER}]+| ?[{_NUMBER}]+| ?[^{_SPACE}{_LETTER}{_NUMBER}]+"
        rf"|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]"
    )


def _cl100k() -> str:
    """cl100k_base as tiktoken has it: a run of white space at the end of the text is one piece."""
    return (
        rf"{_CONTRACTION}|[^\r\n{_LETTER}{_NUMBER}]?[{_LETTER}]+|[{_NUMBER}]{{1,3}}"
        rf"| ?[^{_SPACE}{_LETTER}{_NUMBER}]+[\r\n]*|[{_SPACE}]+\Z|[{_SPACE}]*[\r\n]|[{_SPACE}]+(?![^{_SPACE}])"
        rf"|[{_SPACE}]"
    )


def _gpt4_style(letters: str, digits: str) -> str:
    """The published GPT-4 pattern, which GLM and Qwen use with their own counts of digits and kinds of letters."""
    return (
        rf"{_CONTRACTION}|[^\r\n{_LETTER}{_NUMBER}]?[{letters}]+|[{_NUMBER}]{digits}"
        rf"| ?[^{_SPACE}{letters}{_NUMBER}]+[\r\n]*|{_TAIL}"
    )


def _o200k(upper: str, lower: str, contraction: str, digits: str, after_symbols: str, first: str = "") -> str:
    """The o200k family: o200k_base, Mistral's tekken, Kimi."""
    prefix = rf"[^\r\n{_LETTER}{_NUMBER}]?"
    return (
        rf"{first}{prefix}[{upper}]*[{lower}]+{contraction}|{prefix}[{upper}]+[{lower}]*{contraction}"
        rf"|[{_NUMBER}]{digits}| ?[^{_SPACE}{_LETTER}{_NUMBER}]+[{after_symbols}]*|{_TAIL}"
    )


def _kimi() -> str:
    upper = "A-Z" + stand_ins("upper", "letter", "mark", without=HAN)
    lower = "a-z" + stand_ins("lower", "letter", "mark", without=HAN)
    return _o200k(upper, lower, f"(?:{_CONTRACTION})?", "{1,3}", r"\r\n", first=f"[{flagged(HAN)}]+|")


def _deepseek() -> str:
    """DeepSeek's sequence of three splits as one pattern.

    Digits and CJK runs are cut out first, and the third split sees each part, those runs too, as a text of its own: a
    digit or CJK character ends a part like the end of the text. Within a CJK run it parts letters from signs such as
    U+309C. Characters that no split matches stay together as pieces.
    """
    signs = r"!-/:-@\[-`{-~"

    letter = "A-Za-z" + stand_ins("upper", "lower", "letter", "mark", without=CJK)
    sign = signs + stand_ins("punctuation", "symbol", without=CJK)
    cjk = flagged(CJK)
    cjk_letter = "".join(sorted(set(cjk) & set(stand_ins("letter", "mark"))))
    cjk_sign = "".join(sorted(set(cjk) & set(stand_ins("punctuation", "symbol"))))
    cjk_other = "".join(sorted(set(cjk) - set(cjk_letter) - set(cjk_sign)))
    lone = rf"[^{_SPACE}{letter}{_NUMBER}{sign}{cjk}]"
    return (
        rf"[{_NUMBER}]{{1,3}}|[{cjk_other}]?[{cjk_letter}]+|[{cjk_sign}]+|(?:[{cjk_other}](?![{cjk_letter}]))+"
        rf"|[{signs}][A-Za-z]+|[^\r\n{letter}{_NUMBER}{sign}{cjk}]?[{letter}]+| ?[{sign}]+[\r\n]*"
        rf"|[{_SPACE}]*[\r\n]+|[{_SPACE}]+(?![^{_SPACE}{_NUMBER}{cjk}])|[{_SPACE}]+|(?:{lone}(?![{letter}]))+"
    )


PATTERNS = {
    "gpt2": _gpt2,
    "cl100k": _cl100k,
    "glm": lambda: _gpt4_style(_LETTER, "{1,3}"),
    "qwen2": lambda: _gpt4_style(_LETTER, ""),
    "qwen3.5": lambda: _gpt4_style(_LETTER_MARK, ""),
    "o200k": lambda: _o200k(_UPPER, _LOWER, f"(?:{_CONTRACTION})?", "{1,3}", r"\r\n/"),
    "tekken": lambda: _o200k(_UPPER, _LOWER, "", "", r"\r\n/"),
    "kimi": _kimi,
    "deepseek": _deepseek,
}
RANKED = {"o200k": "o200k", "cl100k": "gpt4", "gpt2": "gpt2", "kimi": "kimi", "tekken": "nemotron", "qwen2": "qwen2"}
"""gigatoken's name of each pattern of a vocabulary that it can load as a rank file: merged by rank, and whole in its
sense, every token the merge of two others. The rest go to it as a tokenizer.json, which takes three times as long."""
AS_RANKED = frozenset({"b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"})
"""SHA-256 of vocabularies with listed merges (that of Qwen 2 to 3) for which merging by rank is the same.

Merging by rank makes each of their tokens by the pair that is listed for it. Within a piece a token is always made as
it is made alone, since no merge reaches across its edges; so every merge by rank is a listed one, and the lowest of all
is the lowest of the listed. ``tests/tokenizers/test_as_ranked.py`` makes every token."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled pattern of a name in the manifest; it matches the text of stand-ins without gaps."""
    return re.compile(PATTERNS[pattern]())


def pieces(pattern: str, text: str) -> list[str]:
    """Cut ``text`` into the pieces within which bytes are merged; they concatenate to ``text``."""
    found = compiled(pattern).findall(to_stand_ins(text))
    if text.isascii():
        return found
    result = []
    at = 0
    for piece in found:
        end = at + len(piece)
        result.append(text[at:end])
        at = end
    return result


def repeated_pieces(pattern: str, text: str) -> Callable[[], Iterator[str]]:
    """The same one by one, as often as is asked for: a list of very many pieces would be large."""
    marks = to_stand_ins(text)

    def found() -> Iterator[str]:
        for match in compiled(pattern).finditer(marks):
            yield text[match.start() : match.end()]

    return found
