"""When spans need not be looked for again: edits that no span could begin, end or be told by."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from tokaudit.model.edits import Edit
from tokaudit.model.rules import PROTECTED
from tokaudit.pipeline.spans import Found, Spans

_PROTECTED = frozenset(PROTECTED)
_PLAIN = re.compile(r"[\w \u3000，。！？、；～…!?,\u00a0]*").fullmatch
"""Characters that no span begins, ends or is told by, if they are not at the beginning of a line."""
_PROSE = re.compile("[\u4e00-\u9fff]{3}").match
"""The beginning of a line that is none of these. A list's marker has at most two ideographs."""
_HEAD = 10
"""Characters of a line that may tell what the line is: indents, markers of lists and headings."""


def leave_spans(text: str, edits: Sequence[Edit], spans: Spans) -> bool:
    """Whether a text has the same spans after edits, moved: letters, blanks and full stops within lines change little.

    What is joined by the edit must not be ASCII on both sides, which might make a URL or a path of two words, and no
    protected span may stand beside it.
    """
    starts, ends = spans.merged(_PROTECTED)
    for start, end, new in edits:
        index = bisect_right(starts, end) - 1
        if index >= 0 and ends[index] >= start:
            return False
        head = text.rfind("\n", max(0, start - _HEAD), start)  # -1 also where the line is longer
        old = text[start:end]
        if not _PLAIN(old) or not _PLAIN(new):
            return False
        if (head >= 0 or start < _HEAD) and not _PROSE(text, head + 1, start):
            return False
        before, after = text[start - 1], text[end : end + 1]
        if not after or (after == "\n" and (before.isspace() or not old.isprintable() or " " in old + new)):
            return False
        if not new and before.isascii() and after.isascii() and not (before.isspace() or after.isspace()):
            return False
        joins_word = (before.isascii() and before.isalnum()) or (after.isascii() and after.isalnum())
        if new and not new.isspace() and joins_word:
            return False
    return True


def moved(spans: Spans, shift: Callable[[int], int]) -> Spans:
    """The spans where they stand after edits, which move an offset by ``shift`` of it."""
    return Spans(Found(start + shift(start), end + shift(end), kind) for start, end, kind in spans.all)
