"""Prompt templates filled with values: Jinja, f-strings, mustache, ``${name}`` and LangChain's dumps.

What has no value becomes nothing, and is named: a placeholder costs what is put in its place, not its own name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tokaudit.model import InputError
from tokaudit.model.message import Message

_JINJA = re.compile(r"\{%|\{#|\{\{[^{}]*[|(\[][^{}]*\}\}")
_SECTION = re.compile(r"\{\{\s*([#^/&!>])")
_TRIPLE = re.compile(r"\{\{\{[^{}]+\}\}\}")
_DOUBLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_NAME = r"[^\W\d]\w*(?:\.\w+)*"
_SINGLE = re.compile(rf"(?<!\{{)\{{({_NAME})(?:![rsa])?(?::[^{{}}]*)?\}}(?!\}})")
_FORMAT = re.compile(rf"\{{\{{|\}}\}}|\{{({_NAME})(?:!([rsa]))?(?::([^{{}}]*))?\}}")
_DOLLAR = re.compile(rf"\$\$|\$\{{({_NAME})\}}")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MUSTACHE = re.compile(r"\{\{\{\s*([\w.]+)\s*\}\}\}|\{\{\s*([#^/&!]?)\s*([^{}]*?)\s*\}\}")
_ROLES = {"Human": "user", "AI": "assistant", "System": "system", "Chat": ""}
"""Messages of LangChain by their names, and their roles; that of others is a field."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with its values."""

    text: str
    missing: tuple[str, ...]
    """Names without a value, which are filled with nothing."""


def filled(text: str, values: Mapping[str, Any], path: str, kind: str) -> Filled:
    """The text with values in the place of its placeholders.

    The form is told by the text: Jinja by its tags or the kind ``template``, mustache by sections and doubled braces,
    ``${name}``, else single braces as of an f-string or ``str.format``, in which doubled ones stand for one. In JSON
    the strings are filled, each by its own form; a dump of LangChain's becomes the messages that it makes.

    Raises:
        InputError: A template that its engine refuses.
    """
    missing: dict[str, None] = {}
    if kind in {"json", "jsonl"}:
        dumped = _langchain(text)
        if dumped is not None:
            return _messages(dumped, values, path)

        def string(match: re.Match[str]) -> str:
            try:
                inner = json.loads(match[0])
            except ValueError:
                return match[0]
            said = _fill(inner, values, path, missing)
            return match[0] if said == inner else json.dumps(said, ensure_ascii=False)

        return Filled(_STRING.sub(string, text), tuple(missing))
    return Filled(_fill(text, values, path, missing, jinja=kind == "template"), tuple(missing))


def _fill(text: str, values: Mapping[str, Any], path: str, missing: dict[str, None], *, jinja: bool = False) -> str:
    if "{" not in text:
        return text
    if _SECTION.search(text) or _TRIPLE.search(text):
        return _mustache(text, [values], missing, path)
    if jinja or _JINJA.search(text):
        return _jinja(text, values, path, missing)
    if _DOLLAR.search(text):
        return _DOLLAR.sub(lambda match: _value(match[1], values, missing) if match[1] else "$", text)
    if _DOUBLE.search(text) and not _SINGLE.search(text):
        return _DOUBLE.sub(lambda match: _value(match[1], values, missing), text)
    return _format(text, values, missing) if _SINGLE.search(text) else text


def _format(text: str, values: Mapping[str, Any], missing: dict[str, None]) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        found = _found(match[1], values)
        if found is None:
            missing.setdefault(match[1])
            return ""
        if match[2]:
            found = repr(found) if match[2] == "r" else ascii(found) if match[2] == "a" else str(found)
        try:
            return format(found, match[3] or "") if match[3] else _said(found)
        except (ValueError, TypeError):
            return _said(found)

    return _FORMAT.sub(one, text)


def _mustache(text: str, scopes: list[Mapping[str, Any]], missing: dict[str, None], path: str) -> str:
    """Mustache without partials. Prompts are no HTML: nothing is escaped, whatever the number of braces."""
    out: list[str] = []
    at = 0
    while (match := _MUSTACHE.search(text, at)) is not None:
        out.append(text[at : match.start()])
        at = match.end()
        sign, name = match[2] or "", match[1] or match[3]
        if sign in {"", "&"}:
            value = next((found for scope in scopes if (found := _found(name, scope)) is not None), None)
            if value is None:
                missing.setdefault(name)
            out.append("" if value is None else _said(value))
        elif sign in {"#", "^"}:
            inner, at = _section(text, name, at, path)
            value = next((found for scope in scopes if (found := _found(name, scope)) is not None), None)
            if value is None and sign == "#":
                missing.setdefault(name)
            out += _repeated(inner, value, scopes, missing, path, inverted=sign == "^")
        elif sign == "/":
            raise _refused(Message("{name} is closed and was not opened", name=name), path, text, match.start())
    return "".join([*out, text[at:]])


def _repeated(
    inner: str, value: Any, scopes: list[Mapping[str, Any]], missing: dict[str, None], path: str, *, inverted: bool
) -> list[str]:
    """A section for each of its values."""
    if inverted:
        return [] if value else [_mustache(inner, scopes, missing, path)]
    items = value if isinstance(value, list) else [value] if value else []
    return [
        _mustache(inner, [item if isinstance(item, Mapping) else {".": item}, *scopes], missing, path) for item in items
    ]


def _section(text: str, name: str, at: int, path: str) -> tuple[str, int]:
    """The inside of a section that begins at ``at``, and the end of its tag."""
    depth = 1
    for match in re.finditer(rf"\{{\{{\s*([#^/])\s*{re.escape(name)}\s*\}}\}}", text[at:]):
        depth += -1 if match[1] == "/" else 1
        if not depth:
            return text[at : at + match.start()], at + match.end()
    raise _refused(Message("{name} is not closed", name=name), path, text, at)


def _jinja(text: str, values: Mapping[str, Any], path: str, missing: dict[str, None]) -> str:
    from jinja2 import ChainableUndefined, TemplateError, TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Missing(ChainableUndefined):
        """Nothing, and a name of the list."""

        def __str__(self) -> str:
            missing.setdefault(str(self._undefined_name))
            return ""

        def __iter__(self) -> Any:
            missing.setdefault(str(self._undefined_name))
            return iter(())

    try:
        return ImmutableSandboxedEnvironment(undefined=Missing).from_string(text).render(values)
    except TemplateSyntaxError as error:
        at = text.split("\n")[: error.lineno - 1]
        raise _refused(str(error.message), path, text, sum(len(line) + 1 for line in at)) from None
    except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as error:
        raise _refused(str(error), path, text, 0) from None


def _refused(reason: str, path: str, text: str, at: int) -> InputError:
    line = text.count("\n", 0, at) + 1
    reason = reason if isinstance(reason, Message) else (reason[:1].lower() + reason[1:]).rstrip(".")
    return InputError(
        Message("the template cannot be filled: {reason}", reason=reason),
        what=f"{path}:{line}",
        code="invalid-template",
    )


def _value(name: str, values: Mapping[str, Any], missing: dict[str, None]) -> str:
    found = _found(name, values)
    if found is None:
        missing.setdefault(name)
        return ""
    return _said(found)


def _found(name: str, values: Any) -> Any:
    """The value of a name, with dots for tables in tables; None where there is none."""
    if isinstance(values, Mapping) and name in values:
        return values[name]
    for part in name.split("."):
        if not isinstance(values, Mapping) or part not in values:
            return None
        values = values[part]
    return values


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _langchain(text: str) -> dict[str, Any] | None:
    """The prompt that a dump of LangChain's holds; None for any other JSON."""
    if '"lc"' not in text and '"_type"' not in text:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    is_prompt = value.get("lc") == 1 and str(next(reversed(value.get("id") or [""]))).endswith("PromptTemplate")
    return value if is_prompt or value.get("_type") == "prompt" else None


def _messages(dumped: dict[str, Any], values: Mapping[str, Any], path: str) -> Filled:
    """The request that a prompt of LangChain's makes."""
    missing: dict[str, None] = {}
    inner = dumped.get("kwargs", dumped)
    made = []
    for one in inner.get("messages", [dumped]):
        made += _message(one, values, path, missing)
    return Filled(json.dumps({"messages": made}, ensure_ascii=False, indent=1), tuple(missing))


def _message(one: Any, values: Mapping[str, Any], path: str, missing: dict[str, None]) -> list[dict[str, Any]]:
    if not isinstance(one, dict):
        return []
    fields = one.get("kwargs", one)
    name = str(next(reversed(one.get("id") or [""])))
    if name == "MessagesPlaceholder":
        listed = values.get(fields.get("variable_name", ""))
        if not isinstance(listed, list):
            missing.setdefault(str(fields.get("variable_name", "")))
            return []
        return [item for item in listed if isinstance(item, dict)]
    role = next((role for start, role in _ROLES.items() if name.startswith(start)), "user") or fields.get(
        "role", "user"
    )
    prompt = fields.get("prompt", one)
    prompt = prompt.get("kwargs", prompt) if isinstance(prompt, dict) else {}
    template = prompt.get("template", fields.get("content", ""))
    fill = _BY_FORMAT.get(str(prompt.get("template_format", "f-string")), _fill_format)
    known = {**_mapping(prompt.get("partial_variables")), **values}
    said = fill(str(template), known, path, missing) if "template" in prompt else str(template)
    return [{"role": role, "content": said}]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _fill_format(text: str, values: Mapping[str, Any], path: str, missing: dict[str, None]) -> str:
    del path
    return _format(text, values, missing)


def _fill_mustache(text: str, values: Mapping[str, Any], path: str, missing: dict[str, None]) -> str:
    return _mustache(text, [values], missing, path)


_BY_FORMAT: Mapping[str, Callable[[str, Mapping[str, Any], str, dict[str, None]], str]] = {
    "f-string": _fill_format,
    "jinja2": _jinja,
    "mustache": _fill_mustache,
}
