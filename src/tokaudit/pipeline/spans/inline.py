"""Spans within lines: code, links, addresses, paths, quotes, placeholders, tags, and JSON among prose.

One pattern finds the characters that such a thing begins with, or (addresses, paths) that stand inside of it; what is
before those is matched from right to left, on the reversed text. Every part of a text is looked at a limited number of
times: see the notes on ``_floor``, ``_json_effort`` and ``_OPEN_QUOTES``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from tokaudit.model.text import line_end
from tokaudit.pipeline.spans import inline_patterns as forms
from tokaudit.pipeline.spans.blocks import Stretch

_LONGEST_QUOTE = 2000
_OPEN_QUOTES = 8  # that are remembered: so many times a quote's text is looked at, at most

if TYPE_CHECKING:
    from json import JSONDecoder

_JSON_HEAD = 1 << 14
"""Code points in which most JSON ends, and most of what is none shows it."""
_JSON_WORD = 16
"""Code points within which a word of JSON may have been cut off."""


class Inline:
    """Finds the spans within the lines of a padded text, one stretch after another."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Stretch] = []
        self._floor = 0  # what is before it was looked at from right to left
        self._reversed = ""
        self._comments = "-->" in source
        self._bare: list[tuple[int, int, str]] = []  # tags such as <x>, which may be placeholders
        self._closed: set[str] = set()  # names of tags that are closed somewhere
        self._json_effort = 2 * len(source) + 10_000  # characters that may be parsed as JSON in vain
        self._json_end = 0  # how far they reach

    def find(self, start: int, end: int) -> None:
        """Adds the spans of a stretch to ``found``."""
        source, append, names, handlers = self.source, self.found.append, forms.NAMES, self._handlers
        straight: list[int] = []
        full: list[int] = []
        single: list[int] = []
        opened: list[tuple[str, int]] = []
        while start < end:
            for match in forms.INLINE.finditer(source, start, end):
                what = match.lastindex or 0  # 0: an escape
                if what == 27:
                    straight.append(match.start())
                elif what < 27:
                    if names[what]:
                        append((match.start(), match.end(), names[what]))
                    elif what:
                        jump = handlers[what](self, match, end)
                        if jump:
                            start = jump
                            break
                elif what == 28:
                    full.append(match.start())
                elif what < 35:
                    if len(opened) == _OPEN_QUOTES:
                        del opened[0]
                    opened.append((match[0], match.start()))
                elif what > 40:
                    single.append(match.start())
                elif opened:
                    self._close_quote(opened, forms.OPENING[match[0]], match.end())
            else:
                break
        self._pairs(straight)
        self._pairs(full)
        self._singles(single)

    def finish(self) -> list[Stretch]:
        """All spans, in no order."""
        for start, end, name in self._bare:
            self.found.append((start, end, "tag" if name in self._closed else "placeholder"))
        return self.found

    def _close_quote(self, opened: list[tuple[str, int]], opening: str, end: int) -> None:
        for index in range(len(opened) - 1, -1, -1):
            if opened[index][0] == opening:
                start = opened[index][1]
                del opened[index:]
                if end - start <= _LONGEST_QUOTE and not forms.BLANK.search(self.source, start, end):
                    self.found.append((start, end, "quote"))
                return

    def _pairs(self, places: list[int]) -> None:
        """Pairs of quotation marks that open and close alike, line by line.

        If a line has an odd number of them (an inch mark), which belong together is unknown: all that is between two of
        them counts as quoted then, unless it is long.
        """
        source, found = self.source, self.found
        line: list[int] = []
        for place in places:
            if line and source.find("\n", line[-1], place) >= 0:
                _pair(line, found)
                line = []
            line.append(place)
        _pair(line, found)

    def _singles(self, places: list[int]) -> None:
        """Pairs of straight single quotes on one line, one of which opens and one closes.

        Apostrophes within words are not among the places.
        """
        source = self.source
        opened = last = -1
        for place in places:
            if opened >= 0 and source.find("\n", last, place) >= 0:
                opened = -1
            last = place
            if opened < 0:
                if not source[place + 1 : place + 2].isspace() and not forms.IN_WORD.match(source, place - 1):
                    opened = place
            elif not source[place - 1].isspace() and not forms.IN_WORD.match(source, place + 1):
                self.found.append((opened, place + 1, "quote"))
                opened = -1

    def _before(self, pattern: re.Pattern[str], place: int) -> int:
        """The start of the match of a pattern, read from right to left, that ends at ``place``."""
        if not self._reversed:
            self._reversed = self.source[::-1]
        size = len(self.source)
        match = pattern.match(self._reversed, size - place, size - min(self._floor, place))
        return size - match.end() if match else place

    def _link(self, match: re.Match[str], _: int) -> int:
        target = match[0][2:].lstrip(" \t")
        if target:
            self.found.append((match.end() - len(target), match.end(), "url"))
        return 0

    def _tag(self, match: re.Match[str], _: int) -> int:
        start, end = match.span()
        text = match[0]
        if forms.ADDRESS.fullmatch(text):
            self.found.append((start + 1, end - 1, "email" if ":" not in text else "url"))
        elif text[1] == "/":
            self._closed.add(text[2:-1].strip().lower())
            self.found.append((start, end, "tag"))
        elif text[1:-1].lower() not in forms.HTML and forms.BARE.fullmatch(text):
            self._bare.append((start, end, text[1:-1].lower()))
        else:
            self.found.append((start, end, "tag"))
        return 0

    def _comment(self, match: re.Match[str], _: int) -> int:
        if self._comments:
            end = self.source.find("-->", match.end())
            self._comments = end >= 0
            if end >= 0:
                self.found.append((match.start(), end + 3, "html-comment"))
        return 0

    def _url(self, match: re.Match[str], _: int) -> int:
        start, end = match.span()
        source = self.source
        if source[end - 1] in forms.AFTER_URL:
            end = _url_end(source, start, end)
        begin = start - 6 if source.startswith("https:", start - 6) else self._before(forms.SCHEME, start)
        self._floor = end
        if begin < start:
            self.found.append((begin, end, "url"))
        return 0

    def _www(self, match: re.Match[str], _: int) -> int:
        end = _url_end(self.source, match.start(), match.end())
        self._floor = end
        self.found.append((match.start() - 3, end, "url"))
        return 0

    def _email(self, match: re.Match[str], _: int) -> int:
        begin = self._before(forms.BEFORE_EMAIL, match.start())
        while begin < match.start() and self.source[begin] in ".-%+":
            begin += 1
        if begin < match.start():
            kind = "email"
            if self.source.startswith("mailto:", begin - 7):
                begin, kind = begin - 7, "url"
            end = match.end()
            self.found.append((begin, end - 1 if self.source[end - 1] == "-" else end, kind))
        self._floor = match.end()
        return 0

    def _path(self, match: re.Match[str], _: int) -> int:
        source = self.source
        slash, end = match.span()
        if (
            source[slash - 1].isalnum()
            and source.find("/", slash + 1, end) < 0
            and source.find(".", slash - 12, end - 1) < 0
            and source[slash - 1].isascii()
        ):
            return 0  # and/or: no suffix, no second slash, no domain
        begin = self._before(forms.BEFORE_PATH, slash)
        self._floor = end
        while end > slash + 1 and source[end - 1] in ".*=-@%~":
            end -= 1
        if begin and source[begin - 1] == "@":
            begin -= 1
        kind = _path_kind(source[begin:end], source[begin - 1])
        if kind:
            self.found.append((begin, end, kind))
        return 0

    def _file(self, match: re.Match[str], _: int) -> int:
        suffix = match[0][1:].lower()
        if suffix in forms.FILES:
            kind = "path"
        elif suffix in forms.DOMAINS:
            kind = "url"
        else:
            return 0
        start, end = match.span()
        floor, self._floor = self._floor, end
        if floor == start and self.found and self.found[-1][1] == start:  # a.tar.gz
            self.found[-1] = (self.found[-1][0], end, kind)
            return 0
        self._floor = floor
        begin = self._before(forms.BEFORE_PATH, start)
        self._floor = end
        if begin < start:
            self.found.append((begin, end, kind))
        return 0

    def _windows(self, match: re.Match[str], _: int) -> int:
        start, end = match.span()
        while end > start + 1 and self.source[end - 1] in ".,;:!)]":
            end -= 1
        self._floor = match.end()
        self.found.append((start - 2 if match.lastindex == 22 else start, end, "path"))
        return 0

    def _ticks(self, match: re.Match[str], end: int) -> int:
        """Code between longer runs of backticks, or over more lines; a run without its like stays as it is.

        All such runs of a paragraph have lengths of their own, so that there are few to look for in vain.
        """
        size = len(match[0])
        for other in forms.TICKS.finditer(self.source, match.end(), end):
            if other[0][0] == "\n":
                return 0
            if len(other[0]) == size:
                self.found.append((match.start(), other.end(), "inline-code"))
                return other.end()
        return 0

    def _json(self, match: re.Match[str], _: int) -> int:
        """JSON that is whole. What was parsed in vain may be parsed again from a later place, but not without limit."""
        start = match.start()
        if self._json_effort <= 0 and start < self._json_end:
            return 0
        from json import JSONDecodeError

        source = self.source
        try:
            end = _decoded(source, start)
        except JSONDecodeError as error:
            return self._in_vain(start, line_end(source, start + error.pos))  # a string is reported by its start
        except RecursionError:
            end = self._balanced(start)
            if not end:
                return 0
        # A list is taken for JSON only if nothing follows it: [1] is a reference.
        if match.lastindex == 26 and source[end : line_end(source, end)].strip(" \t,;"):
            return self._in_vain(start, end)
        self.found.append((start, end, "json"))
        return end

    def _in_vain(self, start: int, reached: int) -> int:
        self._json_effort -= reached - start
        self._json_end = max(self._json_end, reached)
        return 0

    def _balanced(self, start: int) -> int:
        """The place where the brackets from ``start`` are closed, for JSON that is too deep for the parser."""
        depth = 0
        for match in forms.BRACKETS.finditer(self.source, start):
            if match[0] in "{[":
                depth += 1
            elif match[0] in "}]":
                depth -= 1
                if not depth:
                    return match.end()
        return self._in_vain(start, len(self.source))

    # By the number of the branch of ``INLINE``; those without are dealt with in ``find``.
    _handlers: ClassVar[Mapping[int, Callable[[Inline, re.Match[str], int], int]]] = {
        2: _link,
        15: _tag,
        16: _comment,
        17: _url,
        18: _www,
        19: _email,
        20: _path,
        21: _file,
        22: _windows,
        23: _windows,
        24: _ticks,
        25: _json,
        26: _json,
    }


def _decoded(source: str, start: int) -> int:
    """End of the JSON that begins at an offset. Raises ``JSONDecodeError``, whose place is counted from there.

    An error counts the lines of all of its text: of a large one that would be read again for every brace in prose.
    """
    from json import JSONDecodeError

    head = source[start : start + _JSON_HEAD]
    try:
        return start + _decoder().raw_decode(head)[1]
    except JSONDecodeError as error:
        cut = error.pos >= len(head) - _JSON_WORD or error.msg.startswith("Unterminated string")
        if len(head) < _JSON_HEAD or not cut:
            raise
    return start + _decoder().raw_decode(source[start:])[1]


@cache
def _decoder() -> JSONDecoder:
    from json import JSONDecoder

    return JSONDecoder(parse_int=str, parse_float=str)  # long numbers would take quadratic time


def _url_end(source: str, start: int, end: int) -> int:
    """The end of a URL, without the punctuation of the sentence and brackets opened before it."""
    surplus: dict[str, int] = {}
    while end > start:
        last = source[end - 1]
        if last not in forms.AFTER_URL:
            break
        if last in forms.BRACKET_OF:
            if last not in surplus:
                surplus[last] = source.count(last, start, end) - source.count(forms.BRACKET_OF[last], start, end)
            if surplus[last] <= 0:
                break
            surplus[last] -= 1
        end -= 1
    return end


def _pair(line: list[int], found: list[Stretch]) -> None:
    if len(line) % 2 == 0:
        found.extend((line[index], line[index + 1] + 1, "quote") for index in range(0, len(line), 2))
    else:
        found.extend((start, end + 1, "quote") for start, end in pairwise(line) if end - start <= _LONGEST_QUOTE)


def _path_kind(text: str, before: str) -> str:
    """A run of characters with a slash: a path, a URL without its scheme, or neither (and/or, 1/2, km/h)."""
    if not forms.LETTER.search(text):
        return ""
    if text.startswith("/"):
        names = [name for name in text.split("/") if name]
        if len(names) > 1:
            return "path"
        return "path" if len(names[0]) > 1 and (before.isspace() or before in "\"'`([=:,（：，“「") else ""
    if text.startswith(("~/", "./", "../")):
        return "path"
    if text.count("/") > 1 or forms.SUFFIX.search(text):
        return "path"
    return "url" if forms.DOMAIN.fullmatch(text, 0, text.index("/")) else ""
