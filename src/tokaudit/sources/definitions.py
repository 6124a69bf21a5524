"""Functions and classes of source code, found by the lines that begin them.

A definition begins on a line of its own. It ends at the bracket that closes it, or, in languages without brackets and
where brackets do not match, before the first line that is indented no further. Comments and strings are known before,
so that nothing in them begins or ends anything. Every search is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from tokaudit.sources.definition_heads import LONG_LINE, Head, heads_of
from tokaudit.sources.languages import Run

_DEEPEST = 12
"""Classes within classes that are followed; each is searched once for its end."""
_BRACKET = re.compile(r"[(){}]").finditer
_HEAD_LIMIT = 2000
"""Code points between the name of a definition and the bracket that opens its body."""
_BY_INDENT = frozenset(("python", "ruby", "lua", "elixir", "julia"))
_ENDERS = {"ruby": "end", "lua": "end", "elixir": "end", "julia": "end"}
_ATTRIBUTES = ("@", "#[", "[", "template ", "template<")
_BLANKS = re.compile(r"[ \t]*")
_PUNCTUATION = re.compile(r"[ \t]*(?:[;,)][ \t;,)]*)?\r?")
_STOP = re.compile(r";|=>|\n[ \t\r]*\n").search


class Definition(NamedTuple):
    """A function, method, class or the like."""

    start: int
    """Where its line begins, with the comments and attributes before it."""
    end: int
    """Where the line after it begins."""
    name: str
    """Qualified: ``Class.method``."""
    kind: str
    """function, method or class."""


@cache
def _another(indent: int) -> re.Pattern[str]:
    """The next line that is indented at most so far and does not go on with the head of a definition."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}+(?![ \t\r\n{{):#]|->|(?:where|throws|extends|implements|with|const)\b)")


@cache
def _outdented(indent: int) -> re.Pattern[str]:
    """The next line that has ink and is indented at most so far, but does not only close a bracket."""
    blanks = rf"[ \t]{{0,{indent}}}+" if indent else ""
    return re.compile(rf"\n{blanks}(?=[^ \t\r\n)\]}}])")


def definitions(text: str, syntax: str, runs: Sequence[Run]) -> Iterator[Definition]:
    """The definitions of a text, in order; those of a class follow it, those within a function are left out.

    Args:
        text: Source code.
        syntax: As ``syntax_of`` has it.
        runs: Its comments and strings, ascending.
    """
    return _Finder(text, syntax, runs).found()


class _Finder:
    """Looks through one text."""

    def __init__(self, text: str, syntax: str, runs: Sequence[Run]) -> None:
        self._text = text
        self._syntax = syntax
        self._runs = runs
        self._run_starts = [run[0] for run in runs]

    def found(self) -> Iterator[Definition]:
        """The definitions in order."""
        inside: list[Definition] = []  # the classes around
        free = floor = 0  # from where on a definition may begin, and from where on comments may belong to one
        for head in heads_of(self._text, self._syntax):
            if head.start < free or self._run_at(head.inked) is not None:
                continue
            while inside and inside[-1].end <= head.start:
                floor = max(floor, inside.pop().end)
            if head.in_class and not inside:
                continue
            end = self._end(head)
            if not end:
                continue
            name, kind = head.name, head.kind
            if inside:
                name = f"{inside[-1].name}.{name}"
                kind = "method" if kind == "function" else kind
                end = min(end, inside[-1].end)
            one = Definition(self._with_comments(head.start, max(floor, free)), end, name, kind)
            yield one
            if kind == "class" and len(inside) < _DEEPEST:
                inside.append(one)
                free = head.end
                floor = self._text.find("\n", free) + 1 or len(self._text)
            else:
                free = floor = end

    def _run_at(self, at: int) -> Run | None:
        """The comment or string in which an offset lies."""
        index = bisect_right(self._run_starts, at) - 1
        return self._runs[index] if index >= 0 and at < self._runs[index][1] else None

    def _with_comments(self, head: int, floor: int) -> int:
        """The start of the comments and attributes that stand right before a line, not before ``floor``."""
        text = self._text
        start = head
        while start > floor:
            line = text.rfind("\n", floor, start - 1) + 1 or floor
            inked = _BLANKS.match(text, line, start).end()  # type: ignore[union-attr] # it matches nothing too
            run = self._run_at(inked)
            if run is not None and run[2] == "comment":
                line = max(text.rfind("\n", floor, run[0]) + 1, floor)
                if text[line : run[0]].strip():
                    break
            elif not text.startswith(_ATTRIBUTES, inked, start):
                break
            start = line
        return start

    def _end(self, head: Head) -> int:
        """The start of the line after a definition; 0 for a mere declaration."""
        if self._syntax in _BY_INDENT:
            return self._end_by_indent(head)
        text, (opens, partners) = self._text, self._brackets
        at = head.end - (text[head.end - 1] == "(")
        is_arrow = False
        another = _another(head.indent).search
        while True:
            limit = min(len(text), at + _HEAD_LIMIT)
            index = bisect_left(opens, at)
            opened = opens[index] if index < len(opens) and opens[index] < limit else limit
            stop = _STOP(text, at, opened) or another(text, at, opened + 1)
            if stop is not None and stop[0] == "=>" and not is_arrow:
                is_arrow, at = True, stop.end()
                continue
            if opened == limit or stop is not None or (is_arrow and text[at:opened].strip()):
                return self._end_by_indent(head) if is_arrow or self._syntax == "kotlin" else 0
            if text[opened] == "{" and not (self._is_type(opened) and opened in partners):
                closed = partners.get(opened)
                return self._end_by_indent(head) if closed is None else self._line_after(closed + 1)
            if opened not in partners or (is_arrow and text[opened] == "("):
                return self._end_by_indent(head)
            at = partners[opened] + 1

    def _is_type(self, opened: int) -> bool:
        """True for a brace that opens a type, as in ``interface{}`` and ``Promise<{...}>``."""
        before = self._text[max(0, opened - 12) : opened].rstrip()
        if self._syntax == "go":
            return before.endswith(("interface", "struct")) and self._text.startswith("}", opened + 1)
        return self._syntax == "javascript" and before[-1:] in "<:|&,"

    @cached_property
    def _brackets(self) -> tuple[list[int], dict[int, int]]:
        """The brackets that open, and those that close them. One at the margin closes what was opened at it."""
        text = self._text
        opens: list[int] = []
        partners: dict[int, int] = {}
        stack: list[int] = []
        for match in self._all_brackets():
            at = match.start()
            if text[at] in "({":
                stack.append(at)
                opens.append(at)
                continue
            if text[at] == "}" and text[at - 1 : at] == "\n" and any(map(self._is_at_margin, stack[-_DEEPEST:])):
                while not self._is_at_margin(stack[-1]):
                    stack.pop()
            if stack and text[stack[-1]] + text[at] in {"()", "{}"}:
                partners[stack.pop()] = at
            elif len(stack) > 1 and text[stack[-2]] + text[at] == "{}":
                stack.pop()  # a parenthesis that is not closed
                partners[stack.pop()] = at
        return opens, partners

    def _all_brackets(self) -> Iterator[re.Match[str]]:
        at = 0
        for start, end, _ in self._runs:
            yield from _BRACKET(self._text, at, start)
            at = end
        yield from _BRACKET(self._text, at)

    def _is_at_margin(self, at: int) -> bool:
        """True where the line of a bracket is not indented; of a very long line that is not known."""
        line = self._text.rfind("\n", max(0, at - LONG_LINE), at) + 1
        return (line > 0 or at < LONG_LINE) and not self._text[line].isspace()

    def _end_by_indent(self, head: Head) -> int:
        """The start of a line that is indented no further than a definition, or of the comments right before it."""
        text = self._text
        search = _outdented(head.indent).search
        at = head.end
        first = -1  # the first of comments with nothing after them that is indented further
        while found := search(text, at):
            place = found.end()
            if first >= 0 and text[at : found.start()].strip():
                first = -1
            run = self._run_at(place)
            if run is None or (run[0] == place and run[2] != "comment"):
                ender = _ENDERS.get(self._syntax)
                if ender and text.startswith(ender, place):
                    return self._line_after(place + len(ender))
                return first if first >= 0 else found.start() + 1
            if run[0] == place and first < 0:
                first = found.start() + 1
            at = run[1]
        return first if first >= 0 and not text[at:].strip() else len(text)

    def _line_after(self, at: int) -> int:
        """The beginning of the next line, if nothing but punctuation and a comment stands before it."""
        text = self._text
        rest = _PUNCTUATION.match(text, at)
        at = at if rest is None else rest.end()
        run = self._run_at(at)
        if run is not None and run[2] == "comment":
            at = run[1]
        return at + 1 if text[at : at + 1] == "\n" else at
