"""The headings of a Markdown text by a scan of its lines, where that is sure to find what a parser would.

A parser takes most of the time of measuring a prompt; its headings are mostly on lines that can be nothing else. What
could be something else (a heading inside a list, HTML over several lines, an underlined heading) is left to the parser.
"""

from __future__ import annotations

import re

from tokaudit.model import Span
from tokaudit.model.markdown import FENCE, HEADING
from tokaudit.model.text import line_end

_MARK = rf"{HEADING})(?=[ \t]|$)"
_INK = re.compile(r"\S").search
_ATX = re.compile(rf"^[ ]{{0,3}}({_MARK}", re.MULTILINE)
_UNDERLINE = re.compile(r"[^\n]*\n(?:[^\n]+\n)*?[ ]{0,3}(=+|-+)[ \t]*(?:\n|\Z)").match
# A line that begins a heading, underlines one, begins HTML, or has a code fence behind whatever a container puts there.
_TELLING = re.compile(
    r"^(?:(?P<indent>[ ]{0,3})(?:"
    rf"(?P<heading>{_MARK}|"
    r"(?P<underline>=+|-+)[ \t]*$|"
    r"(?P<html><[A-Za-z/!?]))|"
    rf"(?P<prefix>[ \t>0-9.)*+-]*)(?P<fence>{FENCE}))",
    re.MULTILINE,
)
_DELIMITERS = re.compile(r"[ ]{0,3}[|:-][|: \t-]*$", re.MULTILINE)
_BLANK = re.compile(r"^[ \t]*$", re.MULTILINE)
_BLOCK_HTML = re.compile(r"<(?:script|pre|style|textarea)\b|<[!?]", re.IGNORECASE)


def headings_of(text: str, start: int) -> dict[int, tuple[int, str]] | None:
    """Offset of each heading at the top level, to its level (1 to 6) and text; None where only a parser can tell.

    Args:
        text: A Markdown text.
        start: Code-point offset behind its front matter.
    """
    if "\r" in text or "\0" in text:
        return None
    headings: dict[int, tuple[int, str]] = {}
    found = _TELLING.search(text, start)
    while found:
        at = found.start()
        end = line_end(text, at)
        if found["heading"]:
            if found["indent"] or _DELIMITERS.match(text, end + 1):
                return None
            headings[at] = (len(found["heading"]), _content(text, found.end(), end))
        elif found["underline"]:
            if not _blank_before(text, at, start):
                return None
        elif found["html"]:
            behind = _after_html(text, at, end)
            if behind is None:
                return None
            end = behind
        else:
            behind = _after_fence(text, found, end)
            if behind is None:
                return None
            end = behind
        found = _TELLING.search(text, end + 1) if end < len(text) else None
    return headings


def _content(text: str, start: int, end: int) -> str:
    """The text of a heading: without number signs at its end, which white space must stand before."""
    line = text[start:end].rstrip(" \t")
    bare = line.rstrip("#")
    if len(bare) < len(line) and bare[-1:] in {" ", "\t"}:
        line = bare
    return " ".join(line.split())


def _blank_before(text: str, at: int, start: int) -> bool:
    """Check that the line before the one at ``at`` is blank, or that there is none."""
    if at <= start:
        return True
    return not text[max(start, text.rfind("\n", start, at - 1) + 1) : at - 1].strip(" \t")


def _after_html(text: str, at: int, end: int) -> int | None:
    """End of the last line of what begins like HTML, where it makes no difference whether it is; else None."""
    begin = text.find("<", at)
    if text.startswith("<!--", begin) and text.find("-->", begin + 4, end) >= 0:
        return end
    if _BLOCK_HTML.match(text, begin):
        return None
    blank = _BLANK.search(text, min(end + 1, len(text)))
    last = blank.start() - 1 if blank else len(text)
    for found in _TELLING.finditer(text, end + 1, max(last, end + 1)):
        if not found["html"] or _BLOCK_HTML.match(text, found.start("html")):
            return None  # other tags end with the same blank line
    return max(last, end)


def _after_fence(text: str, found: re.Match[str], end: int) -> int | None:
    """End of the line that closes a fence, or of the text; None where it is not sure that it is one."""
    fence, prefix = found["fence"], found["prefix"]
    if fence[0] == "`" and "`" in text[found.end() : end]:
        return end if not prefix else None  # code within a line
    if prefix.strip(" "):
        return None  # in a list or quote that begins on this line
    closing = re.compile(rf"^([ ]*){fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
    at = end + 1
    while close := closing.search(text, at) if at <= len(text) else None:
        if not prefix:
            if len(close[1]) <= 3:
                return close.end()
            at = close.end()
            continue
        # In a list, perhaps. It is sure where all of it is indented alike, and has nothing that would be a heading.
        inside = text[end + 1 : close.start()]
        if close[1] != prefix or _TELLING.search(inside):
            return None
        if any(line.strip(" \t") and not line.startswith(prefix) for line in inside.split("\n")):
            return None
        return close.end()
    return None if prefix else len(text)


def heading_level(text: str, span: Span) -> int:
    """Level of the heading that a section begins with, 1 to 6, behind blank lines and a template's tags; 0 for none."""
    inked = _INK(text, span.start, span.end)
    start = text.rfind("\n", span.start, inked.start()) + 1 if inked else span.start
    start = max(start, span.start)
    if not _ATX.match(text, start, span.end):
        found = _UNDERLINE(text, start, span.end)
        if found:
            return 1 if found[1][0] == "=" else 2
    first = _ATX.search(text, start, span.end)
    return len(first[1]) if first else 0
