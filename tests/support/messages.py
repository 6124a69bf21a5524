"""The messages in the code, found in its syntax: what people read, and what no catalogue could have."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = {"Message": (0,), "counted": (1, 2), "message_of": (1, 2), "Column": (1,), "Table": (0,), "Advice": (0,)}
"""Callables with the places of their texts that people read, be they of one word."""
RAISED = re.compile(r"(Error|Skipped|Refusal|Invalid|Problem)$")
"""Callables whose texts are sentences that people read."""
SENTENCE = re.compile(r"[A-Za-z]{2}[,:;.]? +[a-z(]|\} [a-z]{2,}|[a-z]{2,} \{")
"""Two words, or a word and a value."""
NOT_READ = {
    # help, which is English, and descriptions in schemas and documentation
    *("Option", "Argument", "Typer", "command", "Parameter", "Key", "LazyKey", "GateRule", "CODES", "COMMANDS"),
    *(
        "Text",
        "Texts",
        "Flag",
        "Whole",
        "Number",
        "Size",
        "Paths",
        "ByModel",
        "Share",
        "WindowShare",
        "Line",
        "Place",
        "SUMMARY",
    ),
    *("_EPILOG", "EPILOG", "ExternalTokenizer", "SlimGates", "schema", "config_schema"),
    # patterns, words for other programs, and what is compared
    *(
        "BadParameter",
        "compile",
        "lazy",
        "findall",
        "search",
        "sub",
        "fullmatch",
        "match",
        "split",
        "startswith",
        "_SAID",
    ),
    *("COOKBOOK", "ANTHROPIC_SOURCE", "SecurityError"),  # sources, and what jinja2 says of a template
    *("AttributeError", "AssertionError", "RuntimeError"),  # mistakes of our own
}
"""Callables and names whose texts are no messages."""
SILENT = re.compile(
    r"^(pytest_plugin|gate/assertions|__init__|reporters/(junit|sarif|gitlab|github|json|changes)|pipeline/(spans|facts|pages)/"
    r"|pipeline/(ops/(stack|log_\w+|sse_\w+|blob|repeated_texts|html_text)|views/(html_pages|instructions))|store/(pack_schema|pack_start)|model/(short_repr|gates|record)"
    r"|sources/(definitions|kinds|slim_kinds|languages|tool_files|git_files)|tokenizers/(pretokenize|patterns|compiled|templates/(compiler|programs|deepseek)))"
)
"""Modules without messages, or with those of pytest and of CI services, which are English."""
PLAIN = re.compile(
    r"^(baseline update|`?tokaudit |'\{\}' is not \{\}\.|python -m pip |pip install |mkdir |<text|page-| ?--?[a-z]+ "
    r"|prices = |\{\}:page|Exit codes: |detected dubious|not a git repository|must be run in)"
)
"""Commands, names of parts, help, and what git says."""


@dataclass
class Messages:
    """The messages of modules."""

    texts: dict[str, str] = field(default_factory=dict)
    """Each with a place where it is written."""
    lost: list[str] = field(default_factory=list)
    """Formatted texts, which no catalogue has."""
    wrong: list[str] = field(default_factory=list)
    """Templates whose fields are not the values that they are given."""

    def read(self, path: Path, name: str) -> None:
        """Take those of a module."""
        self._visit(ast.parse(path.read_text(encoding="utf-8")), name)

    def _visit(self, node: ast.AST, name: str) -> None:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is not None and not any(called(target) in NOT_READ for target in targets):
                self._visit(node.value, name)
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in NOT_READ | {"__repr__"}:
            return
        if isinstance(node, ast.Call):
            if called(node.func) in NOT_READ:
                return
            self._call(node, name)
        elif isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            if SENTENCE.search(text) and not PLAIN.match(text):
                self.lost.append(f"{name}:{node.lineno}: {text}")
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    self._visit(part.value, name)
            return
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and SENTENCE.search(node.value):
                self._take(node.value, name, node.lineno)
            return
        for child in ast.iter_child_nodes(node):
            self._visit(child, name)

    def _call(self, node: ast.Call, name: str) -> None:
        function = called(node.func)
        read = [node.args[at] for at in CALLS.get(function, ()) if at < len(node.args)]
        if RAISED.search(function):
            read += [*node.args, *(item.value for item in node.keywords if item.arg in {"hint", "reason"})]
        for text in leaves(read):
            if function in CALLS or " " in text:
                self._take(text, name, node.lineno)
        if function == "plural":
            for text in leaves(node.args[1:2]):
                self._take(f"1 {text}", name, node.lineno)
                self._take(f"{{n:,}} {text}s", name, node.lineno)
        given = {item.arg for item in node.keywords}
        if function == "Message" and given and None not in given:
            for text in leaves(node.args[:1]):
                if fields(text) != given:
                    self.wrong.append(f"{name}:{node.lineno}: {text}")

    def _take(self, text: str, name: str, line: int) -> None:
        if re.search(r"[A-Za-z]{2}", without_fields(text)) and not PLAIN.match(text):
            self.texts.setdefault(text, f"{name}:{line}")


def messages_of(source: Path) -> Messages:
    """The messages of a package."""
    found = Messages()
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).as_posix()
        if not SILENT.match(name):
            found.read(path, name)
    return found


def leaves(nodes: list[ast.expr]) -> Iterator[str]:
    """The texts that expressions may be."""
    for node in nodes:
        if isinstance(node, ast.IfExp):
            yield from leaves([node.body, node.orelse])
        elif isinstance(node, ast.BoolOp):
            yield from leaves(node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def called(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def fields(template: str) -> set[str]:
    """The names of the values of a template; none for a text that is no template."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(template) if name}
    except ValueError:
        return set()


def without_fields(template: str) -> str:
    return re.sub(r"\{[^{}]*\}", "", template)
