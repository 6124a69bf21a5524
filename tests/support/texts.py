"""Texts made to find differences between tokenizers: all of Unicode, weighted alphabets, worst cases."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tokaudit.tokenizers.unicode_classes import _ranges

ALPHABETS: dict[str, tuple[int, list[str]]] = {
    "word": (8, [
        "the", " world", "Hello", "HTTPServer", "camelCase", " naïve", "Straße", "你好", "世界", "的",
        "こんにちは", "カタカナ", "한국어", "русский", "العربية", "ह\u093fन\u094dद\u0940", "ไทย", "def f(x):",
        "http://a.b/c?d=e", "<|endoftext|>", "<think>", "[INST]", "\\n", "x",
    ]),
    "space": (6, [
        " ", " ", " ", "\t", "\x0b", "\x0c", "\x85", "\xa0", "\u1680", "\u2000", "\u2003", "\u200a", "\u2028",
        "\u2029", "\u202f", "\u205f", "\u3000", "\u180e", "\u200b", "\ufeff", "\x1c", "\x1d", "\x1e", "\x1f",
    ]),
    "line": (4, [
        "\n", "\n", "\r", "\r\n", "\n\n", "\n/", "/\n", "\n\r",
    ]),
    "contraction": (4, [
        "'", "'s", "'S", "'t", "'T", "'re", "'rE", "'ve", "'VE", "'m", "'ll", "'lL", "'LL", "'d", "'D",
        "'\u017f", "\u017f", "'\u212a", "’s", "''", "'1", "' s", "'\u0130", "'sa", "'llama", "`",
    ]),
    "digit": (4, [
        "0", "1", "12", "999", "\u0660", "\u0966", "\uff11", "\xb2", "\xbd", "\u2167", "\u32bf", "\U0001d7d9",
        "\u3007", "\u3192", "\u3021", "\u2460", "\U00010107", "\U00016a60", "\U0001fbf0", "\u0bf0", "\u09f4",
    ]),
    "letter": (5, [
        "a", "b", "Z", "É", "é", "ß", "\u01c5", "\u02b0", "ª", "º", "Ж", "ж", "א", "ع", "क", "ก", "가",
        "\u1100", "\u1161", "\u11a8", "\u2126", "\u212a", "\u212b", "\u0130", "\u0131", "ﬁ", "ẞ", "Ꙋ", "𐐀", "𝐀",
        "\U00010d40", "\U000105c0", "\u1c89", "\ua7cb", "\U00016ea0",
    ]),
    "cjk": (5, [
        "的", "一", "中", "文", "㐀", "𠀀", "\U0002ebf0", "\U000323b0", "豈", "﨎", "\u3005", "〆", "\u303b",
        "\u3038", "⺀", "⼀", "㇀", "ㄅ", "\u3220", "㏿", "鿿", "䷀",
    ]),
    "kana": (3, [
        "あ", "ア", "\u30fc", "ｱ", "\uff9e", "\u309b", "\u309c", "・", "゠", "ゟ", "ヿ", "ㇰ", "\u3099",
        "\u309a", "フ\u309c", "\u3040", "\u3097", "𛀀", "🈀",
    ]),
    "punctuation": (4, [
        "+", "-", "*", "/", "=", "<", ">", "^", "~", "|", "$", "€", "\xa5", ".", ",", "!", "?", ";", ":", "(",
        ")", "[", "]", "{", "}", '"', "#", "%", "&", "@", "_", "\\", "，", "。", "！", "、", "「", "」", "…",
        "—", "“", "”", "\xb7", "\xa7", "•", "～", "￥", "\xb6",
    ]),
    "mark": (3, [
        "\u0300", "\u0301", "\u0307", "\u0308", "\u0323", "\u0327", "\u0345", "\u0344", "\u20dd", "\u0903",
        "\u093f", "\u093c", "\u0e31", "\u302a", "\ufe0f", "\ufe20", "\U000e0100", "\u1dc0", "\u0897",
        "\U0001e08f", "\u0f71", "\u0f72", "\u05b0", "\u064b", "\U0001d165", "\U0001133e",
    ]),
    "emoji": (3, [
        "😀", "👩", "👨\u200d👩\u200d👧", "\U0001f3fd", "👍\U0001f3fd", "🇨", "🇨🇳", "❤\ufe0f", "☎", "\xa9",
        "1\ufe0f\u20e3", "🏴\U000e0067\U000e007f", "❤", "\U0001fae8", "\U0001f6d8",
    ]),
    "joiner": (2, [
        "\u200c", "\u200d", "\u2060", "\xad", "\u034f", "\u061c", "\u202e", "\U000e0020", "\u2066",
    ]),
    "control": (2, [
        "\x00", "\x01", "\x07", "\x08", "\x1b", "\x7f", "\x80", "\x9f", "�", "\ufff9",
    ]),
    "unassigned": (2, [
        "\u0378", "\u2fe0", "\U000e0080", "\U0010ffff", "\uffff", "\ufdd0", "\ue000", "\U000f0000",
        "\U0001faff", "\U0003fffd", "\u1c8f", "\u2e5e", "\ufffe",
    ]),
}  # fmt: skip
"""Weight and members of each alphabet: what patterns and normalizations tell apart, and what they are known to get
wrong."""


def weighted(chance: random.Random, longest: int = 40) -> str:
    """A text of a few alphabets, with runs of one item."""
    kinds = list(ALPHABETS)
    weights = [ALPHABETS[kind][0] for kind in kinds]
    chosen = chance.choices(kinds, weights, k=chance.randint(1, 5))
    parts = []
    for _ in range(chance.randint(1, longest)):
        item = chance.choice(ALPHABETS[chance.choice(chosen)][1])
        parts.append(item * (1 if chance.random() < 0.8 else chance.randint(2, 12)))
    return "".join(parts)


@cache
def weighted_texts(count: int, seed: int = 1) -> tuple[str, ...]:
    """Many of them, always the same."""
    chance = random.Random(seed)
    return tuple(weighted(chance) for _ in range(count))


def weighted_text() -> st.SearchStrategy[str]:
    """The same for property tests."""
    items = st.sampled_from(
        [item for weight, members in ALPHABETS.values() for item in members for _ in range(weight)],
    )
    repeated = st.builds(lambda item, times: item * times, items, st.sampled_from([1, 1, 1, 1, 2, 3, 9]))
    return st.lists(repeated, max_size=40).map("".join)


@cache
def hypothesis_texts(count: int) -> tuple[str, ...]:
    """Different strings over all of Unicode as hypothesis makes them, always the same.

    They are made once for all tokenizers; ``references.smallest`` shrinks instead of hypothesis.
    """
    profile = settings(
        settings.get_profile("ci"),
        max_examples=count,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    found: dict[str, None] = {}

    @profile
    @given(st.text())
    def collect(text: str) -> None:
        found[text] = None

    collect()
    return tuple(found)


@cache
def unicode_texts(count: int, seed: int = 2) -> tuple[str, ...]:
    """Strings of up to 20 code points from all of Unicode, always the same: a fiftieth of hypothesis's time for each.

    Half of the code points are below U+3400, and one in eight stands twice, so that letters meet marks and themselves.
    """
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        codes = []
        for _ in range(chance.randint(1, 20)):
            code = chance.randrange(0x3400 if chance.random() < 0.5 else 0x110000)
            codes += [code if not 0xD800 <= code <= 0xDFFF else 0x20] * (2 if chance.random() < 0.125 else 1)
        found.append("".join(map(chr, codes)))
    return tuple(found)


def code_points(every: Callable[[str], int]) -> Iterator[str]:
    """Code points in order, but of each range of equal class and category the ends and every ``every(char)``-th only.

    Surrogates are left out: no UTF-8 text has them.
    """
    starts, flags, _ = _ranges()
    ends = [*starts[1:], sys.maxunicode + 1]
    for start, end, flag in zip(starts, ends, flags, strict=True):
        same = groupby(range(start, end), lambda code, flag=flag: (flag, unicodedata.category(chr(code))))
        for _, members in same:
            codes = list(members)
            if 0xD800 <= codes[0] <= 0xDFFF:
                continue
            step = every(chr(codes[len(codes) // 2]))
            yield from (chr(code) for index, code in enumerate(codes) if index % step == 0 or code == codes[-1])


def step_of(char: str) -> int:
    """How densely a range is looked at by default: whole, but for ideographs, syllables and unassigned ranges."""
    category = unicodedata.category(char)
    if category in {"Cn", "Co"}:
        return 127
    return 31 if category == "Lo" and (char > "\u33ff" or char == "\u1400") else 1


def in_contexts(chars: Iterable[str], size: int = 2_000) -> Iterator[str]:
    """Texts in which each character stands between letters, after a space, twice, beside digits and at a line's end."""
    held = []
    for char in chars:
        held.append(f"A{char}a {char}{char}1{char}'{char}\n")
        if len(held) == size:
            yield "".join(held)
            held = []
    yield "".join(held)


MILLION = 1_000_000
WORST: dict[str, Callable[[int], str]] = {
    "letter": lambda size: "a" * size,
    "spaces": lambda size: " " * size,
    "newlines": lambda size: "\n" * size,
    "one Chinese character": lambda size: "的" * (size * 3 // 10),
    "dashes": lambda size: "-" * size,
    "spaces, then a letter": lambda size: " " * size + "x",
    "tabs": lambda size: "\t" * size,
    "U+3000": lambda size: "\u3000" * size,
    "U+3000, then a letter": lambda size: "\u3000" * size + "x",
    "carets": lambda size: "^" * size,
    "lone CR": lambda size: "\r" * size,
    "CRLF": lambda size: "\r\n" * (size // 2),
    "NUL": lambda size: "\0" * size,
    "digits": lambda size: "0123456789" * (size // 10),
    "capitals": lambda size: "Ab" * (size // 2),
    "emoji with joiners": lambda size: "👩\u200d" * (size // 10),
    "a family": lambda size: "👨\u200d👩\u200d👧\u200d👦🏽" * (size // 40),
    "combining marks": lambda size: "e" + "\u0301" * (size // 5),
    "marks to reorder": lambda size: "a" + "\u0301\u0323" * (size // 500),
    "apostrophes": lambda size: "'s" * (size // 2),
    "slashes": lambda size: "/\n" * (size // 2),
    "kana and signs": lambda size: "フ゜" * (size // 10),
    "two-letter cycle": lambda size: "ab" * (size // 2),
    "joiners": lambda size: "\u200d" * (size // 5),
    "unassigned": lambda size: "\U000e0080" * (size // 10),
}
"""Texts that made tokenizers crash or hang, by size in characters or less."""
REQUIRED = ("letter", "spaces", "newlines", "one Chinese character", "dashes")
"""Those that are compared at a million for the default models in every run."""
