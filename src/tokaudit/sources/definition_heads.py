"""The lines that begin functions, classes and the like, for each syntax as one regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

LONG_LINE = 200
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
_FUNCTIONS = ("function", "function2", "method", "method2")
"""Groups that hold the name of something with a body."""
_STATEMENTS = frozenset(
    re.findall(
        r"\w+",
        "if for while switch return else catch do throw delete sizeof using lock foreach synchronized assert case "
        "goto typedef await yield import typeof in of super this constexpr defined elif until select match unless "
        "except finally try break continue static_assert print echo exit raise",
    )
)
"""Words that begin statements, which look like definitions of functions otherwise."""
_FIRST_WORD = re.compile(r"\w*").match


def syntax_of(path: str, family: str) -> str:
    """The syntax of definitions in a file; empty where none is known."""
    suffix = path.rpartition(".")[2].lower()
    return _SYNTAX_OF_SUFFIX.get(suffix, _SYNTAX_OF_FAMILY.get(family, ""))


@cache
def _heads(syntax: str) -> re.Pattern[str]:
    # Spaces by themselves: one character is repeated faster than a set. None is given back, for no head begins so.
    return re.compile(rf"\n(?P<indent> *+(?:\t[ \t]*+)?+){_HEADS[syntax]}")


class Head(NamedTuple):
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
        return min(self.inked - self.start, LONG_LINE)


class _Groups:
    """The groups of a syntax's expression, by number."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        numbers = pattern.groupindex
        self._types = [numbers[name] - 1 for name in ("type", "impl") if name in numbers]
        self._members = [numbers[name] - 1 for name in ("method", "method2") if name in numbers]
        self._functions = [numbers[name] - 1 for name in _FUNCTIONS if name in numbers]
        self._owner = numbers.get("owner", 0) - 1
        self._indent = numbers["indent"]

    def head(self, match: re.Match[str], shift: int = 0) -> Head:
        """The head that a match is, at as many code points from its place."""
        groups = match.groups()
        name, kind, in_class = _first(groups, self._types), "class", False
        if not name:
            in_class = bool(_first(groups, self._members))
            name, kind = _first(groups, self._functions), "function"
            if self._owner >= 0 and groups[self._owner]:
                name, kind = f"{groups[self._owner]}.{name}", "method"
        start, inked = match.span(self._indent)
        name = name.replace("::", ".") if ":" in name else name
        return Head(start + shift, inked + shift, match.end() + shift, name, kind, in_class)


def _first(groups: Sequence[str | None], numbers: Sequence[int]) -> str:
    """The first of some groups that has a text."""
    for number in numbers:
        found = groups[number]
        if found:
            return found
    return ""


def heads_of(text: str, syntax: str) -> Iterator[Head]:
    """The lines that may begin a definition, and no other statement."""
    search = _heads(syntax)
    head_of = _Groups(search).head
    newline = text.find("\n")
    first = search.match("\n" + (text if newline < 0 else text[: newline + 1]))
    found = [head_of(first, -1)] if first else []
    for head in chain(found, map(head_of, search.finditer(text))):
        if head.name and head.name not in _STATEMENTS:
            word = _FIRST_WORD(text, head.inked)
            if word is None or word[0] not in _STATEMENTS:
                yield head
