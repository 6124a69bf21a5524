"""Compiles a chat template (Jinja) to a Python function that says where each piece of its output comes from.

Rendering by jinja2 takes several times as long as counting the tokens of what it renders, and forgets which characters
are a message's own. A program made here writes the same text as a stream of events (``program``), in a fraction of the
time. It knows the part of the language that chat templates use; what it does not know is no error but ``NotCompilable``
here, or ``Unusual`` when it runs, and the sandbox (``sandbox``) renders instead. So a program never decides what a
strange conversation means: jinja2 does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jinja2 import nodes

COMPARISONS = {"eq": "==", "ne": "!=", "gt": ">", "gteq": ">=", "lt": "<", "lteq": "<="}
FILTERS = frozenset(
    [
        "capitalize",
        "count",
        "default",
        "first",
        "items",
        "join",
        "last",
        "length",
        "list",
        "lower",
        "replace",
        "safe",
        "string",
        "title",
        "tojson",
        "trim",
        "upper",
        "d",
        "abs",
        "int",
    ]
)
TESTS = frozenset(
    [
        "boolean",
        "defined",
        "eq",
        "equalto",
        "false",
        "in",
        "integer",
        "iterable",
        "mapping",
        "ne",
        "none",
        "number",
        "sequence",
        "string",
        "true",
        "undefined",
    ]
)
_LOOP = {
    "index": "({i} + 1)",
    "index0": "{i}",
    "revindex": "(len({l}) - {i})",
    "revindex0": "(len({l}) - {i} - 1)",
    "first": "({i} == 0)",
    "last": "({i} == len({l}) - 1)",
    "length": "len({l})",
    "previtem": "\0item({l}, {i} - 1 if {i} else len({l}))",
    "nextitem": "\0item({l}, {i} + 1)",
}
_INLINE = {
    "defined": "({} is not M)",
    "undefined": "({} is M)",
    "none": "({} is None)",
    "string": "(type({}) is str)",
    "true": "({} is True)",
    "false": "({} is False)",
}
"""Tests that take no call; a request has no strings of a class of their own."""

_CALLS = re.compile(r"\x00(\w+)")
"""Names of the runtime, as they stand in lines until all are known; ``repr`` leaves no such character in a text."""


class NotCompilable(Exception):  # noqa: N818 - no error: the sandbox renders such a template
    """A template with something in it that programs do not know."""


def compile_template(tree: nodes.Template) -> str:
    """The Python source of a module with ``render(context, emit, rt)``. Raises ``NotCompilable``."""
    return _Compiler(tree).source


class _Scope:
    """Names that are set in a template, a loop's body or a macro, and what they are called in Python."""

    def __init__(self, number: int, outer: _Scope | None = None) -> None:
        self.number = number
        self.outer = outer
        self.names: set[str] = set()

    def find(self, name: str) -> str | None:
        if name in self.names:
            return f"v{self.number}_{name}"
        return self.outer.find(name) if self.outer else None


class _Compiler:
    def __init__(self, tree: nodes.Template) -> None:
        self._lines: list[str] = []
        self._depth = 1
        self._number = 0
        self._free: set[str] = set()
        self._macros = {node.name for node in tree.find_all(nodes.Macro)}
        self._tools = 0
        self._plain = _literals_without_tools(tree.body)
        self._scope = _Scope(0)
        self._line("CONTEXT")
        self._enter(tree.body)
        self._body(tree.body)
        self._lines[0] = (
            "\n".join(f"    c_{name} = context.get({name!r}, M)" for name in sorted(self._free)) or "    pass"
        )
        text = "\n".join(self._lines)
        used = sorted(set(_CALLS.findall(text)))
        bound = [f"    {name}_ = rt.{name}" for name in used]
        self.source = "\n".join(
            ["def render(context, emit, rt):", "    M = rt.MISSING", *bound, _CALLS.sub(r"\1_", text), ""]
        )

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self._line(head)
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self._line("pass")
        self._depth -= 1

    def _new(self) -> int:
        self._number += 1
        return self._number

    def _enter(self, body: Iterable[nodes.Node], taken: Sequence[str] = ()) -> None:
        """Begin the names of a scope: what it sets starts with the value that the scope around it has."""
        outer = self._scope.outer
        for name in sorted(_assigned(body)):
            if name in taken:
                continue
            before = (outer.find(name) if outer else None) or self._context(name)
            self._scope.names.add(name)
            self._line(f"{self._scope.find(name)} = {before}")

    def _context(self, name: str) -> str:
        self._free.add(name)
        return f"c_{name}"

    # Statements

    def _body(self, body: Iterable[nodes.Node]) -> None:
        for node in body:
            method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if method is None:
                raise NotCompilable(type(node).__name__)
            method(node)

    def _do_output(self, node: nodes.Output) -> None:
        for part in node.nodes:
            if isinstance(part, nodes.TemplateData):
                self._literal(part.data)
            else:
                self._emit(part)

    def _literal(self, text: str) -> None:
        """Write a text of the template; one that it also writes without tools is framing even in their branch."""
        if not text:
            return
        shared = self._tools and text.strip() and any(other.startswith(text) for other in self._plain)
        if shared:
            self._line("emit(\0RESUME)")
        self._line(f"emit({text!r})")
        if shared:
            self._line("emit(\0TOOLS)")

    def _emit(self, node: nodes.Node) -> None:
        """Write the value of an expression; the parts of a concatenation each by itself."""
        if isinstance(node, nodes.Const) and isinstance(node.value, str):
            self._literal(node.value)
        elif isinstance(node, nodes.Add) and _joins_text(node):
            for part in _added(node):
                self._emit_text(part)
        elif isinstance(node, nodes.Concat):
            for part in node.nodes:
                self._emit(part)
        elif isinstance(node, nodes.CondExpr):
            with self._block(f"if {self._expression(node.test)}:"):
                self._emit(node.expr1)
            if node.expr2 is not None:
                with self._block("else:"):
                    self._emit(node.expr2)
        elif isinstance(node, nodes.Filter) and node.name == "safe" and node.node is not None:
            self._emit(node.node)
        elif (call := self._macro_call(node)) is not None:
            self._line(f"{call[0]}(emit{call[1]})")
        else:
            self._line(f"\0write(emit, {self._expression(node)})")

    def _emit_text(self, node: nodes.Node) -> None:
        """Write a part of ``a + b``, which must be a text."""
        if isinstance(node, nodes.Const) and isinstance(node.value, str):
            self._literal(node.value)
        elif self._macro_call(node) is not None:
            self._emit(node)
        else:
            self._line(f"emit((\0text({self._expression(node)}),))")

    def _do_if(self, node: nodes.If) -> None:
        begin = _region(node.test)
        with self._block(f"if {self._expression(node.test)}:"):
            self._region_body(begin, node.body)
        for branch in node.elif_:
            with self._block(f"elif {self._expression(branch.test)}:"):
                self._region_body(_region(branch.test), branch.body)
        if node.else_:
            with self._block("else:"):
                self._body(node.else_)

    def _region_body(self, begin: str, body: Sequence[nodes.Node]) -> None:
        if not begin or self._tools:
            self._body(body)
            return
        self._tools += begin == "TOOLS"
        self._line(f"emit(\0{begin})")
        self._body(body)
        self._line("emit(\0RESUME)")
        self._tools -= begin == "TOOLS"

    def _do_for(self, node: nodes.For) -> None:
        if node.recursive or (node.test is not None and node.else_):
            raise NotCompilable("for")
        number = self._new()
        items = self._expression(node.iter)
        outer, self._scope = self._scope, _Scope(number, self._scope)
        targets = [node.target] if isinstance(node.target, nodes.Name) else list(getattr(node.target, "items", ()))
        if not all(isinstance(target, nodes.Name) for target in targets):
            raise NotCompilable("for target")
        names = [target.name for target in targets]
        self._scope.names.update(names)
        bound = ", ".join(str(self._scope.find(name)) for name in names)
        single = isinstance(node.target, nodes.Name)
        self._line(f"l{number} = \0items({items})")
        if node.test is not None:
            item = bound if single else f"({bound})"
            self._line(f"l{number} = [{item} for {item} in l{number} if {self._expression(node.test)}]")
        writes = single and _writes(node.body)
        with self._block(f"for i{number}, {bound if single else f'({bound})'} in enumerate(l{number}):"):
            if writes:
                self._line(f"\0begin(emit, {bound})")
            self._enter(node.body, names)
            self._body(node.body)
        if writes:
            self._line(f"\0end(emit, l{number})")
        self._scope = outer
        if node.else_:
            with self._block(f"if not l{number}:"):
                self._body(node.else_)

    def _do_break(self, node: nodes.Break) -> None:
        del node
        raise NotCompilable("break")  # what follows a loop would belong to its last message

    def _do_continue(self, node: nodes.Continue) -> None:
        del node
        self._line("continue")

    def _do_assign(self, node: nodes.Assign) -> None:
        value = self._expression(node.node)
        if isinstance(node.target, nodes.NSRef):
            self._line(f"\0assign({self._name(node.target.name)}, {node.target.attr!r}, {value})")
        elif isinstance(node.target, nodes.Name):
            self._line(f"{self._scope.find(node.target.name)} = {value}")
        else:
            raise NotCompilable("set")

    def _do_macro(self, node: nodes.Macro) -> None:
        number = self._new()
        outer, self._scope = self._scope, _Scope(number, self._scope)
        self._scope.names.update(argument.name for argument in node.args)
        required = len(node.args) - len(node.defaults)
        defaults = [self._constant(default) for default in node.defaults]
        arguments = [
            f"{self._scope.find(argument.name)}={default}"
            for argument, default in zip(node.args, ["M"] * required + defaults, strict=True)
        ]
        tools, self._tools = self._tools, 0
        with self._block(f"def m_{node.name}({', '.join(['emit', *arguments])}):"):
            self._line("\0called()")
            self._enter(node.body, [argument.name for argument in node.args])
            self._body(node.body)
        self._tools = tools
        self._scope = outer

    def _do_callblock(self, node: nodes.CallBlock) -> None:
        if not isinstance(node.call.node, nodes.ExtensionAttribute):
            raise NotCompilable("call")
        self._body(node.body)  # {% generation %}, which only marks

    # Expressions

    def _constant(self, node: nodes.Node) -> str:
        if not isinstance(node, nodes.Const):
            raise NotCompilable("default")
        return repr(node.value)

    def _expression(self, node: nodes.Node) -> str:
        method = getattr(self, f"_as_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotCompilable(type(node).__name__)
        text: str = method(node)
        return text

    def _name(self, name: str) -> str:
        if name in self._macros or name == "loop":
            raise NotCompilable(name)  # as a value
        return self._scope.find(name) or self._context(name)

    def _as_name(self, node: nodes.Name) -> str:
        return self._name(node.name)

    def _as_const(self, node: nodes.Const) -> str:
        return repr(node.value)

    def _as_templatedata(self, node: nodes.TemplateData) -> str:
        return repr(node.data)

    def _as_list(self, node: nodes.List) -> str:
        return "[" + "".join(f"{self._constant(item)}, " for item in node.items) + "]"

    def _as_tuple(self, node: nodes.Tuple) -> str:
        return "(" + "".join(f"{self._constant(item)}, " for item in node.items) + ")"

    def _as_dict(self, node: nodes.Dict) -> str:
        if node.items:
            raise NotCompilable("dict")
        return "{}"

    def _as_not(self, node: nodes.Not) -> str:
        return f"(not {self._expression(node.node)})"

    def _as_and(self, node: nodes.And) -> str:
        return f"({self._expression(node.left)} and {self._expression(node.right)})"

    def _as_or(self, node: nodes.Or) -> str:
        return f"({self._expression(node.left)} or {self._expression(node.right)})"

    def _as_neg(self, node: nodes.Neg) -> str:
        if isinstance(node.node, nodes.Const) and type(node.node.value) is int:
            return repr(-node.node.value)
        return f"\0add(0, {self._expression(node.node)}, -1)"

    def _as_add(self, node: nodes.Add) -> str:
        return f"\0add({self._expression(node.left)}, {self._expression(node.right)})"

    def _as_sub(self, node: nodes.Sub) -> str:
        return f"\0add({self._expression(node.left)}, {self._expression(node.right)}, -1)"

    def _as_concat(self, node: nodes.Concat) -> str:
        return f"\0joined({', '.join(map(self._expression, node.nodes))})"

    def _as_condexpr(self, node: nodes.CondExpr) -> str:
        other = self._expression(node.expr2) if node.expr2 is not None else "M"
        return f"({self._expression(node.expr1)} if {self._expression(node.test)} else {other})"

    def _as_compare(self, node: nodes.Compare) -> str:
        if len(node.ops) != 1:
            raise NotCompilable("chained comparison")
        left, right = self._expression(node.expr), self._expression(node.ops[0].expr)
        kind = node.ops[0].op
        if kind in {"in", "notin"}:
            return f"({left} {'not in' if kind == 'notin' else 'in'} \0container({right}))"
        return f"({left} {COMPARISONS[kind]} {right})"

    def _as_getattr(self, node: nodes.Getattr) -> str:
        if isinstance(node.node, nodes.Name) and node.node.name == "loop":
            return self._loop(node.attr)
        if hasattr(dict, node.attr):
            raise NotCompilable(node.attr)  # a method wins over an entry
        return self._entry(node.node, node.attr)

    def _as_getitem(self, node: nodes.Getitem) -> str:
        value = self._expression(node.node)
        if isinstance(node.arg, nodes.Slice):
            bounds = ", ".join(
                "None" if one is None else self._expression(one)
                for one in (node.arg.start, node.arg.stop, node.arg.step)
            )
            return f"\0cut({value}, {bounds})"
        if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            return self._entry(node.node, node.arg.value)
        return f"\0item({value}, {self._expression(node.arg)})"

    def _entry(self, node: nodes.Node, name: str) -> str:
        """A value's entry; in line for a variable, for this is where a program spends its time."""
        value = self._expression(node)
        if isinstance(node, nodes.Name):
            return f"({value}.get({name!r}, M) if type({value}) is dict else \0entry({value}, {name!r}))"
        return f"\0entry({value}, {name!r})"

    def _loop(self, attribute: str) -> str:
        scope: _Scope | None = self._scope
        while scope and f"loop{scope.number}" not in self._loops():
            scope = scope.outer
        if scope is None or attribute not in _LOOP:
            raise NotCompilable("loop")
        return _LOOP[attribute].format(i=f"i{scope.number}", l=f"l{scope.number}")

    def _loops(self) -> set[str]:
        return {f"loop{line.strip()[1:].split(' ')[0]}" for line in self._lines if " = \0items(" in line}

    def _as_filter(self, node: nodes.Filter) -> str:
        if node.name not in FILTERS or node.node is None or node.dyn_args or node.dyn_kwargs:
            raise NotCompilable(node.name)
        return f"\0filter_{node.name}({self._arguments(node, node.node)})"

    def _as_test(self, node: nodes.Test) -> str:
        if node.name not in TESTS or node.dyn_args or node.dyn_kwargs:
            raise NotCompilable(node.name)
        if node.name in _INLINE:
            return _INLINE[node.name].format(self._expression(node.node))
        return f"\0is_{node.name}({self._arguments(node, node.node)})"

    def _arguments(self, node: Any, *first: nodes.Node) -> str:
        given = [self._expression(one) for one in [*first, *node.args]]
        return ", ".join([*given, *(f"{one.key}={self._expression(one.value)}" for one in node.kwargs)])

    def _macro_call(self, node: nodes.Node) -> tuple[str, str] | None:
        if not (isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in self._macros):
            return None
        if node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise NotCompilable("keywords of a macro")
        return f"m_{node.node.name}", "".join(f", {self._expression(one)}" for one in node.args)

    def _as_call(self, node: nodes.Call) -> str:
        if (call := self._macro_call(node)) is not None:
            return f"\0caught({call[0]}{call[1]})"
        if node.dyn_args or node.dyn_kwargs:
            raise NotCompilable("call")
        if isinstance(node.node, nodes.Name) and node.node.name in {
            "namespace",
            "range",
            "raise_exception",
            "strftime_now",
        }:
            return f"\0{node.node.name}({self._arguments(node)})"
        if isinstance(node.node, nodes.Getattr) and not node.kwargs:
            return f"\0method({self._expression(node.node.node)}, {node.node.attr!r}, {self._arguments(node)})"
        raise NotCompilable("call")


def _joins_text(node: nodes.Node) -> bool:
    """Check whether an addition has a text of the template in it, and so can only join texts."""
    return any(isinstance(part, nodes.Const) and isinstance(part.value, str) for part in _added(node))


def _added(node: nodes.Node) -> list[nodes.Node]:
    return [*_added(node.left), *_added(node.right)] if isinstance(node, nodes.Add) else [node]


def _names(node: nodes.Node) -> set[str]:
    return {one.name for one in [*node.find_all(nodes.Name), *([node] if isinstance(node, nodes.Name) else [])]}


def _region(test: nodes.Node) -> str:
    """The part of the output that stands under a condition: tool definitions, or the generation prompt."""
    if isinstance(test, nodes.Not):
        return ""
    if "add_generation_prompt" in _names(test):
        return "PROMPT"
    named = isinstance(test, nodes.Test) and test.name == "defined" and isinstance(test.node, nodes.Getitem)
    return "TOOLS" if "tools" in _names(test) or (named and "'tools'" in repr(test)) else ""


def _literals_without_tools(body: Iterable[nodes.Node]) -> set[str]:
    found: set[str] = set()
    for node in body:
        if isinstance(node, nodes.If):
            for branch in [node, *node.elif_]:
                if _region(branch.test) != "TOOLS":
                    found |= _literals_without_tools(branch.body)
            found |= _literals_without_tools(node.else_)
        elif isinstance(node, nodes.For):
            found |= _literals_without_tools(node.body)
        elif isinstance(node, nodes.Output):
            found |= {one.data for one in node.find_all(nodes.TemplateData)}
            found |= {one.value for one in node.find_all(nodes.Const) if isinstance(one.value, str)}
    return found


def _assigned(body: Iterable[nodes.Node]) -> set[str]:
    """Names that a body sets, in branches too, and not in the loops and macros in it."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            found.add(node.target.name)
        elif isinstance(node, nodes.If):
            found |= _assigned(node.body) | _assigned(node.else_)
            for branch in node.elif_:
                found |= _assigned(branch.body)
        elif isinstance(node, nodes.CallBlock):
            found |= _assigned(node.body)
    return found


def _writes(body: Sequence[nodes.Node]) -> bool:
    """Check whether a body writes more than white space."""
    for node in body:
        for output in [node] if isinstance(node, nodes.Output) else node.find_all(nodes.Output):
            for part in output.nodes:
                if not isinstance(part, nodes.TemplateData) or part.data.strip():
                    return True
    return False
