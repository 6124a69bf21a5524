"""The values of YAML and TOML documents: their keys, their places in the text, and which of them are prompts.

A prompt is a string that is meant for a model: prose under a key such as ``content`` or ``system``, or a long text
under any other key. What sets up a tool (workflows, manifests, compose files) has none. Within a prompt the lines may
change; their indentation, quotes and escapes may not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from tokaudit.pipeline.spans.code_shapes import words
from tokaudit.pipeline.spans.keyed_values import BrokenError, Value
from tokaudit.pipeline.spans.template_tags import find_tags

LIMIT = 2_000_000
"""Code points beyond which a document is not read: it would take seconds, and is data."""


_PROMPT_KEYS = words(
    "assistant assistant_prompt background content context developer few_shot guidelines human input "
    "instruction instructions message messages persona prefix preamble prompt prompts question role_prompt "
    "rubric rules suffix system system_instruction system_message system_prompt task template text user "
    "user_message user_prompt"
)
"""Keys whose prose is for a model, with small letters and ``_`` between words."""
_NEVER = words(
    "args cmd command commands code css dockerfile entrypoint env html javascript license pattern python query "
    "regex run schema script scripts shell sql url urls"
)
"""Keys whose text is for a program."""
_MANY_WORDS = 20
"""Words from which on a text is a prompt under any key."""
_FEW_WORDS = 3
_IDEOGRAPHS_OF_A_WORD = 2
_TOOLS = (
    frozenset(("apiVersion", "kind")),
    frozenset(("on", "jobs")),
    frozenset(("openapi", "paths")),
    frozenset(("swagger", "paths")),
    frozenset(("AWSTemplateFormatVersion",)),
    frozenset(("Resources", "Parameters")),
    frozenset(("repos",)),
    frozenset(("runs", "inputs")),
    frozenset(("site_name", "nav")),
    frozenset(("build-system",)),
    frozenset(("package", "dependencies")),
    frozenset(("project", "tool")),
)
"""Keys at the top that a configuration has together."""
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEPT = {'"': re.compile(r"\\(?:\r?\n|.)", re.DOTALL), "'": re.compile("''")}
_LINE = re.compile(r"[^\n]+")


@lru_cache(maxsize=4)
def values_of(text: str, kind: str) -> Sequence[Value]:
    """The scalar values of a document of YAML or TOML, in order; none of one that is beyond ``LIMIT``.

    Raises:
        BrokenError: It is not valid.
    """
    if len(text) > LIMIT:
        return ()
    read: Callable[[str], Iterable[Value]]
    if kind == "yaml":
        from tokaudit.pipeline.spans.yaml_values import read
    else:
        from tokaudit.pipeline.spans.toml_values import read
    return tuple(read(text))


def prompts_of(text: str, kind: str) -> list[Value]:
    """The strings of a document that are meant for a model; none of one that is not valid, or sets up a tool."""
    try:
        values = values_of(text, kind)
    except BrokenError:
        return []
    top = {_top(value.path) for value in values}
    if any(keys <= top for keys in _TOOLS):
        return []
    return [value for value in values if _is_prompt(value)]


def _top(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _is_prompt(value: Value) -> bool:
    if not value.string or not value.text:
        return False
    names = [
        _CAMEL.sub("_", name).lower().replace("-", "_").strip('"')
        for name in re.sub(r"\[\d+\]", "", value.path).split(".")
    ]
    if _NEVER & {names[-1]}:
        return False
    words = len(value.text.split(None, _MANY_WORDS)) + len(_IDEOGRAPH.findall(value.text)) // _IDEOGRAPHS_OF_A_WORD
    return words >= (_FEW_WORDS if names[-1] in _PROMPT_KEYS else _MANY_WORDS)


def fixed_stretches(text: str, kind: str) -> list[tuple[int, int]]:
    """All of a document but the lines of its prompts, which are what a rule may change."""
    fixed = []
    at = 0
    for low, high in _lines(text, kind):
        if low > at:
            fixed.append((at, low))
        at = high
    if at < len(text):
        fixed.append((at, len(text)))
    return fixed


def _lines(text: str, kind: str) -> Iterator[tuple[int, int]]:
    """The stretches of prompts that can change: lines without their indentation, between escapes and tags."""
    for value in prompts_of(text, kind):
        if value.fixed:
            continue
        tags = [(value.low + tag.start, value.low + tag.end) for tag in find_tags(text[value.low : value.high])[0]]
        for low, high in _lines_of(text, value):
            at = low
            for start, end in tags:
                if start < high and end > at:
                    if at < start:
                        yield at, start
                    at = max(at, end)
            if at < high:
                yield at, high


def _lines_of(text: str, value: Value) -> Iterator[tuple[int, int]]:
    style = value.style
    low, high = value.low + len(style), value.high - (len(style) if style[:1] in {'"', "'"} else 0)
    if style in {"|", ">"}:
        low = text.find("\n", value.low, value.high) + 1
        if not low or any(char.isdigit() for char in text[value.low : low]):
            return  # the indentation is given
    kept = _KEPT.get(style[:1]) if style != "'''" else None
    indent = -1
    for match in _LINE.finditer(text, low, high):
        start, end = match.span()
        own = start + len(match[0]) - len(match[0].lstrip(" \t"))
        if indent < 0 and style in {"|", ">"} and own < end:
            indent = own - start
        if own >= end or (style == ">" and own - start > indent):
            continue  # blank, or a line that is not folded
        start = start + indent if style in {"|", ">"} else own if start > low or not style else start
        if text[end - 1] == "\r":
            end -= 1
        for stop in kept.finditer(text, start, end) if kept else ():
            if start < stop.start():
                yield start, stop.start()
            start = stop.end()
        if start < end:
            yield start, end


def is_broken(before: str, after: str, kind: str) -> bool:
    """True if a changed document is not valid, or differs in anything but the words of its prompts."""
    try:
        old, new = values_of(before, kind), values_of(after, kind)
    except BrokenError:
        return True
    prompts = {value.path for value in prompts_of(before, kind)}
    if len(old) != len(new):
        return True
    for one, two in zip(old, new, strict=True):
        same = (one.path, one.style, one.string) == (two.path, two.style, two.string)
        if not same or (one.path not in prompts and one.text != two.text):
            return True
        # What is read is what is written: no sign among the words became markup.
        if one.text != two.text and two.style in {"", "|", ">"} and two.text.split() != _written(after, two).split():
            return True
    return False


def _written(text: str, value: Value) -> str:
    start = text.find("\n", value.low, value.high) + 1 if value.style else value.low
    return text[start : value.high]
