"""YAML with the place of every value, and without its other features: no tags, no objects, no alias bombs."""

from __future__ import annotations

from typing import Any, Literal

from tokaudit.model.message import Message, joined

Kind = Literal["text", "null", "boolean", "number", "date", "list", "mapping"]

MOST_NODES = 200_000
"""Values of a file, those that aliases repeat counted each time; a pack of 1 MB has fewer than half of that."""
DEEPEST = 50
_KINDS: dict[str, Kind] = {
    "tag:yaml.org,2002:str": "text",
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:bool": "boolean",
    "tag:yaml.org,2002:int": "number",
    "tag:yaml.org,2002:float": "number",
    "tag:yaml.org,2002:timestamp": "date",
    "tag:yaml.org,2002:merge": "text",
    "tag:yaml.org,2002:value": "text",
    "tag:yaml.org,2002:seq": "list",
    "tag:yaml.org,2002:map": "mapping",
}
"""Kind by the tag that PyYAML resolves, by YAML 1.1: ``no`` is a boolean, and ``1.0`` a number."""
_SCALAR_HINT = "a text with any of : # { } [ ] , & * ! | > % @ ` belongs in single quotes"


class YamlError(Exception):
    """Invalid YAML, or YAML that a pack may not use. Places are 1-based and in code points."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class Node:
    """One value with its place. ``value`` is the text of a scalar as read, or the parts of a list or mapping."""

    __slots__ = ("column", "kind", "last_line", "line", "size", "style", "value")

    def __init__(self, kind: Kind, value: Any, node: Any) -> None:
        self.kind = kind
        self.value = value
        """A string; of a list, nodes; of a mapping, pairs of nodes in order, with equal keys."""
        self.line, self.column = _place(node)
        self.last_line: int = node.end_mark.line + 1
        self.style: str = (node.style or "") if isinstance(value, str) else ""
        """Of a scalar: empty for plain, else ``'``, ``"``, ``|`` or ``>``."""
        self.size = 1
        """Values in it, itself counted."""


def parse(text: str) -> Node:
    """The one document of a YAML text.

    Raises:
        YamlError: It is not YAML, has no document or several, uses tags, nests too deep or grows too large.
    """
    import yaml

    try:
        root = yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise _not_yaml(error, text) from error
    except RecursionError:
        raise YamlError(Message("nested deeper than {deepest} levels", deepest=DEEPEST), 1, 1) from None
    if root is None:
        raise YamlError("the file is empty", 1, 1)
    return _converted(root, {}, [])


def _converted(node: Any, done: dict[int, Node], outer: list[Any]) -> Node:
    """A node of PyYAML as one of ours; an alias is the same node as its anchor."""
    if id(node) in done:
        return done[id(node)]
    if any(node is item for item in outer):
        raise YamlError("an alias stands within its own anchor", *_place(node))
    if node.tag not in _KINDS:
        raise YamlError(Message("the tag {tag}: packs have no tags", tag=node.tag), *_place(node))
    if len(outer) >= DEEPEST:
        raise YamlError(Message("nested deeper than {deepest} levels", deepest=DEEPEST), *_place(node))
    kind = _KINDS[node.tag]
    if isinstance(node.value, str):
        if node.style == '"' and any("\ud800" <= sign <= "\udfff" for sign in node.value):
            raise YamlError("half a character (a surrogate)", *_place(node))
        found = Node(kind, node.value, node)
    else:
        inner = [*outer, node]
        pairs = [item if kind == "mapping" else (item,) for item in node.value]
        parts = [tuple(_converted(part, done, inner) for part in pair) for pair in pairs]
        found = Node(kind, parts if kind == "mapping" else [part for (part,) in parts], node)
        found.size += sum(part.size for pair in parts for part in pair)
        if found.size > MOST_NODES:
            raise YamlError(
                Message("more than {most:,} values, with those that aliases repeat", most=MOST_NODES), *_place(node)
            )
    done[id(node)] = found
    return found


def _place(node: Any) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _not_yaml(error: Any, text: str) -> YamlError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        what = joined(", ", *(Message(part) for part in (error.context, error.problem) if part))
        line, column = mark.line + 1, mark.column + 1
        if type(error).__name__ == "ComposerError":  # about documents, anchors and aliases, not about characters
            return YamlError(what, line, column)
        lines = text.splitlines()
        tab = line <= len(lines) and "\t" in lines[line - 1][: column + 1]
        hint = Message("indent with spaces, not with tabs") if tab else _SCALAR_HINT
        return YamlError(Message("not valid YAML: {reason}; {hint}", reason=what, hint=hint), line, column)
    at = next((i for i, sign in enumerate(text) if not sign.isprintable() and sign not in "\n\r\t\x85\ufeff"), 0)
    line_start = text.rfind("\n", 0, at) + 1
    what = (
        Message("the character U+{code:04X} may not stand in it", code=ord(text[at]))
        if text
        else Message("it cannot be read")
    )
    return YamlError(Message("not valid YAML: {reason}", reason=what), text.count("\n", 0, at) + 1, at - line_start + 1)
