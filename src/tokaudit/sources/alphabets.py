"""The single-byte charset of a text in an alphabet: the one that reads as the letters of one language.

Every byte is a character in most of these charsets, so that nothing is ever invalid in the wrong one; but it then has
letters of no language, signs within words and capitals behind small letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

from tokaudit.model.record import record

_SAMPLE = 2000
"""Characters beyond ASCII that are scored."""
CLOSE = 0.3
"""Score by which another charset may be worse and still be an alternative."""


@record
class _Language:
    letters: str
    """Beyond ASCII, the most frequent first; those of a script of its own in order of frequency."""
    charsets: tuple[str, ...]
    """The likeliest first."""
    script: bool = False
    """Whether it is written in no Latin letters, so that how frequent a letter is tells much."""


_LANGUAGES: Mapping[str, _Language] = {
    name: _Language(row["letters"], tuple(row["charsets"].split()), script=row.get("script", False))
    for name, row in json.loads(Path(__file__).with_name("alphabets.json").read_text("utf-8")).items()
}
_LIKELIHOOD = {"cp1252": 0.1, "cp1257": -0.05}
"""Added to the score of a charset that is more frequent, or less, than what its letters tell."""
_FEW = 4
"""Characters that are too few to tell: Western signs and accents are then the most likely."""
_SIGNS = frozenset("«»°’‘“”„‚–—…€£§©®™·•\xa0¿¡ºª¥×±²³½¼µ№")
_APOSTROPHES = frozenset("’·")
_WIDE = re.compile(r"[^\x00-\x7f]")


@lru_cache(maxsize=64)
def _weights(name: str) -> Mapping[str, float]:
    """Of each letter: 1 for a frequent one; of a script of its own less for a rarer one."""
    language = _LANGUAGES[name]
    size = len(language.letters)
    weights = {}
    for at, char in enumerate(language.letters):
        weights[char] = 1.0 - 0.8 * at / size if language.script else 1.0 - 0.2 * at / size
        capital = char.upper()
        if len(capital) == 1 and capital != char:
            weights[capital] = weights[char] * 0.95
    return weights


def ranked(data: bytes) -> list[tuple[float, str]]:
    """The charsets that ``data`` may be in, the best first, each with its score: 1 for the letters of one language.

    A charset that reads the same as a better one is left out.
    """
    best: dict[str, float] = {}
    readings: dict[str, list[tuple[str, str, str]] | None] = {}
    for name, language in _LANGUAGES.items():
        for order, charset in enumerate(language.charsets):
            if charset not in readings:
                readings[charset] = _read(data, charset)
            reading = readings[charset]
            if reading is None:
                continue
            score = _score(reading, name) - 0.005 * order + _LIKELIHOOD.get(charset, 0.0)
            if len(reading) <= _FEW:
                score += 0.4 * ((charset == "cp1252") - (order > 0))
            best[charset] = max(score, best.get(charset, score))
    order_of = list(readings)
    scored = sorted(best, key=lambda charset: (-best[charset], order_of.index(charset)))
    result: list[tuple[float, str]] = []
    seen: list[str] = []
    for charset in scored:
        score, text = best[charset], data.decode(charset)
        if text not in seen:
            seen.append(text)
            result.append((score, charset))
    return result


def _read(data: bytes, charset: str) -> list[tuple[str, str, str]] | None:
    """Each character beyond ASCII with the ones around it; None where a byte is no character of the charset."""
    try:
        text = f" {data.decode(charset)} "
    except UnicodeDecodeError:
        return None
    return [(text[found.start() - 1], found[0], text[found.end()]) for found in islice(_WIDE.finditer(text), _SAMPLE)]


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _score(reading: Sequence[tuple[str, str, str]], language: str) -> float:
    """From -2 (nonsense) to 1 (real text of the language), over the characters beyond ASCII."""
    weights = _weights(language)
    script = _LANGUAGES[language].script
    total = 0.0
    for before, char, after in reading:
        if script and char.isalpha() and (_is_latin(before) or _is_latin(after)):
            total -= 1.0
            continue
        within = before.isalpha() and after.isalpha()
        if char in weights:
            small_before = before.islower() and char.isupper()
            total += -1.0 if small_before else weights[char]
            if char in _SIGNS and within:
                total -= 1.0
        elif char in _SIGNS:
            total += -1.0 if within and char not in _APOSTROPHES else 0.4
        elif char.isalpha():
            total -= 0.5
        else:
            total -= 2.0 if char < "\xa0" or "\ue000" <= char <= "\uf8ff" else 1.0
    return total / len(reading) if reading else 0.0
