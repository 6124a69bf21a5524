"""Very long pieces on the bulk path: found without cutting the text, and encoded in blocks.

An engine takes n log n for one piece, and several times as long for each byte once its lists of pairs no longer fit
into the processor's caches. A piece of a million letters, spaces or dashes is therefore taken out of the text and given
to the engine in blocks (``blocks``). Whether one is found is a matter of time and not of the result, so that the search
may be rough; it looks at a few characters of many.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tokaudit.tokenizers.blocks import encode_blocks, overlap_of

if TYPE_CHECKING:
    from tokaudit.tokenizers.rank_file import MemoryTable
    from tokaudit.tokenizers.small import SmallEngine
    from tokaudit.tokenizers.table import Table

_WINDOW = 16_384
"""Characters looked at together; a piece of twice as many has a window in it."""
_BLOCK = 8_192
"""Bytes of a block: the engines are fastest for each byte up to about twice as many (measured)."""
_HELD = 4_096
"""Pieces beside a long one that are encoded together."""
_CALL = 8 << 20
"""Characters that an engine gets at once: some tenths of a second, since Ctrl-C is not heard during a call."""

# What cannot stand in one piece with a letter, a digit, white space or another sign, except at its ends.
_OTHERS = {
    "L": re.compile(r"[0-9 \n\t,.;:!?()\"<>_/=+*，。、-]"),
    "N": re.compile(r"[A-Za-z \n\t,.;:!?()\"<>_/=+*，。、\u4e00-\u9fff-]"),
    "Z": re.compile(r"[!-~\u4e00-\u9fff\u3040-\u30ff，。、]"),
    "S": re.compile(r"[A-Za-z0-9 \u4e00-\u9fff\u3040-\u30ff]"),
}
# Where every pattern cuts, whatever is around: just after a newline that is the only white space between two lines,
# before the space between two words, and before a comma or full stop after an ideograph.
_CUT = re.compile(
    r"\n(?<=\S\n)(?=[0-9A-Za-z\u4e00-\u9fa5])| (?<=[A-Za-z] )(?=[A-Za-z])|[，。](?<=[\u4e00-\u9fa5][，。])"
)


def in_blocks(encode: Callable[[str], Any], small: SmallEngine, table: Table | MemoryTable) -> Callable[[str], Any]:
    """The same function from text to an array of ids, in linear time whatever the text is."""
    import numpy as np

    overlap = overlap_of(table.longest)
    block = max(_BLOCK, 4 * overlap)

    def merged(part: bytes) -> Any:
        text = part.decode()
        if len(small.cut(text)) == 1:
            return encode(text)
        # The engine would cut it, which begins otherwise than the whole piece does.
        return np.array(small.merge(text), dtype=np.uint32)

    def around(text: str) -> Iterator[Any]:
        pieces = small.cutter(text)
        if max(map(len, pieces())) < _WINDOW:
            yield encode(text)
            return
        held: list[str] = []
        for piece in pieces():
            if len(piece) < _WINDOW:
                held.append(piece)
                if len(held) < _HELD:
                    continue
            if held:
                yield np.array(small.encode(held), dtype=np.uint32)
                held = []
            if len(piece) >= _WINDOW:
                yield from encode_blocks(piece.encode(), merged, table.offsets, block, overlap, whole_characters=True)
        yield np.array(small.encode(held), dtype=np.uint32)

    def encode_text(text: str) -> Any:
        place = _suspect(text, 0)
        if place < 0 and len(text) <= _CALL:
            return encode(text)
        parts: list[Any] = []
        at = 0
        while place >= 0:
            start, end = max(at, _cut_before(text, at, place)), _cut_after(text, place)
            if start > at:
                parts.extend(map(encode, _calls(text, at, start)))
            parts.extend(around(text[start:end]))
            at = end
            place = _suspect(text, at)
        if at < len(text):
            parts.extend(map(encode, _calls(text, at, len(text))))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    return encode_text


def _suspect(text: str, at: int) -> int:
    """From ``at`` on, the beginning of a window that may be within one piece, or -1."""
    for place in range(at, len(text) - _WINDOW + 1, _WINDOW):
        if _others(text[place]).search(text, place, place + _WINDOW) is None:
            return place
    return -1


def _others(char: str) -> re.Pattern[str]:
    if char.isspace():
        return _OTHERS["Z"]
    kind = unicodedata.category(char)[0]
    return _OTHERS["L" if kind == "M" else kind if kind in "LN" else "S"]


def _calls(text: str, start: int, end: int) -> Iterator[str]:
    """A part of the text in pieces for one call each, of about ``_CALL`` characters."""
    while end - start > _CALL and (found := _CUT.search(text, start + _CALL, end)):
        yield text[start : _place(found)]
        start = _place(found)
    yield text[start:end]


def _cut_before(text: str, at: int, place: int) -> int:
    """The last cut in ``(at, place]``, or ``at``."""
    length, high = 256, place
    while high > at:
        low = max(at, high - length)
        cuts = [_place(match) for match in _CUT.finditer(text, low, min(high + 1, len(text)))]
        cuts = [cut for cut in cuts if cut <= place]
        if cuts:
            return cuts[-1]
        high, length = low, 2 * length
    return at


def _cut_after(text: str, place: int) -> int:
    """The first cut behind the run of like characters that begins at ``place``, or the end of the text."""
    other = _others(text[place]).search(text, place)
    found = _CUT.search(text, other.start()) if other else None
    return _place(found) if found else len(text)


def _place(match: re.Match[str]) -> int:
    return match.end() if match[0] == "\n" else match.start()
