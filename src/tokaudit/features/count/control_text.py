"""Control tokens that stand in a text as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tokaudit.model import Tokenizer

_OPENINGS = ("<|", "<\uff5c")
_BARRED = re.compile("<[|\uff5c][^|\uff5c<>\n]{1,64}[|\uff5c]>")
_SHORT_TEXT = 1 << 16
"""Characters up to which all names are looked for; in a longer text that would take a good part of the count's time."""


def control_text_finder(tokenizers: Sequence[Tokenizer]) -> Callable[[str], str]:
    """A function that finds a control token of one of these tokenizers in a text; it gives an empty text for none.

    In a long text only those written ``<|...|>`` are found.
    """
    known = {token for tokenizer in tokenizers for token in tokenizer.info.special_tokens}
    others: dict[str, list[str]] = {}
    for token in sorted(known):
        if not token.startswith(_OPENINGS):
            others.setdefault(token[0], []).append(token)

    def found(text: str) -> str:
        if not known:
            return ""
        for opening in _OPENINGS:
            at = text.find(opening) if opening[1] in text else -1  # one character is found many times as fast as two
            while at >= 0:
                barred = _BARRED.match(text, at)
                if barred and barred[0] in known:
                    return barred[0]
                at = text.find(opening, at + len(opening))
        if len(text) <= _SHORT_TEXT:
            for opening, tokens in others.items():
                if opening in text:
                    for token in tokens:
                        if token in text:
                            return token
        return ""

    return found
