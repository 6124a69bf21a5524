"""The facts of a text: what slimming must not change but where a rule says that it does.

A fact has a kind and a value. Two texts have the same facts if they have the same values of each kind equally often,
wherever they stand. A fact within a longer one does not count: not the digits of a date, an identifier or a URL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

from tokaudit.pipeline.facts import written
from tokaudit.pipeline.facts.quantities import NEGATIONS, digit_facts, numeral_facts, starts
from tokaudit.pipeline.facts.values import Fact, code_value, digest, fold, json_value
from tokaudit.pipeline.patterns import lazy

_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
_LONGEST = 120
"""Characters before the sign of a name that may belong to it."""
# It begins with one set of characters, so that the search for it is one of those.
_sign = lazy(
    "[A-Z_.-](?:(?<=[A-Za-z0-9]_)(?=[A-Za-z0-9])|(?<=[a-z][A-Z])|(?<=[A-Za-z0-9_][.])(?=[A-Za-z_])"
    "|(?<=-)(?<![A-Za-z0-9_-].)(?=-[A-Za-z]))"
)
"""Signs of a name: an underscore or a full stop within, a capital behind a small letter, two hyphens before."""
_name = lazy("--[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*|[A-Za-z0-9_]+(?:[.][A-Za-z0-9_]+)*")
_special = lazy("[`{$%<\\[@/\\\\\x1b&~]")
"""A character that a fact that is compared as written must contain, or an escape that is none."""
_reaching = lazy("[`{\\\\\x1b&／ｗ]")
"""Characters in or before a fact that may have marks of punctuation; as they are and in full width."""
_escape = lazy(r"\x1b\[[0-9;?]*[A-Za-z]|&#(?:[0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});")
_part = lazy("[^，。！？；!?;]+[，。！？；!?;]*|[，。！？；!?;]+")


def names(text: str) -> list[tuple[int, int]]:
    """Places of names, ascending and apart. Abbreviations such as e.g. and U.S. are none."""
    found = []
    search = _sign().search
    floor = 0
    while (sign := search(text, floor)) is not None:
        at = sign.start()
        start = at
        if text[at] != "-":
            before = text[max(floor, at - _LONGEST) : at]
            head = before[len(before.rstrip(_WORD + ".")) :]
            start = at - len(head.lstrip("."))
        match = _name().match(text, start)
        end = match.end() if match is not None else at
        if match is not None and not _is_abbreviation(match[0]):
            found.append((start, end))
        floor = max(end, at + 1)
    return found


def _is_abbreviation(written: str) -> bool:
    return "." in written and all(len(part) == 1 for part in written.split("."))


__all__ = ["Fact", "code_places", "compare", "different_parts", "find_facts"]


_NOT = ("'", "’", "&#39;", "&#x27;", "&apos;", "&rsquo;")
"""Spellings of the apostrophe of ``n't``; the entities are those that a rule decodes."""
# It begins with one set of characters, so that the search for it is one of those.
_english = lazy(
    rf"[nNwW](?:(?<=[nN])(?:{'|'.join(_NOT)})[tT](?![A-Za-z0-9_])"
    r"|(?:(?<![A-Za-z0-9_].)|(?<=(?<![A-Za-z0-9_])[cC][aA][nN].)(?=[oO][tT]))"
    r"(?:(?<=[nN])(?:[oO](?:[tTrR]|[nN][eE])?|[eE][vV][eE][rR]|[eE][iI][tT][hH][eE][rR])"
    r"|(?<=[wW])[iI][tT][hH][oO][uU][tT])(?![A-Za-z0-9_]|-\n))",
    re.DOTALL,
)
_MARKED = frozenset({"text", "markdown", "chat", "template", "yaml", "toml"})
"""Kinds of documents in which backticks mean code."""


def find_facts(text: str, kind: str = "text") -> list[Fact]:
    """The facts of a text of some kind, ascending and apart. The kinds are those of ``find_spans``."""
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
    named = [Fact(start, end, "identifier", digest(rest[start:end])) for start, end in names(rest)]
    if words or count or named:
        facts += words + named
        facts = _outermost(facts)
    return facts


def different_parts(before: str, after: str, kind: str) -> tuple[str, str]:
    """Those parts of two texts that differ, whose facts differ in the same way as those of the whole texts.

    The texts are cut behind marks of punctuation. A fact has none of them, and none depends on what is on the other
    side of one, but for what is compared as written: texts that may have such a fact stay whole.
    """
    if kind in ("json", "jsonl") or _reaches(before) or _reaches(after):
        return before, after
    old, new = _part().findall(before), _part().findall(after)
    if len(old) != len(new):
        first, last = 0, min(len(old), len(new))
        while first < last and old[first] == new[first]:
            first += 1
        last -= first
        end = 0
        while end < last and old[-1 - end] == new[-1 - end]:
            end += 1
        one, other = "".join(old[first : len(old) - end]), "".join(new[first : len(new) - end])
    else:
        pairs = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
        one, other = "".join([pair[0] for pair in pairs]), "".join([pair[1] for pair in pairs])
    if len(one) == len(other) and (folded := fold(one)) == fold(other) and not _is_kept_wide(folded):
        return "", ""  # facts are of the folded text
    return one, other


def code_places(text: str, kind: str) -> tuple[list[int], list[int]]:
    """Starts and ends of code within lines: facts that may be of any length."""
    places = written.code_spans(text) if kind in _MARKED and "`" in text else []
    return [start for start, _ in places], [end for _, end in places]


def _is_kept_wide(text: str) -> bool:
    """True if a text may have a placeholder or code, which are compared without folding."""
    return any(mark in text for mark in ("`", "{", "<", "[[", "%(", "%s", "%d", "~~~"))


def _reaches(text: str) -> bool:
    """True if a text may have a fact with marks of punctuation in it."""
    return _reaching().search(text) is not None or any(part in text for part in ("://", "www", "[[", "~~~"))


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
    facts.sort(key=lambda fact: (fact.start, -fact.end))
    end = 0
    outer = []
    for fact in facts:
        if fact.start >= end:
            outer.append(fact)
            end = fact.end
    return outer


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
    """Facts lost and made up: those of ``before`` that ``after`` lacks, and the reverse.

    Kinds in ``removes`` do not count.
    """
    value = itemgetter(2, 3)
    if [value(fact) for fact in before] == [value(fact) for fact in after]:
        return [], []
    return _missing(before, after, removes), _missing(after, before, removes)


def _missing(these: Sequence[Fact], those: Sequence[Fact], removes: frozenset[str]) -> list[Fact]:
    unmatched = Counter((fact.kind, fact.value) for fact in those)
    missing = []
    for fact in these:
        if fact.kind in removes:
            continue
        key = (fact.kind, fact.value)
        if unmatched[key] > 0:
            unmatched[key] -= 1
        else:
            missing.append(fact)
    return missing
