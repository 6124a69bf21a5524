"""Chat templates in jinja2's sandbox, as transformers builds it, and with bounds: a template is code of a stranger.

The environment is that of ``transformers.utils.chat_template_utils`` (5.24): ``trim_blocks``, ``lstrip_blocks``, loop
controls, ``raise_exception``, ``strftime_now``, ``tojson`` without escapes, ``{% generation %}``. Added are bounds of
iterations, calls and sizes, which no template of a model comes near, so that a hostile one ends in an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

import jinja2
import jinja2.ext
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tokaudit.model import TokenizerError
from tokaudit.model.message import Message

_STEPS, _MESSAGE, _CALL = 300_000, 1_000, 5
"""Steps that a rendering may take, those that it may for each message more, and the steps that a call is: an iteration
is one."""
LONGEST_SOURCE = 1 << 20
"""Characters of the longest template that is read; that of a model has about 20,000."""
_GROWING = frozenset(("replace", "join", "ljust", "rjust", "center", "zfill", "expandtabs", "format", "format_map"))
"""Methods and filters of texts that can make much of little."""
_REFUSED = _GROWING - {"replace", "join"} | {"translate", "encode"}
_FILTERS = (
    *("format", "indent", "center", "wordwrap", "filesizeformat", "pprint", "xmlattr", "urlize", "random"),
    *("batch", "slice", "sum", "groupby", "truncate"),
)
"""Filters that no chat template needs and that can make much of little."""


class _Bounds:
    """The work that one rendering may still do."""

    def __init__(self, limit: int, messages: int) -> None:
        self.limit = limit
        self.most = _STEPS + _MESSAGE * messages
        self.steps = 0

    def step(self, number: int = 1) -> None:
        self.steps += number
        if self.steps > self.most:
            raise SecurityError(f"more than {self.most:,} steps")

    def size(self, characters: int) -> None:
        if characters > self.limit:
            raise SecurityError(f"a text of more than {self.limit:,} characters")


class _Generation(jinja2.ext.Extension):
    """``{% generation %}``, which marks what a model has written, and writes nothing itself."""

    tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: Any) -> Any:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_written"), [], [], body).set_lineno(line)

    @staticmethod
    def _written(caller: Callable[[], str]) -> str:
        return caller()


class _Environment(ImmutableSandboxedEnvironment):
    """The sandbox with bounds, which ``render`` sets for each rendering."""

    intercepted_binops = frozenset(("+", "*", "**", "%", "-", "/", "//"))
    bounds = _Bounds(0, 0)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator in {"*", "**", "%"} and not (_is_number(left) and _is_number(right)):
            raise SecurityError(f"{operator} of texts or lists")
        if operator == "**" or (_is_number(left) and max(abs(left), abs(right) if _is_number(right) else 0) > 1 << 64):
            raise SecurityError(f"{operator} of large numbers")
        if operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            self.bounds.size(len(left) + len(right))
            self.bounds.step(0 if isinstance(left, str) else len(left) + len(right))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, function: Any, *arguments: Any, **named: Any) -> Any:
        self.bounds.step(_CALL)
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if isinstance(owner, str):
            if name in _REFUSED:
                raise SecurityError(f"str.{name}")
            if name == "replace" and len(arguments) > 1:
                self.bounds.size(len(owner) + owner.count(str(arguments[0])) * len(str(arguments[1])))
            if name == "join" and arguments:
                self.bounds.size(sum(len(str(one)) + len(owner) for one in arguments[0]))
        found = super().call(context, function, *arguments, **named)
        return self.walked(found) if isinstance(found, dict) and function is self.globals["dict"] else found

    def wrap_str_format(self, value: Any) -> Any:
        """Refuse ``str.format``, which pads without measure."""
        if getattr(value, "__name__", "") in {"format", "format_map"} and isinstance(
            getattr(value, "__self__", None), str
        ):
            raise SecurityError("str.format")
        return None

    def bounded(self, value: Any) -> Any:
        """The items of a loop, each of which is a step."""
        if not isinstance(value, jinja2.Undefined):
            value = value if hasattr(value, "__len__") else list(value)
            self.bounds.step(len(value) + 1)
        return value

    def concatenated(self, *parts: Any) -> str:
        """``a ~ b``."""
        texts = [self.text_of(part) for part in parts]
        self.bounds.size(sum(map(len, texts)))
        return "".join(texts)

    def text_of(self, value: Any) -> str:
        """A value as a text; nested ones only as far as they are small."""
        if isinstance(value, dict | list | tuple):
            self._walk(value)
        return str(value)

    def walked(self, value: Any) -> Any:
        """A list, tuple or dict that the template makes: each of its values, nested ones too, is a step."""
        self._walk(value)
        return value

    def _walk(self, value: Any) -> None:
        """Take the steps of a nested value: a list of one list twice, made again and again, grows without end."""
        self.bounds.step()
        if isinstance(value, dict):
            for one in value.values():
                self._walk(one)
        elif isinstance(value, list | tuple):
            for one in value:
                self._walk(one)

    def tojson(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: Any = None,
        separators: Any = None,
        sort_keys: bool = False,
    ) -> str:
        """JSON as transformers writes it: no escapes for HTML, and none for other scripts."""
        self._walk(value)
        if indent is not None and not (isinstance(indent, int) and indent <= 16):
            raise SecurityError("indent")
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _raise(message: str) -> Any:
    raise jinja2.TemplateError(message)


@cache
def environment() -> _Environment:
    """The one environment of all templates."""
    made = _Environment(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, jinja2.ext.loopcontrols])
    for name in _FILTERS:
        made.filters.pop(name, None)
    made.filters["tojson"] = made.tojson
    made.filters["__bounded"] = made.bounded
    made.filters["__text"] = made.filters["string"] = made.text_of
    made.filters["__walked"] = made.walked
    made.filters["replace"] = _replace
    made.filters["join"] = _join
    made.globals = {name: made.globals[name] for name in ("range", "dict", "namespace", "cycler", "joiner")}
    made.globals |= {"raise_exception": _raise, "__concatenated": made.concatenated}
    return made


def _replace(text: Any, old: Any, new: Any, count: int = -1) -> str:
    whole, old, new = str(text), str(old), str(new)
    environment().bounds.size(len(whole) + whole.count(old) * len(new))
    return whole.replace(old, new, -1 if count is None else count)


def _join(values: Iterable[Any], d: str = "", attribute: Any = None) -> str:
    if attribute is not None:
        raise SecurityError("join by an attribute")
    texts = [str(value) for value in values]
    environment().bounds.size(sum(len(text) + len(str(d)) for text in texts))
    return str(d).join(texts)


def parse(source: str, what: str) -> nodes.Template:
    """The tree of a template. Raises ``TokenizerError`` for what is none, with its line."""
    if len(source) > LONGEST_SOURCE:
        raise TokenizerError(Message("the chat template has more than {n:,} characters", n=LONGEST_SOURCE), what=what)
    try:
        return environment().parse(source)
    except jinja2.TemplateSyntaxError as error:
        raise _refused(what, error, error.lineno) from error
    except RecursionError as error:
        raise _refused(what, ValueError("it is nested too deeply"), None) from error


class SandboxedTemplate:
    """A template that jinja2 renders."""

    def __init__(self, source: str, what: str) -> None:
        """Compile a template; ``what`` names its file in errors. Raises ``TokenizerError``."""
        self._what = what
        tree = parse(source, what)
        made = environment()
        try:
            _bound(tree)
            self._template = jinja2.Template.from_code(
                made, made.compile(tree, filename="<template>"), made.globals.copy()
            )
        except (jinja2.TemplateError, SyntaxError, RecursionError, MemoryError) as error:
            raise _refused(what, error, getattr(error, "lineno", None)) from error

    def render(self, context: Mapping[str, Any], now: datetime, limit: int) -> str:
        """Render with bounds: texts of at most ``limit`` characters. Raises ``TokenizerError``, with the line."""
        made = environment()
        before, made.bounds = made.bounds, _Bounds(limit, len(context.get("messages") or ()))
        self._template.globals["strftime_now"] = now.strftime
        parts: list[str] = []
        size = 0
        try:
            for part in self._template.generate(**context):
                size += len(part)
                made.bounds.size(size)
                parts.append(part)
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            raise _refused(self._what, error, _line_of(error)) from error
        finally:
            made.bounds = before
        return "".join(parts)


def _bound(tree: nodes.Template) -> None:
    """Put the bounds of loops, concatenations and output into a tree."""
    for loop in tree.find_all(nodes.For):
        if loop.recursive:
            raise SecurityError("a recursive loop")
        loop.iter = _filtered(loop.iter, "__bounded")
    for output in tree.find_all(nodes.Output):
        output.nodes = [
            one if isinstance(one, nodes.TemplateData) else _concatenations_bound(_filtered(one, "__text"))
            for one in output.nodes
        ]
    _concatenations_bound(tree)


def _filtered(node: Any, name: str) -> Any:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno, environment=node.environment)


def _concatenations_bound(node: Any) -> Any:
    for field, value in list(node.iter_fields()):
        if isinstance(value, list):
            setattr(node, field, [_concatenations_bound(one) if isinstance(one, nodes.Node) else one for one in value])
        elif isinstance(value, nodes.Node):
            setattr(node, field, _concatenations_bound(value))
    if isinstance(node, nodes.Concat):
        name = nodes.Name("__concatenated", "load", lineno=node.lineno, environment=node.environment)
        return nodes.Call(name, node.nodes, [], None, None, lineno=node.lineno, environment=node.environment)
    made = isinstance(node, nodes.List | nodes.Dict) or (isinstance(node, nodes.Tuple) and node.ctx == "load")
    return _filtered(node, "__walked") if made else node


def _line_of(error: BaseException) -> int | None:
    """The line of the template at which an error was raised."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _refused(what: str, error: BaseException, line: int | None) -> TokenizerError:
    reason = re.sub(r"\s+", " ", str(error)).strip()[:300] or type(error).__name__
    place = f"{what}:{line}" if line else what
    return TokenizerError(
        Message("the chat template cannot be rendered: {reason}", reason=reason),
        what=place,
        hint="correct the request or the template; --no-template counts the contents alone",
    )
