"""The structure of a regular expression of the ``regex`` module, as far as its cost depends on it.

Sets of characters stay as they are written: what is in them is found by asking ``regex``. The parser is tolerant. What
it does not know it takes for a literal, since ``regex`` has compiled the pattern before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Type = Literal["set", "empty", "sequence", "either", "repeat", "group", "atomic", "ahead", "behind", "back", "call"]
"""set: one character; empty: an anchor, which takes no text; ahead, behind: a look around; back: a back-reference;
call: a recursion or a fuzzy match."""


@dataclass(slots=True)
class Node:
    """One part of a pattern."""

    type: Type
    offset: int
    parts: Sequence[Node] = ()
    text: str = ""
    """Of a set: as it is written, with its flags. Of a back-reference: the group. Of a group: its name."""
    low: int = 1
    high: int | None = 1
    """Of a repeat; None for no limit."""
    possessive: bool = False


@dataclass(slots=True)
class Tree:
    """A whole pattern."""

    root: Node
    groups: dict[str, Node] = field(default_factory=dict)
    """By number and by name."""


_QUANTIFIER = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_FUZZY = re.compile(r"\{\s*(?:\d+\s*(?:<=?)?\s*)?[eids]\s*[<}+,:=]")
_FLAGS = re.compile(r"\(\?([aiLmsuxbefprwV01]*)(?:-([a-z]*))?([:)])")
# The condition (?(1)a|b) is a choice.
_OPENING = re.compile(r"\(\?(?:P?<([A-Za-z_]\w*)>|(:|>|\||=|!|<=|<!)|\((?:\w+)\))")
_CALL = re.compile(r"\(\?(?:R|[0-9]+|P>\w+|&\w+)\)")
_NAMED_BACK = re.compile(r"\(\?P=(\w+)\)")
_BACK = re.compile(r"\\(?:g<(\w+)>|([1-9][0-9]?))")
_ESCAPE = re.compile(
    r"\\(?:[pP](?:\{[^{}]*\}|.)|N\{[^{}]*\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|0[0-7]{0,2}|L<\w+>|.)",
    re.DOTALL,
)
_ANCHORS = frozenset("bBAZzGKmM")
_POSIX = re.compile(r"\[:\^?\w+:\]")
_TYPES: dict[str, Type] = {":": "group", ">": "atomic", "|": "group", "=": "ahead", "!": "ahead", "<=": "behind"}
_TYPES["<!"] = "behind"


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags = ""
        self.groups: dict[str, Node] = {}
        self.count = 0

    def either(self) -> Node:
        start = self.at
        flags = self.flags
        branches = [self.sequence()]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            branches.append(self.sequence())
        self.flags = flags
        return branches[0] if len(branches) == 1 else Node("either", start, branches)

    def sequence(self) -> Node:
        start = self.at
        parts: list[Node] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            if "x" in self.flags and self.ignored():
                continue
            part = self.item()
            if part is not None:
                parts.append(self.quantified(part))
        return parts[0] if len(parts) == 1 else Node("sequence", start, parts)

    def ignored(self) -> bool:
        if self.pattern[self.at].isspace():
            self.at += 1
            return True
        if self.pattern[self.at] == "#":
            end = self.pattern.find("\n", self.at)
            self.at = len(self.pattern) if end < 0 else end
            return True
        return False

    def quantified(self, part: Node) -> Node:
        while self.at < len(self.pattern):
            if part.type != "call" and _FUZZY.match(self.pattern, self.at):
                part = Node("call", self.at)
                self.at = self.pattern.find("}", self.at) + 1 or len(self.pattern)
                continue
            match = _QUANTIFIER.match(self.pattern, self.at)
            if match is None or match[0] in ("{}", "{,}"):
                break
            self.at = match.end()
            low, high = _limits(match)
            mark = self.pattern[self.at : self.at + 1]
            if mark in ("?", "+") and mark:
                self.at += 1
            part = Node("repeat", part.offset, [part], low=low, high=high, possessive=mark == "+")
        return part

    def item(self) -> Node | None:
        start = self.at
        char = self.pattern[start]
        if char == "(":
            return self.group()
        if char == "[":
            self.at = self.set_end()
            return self.set(start)
        if char == "\\":
            back = _BACK.match(self.pattern, start)
            if back is not None:
                self.at = back.end()
                return Node("back", start, text=back[1] or back[2])
            escape = _ESCAPE.match(self.pattern, start)
            self.at = escape.end() if escape else len(self.pattern)
            return Node("empty", start) if self.pattern[start + 1 : start + 2] in _ANCHORS else self.set(start)
        self.at += 1
        return Node("empty", start) if char in "^$" else self.set(start)

    def set(self, start: int) -> Node:
        kept = ("V1" if "V1" in self.flags else "") + "".join(sorted({*self.flags} & {*"isa"}))
        text = self.pattern[start : self.at]
        return Node("set", start, text=f"(?{kept}){text}" if kept else text)

    def set_end(self) -> int:
        nested = "V1" in self.flags
        depth = 0
        at = self.at
        while at < len(self.pattern):
            char = self.pattern[at]
            if char == "\\":
                at += 2
                continue
            posix = _POSIX.match(self.pattern, at) if depth else None
            if posix is not None:
                at = posix.end()
                continue
            if char == "[" and (nested or not depth):
                depth += 1
                at += 2 if self.pattern.startswith("^", at + 1) else 1
                # A bracket right behind the opening one is a character.
                at += self.pattern.startswith("]", at)
                continue
            at += 1
            if char == "]":
                depth -= 1
                if not depth:
                    return at
        return at

    def group(self) -> Node | None:
        start = self.at
        if self.pattern.startswith("(?#", start) or self.pattern.startswith("(*", start):
            self.at = self.pattern.find(")", start) + 1 or len(self.pattern)
            return None
        for expression, kind in ((_CALL, "call"), (_NAMED_BACK, "back")):
            match = expression.match(self.pattern, start)
            if match is not None:
                self.at = match.end()
                return Node("call", start) if kind == "call" else Node("back", start, text=match[1])
        flags = _FLAGS.match(self.pattern, start)
        outer = self.flags
        node = Node("group", start)
        if flags is not None:
            self.at = flags.end()
            self.flags = "".join(one for one in self.flags + flags[1] if one not in (flags[2] or ""))
            if flags[3] == ")":
                return None
        else:
            self.opening(node)
        node.parts = [self.either()]
        self.at += 1
        self.flags = outer
        return node

    def opening(self, node: Node) -> None:
        match = _OPENING.match(self.pattern, self.at)
        self.at = match.end() if match else self.at + 1
        if match is not None and match[2]:
            node.type = _TYPES[match[2]]
        elif match is None or match[1]:
            self.count += 1
            self.groups[str(self.count)] = node
            if match is not None:
                self.groups[match[1]] = node
                node.text = match[1]


def _limits(match: re.Match[str]) -> tuple[int, int | None]:
    simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if match[0] in simple:
        return simple[match[0]]
    low = int(match[1] or 0)
    if not match[2]:
        return low, low
    return low, int(match[3]) if match[3] else None


def parse(pattern: str) -> Tree:
    """The structure of a pattern that ``regex`` compiles."""
    parser = _Parser(pattern)
    root = parser.either()
    return Tree(root, parser.groups)


def width(node: Node, tree: Tree, depth: int = 0) -> int | None:
    """The most characters that a part matches, or None where there is no limit."""
    if node.type == "set":
        return 1
    if node.type in ("empty", "ahead", "behind"):
        return 0
    if node.type == "call" or depth > 20:
        return None
    if node.type == "back":
        group = tree.groups.get(node.text)
        return width(group, tree, depth + 1) if group is not None else None
    widths = [width(part, tree, depth) for part in node.parts]
    if None in widths:
        return None
    known = [one for one in widths if one is not None]
    if node.type == "either":
        return max(known, default=0)
    total = sum(known)
    if node.type == "repeat":
        return 0 if not total else None if node.high is None else total * node.high
    return total
