"""The facts of a text: what slimming must not change but where a rule says that it does.

A fact has a kind and a value. Two texts have the same facts if they have the same values of each kind equally often,
wherever they stand. A fact within a longer one does not count: not the digits of a date, an identifier or a URL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter

from tokaudit.pipeline import written
from tokaudit.pipeline.fact_values import Fact, code_value, digest, fold, json_value
from tokaudit.pipeline.quantities import NEGATIONS, digit_facts, numeral_facts, starts

__all__ = ["Fact", "compare", "find_facts"]


_NOT = ("'", "’", "&#39;", "&#x27;", "&apos;", "&rsquo;")
"""How the apostrophe of ``n't`` is written; the entities are those that a rule decodes."""
_MARKED = frozenset({"text", "markdown", "chat"})
"""Kinds of documents in which backticks mean code."""


@lru_cache(maxsize=1)
def _special() -> re.Pattern[str]:
    """A character that a fact that is compared as written must contain, or an escape that is none."""
    return re.compile("[`{$%<\\[@/\\\\\x1b&~]")


@lru_cache(maxsize=1)
def _escape() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|&#(?:[0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});")


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    # It begins with one set of characters, so that the search for it is one of those.
    apostrophe = "|".join(_NOT)
    return re.compile(
        rf"[nNwW](?:(?<=[nN])(?:{apostrophe})[tT](?![A-Za-z0-9_])"
        r"|(?:(?<![A-Za-z0-9_].)|(?<=(?<![A-Za-z0-9_])[cC][aA][nN].)(?=[oO][tT]))"
        r"(?:(?<=[nN])(?:[oO](?:[tTrR]|[nN][eE])?|[eE][vV][eE][rR]|[eE][iI][tT][hH][eE][rR])"
        r"|(?<=[wW])[iI][tT][hH][oO][uU][tT])(?![A-Za-z0-9_]|-\n))",
        re.DOTALL,
    )


def find_facts(text: str, kind: str = "text") -> list[Fact]:
    """The facts of a text of some kind (text, markdown, json, jsonl, code, log, chat, pdf), ascending and apart."""
    if kind == "json":
        return [Fact(0, len(text), "json", json_value(text))] if text.strip() else []
    if kind == "jsonl":
        return _json_lines(text)
    facts: list[Fact] = []
    rest = fold(text)
    if _special().search(rest) or "www." in rest:
        rest = _as_written(text, rest, kind in _MARKED, facts)
    count = len(facts)
    words = [Fact(*match.span(), "negation", _word(match[0])) for match in _english().finditer(rest)]
    if "\x1b" in rest or "&#" in rest:
        # The digits of an escape are no number. It stays until now for the words that an apostrophe is in.
        rest = _without(rest, [match.span() for match in _escape().finditer(rest)])
    _counted(rest, facts)
    if words or count:
        facts += words
        facts = _outermost(facts)
    return facts


def _word(written_: str) -> str:
    word = written_.lower()
    return "not" if word[1] in "'’&" else word


def _json_lines(text: str) -> list[Fact]:
    facts = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            facts.append(Fact(at, at + len(line), "json", json_value(line)))
        at += len(line) + 1
    return facts


def _outermost(facts: list[Fact]) -> list[Fact]:
    """The facts that are not in others, in order."""
    facts.sort(key=lambda fact: (fact.start, -fact.end))
    end = 0
    kept = []
    for fact in facts:
        if fact.start >= end:
            kept.append(fact)
            end = fact.end
    return kept


def _without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with NULs in some places, where nothing is found any more."""
    parts = []
    at = 0
    for start, end in places:
        parts += [text[at:start], "\0" * (end - start)]
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _as_written(text: str, rest: str, marked: bool, facts: list[Fact]) -> str:
    """Adds the facts that are compared as written, and gives what is left to search."""
    if marked and ("```" in rest or "~~~" in rest):
        blocks = list(written.fences(rest))
        facts += [Fact(start, end, "code", code_value(text[inner:last])) for start, end, inner, last in blocks]
        rest = _without(rest, [block[:2] for block in blocks])
    finders: list[tuple[bool, str, Callable[[str], list[tuple[int, int]]]]] = [
        (marked and "`" in rest, "code", written.code_spans),
        ("://" in rest or "www." in rest, "url", written.urls),
        (True, "placeholder", written.placeholders),
        ("@" in rest, "email", written.emails),
        ("/" in rest or ":\\" in rest, "path", written.paths),
    ]
    for wanted, kind, find in finders:
        if wanted and (places := find(rest)):
            facts += [Fact(start, end, kind, _as_it_is(text, rest, start, end, kind)) for start, end in places]
            rest = _without(rest, places)
    return rest


def _as_it_is(text: str, rest: str, start: int, end: int, kind: str) -> str:
    if kind in ("code", "placeholder"):
        return digest(text[start:end])
    value = rest[start:end]
    return digest(value.replace("&amp;", "&") if kind == "url" else value)


def _counted(text: str, facts: list[Fact]) -> None:
    """Adds the facts that begin with a digit or a Chinese numeral, or have a digit in them, and Chinese negations."""
    search = starts(text.isascii()).search
    at = 0
    while (match := search(text, at)) is not None:
        at, floor = match.start(), at
        one = text[at]
        if one in NEGATIONS:
            facts.append(Fact(at, at + 1, "negation", NEGATIONS[one]))
            at += 1
        elif one.isascii():
            at = digit_facts(text, at, match.end(), floor, facts)
        else:
            at = numeral_facts(text, at, facts)


def compare(
    before: Sequence[Fact], after: Sequence[Fact], removes: frozenset[str] = frozenset()
) -> tuple[list[Fact], list[Fact]]:
    """What was lost and what was made up: facts of ``before`` that ``after`` lacks, and the reverse.

    Kinds in ``removes`` do not count.
    """
    value = itemgetter(2, 3)
    if [value(fact) for fact in before] == [value(fact) for fact in after]:
        return [], []
    return _missing(before, after, removes), _missing(after, before, removes)


def _missing(these: Sequence[Fact], those: Sequence[Fact], removes: frozenset[str]) -> list[Fact]:
    left = Counter((fact.kind, fact.value) for fact in those)
    missing = []
    for fact in these:
        if fact.kind in removes:
            continue
        key = (fact.kind, fact.value)
        if left[key] > 0:
            left[key] -= 1
        else:
            missing.append(fact)
    return missing
