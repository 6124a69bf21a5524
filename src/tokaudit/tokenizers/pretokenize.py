"""Pre-tokenization: where a byte-level tokenizer cuts a text before it merges bytes.

Each pattern is the reference's (``pattern_regex`` in the manifest), compiled when the package is built (``patterns``):
to an automaton for the native core, and to a pattern of ``re`` for the text of stand-ins that ``unicode_classes``
makes, which the fallback runs. ``tests/equivalence`` compares the pieces with the reference engines'.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tokaudit.model.record import record

TABLES = Path(__file__).parent / "vocabularies" / "tables"
"""What the build of the package lays out: tables, automata, classes of characters."""


@record
class Pattern:
    """A pattern that is compiled with the package, by its name in the manifest, or one of a user's file by its text."""

    name: str = ""
    text: str = ""

    def automaton(self) -> bytes:
        """What the native core runs. Raises ``PatternError`` for a text that is none."""
        if not self.text:
            return (TABLES / f"{self.name}.automaton").read_bytes()
        from tokaudit.tokenizers.patterns import Automaton, parse

        return Automaton(parse(self.text)).pack()

    def expression(self) -> str:
        """What ``re`` runs on a text of stand-ins."""
        if not self.text:
            return (TABLES / f"{self.name}.re").read_text("utf-8")
        from tokaudit.tokenizers.patterns import parse, to_re

        return to_re(parse(self.text))


@cache
def _compiled(pattern: Pattern) -> re.Pattern[str]:
    return re.compile(pattern.expression())


def pieces(pattern: Pattern, text: str) -> list[str]:
    """Cut ``text`` into the pieces within which bytes are merged; they concatenate to ``text``."""
    from tokaudit.tokenizers.unicode_classes import to_stand_ins

    marks = to_stand_ins(text)
    result = []
    at = 0
    for match in _compiled(pattern).finditer(marks):
        start, end = match.span()
        if start > at:
            result.append(text[at:start])  # what no match takes stays together
        result.append(text[start:end])
        at = end
    if at < len(text):
        result.append(text[at:])
    return result
