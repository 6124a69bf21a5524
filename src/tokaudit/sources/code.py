"""Source code: functions and classes, or comments, strings and code apart.

Languages are scanned by one regular expression each (``languages``), whose time is linear; a language that none of them
is for is all code. Preprocessor lines, and what stands in the braces of an f-string or template, count as code. White
space that is all there is between two segments belongs to the first.

Where the scanner knowingly differs from a parser: nested block comments, an f-string or template with a string inside
its braces, strings inside ``$( )`` inside shell strings, apostrophes in JSX text (to the end of the line), scripts
inside HTML, unquoted values of INI.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tokaudit.model import Segments, Span
from tokaudit.model.text import LazyColumn, first_words
from tokaudit.sources import plain
from tokaudit.sources.columns import LineNumbers, whole
from tokaudit.sources.definition_heads import syntax_of
from tokaudit.sources.definitions import Definition, definitions
from tokaudit.sources.file_names import COMMENT_STARTS
from tokaudit.sources.languages import Run, family_of, pattern_of

_BEFORE_REGEX = frozenset("(,=:[!&|?{;+-*%~^<>")
_WORDS_BEFORE_REGEX = frozenset(
    ("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof", "yield")
)
_WORD_AT_END = re.compile(r"[\w$]+\Z").search
# Code in a string, as group 1: in a template literal, and in an f-string up to a format or a quote.
_IN_TEMPLATE = re.compile(r"\$\{([^{}`]+)\}")
_IN_F_STRING = re.compile(r"\{\{|\{([^{}:!'\"]+)")
_FORMATTED = frozenset("fFtT")
_PYTHON_PREFIXES = frozenset("rRbBuUfFtT")


def divide(path: str, text: str, first_line: int = 1) -> tuple[Segments, Segments]:
    """Segments (functions, classes, the code between them) and sections (the whole file) of source code.

    The name of ``path`` says the language. Where nothing is defined, or the language is not known, segments are the
    blocks between blank lines. ``first_line`` is the line of the text's first character (1-based).
    """
    sections = whole(path, text, "code", first_line)
    family = family_of(path)
    syntax = syntax_of(path, family)
    starts, names, kinds = _by_definition(text, syntax, _scanned(text, family, every=False)) if syntax else ([], [], [])
    if not starts:
        blocks = plain.divide(path, text, first_line)[0]
        return replace(blocks, kinds=("code",)), sections
    lines = LineNumbers(text, starts, first_line)
    labels = _Labels(text, starts, names, first_line)
    return Segments(path, text, starts, kinds, labels=labels, ids=_ids(names), lines=lines), sections


def divide_by_kind(path: str, text: str, first_line: int = 1) -> tuple[Segments, Segments]:
    """Segments by what they are (comment, string, docstring, code), and sections as in ``divide``."""
    family = family_of(path)
    starts, kinds = _merged(text, _scanned(text, family) if family else ())
    segments = Segments(path, text, starts, kinds, lines=LineNumbers(text, starts, first_line))
    return segments, whole(path, text, "code", first_line)


def _by_definition(text: str, syntax: str, runs: Iterable[Run]) -> tuple[list[int], list[str], list[str]]:
    """Starts, names and kinds of the segments; nothing where nothing is defined. Code in between has no name."""
    starts: list[int] = []
    names: list[str] = []
    kinds: list[str] = []
    for start, end, name, kind in _pieces(text, definitions(text, syntax, list(runs))):
        if text[start:end].strip():
            starts.append(start if starts else 0)
            names.append(name)
            kinds.append(kind)
    return (starts, names, kinds) if any(names) else ([], [], [])


def _pieces(text: str, found: Iterable[Definition]) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, name and kind of each piece of a text: what is left of a class after a method is the class again."""
    around = [(len(text), "", "code")]  # end, name and kind of what is open
    at = 0
    for one in found:
        while around[-1][0] <= one.start:
            end, name, kind = around.pop()
            yield at, end, name, kind
            at = end
        yield at, one.start, *around[-1][1:]
        around.append((one.end, one.name, one.kind))
        at = one.start
    while around:
        end, name, kind = around.pop()
        yield at, end, name, kind
        at = end


def _ids(names: Iterable[str]) -> list[str]:
    """The names; of those that are alike the second is ``name-2``, and what has none is ``code``."""
    used: dict[str, int] = {}
    ids = []
    for own in names:
        name = own or "code"
        used[name] = used.get(name, 0) + 1
        ids.append(name if used[name] == 1 else f"{name}-{used[name]}")
    return ids


class _Labels(LazyColumn[str]):
    """``Class.method (12-40)``, with the first line and the last; code without a name by its first words."""

    def __init__(self, text: str, starts: Sequence[int], names: Sequence[str], first_line: int) -> None:
        self._text = text
        self._starts = starts
        self._names = names
        self._lines = LineNumbers(text, starts, first_line)

    def __len__(self) -> int:
        return len(self._starts)

    def item(self, index: int) -> str:
        start = self._starts[index]
        end = self._starts[index + 1] if index + 1 < len(self) else len(self._text)
        if not self._names[index]:
            return first_words(self._text, Span(start, end))
        first = self._lines[index]
        part = self._text[start:end].strip()
        last = first + part.count("\n")
        return f"{self._names[index]} ({first}-{last})" if last > first else f"{self._names[index]} ({first})"


def _merged(text: str, runs: Iterable[Run]) -> tuple[list[int], list[str]]:
    """Starts and kinds of segments that cover the text, from runs in ascending order."""
    starts: list[int] = []
    kinds: list[str] = []
    last = ""
    at = 0
    add_start, add_kind = starts.append, kinds.append
    for start, end, kind in runs:
        # Code between two runs is a segment if it is more than white space.
        if start > at and not text[at:start].isspace():
            if last != "code":
                add_start(at if starts else 0)
                add_kind("code")
            add_start(start)
            add_kind(kind)
            last = kind
        elif kind != last:
            add_start(start if starts else 0)
            add_kind(kind)
            last = kind
        at = end
    if at < len(text) and (not starts or not text[at:].isspace()) and last != "code":
        starts.append(at if starts else 0)
        kinds.append("code")
    return starts, kinds


def _scanned(text: str, family: str, *, every: bool = True) -> Iterable[Run]:
    """Comments and strings of a language of ours; not ``every`` one: those that ``definitions`` takes note of."""
    if family == "javascript":
        return _javascript(text)
    if family == "python":
        return _python(text, every=every)
    return _plain(text, family)


def _plain(text: str, family: str) -> Iterator[Run]:
    comments = COMMENT_STARTS[family]
    for match in pattern_of(family).finditer(text):
        start, end = match.span()
        first = text[start]
        if first in comments:
            yield start, end, "comment"
        elif first not in "\\#":
            yield start, end, "string"


def _python(text: str, *, every: bool) -> list[Run]:
    runs: list[Run] = []
    add = runs.append
    find = text.find
    for match in pattern_of("python").finditer(text):
        start, end = match.span()
        if text[start] == "#":
            add((start, end, "comment"))
            continue
        if not every and find("\n", start, end) < 0:
            continue  # where no line begins in a string, and brackets do not count, it changes nothing
        if start and text[start - 1] in _PYTHON_PREFIXES:
            # r, b, f and the like belong to the string, unless they end a name.
            low = start - 2 if start > 1 and text[start - 2] in _PYTHON_PREFIXES else start - 1
            before = text[low - 1] if low else " "
            if not (before.isalnum() or before == "_"):
                if not _FORMATTED.isdisjoint(text[low:start]):
                    runs += _around(text, low, end, _IN_F_STRING)
                    continue
                start = low
        add((start, end, "docstring" if every and _documents(text, start, end) else "string"))
    return runs


def _documents(text: str, start: int, end: int) -> bool:
    """True for a string that is a statement of its own at the beginning of a module, class or function."""
    if text[end - 1] not in "\"'" or text[end : end + 1] not in {"", "\n", "\r"}:
        return False
    before = text.rfind("\n", max(0, start - 200), start)
    if text[before + 1 : start].strip(" \t") or (before < 0 and start > 200):
        return False
    head = text[max(0, before - 200) : max(0, before)].rstrip()
    return not head or head[-1] == ":" or not start


def _around(text: str, start: int, end: int, inside: re.Pattern[str]) -> Iterator[Run]:
    """The parts of a string that are not code."""
    for match in inside.finditer(text, start, end):
        low, high = match.span(1)
        if low >= 0:
            yield start, low, "string"
            start = high
    yield start, end, "string"


def _javascript(text: str) -> Iterator[Run]:
    search = pattern_of("javascript").search
    at = 0
    while match := search(text, at):
        start, at = match.span()
        first = text[start]
        if first == "/":
            if text[start + 1] in "/*":
                yield start, at, "comment"
            elif _regex_may_begin(text, start):
                yield start, at, "string"
            else:
                at = start + 1  # a division
        elif first == "`":
            yield from _around(text, start, at, _IN_TEMPLATE)
        else:
            yield start, at, "string"


def _regex_may_begin(text: str, at: int) -> bool:
    """Check whether a slash begins a regular expression rather than dividing what stands before it."""
    before = text[max(0, at - 80) : at].rstrip()
    if not before:
        return True
    if before[-1] in _BEFORE_REGEX:
        return True
    word = _WORD_AT_END(before)
    return word is not None and word[0] in _WORDS_BEFORE_REGEX
