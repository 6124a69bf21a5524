"""Facts that are compared as they are written: code, placeholders, URLs, e-mail addresses and paths.

Each finder gives places in ascending order that do not overlap, in linear time: what has no fixed beginning is found by
the character that it must contain (``://``, ``@``, ``/``), and its beginning by stripping what stands before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokaudit.pipeline.patterns import lazy

Place = tuple[int, int]
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MAILBOX = _LETTERS + "0123456789._%+-"
_NAME = _LETTERS + "0123456789._-~+@"
_SCHEME = 12
"""The most characters of a URL's scheme."""
_MAILBOX_LENGTH = 64
_fence = lazy(r"^[ \t>]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_ticks = lazy("`+")
_address = lazy(r"[^\s<>\"'`|\\^\0-\x1f\x7f-\U0010ffff]+")
_scheme = lazy(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_domain = lazy(r"@([A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){1,8})")
_path_rest = lazy(r"(?:/[A-Za-z0-9._~+@-]*)+")
_windows_path = lazy(r"(?<![A-Za-z0-9])[A-Za-z]:\\(?!\\)[^\s<>\"'`|?*:\0\x7f-\U0010ffff]+")
_file = lazy(r"[A-Za-z0-9._~+@-]+\.(?=[0-9]?[A-Za-z])[A-Za-z0-9]{1,8}\Z")
_placeholder = lazy(
    r"[{$%<\[](?:"
    r"(?<=\{)(?:\{[^{}\n]{1,80}\}\}|%[^%\n]{1,200}%\}|[^{}\s\"',;]{0,60}\}|[ \t]{1,4}[\w.]{1,60}[ \t]{1,4}\})"
    r"|(?<=\$)\{[^{}\n]{1,80}\}"
    r"|(?<=%)(?:\([A-Za-z_]\w{0,40}\)[sdifgrx]|(?<![0-9%]%)[sd](?![A-Za-z0-9_]))"
    r"|(?<=<)[A-Za-z_][A-Za-z0-9_-]{0,40}>"
    r"|(?<=\[)\[[^\[\]\n]{1,80}\]\])"
)


def fences(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Fenced blocks of code that are closed: the block's start and end, and those of the code in it."""
    opened: re.Match[str] | None = None
    for line in _fence().finditer(text):
        marks, rest = line[1], line[2]
        if opened is None:
            if marks[0] != "`" or "`" not in rest:
                opened = line
        elif marks[0] == opened[1][0] and len(marks) >= len(opened[1]) and not rest.strip():
            if not _for_a_model(opened[2]):
                yield opened.start(), line.end(), min(opened.end() + 1, line.start()), line.start()
            opened = None


def _for_a_model(named: str) -> bool:
    """True for the name of a fence around a prompt, which is text."""
    words = named.lower().replace("-", " ").replace("_", " ").split()
    return words in (["prompt"], ["system"], ["system", "prompt"], ["提示词"], ["系统提示词"])


def code_spans(text: str) -> list[Place]:
    """Inline code: from a run of backticks to the next run of as many in the same line."""
    runs = [match.span() for match in _ticks().finditer(text)]
    partner: dict[int, int] = {}
    latest: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = runs[number][1] - runs[number][0]
        if length in latest:
            partner[number] = latest[length]
        latest[length] = number
    found = []
    number = 0
    while number < len(runs):
        other = partner.get(number)
        if other is None or text.find("\n", runs[number][1], runs[other][0]) >= 0:
            number += 1
            continue
        found.append((runs[number][0], runs[other][1]))
        number = other + 1
    return found


def _without_tail(address: str) -> str:
    """A URL without the punctuation of its sentence, and without a closing bracket that it does not open."""
    spare = {close: address.count(close) - address.count(open_) for open_, close in ("()", "[]", "{}")}
    end = len(address)
    while end:
        last = address[end - 1]
        if last in ".,;:!?*_~":
            end -= 1
        elif spare.get(last, 0) > 0:
            spare[last] -= 1
            end -= 1
        else:
            break
    return address[:end]


def urls(text: str) -> list[Place]:
    """URLs with a scheme, and host names that begin with ``www.``."""
    found = []
    floor = 0
    for mark in ("://", "www."):
        at = text.find(mark)
        while at >= 0:
            start = at
            if mark == "://":
                before = _scheme().search(text[max(floor, at - _SCHEME) : at])
                start = at - len(before[0]) if before else -1
            elif at and text[at - 1].isalnum():
                start = -1
            body = _address().match(text, at) if start >= 0 else None
            end = at + len(_without_tail(body[0])) if body else at
            if end > at + len(mark):
                found.append((start, end))
                floor = end
            at = text.find(mark, max(end, at + len(mark)))
        floor = 0
    return _apart(found)


def _apart(places: list[Place]) -> list[Place]:
    places.sort()
    apart: list[Place] = []
    for place in places:
        if not apart or place[0] >= apart[-1][1]:
            apart.append(place)
    return apart


def emails(text: str) -> list[Place]:
    """E-mail addresses."""
    found = []
    floor = 0
    for match in _domain().finditer(text):
        at = match.start()
        before = text[max(floor, at - _MAILBOX_LENGTH) : at]
        mailbox = before[len(before.rstrip(_MAILBOX)) :].lstrip(".-")
        if mailbox:
            floor = match.start(1) + len(match[1].rstrip("-"))
            found.append((at - len(mailbox), floor))
    return found


def paths(text: str) -> list[Place]:
    """Paths: from the root, from ``.``, ``..`` or ``~``, of a drive, and others that end in a file's name."""
    found = [match.span() for match in _windows_path().finditer(text)] if ":\\" in text else []
    floor = 0
    at = text.find("/")
    while at >= 0:
        before = text[floor:at]
        head = before[len(before.rstrip(_NAME)) :]
        rest = _path_rest().match(text, at)
        floor = rest.end() if rest else at + 1
        place = (at - len(head), floor - len(text[at:floor]) + len(text[at:floor].rstrip(".")))
        if _is_path(head, text[at : place[1]], text[place[0] - 1] if place[0] else ""):
            found.append(place)
        at = text.find("/", floor)
    return _apart(found)


def _is_path(head: str, rest: str, before: str) -> bool:
    if rest.startswith("//"):
        return False
    if head in ("", ".", "..", "~"):
        # A tag's end, a fraction or an alternative (是/否, km/h) is none.
        after_word = bool(before) and (before.isalnum() or before in "<:\\)]}%$")
        return not after_word and bool(rest.strip("/.-~+@_"))
    return _file().match(rest.rpartition("/")[2]) is not None


def placeholders(text: str) -> list[Place]:
    """Slots of templates: ``{x} {{x}} ${x} {% x %} %s %(x)s <x> [[x]]``."""
    return [match.span() for match in _placeholder().finditer(text)]
