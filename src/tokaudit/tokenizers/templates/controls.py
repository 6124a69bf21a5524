"""Control tokens in a text: where they stand, leftmost first and the longest of those that begin there."""

from __future__ import annotations

import re
from collections.abc import Iterable

Hit = tuple[int, int]
"""Start and end of a control token, in code points."""


class Controls:
    """The added tokens of a tokenizer, each of which is one token wherever it stands."""

    def __init__(self, tokens: Iterable[str]) -> None:
        """Sort the tokens by their first two characters, by which most places of a text are no hit."""
        self.tokens = frozenset(token for token in tokens if token)
        self._lengths: dict[str, list[int]] = {}
        for token in self.tokens:
            lengths = self._lengths.setdefault(token[:2], [])
            if len(token) not in lengths:
                lengths.append(len(token))
        for lengths in self._lengths.values():
            lengths.sort(reverse=True)
        # One pattern for each first character: with a literal at its beginning, ``re`` searches as fast as for it.
        self._patterns = []
        for first in sorted({token[0] for token in self.tokens}):
            second = {start[1:] for start in self._lengths if start[0] == first}
            rest = "" if "" in second else f"(?=[{''.join(re.escape(char) for char in sorted(second))}])"
            self._patterns.append(re.compile(re.escape(first) + rest))

    def find(self, text: str) -> list[Hit]:
        """The control tokens of a text, in order, none within another."""
        hits: list[Hit] = []
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                at = match.start()
                for start in (text[at : at + 2], text[at]):
                    for length in self._lengths.get(start, ()):
                        piece = text[at : at + length]  # shorter at the end of the text
                        if piece in self.tokens:
                            hits.append((at, at + len(piece)))
                            break
                    else:
                        continue
                    break
        if len(hits) < 2:
            return hits
        hits.sort()
        found = [hits[0]]
        for hit in hits:
            if hit[0] >= found[-1][1]:
                found.append(hit)
        return found
