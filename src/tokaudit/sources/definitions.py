"""Functions and classes of source code, found by the lines that begin them.

A definition begins on a line of its own. It ends at the bracket that closes it, or, in languages without brackets and
where brackets do not match, before the first line that is indented no further. Comments and strings are known before,
so that nothing in them begins or ends anything. Every search is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import NamedTuple

from tokaudit.sources.languages import Run

_DEEPEST = 12
"""Classes within classes that are followed; each is searched once for its end."""
_LONG_LINE = 200
_BRACKET = re.compile(r"[(){}]").finditer
_HEAD_LIMIT = 2000
"""Code points between the name of a definition and the bracket that opens its body."""
_WORDS = r"(?:[\w<>\[\],.?&*:~]{1,200}[ \t]+){0,8}"
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|override|open|data|inner|inline|"
    r"suspend|export|default|declare|async|pub(?:\([^)\n]{0,80}\))?|const|unsafe|extern|readonly|fileprivate|mutating|"
    r'required|convenience|lazy|virtual|strictfp|local|tailrec|operator|infix|enum|annotation|value|fun|"C"|'
    r"@[\w.:]{1,80}(?:\([^)\n]{0,200}\))?)[ \t]+){0,8}"
)
_TYPES = r"class|interface|enum|struct|trait|record|object|protocol|extension|namespace|module|union|actor|mod|mixin"
# Names of groups: type is a container of definitions, function has a body, owner is the type that a function is of.
_TYPE = rf"{_MODIFIERS}(?:(?P<word>{_TYPES})[ \t]+(?:class[ \t]+|struct[ \t]+)?(?P<type>\w+(?:(?:\.|::)\w+)*))"
_NAME_OF_C = r"(?P<function>(?:[\w~]+(?:<[\w, *&]{0,80}>)?::)*~?\w+|(?:\w+::)*operator[^\s\w(]{1,3})[ \t]*\("
_MODIFIERS_OF_JAVASCRIPT = _MODIFIERS.replace("const|", "")
_JAVASCRIPT = (
    r"(?:async[ \t]+)?function[ \t]*\*?[ \t]*(?P<function>[\w$]+)"
    r"|(?:const|let|var)[ \t]+(?P<function2>[\w$]+)(?:[ \t]*:[^=\n]{0,200})?[ \t]*=[ \t]*"
    r"(?:async[ \t]*)?(?:function\b|[\w$]+[ \t]*=>|(?=\((?:[^\n]*=>|[ \t{]*\n)))"
    r"|(?P<method2>[#\w$]+)(?:[ \t]*:[^=\n]{0,200})?[ \t]*=[ \t]*(?:async[ \t]*)?(?:function\b|(?=\([^\n]*=>))"
    r"|(?:(?:get|set|async)[ \t]+|\*[ \t]*)?(?P<method>[#\w$]+)[ \t]*(?:<[^>\n]{0,200}>[ \t]*)?(?=\()"
)
_HEADS: dict[str, str] = {
    "python": r"(?=[acd])(?:async[ \t]+)?(?:def[ \t]+(?P<function>\w+)|class[ \t]+(?P<type>\w+))",
    "javascript": rf"(?:{_TYPE}|{_MODIFIERS_OF_JAVASCRIPT}(?:{_JAVASCRIPT}))",
    "c": rf"(?:{_TYPE}|{_WORDS}[*&]*{_NAME_OF_C})",
    "java": rf"(?:{_TYPE}|(?:@[\w.]+[ \t]+)?{_WORDS}(?P<function>\w+)[ \t]*(?:<[^>\n]{{0,80}}>[ \t]*)?\()",
    "go": (
        r"(?:func[ \t]+(?:\([^)\n]{0,200}?[* \t](?P<owner>\w+)(?:\[[^\]\n]{0,80}\])?\)[ \t]*)?(?P<function>\w+)"
        r"|type[ \t]+(?P<type>\w+)(?:\[[^\]\n]{0,200}\])?[ \t]+(?:struct|interface)\b)"
    ),
    "rust": (
        rf"(?:{_TYPE}|{_MODIFIERS}fn[ \t]+(?P<function>\w+)"
        r"|(?:unsafe[ \t]+)?impl\b(?:<[^{\n]{0,200}?>)?[ \t]+"
        r"(?:[^{\n]{0,300}?[ \t]for[ \t]+)?&?(?P<impl>\w+(?:::\w+)*))"
    ),
    "kotlin": (
        rf"(?:{_MODIFIERS}(?:fun|def)[ \t]+(?:<[^>\n]{{0,200}}>[ \t]*)?(?:(?P<owner>\w+)(?:<[^>\n]{{0,80}}>)?\??\.)?"
        rf"(?P<function>[\w`]+)|{_TYPE}|{_MODIFIERS}(?P<method>constructor|init)\b)"
    ),
    "swift": (
        rf"(?:{_MODIFIERS}(?:class[ \t]+)?func[ \t]+(?P<function>\w+)|{_TYPE}"
        rf"|{_MODIFIERS}(?P<method>init|deinit)\b)"
    ),
    "php": rf"(?:{_MODIFIERS}function[ \t]+&?(?P<function>\w+)|{_TYPE})",
    "shell": r"(?:function[ \t]+(?P<function>[\w:.-]+)|(?P<function2>[\w:.-]+)[ \t]*\(\))",
    "ruby": (
        r"(?:(?:private|public|protected|module_function|private_class_method)[ \t]+)?"
        r"(?:def[ \t]+(?:self\.)?(?P<function>[\w.]+[?!=]?)|(?:class|module)[ \t]+(?P<type>[\w:]+))"
    ),
    "lua": (
        r"(?:(?:local[ \t]+)?function[ \t]+(?P<function>[\w.:]+)"
        r"|(?:local[ \t]+)?(?P<function2>[\w.]+)[ \t]*=[ \t]*function\b)"
    ),
    "elixir": r"(?:defmodule[ \t]+(?P<type>[\w.]+)|def(?:p|macro|macrop)?[ \t]+(?P<function>\w+[?!]?))",
    "julia": (
        r"(?:(?:module|(?:mutable[ \t]+)?struct)[ \t]+(?P<type>\w+)|(?:function|macro)[ \t]+(?P<function>[\w.]+!?))"
    ),
    "powershell": r"(?:(?:function|filter)[ \t]+(?P<function>[\w:-]+)|class[ \t]+(?P<type>\w+))",
    "perl": r"sub[ \t]+(?P<function>\w+)",
    "r": r"(?P<function>[\w.]+)[ \t]*(?:<-|=)[ \t]*function\b",
    "terraform": (
        r'(?:resource|data|module|variable|output|provider|locals|terraform)\b(?:[ \t]+"(?P<owner>[\w-]+)"(?=[ \t]*"))?'
        r'[ \t]*"?(?P<function>[\w-]*)"?(?=[ \t]*\{)'
    ),
    "proto": r"(?:(?:message|service|enum)[ \t]+(?P<type>\w+)|rpc[ \t]+(?P<function>\w+))",
}
_SYNTAX_OF_FAMILY = {
    **{family: family for family in _HEADS},
    **dict.fromkeys(("csharp", "dart", "groovy"), "java"),
}
_SYNTAX_OF_SUFFIX = {
    **dict.fromkeys(("pl", "pm"), "perl"),
    **dict.fromkeys(("r",), "r"),
    **dict.fromkeys(("proto",), "proto"),
    **dict.fromkeys(("m", "mm"), "c"),
    **dict.fromkeys(("zig", "v", "sv", "sol", "nim", "tcl", "cmake", "graphql", "gql", "awk", "fish", "nix"), ""),
}
_BY_INDENT = frozenset(("python", "ruby", "lua", "elixir", "julia"))
_ENDERS = {"ruby": "end", "lua": "end", "elixir": "end", "julia": "end"}
_FUNCTIONS = ("function", "function2", "method", "method2")
"""Groups that hold the name of something with a body."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STATEMENTS = _words(
    "if for while switch return else catch do throw delete sizeof using lock foreach synchronized assert case "
    "goto typedef await yield import typeof in of super this constexpr defined elif until select match unless "
    "except finally try break continue static_assert print echo exit raise"
)
"""Words that begin statements, which look like definitions of functions otherwise."""
_ATTRIBUTES = ("@", "#[", "[", "template ", "template<")
_FIRST_WORD = re.compile(r"\w*").match
_BLANKS = re.compile(r"[ \t]*")
_PUNCTUATION = re.compile(r"[ \t]*(?:[;,)][ \t;,)]*)?\r?")
_STOP = re.compile(r";|=>|\n[ \t\r]*\n").search


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method, class or the like."""

    start: int
    """Where its line begins, with the comments and attributes before it."""
    end: int
    """Where the line after it begins."""
    name: str
    """Qualified: ``Class.method``."""
    kind: str
    """function, method or class."""


def syntax_of(path: str, family: str) -> str:
    """The syntax of definitions in a file; empty where none is known."""
    suffix = path.rpartition(".")[2].lower()
    return _SYNTAX_OF_SUFFIX.get(suffix, _SYNTAX_OF_FAMILY.get(family, ""))


@cache
def _heads(syntax: str) -> re.Pattern[str]:
    return re.compile(rf"\n(?P<indent>[ \t]*){_HEADS[syntax]}")


@cache
def _another(indent: int) -> re.Pattern[str]:
    """The next line that is indented at most so far and does not go on with the head of a definition."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}(?![ \t\r\n{{):#]|->|(?:where|throws|extends|implements|with|const)\b)")


@cache
def _outdented(indent: int) -> re.Pattern[str]:
    """The next line that has ink and is indented at most so far, but does not only close a bracket."""
    blanks = rf"[ \t]{{0,{indent}}}" if indent else ""
    return re.compile(rf"\n{blanks}(?=[^ \t\r\n)\]}}])")


def definitions(text: str, syntax: str, runs: Sequence[Run]) -> Iterator[Definition]:
    """The definitions of a text, in order; those of a class follow it, those within a function are left out.

    Args:
        text: Source code.
        syntax: As ``syntax_of`` has it.
        runs: Its comments and strings, ascending.
    """
    return _Finder(text, syntax, runs).found()


class _Head(NamedTuple):
    """The beginning of a definition."""

    start: int
    """Where its line begins."""
    inked: int
    """Where its first word begins."""
    end: int
    """Where its name ends, or the parenthesis after it."""
    name: str
    kind: str
    in_class: bool
    """True if it is a definition only right within a class."""

    @property
    def indent(self) -> int:
        """Blanks before the first word."""
        return min(self.inked - self.start, _LONG_LINE)


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
        for head in self._heads():
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

    def _heads(self) -> Iterator[_Head]:
        """The lines that may begin a definition, and no other statement."""
        text, search = self._text, _heads(self._syntax)
        newline = text.find("\n")
        first = search.match("\n" + (text if newline < 0 else text[: newline + 1]))
        found = [_head_of(first, -1)] if first else []
        for head in chain(found, map(_head_of, search.finditer(text))):
            word = _FIRST_WORD(text, head.inked)
            if head.name and head.name not in _STATEMENTS and (word is None or word[0] not in _STATEMENTS):
                yield head

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

    def _end(self, head: _Head) -> int:
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
        line = self._text.rfind("\n", max(0, at - _LONG_LINE), at) + 1
        return (line > 0 or at < _LONG_LINE) and not self._text[line].isspace()

    def _end_by_indent(self, head: _Head) -> int:
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


def _head_of(match: re.Match[str], shift: int = 0) -> _Head:
    groups = match.groupdict()
    owner = groups.get("owner")
    name, kind = groups.get("type") or groups.get("impl") or "", "class"
    in_class = not name and bool(groups.get("method") or groups.get("method2"))
    if not name:
        name = next((groups[key] for key in _FUNCTIONS if groups.get(key)), "")
        name, kind = (f"{owner}.{name}", "method") if owner else (name, "function")
    start, inked = match.span("indent")
    return _Head(start + shift, inked + shift, match.end() + shift, name.replace("::", "."), kind, in_class)
