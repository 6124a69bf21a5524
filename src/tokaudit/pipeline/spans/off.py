"""Text between a comment with ``tokaudit:off`` and one with ``tokaudit:on``."""

from __future__ import annotations

import re

_CLOSED = (
    ("<!--", "-->"),
    ("{{!--", "--}}"),
    ("{{!", "}}"),
    ("{{/*", "*/}}"),
    ("<%--", "--%>"),
    ("<#--", "-->"),
    ("<#", "#>"),
    ("{#", "#}"),
    ("{/*", "*/}"),
    ("/*", "*/"),
    ("(*", "*)"),
    ("{-", "-}"),
    ("{*", "*}"),
    ("@*", "*@"),
    ("--[[", "]]"),
    ("#|", "|#"),
    ("%{", "%}"),
)
"""Starts and ends of comments that may have other words before ours; at the same place, the longer first."""
_OPEN_TO_THE_END = frozenset(("<!--", "/*", "{#"))
"""Comments that are ones even where nothing ends them."""
_LINE_COMMENTS = ("//", "--", "#", ";", "%")
_AT_LINE_START = re.compile(
    r"[ \t]*(?:!+|'+|\"|\.\.|::|@?(?i:rem)|dnl|\*>?|\.\\\"|\[[^\]\n]{1,40}\]:[ \t]*\S+[ \t]*[(\"'])"
)
"""Starts of comments at the beginning of a line only, since they are common in prose."""
_NEAR = 120
_ENDS = tuple({close for _, close in _CLOSED})

OffStretch = tuple[int, int]
"""Half-open, in code points."""


def off_stretches(text: str) -> list[OffStretch]:
    """The stretches that are switched off, with the comments around them."""
    if "tokaudit:off" not in text:
        return []
    found: list[OffStretch] = []
    switches = _Switches(text)
    position = 0
    while True:
        start, _, position = switches.next("tokaudit:off", position)
        if start < 0:
            return found
        _, end, position = switches.next("tokaudit:on", position)
        found.append((start, end if end >= 0 else len(text)))
        if end < 0:
            return found


class _Switches:
    """Finds the comments with a word of ours, from the beginning of a text to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._closes: dict[str, tuple[int, int]] = {}  # from where each was looked for last, and where it was

    def next(self, word: str, position: int) -> tuple[int, int, int]:
        """The next comment that has a word in it: its start, its end, and where to go on; -1 for none."""
        text = self.text
        while True:
            place = text.find(word, position)
            if place < 0:
                return -1, -1, len(text)
            position = place + len(word)
            behind = text[position : position + 1]
            if behind.isalnum() or (behind in {"-", "_"} and not text.startswith(_ENDS, position)):
                continue
            comment = self._comment(place, position)
            if comment is not None:
                return *comment, position

    def _comment(self, place: int, position: int) -> tuple[int, int] | None:
        """The comment that a word is in, which begins at ``place`` and ends at ``position``."""
        text = self.text
        # A comment that closes may have other words before; a line comment may not, since # and % are common in prose.
        near = max(0, place - _NEAR)
        for opening, close in _CLOSED:
            start = text.rfind(opening, near, place)
            if start < 0 or text.find(close, start + len(opening), place) >= 0:
                continue
            end = self._close(close, position)
            if end >= 0 or opening in _OPEN_TO_THE_END:
                return start, end + len(close) if end >= 0 else len(text)
        line_end = self._close("\n", position)
        line_end = line_end if line_end >= 0 else len(text)
        before = text[near:place].rstrip(" \t")
        for mark in _LINE_COMMENTS:
            if before.endswith(mark):
                return near + len(before.rstrip(mark[0])), line_end
        line = text.rfind("\n", near, place) + 1
        if (line or near == 0) and _AT_LINE_START.fullmatch(text, line, near + len(before)):
            mark = text[near + len(before) - 1]
            behind = text[position : position + 1]
            if (
                behind.isspace()
                or not behind
                or ({"(": ")"}.get(mark, mark) == behind and text[line:place].lstrip()[0] == "[")
            ):
                return line, line_end
        return None

    def _close(self, close: str, position: int) -> int:
        """The next close from a position on, which ascends; -1 for none. Nothing is looked through twice."""
        since, place = self._closes.get(close, (0, -2))
        if place == -2 or 0 <= place < position or since > position:
            place = self.text.find(close, position)
            self._closes[close] = (position, place)
        return place
