"""The languages of a text, as far as rules depend on them."""

from __future__ import annotations

import re

_SAMPLE = 1 << 16
"""Code points that are looked at."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3041-\u30ff]")
_LATIN = re.compile("[A-Za-z]{2,}")


def languages_of(text: str) -> frozenset[str]:
    """Of zh, ja and en those that a text is in: Chinese from a few ideographs on, Japanese where kana stand by them.

    A mixed text is in several. One sentence of Chinese in a long English text is reason enough for Chinese rules:
    these change Chinese only.
    """
    sample = text[:_SAMPLE]
    han = 0 if sample.isascii() else len(_HAN.findall(sample))
    kana = 0 if sample.isascii() else len(_KANA.findall(sample))
    found = set()
    if kana * 10 > han and kana:
        found.add("ja")
    elif han:
        found.add("zh")
    if _LATIN.search(sample):
        found.add("en")
    return frozenset(found)
