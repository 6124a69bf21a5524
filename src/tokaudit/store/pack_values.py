"""Checks single values of a rule pack, and notes each problem with its place and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tokaudit.model.message import Message, joined
from tokaudit.model.record import record
from tokaudit.pipeline.views.view import Parameter
from tokaudit.store.key_kinds import nearest
from tokaudit.store.pack_schema import EXAMPLE_KEYS, Key
from tokaudit.store.yaml_places import Node

_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,14})")
_LIST = re.compile(r"\\L<(\w+)>")
"""A list of the pack within a pattern, written as ``regex`` writes its named lists."""
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


@record
class Problem:
    """One problem in a pack."""

    path: str
    line: int
    column: int
    message: str
    shown: str = ""
    """The line of the file."""


class ValueCheck:
    """The values of one file; ``problems`` grows as they are checked."""

    def __init__(self, path: str, text: str, *, patterns: bool) -> None:
        self.problems: list[Problem] = []
        self._path = path
        self._lines = text.split("\n")
        self.patterns = patterns
        """True to compile patterns."""
        self.lists_known = True
        """False if a missing list may be one of a pack that could not be loaded."""

    def wrong(self, node: Node, message: str) -> None:
        """Note a problem at a value."""
        self.wrong_at(node.line, node.column, message)

    def wrong_at(self, line: int, column: int, message: str) -> None:
        """Note a problem at a place."""
        shown = self._lines[line - 1].rstrip("\r") if line <= len(self._lines) else ""
        self.problems.append(Problem(self._path, line, column, message, shown))

    def unique(self, node: Node) -> dict[str, Node]:
        """The values of a mapping by key; keys that are not texts, and second ones, are problems."""
        pairs: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            if key.kind in {"list", "mapping"}:
                self.wrong(key, Message("a key must be a text, not {key}", key=described(key)))
            elif key.kind != "text":
                self.wrong(
                    key,
                    Message("a key must be a text, not {kind}; quote it: '{key}'", kind=described(key), key=key.value),
                )
            elif key.value == "<<":
                self.wrong(key, "packs have no merge keys; use 'extends' or 'lists'")
            elif key.value in pairs:
                self.wrong(
                    key,
                    Message("a second '{key}'; the first is in line {line}", key=key.value, line=lines[key.value]),
                )
            else:
                pairs[key.value] = value
                lines[key.value] = key.line
        return pairs

    def key_of(self, node: Node, name: str) -> Node:
        """The node of a key."""
        return next(key for key, _ in node.value if key.value == name)  # type: ignore[no-any-return]

    def part(self, node: Node, name: str) -> Node:
        """The node of a key's value."""
        return next(value for key, value in node.value if key.value == name)  # type: ignore[no-any-return]

    def items(self, node: Node | None, name: str) -> Sequence[Node]:
        """The parts of a list; none where it is no list."""
        if node is None:
            return ()
        if node.kind != "list":
            self.wrong(node, Message("{name} must be a list, not {value}", name=name, value=described(node)))
            return ()
        return node.value  # type: ignore[no-any-return]

    def text(self, node: Node, name: str) -> str | None:
        """A text, or None where it is something else."""
        if node.kind == "text":
            return node.value  # type: ignore[no-any-return]
        quote = "" if node.kind in {"list", "mapping"} else Message("; quote it: '{value}'", value=node.value)
        self.wrong(
            node, Message("{name} must be a text, not {value}{quote}", name=name, value=described(node), quote=quote)
        )
        return None

    def texts(self, node: Node, name: str) -> list[tuple[str, Node]]:
        """The texts of a list with their nodes; empty ones are problems."""
        if node.kind != "list":
            self.wrong(node, Message("{name} must be a list of texts, not {value}", name=name, value=described(node)))
            return []
        texts = [(self.text(item, Message("each part of {name}", name=name)), item) for item in node.value]
        for text, item in texts:
            if text == "":
                self.wrong(item, Message("{name} has an empty text", name=name))
        return [(text, item) for text, item in texts if text]

    def flag(self, node: Node, name: str) -> bool | None:
        """True or false, or None."""
        if node.kind == "boolean" and node.value.lower() in {"true", "false"}:
            return bool(node.value.lower() == "true")
        shown = f"'{node.value}'" if node.kind == "boolean" else described(node)
        self.wrong(node, Message("{name} must be true or false, not {shown}", name=name, shown=shown))
        return None

    def number(self, node: Node, name: str, *, whole: bool, least: int | None = None) -> int | float | None:
        """A number, or None."""
        what = Message("a whole number") if whole else Message("a number")
        what += Message(" of at least {least}", least=least) if least is not None else ""
        if node.kind == "number" and (_WHOLE if whole else _NUMBER).fullmatch(node.value):
            value = int(node.value) if _WHOLE.fullmatch(node.value) else float(node.value)
            if least is None or value >= least:
                return value
        self.wrong(node, Message("{name} must be {what}, not {value}", name=name, what=what, value=described(node)))
        return None

    def choice(self, node: Node, name: str, choices: Sequence[str]) -> str | None:
        """One of some texts, or None."""
        value = self.text(node, name)
        if value is None or value in choices:
            return value
        self.wrong(
            node,
            Message(
                "{name} must be one of {choices}, not '{value}'{nearest}",
                name=name,
                choices=tuple(choices),
                value=value,
                nearest=nearest(value, choices),
            ),
        )
        return None

    def value(self, node: Node, key: Key, name: str) -> Any:
        """The value of a key of the format, or None where it is wrong."""
        quoted = f"'{name}'"
        if key.type == "flag":
            return self.flag(node, quoted)
        if key.type == "whole":
            return self.number(node, quoted, whole=True, least=1)
        if key.type == "choice":
            if node.kind == "text" and node.value in key.aliases:
                return key.aliases[node.value]
            return self.choice(node, quoted, key.choices)
        if key.type == "choices":
            part = Message("each part of {name}", name=quoted)
            found = [(self.choice(item, part, key.choices), item) for _, item in self.texts(node, quoted)]
            for at, (text, item) in enumerate(found):
                if text is not None and text in [earlier for earlier, _ in found[:at]]:
                    self.wrong(item, Message("a second '{text}' in {name}", text=text, name=quoted))
            return [text for text, _ in found]
        if key.type == "text":
            text = self.text(node, quoted)
            if text is not None and key.pattern and not re.fullmatch(key.pattern, text):
                self.wrong(
                    node, Message("{name} must be {form}, not '{text}'", name=quoted, form=Message(key.form), text=text)
                )
                return None
            if text is not None and not text.strip() and name not in EXAMPLE_KEYS:
                self.wrong(node, Message("{name} is empty", name=quoted))
            return text
        return None  # lists, rules and examples have functions of their own

    def parameter(self, node: Node, about: Parameter, name: str, lists: Mapping[str, Sequence[str]]) -> Any:
        """The value of an op's parameter, or None where it is wrong."""
        quoted = f"'{name}'"
        if about.type == "texts" and node.kind == "text":
            if node.value in lists:
                return list(lists[node.value])
            if self.lists_known:
                self.wrong(
                    node,
                    Message(
                        "{name} names no list '{list}' of this pack{near}",
                        name=quoted,
                        list=node.value,
                        near=nearest(node.value, lists),
                    ),
                )
            return None
        if about.type == "texts":
            return [text for text, _ in self.texts(node, quoted)]
        if about.type == "mapping":
            return self.mapping(node, quoted)
        checks: dict[str, Callable[[], Any]] = {
            "boolean": lambda: self.flag(node, quoted),
            "integer": lambda: self.number(node, quoted, whole=True),
            "number": lambda: self.number(node, quoted, whole=False),
            "choice": lambda: self.choice(node, quoted, about.choices),
            "pattern": lambda: self.pattern(node, quoted, lists),
        }
        return checks.get(about.type, lambda: self.text(node, quoted))()

    def mapping(self, node: Node, name: str) -> dict[str, str | None] | None:
        """Texts by text."""
        if node.kind != "mapping":
            self.wrong(
                node,
                Message("{name} must be a mapping of texts to texts, not {value}", name=name, value=described(node)),
            )
            return None
        pairs = self.unique(node)
        return {key: self.text(value, Message("each value of {name}", name=name)) for key, value in pairs.items()}

    def pattern(self, node: Node, name: str, lists: Mapping[str, Sequence[str]]) -> str | None:
        r"""A pattern with the texts of its lists (``\L<name>``), and with its problems at their place within it."""
        text = self.text(node, name)
        if text == "":
            self.wrong(node, Message("{name} is empty", name=name))
        if not text:
            return text
        for match in _LIST.finditer(text):
            if match[1] not in lists:
                if self.lists_known:
                    near = nearest(match[1], lists)
                    self._wrong_within(
                        node,
                        match.start(),
                        Message(
                            "{name} names no list '{list}' of this pack{near}", name=name, list=match[1], near=near
                        ),
                    )
                return text
        whole = _LIST.sub(lambda match: _one_of(lists[match[1]]), text)
        if self.patterns:
            from tokaudit.pipeline.patterns import pattern_problem

            if problem := pattern_problem(whole):
                self._wrong_within(node, problem.offset if whole == text else 0, joined(": ", name, problem.message))
        return whole

    def _wrong_within(self, node: Node, offset: int, message: str) -> None:
        line, column = self._place_within(node, offset)
        self.wrong_at(line, column, message)

    def _place_within(self, node: Node, offset: int) -> tuple[int, int]:
        """Line and column of a character of a text, where the file has it as it is; else those of the text."""
        if node.style == "|":
            before = node.value[:offset]
            line = node.line + 1 + before.count("\n")
            in_line = offset - (before.rfind("\n") + 1)
            whole = node.value.split("\n")[before.count("\n")]
            if line <= len(self._lines) and (found := self._lines[line - 1].find(whole)) >= 0:
                return line, found + in_line + 1
        elif node.line == node.last_line and node.style == "'":
            return node.line, node.column + 1 + offset + node.value[:offset].count("'")
        elif node.line == node.last_line and (not node.style or "\\" not in node.value[:offset]):
            raw = self._lines[node.line - 1][node.column - 1 :]
            if raw[len(node.style) :].startswith(node.value[:offset]):
                return node.line, node.column + len(node.style) + offset
        return node.line, node.column


def _one_of(texts: Sequence[str]) -> str:
    """A group of a pattern that matches one of some texts, the longest that fits."""
    return f"(?:{'|'.join(map(re.escape, sorted(texts, key=len, reverse=True)))})"


def described(node: Node) -> str:
    """A value in the words of YAML."""
    if node.kind == "text":
        short = node.value if len(node.value) <= 40 else f"{node.value[:40]}…"
        return Message("the text '{value}'", value=short) if node.value else Message("an empty text")
    if node.kind in {"boolean", "number", "date"}:
        return Message("the {kind} {value}", kind=Message(node.kind), value=node.value)
    return {"null": Message("nothing"), "list": Message("a list"), "mapping": Message("a mapping")}[node.kind]
