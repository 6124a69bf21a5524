"""Characters that are newer than the reference engines.

To an engine whose Unicode is newer than the reference's, such a character is a letter or a mark, and it cuts the text
around it elsewhere. What a later Unicode will assign is not known, so every character counts that the reference takes
for unassigned.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

from tokaudit.tokenizers.unicode_classes import _CLASS, GENERAL, _ranges, without_ascii

_MANY = 64
"""Different characters from which on one search for their class beats a search for each."""
_OTHER = GENERAL.index("other")


def _is_unassigned(code: int) -> bool:
    starts, flags, _ = _ranges()
    # Controls, format characters and private use are of the class "other" too, and stay what they are.
    return flags[bisect_right(starts, code) - 1] & _CLASS == _OTHER and unicodedata.category(chr(code)) not in {
        *("Cc", "Cf", "Co", "Cs")
    }


@lru_cache(maxsize=1)
def _candidates() -> re.Pattern[str]:
    """Matches every unassigned character, and all beyond U+FFFF: many of those apart are slow to search for."""
    starts, flags, _ = _ranges()
    found = []
    for index, flag in enumerate(flags):
        if flag & _CLASS == _OTHER and starts[index] <= 0xFFFF:
            end = starts[index + 1] if index + 1 < len(starts) else 0x10000
            found += [chr(code) for code in range(starts[index], min(end, 0x10000)) if _is_unassigned(code)]
    return re.compile(f"[{''.join(found)}\U00010000-\U0010ffff]")


@lru_cache(maxsize=2)  # several tokenizers ask for the same text
def unassigned_in(text: str) -> tuple[int, ...]:
    """Offsets of such characters in the text, in code points; nearly always nowhere."""
    if text.isascii():
        return ()
    wide = without_ascii(text)
    candidates = _candidates()
    if candidates.search(wide) is None:
        return ()
    new = {char for char in set(candidates.findall(wide)) if _is_unassigned(ord(char))}
    if not new:
        return ()
    if len(new) > _MANY:
        return tuple(match.start() for match in re.finditer(f"[{re.escape(''.join(sorted(new)))}]", text))
    places = []
    for char in new:
        at = text.find(char)
        while at >= 0:
            places.append(at)
            at = text.find(char, at + 1)
    return tuple(sorted(places))
