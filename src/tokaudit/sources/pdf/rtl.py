"""Text that is written from the right: glyphs as they stand on the page to characters as they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from tokaudit.sources.pdf.runs import Run
from tokaudit.sources.pdf.text import GAP

_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LETTER = re.compile(f"[{_LETTERS}]")
_FORMS = re.compile("[\ufb1d-\ufdfb\ufe70-\ufefc]+")
"""Letters in the shape that they have within a word; the text has the letters themselves."""
_LEFTWARD = re.compile(f"[{_LETTERS}](?:[^A-Za-z0-9\u00c0-\u024f\u0370-\u058f]*[{_LETTERS}])*")
"""A stretch of letters from the right and of what stands between them, in a line from the left."""
_RIGHTWARD = re.compile(
    "%?[A-Za-z0-9\u00c0-\u024f\u0370-\u058f\u2e80-\u9fff][^\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]*"
    "[A-Za-z0-9\u00c0-\u024f\u0370-\u058f\u2e80-\u9fff%]|[\u0660-\u0669\u06f0-\u06f9][\u0660-\u0669\u06f0-\u06f9.,:/٫٬-]*|%[0-9]"
)
"""A stretch of letters from the left, or of digits, in a line from the right."""
_NUMBER = re.compile(r"%?\d(?:[\d.,:/+٫٬-]*\d)?%?")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def has_leftward(text: str) -> bool:
    """Check whether a text has letters that are written from the right."""
    return _LETTER.search(text) is not None


def leftward_text(row: Sequence[Run]) -> str:
    """The text of a row with such letters, in the order in which it is read.

    Words are parted by the gaps alone: the engine supposes a space wherever it must go back.
    """
    seen = row[0].text
    for before, run in pairwise(row):
        gap = (run.left - before.right) / max(before.size, run.size)
        seen += (" " if gap >= GAP else "") + run.text
    return read(seen)


def read(seen: str) -> str:
    """A line as it is seen, from the left, to the line as it is read."""
    letters = len(_LETTER.findall(seen))
    if 2 * letters < sum(map(str.isalpha, seen)):
        text = _LEFTWARD.sub(lambda found: found[0][::-1].translate(_MIRRORED), seen)
    else:
        text = seen[::-1].translate(_MIRRORED)
        text = _RIGHTWARD.sub(lambda found: _rightward(found[0]), text)
    if not _is_nested(text) and _is_nested(other := text.translate(_MIRRORED)):
        text = other  # the file has brackets as they are read, not as they are seen
    return _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def _rightward(stretch: str) -> str:
    """A stretch from the left within a line from the right; numbers alone follow one another from the right."""
    if any(map(str.isalpha, stretch)):
        return stretch[::-1].translate(_MIRRORED)
    return _NUMBER.sub(lambda found: found[0][::-1], stretch)


def _is_nested(text: str) -> bool:
    """Check whether every bracket that closes follows one that opens."""
    depth = 0
    for char in text:
        depth += (char in "([{<«") - (char in ")]}>»")
        if depth < 0:
            return False
    return depth == 0
