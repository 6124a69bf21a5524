"""YAML with the place of every value, and nothing that YAML could do besides: no tags, no objects, no alias bombs."""

from __future__ import annotations

from typing import Any, Literal

Kind = Literal["text", "null", "boolean", "number", "date", "list", "mapping"]

MOST_NODES = 200_000
"""Values of a file, those that aliases repeat counted each time; a pack of 1 MB has fewer than half of that."""
DEEPEST = 50
_TAGS: dict[str, Kind] = {"null": "null", "bool": "boolean", "int": "number", "float": "number", "timestamp": "date"}
_PREFIX = "tag:yaml.org,2002:"
_SCALAR_HINT = "a text with any of : # { } [ ] , & * ! | > % @ ` belongs in single quotes"


class YamlError(Exception):
    """What is no YAML, or YAML that a pack may not use. Places are 1-based and in code points."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class Node:
    """One value with its place. ``value`` is the text of a scalar as read, or the parts of a list or mapping."""

    __slots__ = ("column", "kind", "last_line", "line", "size", "style", "value")

    def __init__(self, kind: Kind, value: Any, line: int, column: int, style: str = "") -> None:
        self.kind = kind
        self.value = value
        """A string; of a list, nodes; of a mapping, pairs of nodes in order, equal keys and all."""
        self.line = line
        self.column = column
        self.style = style
        """How a scalar is written: empty for plain, else ``'``, ``"``, ``|`` or ``>``."""
        self.last_line = line
        self.size = 1
        """Values in it, itself counted."""


def parse(text: str) -> Node:
    """The one document of a YAML text.

    Raises:
        YamlError: It is not YAML, has no document or several, uses tags, nests too deep or grows too large.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(yaml.SafeLoader.yaml_implicit_resolvers)
    try:
        for event in yaml.parse(text, loader):
            composer.take(event)
    except yaml.YAMLError as error:
        raise _not_yaml(error, text) from error
    if composer.root is None:
        raise YamlError("the file is empty", 1, 1)
    return composer.root


def _not_yaml(error: Any, text: str) -> YamlError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        what = ", ".join(part for part in (error.context, error.problem) if part)
        line, column = mark.line + 1, mark.column + 1
        lines = text.splitlines()
        tab = line <= len(lines) and "\t" in lines[line - 1][: column + 1]
        hint = "indent with spaces, not with tabs" if tab else _SCALAR_HINT
        return YamlError(f"not valid YAML: {what}; {hint}", line, column)
    at = next((i for i, sign in enumerate(text) if not sign.isprintable() and sign not in "\n\r\t\x85\ufeff"), 0)
    line_start = text.rfind("\n", 0, at) + 1
    what = f"the character U+{ord(text[at]):04X} may not stand in it" if text else "it cannot be read"
    return YamlError(f"not valid YAML: {what}", text.count("\n", 0, at) + 1, at - line_start + 1)


class _Composer:
    """Makes nodes of a parser's events, one at a time and without recursion."""

    def __init__(self, resolvers: dict[str, list[tuple[str, Any]]]) -> None:
        self.root: Node | None = None
        self._resolvers = resolvers
        self._open: list[Node] = []
        self._keys: list[Node | None] = []
        self._anchors: dict[str, Node] = {}
        self._nodes = 0

    def take(self, event: Any) -> None:
        """One event of the parser."""
        name = type(event).__name__
        if name == "ScalarEvent":
            self._scalar(event)
        elif name in {"MappingStartEvent", "SequenceStartEvent"}:
            self._begin(event, "mapping" if name == "MappingStartEvent" else "list")
        elif name in {"MappingEndEvent", "SequenceEndEvent"}:
            node = self._open.pop()
            self._keys.pop()
            node.last_line = event.end_mark.line + 1
            if self._open:
                self._open[-1].size += node.size
        elif name == "AliasEvent":
            self._alias(event)
        elif name == "DocumentStartEvent" and self.root is not None:
            raise YamlError("a second document; a pack is one", *_place(event))

    def _scalar(self, event: Any) -> None:
        plain = event.style in {None, ""}
        kind: Kind = "text"
        if event.tag not in {None, "!", f"{_PREFIX}str"}:
            raise YamlError(f"the tag {event.tag}: packs have no tags", *_place(event))
        if plain and event.tag is None:
            kind = self._resolved(event.value)
        if event.style == '"' and any("\ud800" <= sign <= "\udfff" for sign in event.value):
            raise YamlError("half a character (a surrogate)", *_place(event))
        node = Node(kind, event.value, *_place(event), "" if plain else event.style)
        node.last_line = event.end_mark.line + 1
        self._place_node(node, event)
        if self._open:
            self._open[-1].size += 1

    def _resolved(self, value: str) -> Kind:
        """What a plain scalar is in YAML 1.1: ``no`` is a boolean, and ``1.0`` a number."""
        for tag, pattern in self._resolvers.get(value[:1], ()):
            if pattern.match(value):
                return _TAGS.get(tag.removeprefix(_PREFIX), "text")
        return "text"

    def _begin(self, event: Any, kind: Kind) -> None:
        if event.tag not in {None, "!"}:
            raise YamlError(f"the tag {event.tag}: packs have no tags", *_place(event))
        if len(self._open) >= DEEPEST:
            raise YamlError(f"nested deeper than {DEEPEST} levels", *_place(event))
        node = Node(kind, [], *_place(event))
        self._place_node(node, event)
        self._open.append(node)
        self._keys.append(None)

    def _alias(self, event: Any) -> None:
        node = self._anchors.get(event.anchor)
        if node is None:
            raise YamlError(f"the alias *{event.anchor} has no anchor before it", *_place(event))
        if any(node is item for item in self._open):
            raise YamlError(f"the alias *{event.anchor} stands within its own anchor", *_place(event))
        self._count(node.size, event)
        if self._open:
            self._open[-1].size += node.size
        self._attach(node)

    def _place_node(self, node: Node, event: Any) -> None:
        self._count(1, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._attach(node)

    def _count(self, size: int, event: Any) -> None:
        self._nodes += size
        if self._nodes > MOST_NODES:
            raise YamlError(f"more than {MOST_NODES:,} values, with those that aliases repeat", *_place(event))

    def _attach(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        if parent.kind == "list":
            parent.value.append(node)
        elif self._keys[-1] is None:
            self._keys[-1] = node
        else:
            parent.value.append((self._keys[-1], node))
            self._keys[-1] = None


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1
