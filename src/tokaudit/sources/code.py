"""Source code: comments, strings and code apart.

The common languages are scanned by one regular expression each (``languages``), about thirty times as fast as Pygments,
which serves all the others it knows. Docstrings count as strings; preprocessor lines, and what stands in the braces of
an f-string or template, count as code. White space that is all there is between two segments belongs to the first.

Where the scanner knowingly differs from Pygments: nested block comments, an f-string or template with a string inside
its braces, strings inside ``$( )`` inside shell strings, apostrophes in JSX text (to the end of the line), scripts
inside HTML, unquoted values of YAML and INI (code here, strings there).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tokaudit.model import Segments
from tokaudit.sources.columns import LineNumbers, whole
from tokaudit.sources.languages import COMMENT_STARTS, family_of, pattern_of

_PYGMENTS_LIMIT = 4_000_000
"""Code points beyond which Pygments is not asked: it would take longer than everything else together."""
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

Run = tuple[int, int, str]
"""Start, end and kind of a comment or string."""


def divide(path: str, text: str, first_line: int = 1) -> tuple[Segments, Segments]:
    """Segments (comment, string, code) and sections (the whole file) of source code.

    The name of ``path`` says the language; a text in an unknown one is all code. ``first_line`` is the line of the
    text's first character (1-based).
    """
    family = family_of(path)
    starts, kinds = _merged(text, _scanned(text, family) if family else _lexed(text, path))
    segments = Segments(path, text, starts, kinds, lines=LineNumbers(text, starts, first_line))
    return segments, whole(path, text, "code", first_line)


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


def _scanned(text: str, family: str) -> Iterable[Run]:
    """Comments and strings of a language of ours."""
    if family == "javascript":
        return _javascript(text)
    if family == "python":
        return _python(text)
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


def _python(text: str) -> list[Run]:
    runs: list[Run] = []
    add = runs.append
    for match in pattern_of("python").finditer(text):
        start, end = match.span()
        if text[start] == "#":
            add((start, end, "comment"))
            continue
        if start and text[start - 1] in _PYTHON_PREFIXES:
            # r, b, f and the like belong to the string, unless they end a name.
            low = start - 2 if start > 1 and text[start - 2] in _PYTHON_PREFIXES else start - 1
            before = text[low - 1] if low else " "
            if not (before.isalnum() or before == "_"):
                if not _FORMATTED.isdisjoint(text[low:start]):
                    runs += _around(text, low, end, _IN_F_STRING)
                    continue
                start = low
        add((start, end, "string"))
    return runs


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


def lexer_for(path: str) -> Any:
    """Pygments' lexer for a file name, or None."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(path.replace("\\", "/").rpartition("/")[2])
    except (ClassNotFound, ValueError):
        return None
    return None if lexer.name == "Text only" else lexer


def _lexed(text: str, path: str) -> list[Run]:
    """Comments and strings as Pygments finds them; nothing for a language it does not know."""
    lexer = None if len(text) > _PYGMENTS_LIMIT else lexer_for(path)
    if lexer is None:
        return []
    from pygments.token import Comment, String

    code = (Comment.Preproc, Comment.PreprocFile)
    runs: list[Run] = []
    try:
        for start, kind, value in lexer.get_tokens_unprocessed(text):
            if not value or (runs and start < runs[-1][1]):
                continue  # some lexers hand out tokens out of order
            if kind in Comment:
                if kind not in code:
                    runs.append((start, start + len(value), "comment"))
            elif kind in String:
                # Some languages' lexers call documentation comments strings.
                comment = kind is String.Doc and value.startswith(("/", "--", "#"))
                runs.append((start, start + len(value), "comment" if comment else "string"))
    except Exception:  # noqa: BLE001 - a fault of one of 500 lexers must not stop a count
        return []
    return runs
