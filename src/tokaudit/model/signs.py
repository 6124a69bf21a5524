"""White space of a changed text as signs that can be seen."""

from __future__ import annotations

import re

_SIGNS = str.maketrans({"\n": "⏎", "\t": "⇥", "\f": "␌", "\u00a0": "⍽", "\u3000": "□"})
_SPACES = re.compile(r" {2,}")


def visible(text: str) -> str:
    """A changed text with its white space as signs: line ends, tabs, and those spaces that could be overlooked.

    A single space between words stays one; at the ends of the text, and several in a row, they are middle dots.
    """
    text = text.translate(_SIGNS)
    inner = text.strip(" ")
    start = len(text) - len(text.lstrip(" "))
    tail = "·" * (len(text) - start - len(inner))
    return "·" * start + _SPACES.sub(lambda match: "·" * len(match[0]), inner) + tail


def visible_unchanged(text: str) -> str:
    """An unchanged text beside it on one line: line ends and tabs as signs, spaces as they are."""
    return text.translate(_SIGNS)
