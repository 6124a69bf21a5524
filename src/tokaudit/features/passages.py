"""Retrieved passages: where they stand in a request, and which of them say the same.

Two passages are near-duplicates if their sets of shingles resemble each other (Broder 1997, "On the resemblance and
containment of documents") by at least ``ALIKE``, and the later one states no number, date, name, negation or code that
the earlier one lacks: a contract of six months is no duplicate of one of three.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from tokaudit.model.request import Content, Request
from tokaudit.pipeline.facts.find import find_facts

ALIKE = 0.9
"""Least Jaccard similarity of two near-duplicates."""
SHINGLE = 3
"""Words, or Chinese characters, of a shingle."""
LEAST_FENCE = 80
"""Characters from which on a fenced block may be a passage: shorter ones are examples and commands."""
_TAGGED = re.compile(
    r"[ \t]*<(document|doc|passage|chunk|snippet|search_result|article|reference|文档|资料|段落|片段)\b[^<>]*>"
    r"(?P<body>.*?)</\1>[ \t]*\n?",
    re.DOTALL,
)
_FENCED = re.compile(
    r"^(?P<fence>`{3,}|~{3,})(?:text|txt|passage|document|md|markdown)?[ \t]*\n(?P<body>.*?)\n"
    r"(?P=fence)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_ABOUT = re.compile(r"<(source|title|url|id|index)>.*?</\1>|</?[\w-]+[^<>]*>", re.DOTALL)
"""What a tagged passage says of itself, and the tags around its text."""
_UNIT = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]+")
"""A Chinese or Japanese character by itself, or a word."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A passage that is taken out of a message."""

    message: int
    """Index of the message in the request."""
    content: int
    """Index of its content."""
    start: int
    """Code points in the text of the content."""
    end: int
    whole: bool
    """True where nothing of the content is left, so that it goes with its part."""
    reason: Literal["duplicate", "top-k"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved passage of a request."""

    message: int
    content: int
    start: int
    end: int
    body: str
    exact: bool
    """True where only an equal passage is its duplicate, as of a fenced block: people paste versions to compare."""


def passages_of(request: Request) -> Iterator[Passage]:
    """The passages of a request in their order: those that it marks as such, and tagged or fenced ones of users."""
    for at, message in enumerate(request.messages if request.form != "transcript" else ()):
        for number, content in enumerate(message.contents):
            text = content.text
            if content.kind == "passage" and content.path.endswith("]"):
                yield Passage(at, number, 0, len(text), body=text, exact=False)
            elif content.kind == "text" and message.role == "user":
                yield from _in_text(at, number, text)


def _in_text(message: int, content: int, text: str) -> Iterator[Passage]:
    found = [(match, False) for match in _TAGGED.finditer(text)] if "</" in text else []
    taken = [match.span() for match, _ in found]
    if "```" in text or "~~~" in text:
        found += [
            (match, True)
            for match in _FENCED.finditer(text)
            if len(match["body"]) >= LEAST_FENCE
            and not any(start < match.end() and match.start() < end for start, end in taken)
        ]
    for match, exact in sorted(found, key=lambda item: item[0].start()):
        body = match["body"] if exact else _ABOUT.sub(" ", match["body"])
        yield Passage(message, content, *match.span(), body=body, exact=exact)


class Likeness:
    """Tells which passages cover others; each text is looked at once."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._units = [_units(passage.body) for passage in passages]
        self._shingles: dict[int, frozenset[tuple[str, ...]]] = {}
        self._facts: dict[int, frozenset[tuple[str, str]]] = {}

    def covers(self, kept: int, other: int) -> bool:
        """True where the passage ``other`` need not stand beside ``kept``."""
        mine, its = self._units[kept], self._units[other]
        if mine == its:
            return bool(mine)
        if self._passages[kept].exact or self._passages[other].exact:
            return False
        mine_set, its_set = self._set(kept), self._set(other)
        if min(len(mine_set), len(its_set)) < ALIKE * max(len(mine_set), len(its_set)):
            return False
        shared = len(mine_set & its_set)
        alike = shared >= ALIKE * (len(mine_set) + len(its_set) - shared) > 0
        return alike and self._stated(other) <= self._stated(kept)

    def _set(self, index: int) -> frozenset[tuple[str, ...]]:
        if index not in self._shingles:
            units = self._units[index]
            spread = [units[at : at + SHINGLE] for at in range(max(1, len(units) - SHINGLE + 1))] if units else []
            self._shingles[index] = frozenset(tuple(words) for words in spread)
        return self._shingles[index]

    def _stated(self, index: int) -> frozenset[tuple[str, str]]:
        if index not in self._facts:
            facts = find_facts(self._passages[index].body)
            self._facts[index] = frozenset((fact.kind, str(fact.value)) for fact in facts)
        return self._facts[index]


def _units(text: str) -> list[str]:
    """Words and characters of a text as they are compared: without case, width, spaces and punctuation."""
    return _UNIT.findall(unicodedata.normalize("NFKC", text).casefold())


class Choice:
    """Chooses the passages that stay, for any set of messages that do."""

    def __init__(self, request: Request, top_k: int | None) -> None:
        self._request = request
        self._passages = list(passages_of(request))
        self._likeness = Likeness(self._passages)
        self._top_k = top_k
        self._covers: dict[tuple[int, int], bool] = {}

    def removals(self, gone: frozenset[int]) -> list[Removal]:
        """Passages of the messages that are not ``gone`` to be taken out, in order."""
        kept: list[int] = []
        taken: list[Removal] = []
        here = -1
        count = 0
        for index, passage in enumerate(self._passages):
            if passage.message in gone:
                continue
            if passage.message != here:
                here, count = passage.message, 0
            reason = self._reason(index, kept, count)
            if reason is None:
                kept.append(index)
                count += not passage.exact
            else:
                taken.append(
                    Removal(passage.message, passage.content, passage.start, passage.end, whole=False, reason=reason)
                )
        return self._without_emptied(taken)

    def _reason(self, index: int, kept: Sequence[int], count: int) -> Literal["duplicate", "top-k"] | None:
        if any(self._cover(other, index) for other in kept):
            return "duplicate"
        if self._top_k is not None and count >= self._top_k and not self._passages[index].exact:
            return "top-k"
        return None

    def _cover(self, kept: int, other: int) -> bool:
        key = kept, other
        if key not in self._covers:
            self._covers[key] = self._likeness.covers(kept, other)
        return self._covers[key]

    def _without_emptied(self, taken: Sequence[Removal]) -> list[Removal]:
        """The removals, but of messages that they would leave empty, which no provider takes."""
        by_message: dict[int, dict[int, list[Removal]]] = {}
        for removal in taken:
            by_message.setdefault(removal.message, {}).setdefault(removal.content, []).append(removal)
        kept: list[Removal] = []
        for at, by_content in by_message.items():
            contents = self._request.messages[at].contents
            emptied = {number for number, some in by_content.items() if _is_emptied(contents[number].text, some)}
            if any(_says(content) for number, content in enumerate(contents) if number not in emptied):
                kept += [
                    replace(removal, whole=number in emptied) for number, some in by_content.items() for removal in some
                ]
        return kept


def _says(content: Content) -> bool:
    return content.kind not in {"text", "thinking"} or bool(content.text.strip())


def _is_emptied(text: str, removals: Sequence[Removal]) -> bool:
    edges = [(0, 0), *((one.start, one.end) for one in removals), (len(text), len(text))]
    return not any(text[end:start].strip() for (_, end), (start, _) in pairwise(edges))
