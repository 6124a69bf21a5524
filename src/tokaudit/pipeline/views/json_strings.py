"""Texts within JSON that are JSON themselves, such as what a tool gives back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_values import SPACE, not_plain, tokens
from tokaudit.pipeline.views.view import Parameter, Parameters

STRINGS: Parameters = {
    "not_under": Parameter("texts", "Keys whose values stay, and all in them.", default=()),
    "not_beside": Parameter(
        "texts",
        "For texts that are JSON: keys, or key=value, beside which they stay; * stands for any characters. What has a "
        "key=value keeps its content and parts, and what has headers with such a key all beside them.",
        default=(),
    ),
}
"""Parameters of ops that look in such texts."""
_CONTENT = frozenset(("content", "parts"))
"""Keys of what a message consists of."""
_begins = lazy(rf'"(?:[{SPACE}]|\\[ntr])*(?:\{{|\[)')
_surrogate = lazy("[\ud800-\udfff]")


@dataclass
class _Open:
    """An object or array that is not closed yet."""

    is_object: bool
    key: str | None = None
    """In an object the key whose value comes next; in an array the key that it is the value of."""
    closed: bool = False
    """It is, or is in, the value of a key whose texts stay."""
    spared: bool = False
    """A key stands in it beside which texts stay."""
    signed: bool = False
    """It is so since something is signed; headers say that of what stands beside them."""
    answers: bool = False
    """It, and what is in its content, stays by a key with its value."""
    inner: list[tuple[int, int, str]] = field(default_factory=list)
    """Texts of its content."""
    found: list[tuple[int, int, str]] = field(default_factory=list)


def nested_texts(
    text: str, start: int, end: int, not_under: Collection[str], not_beside: Collection[str]
) -> Iterator[tuple[int, int, str]]:
    """Each text in the JSON value at ``[start, end)`` that is an object or array of JSON: its start, end and content.

    A text that ends in a line break is a file's, which stays as it was read. Keys are compared in small letters;
    ``not_beside`` may also name a key with its value, as in ``role=assistant``.
    """
    around = [_Open(is_object=False)]
    signs = [word.strip("*") for word in not_beside if "*" in word]
    found: list[tuple[int, int, str]] = []
    for part, first, last in tokens(text, start, end):
        top = around[-1]
        if part in "{[":
            around.append(_Open(part == "{", None if part == "{" else top.key, top.closed or top.key in not_under))
        elif part in "}]":
            closed, parent = around.pop(), around[-1]
            texts = [] if closed.answers else [*closed.inner, *(() if closed.spared else closed.found)]
            # Whose answer the content is may be said after it.
            (found if parent.is_object and parent.key not in _CONTENT else parent.inner).extend(texts)
            parent.spared = parent.spared or (closed.signed and parent.key == "headers")
            around[-1].key = around[-1].key if not around[-1].is_object else None
        elif part in ",:":
            continue
        elif top.is_object and top.key is None:
            top.key = part[1:-1].lower()
            top.signed = top.signed or any(part in top.key for part in signs)
            top.spared = top.spared or top.signed or top.key in not_beside
        else:
            if part.startswith('"') and not top.closed and top.key not in not_under and _begins().match(part):
                inner = json.loads(part)
                if inner[-1] not in "\r\n" and not _surrogate().search(inner) and not not_plain(inner):
                    top.found.append((first, last, inner))
            elif top.is_object and len(part) < 40:
                top.answers = top.answers or f"{top.key}={part[1:-1].lower()}" in not_beside
            if top.is_object:
                top.key = None
    yield from sorted([*found, *around[0].inner, *around[0].found])


def encoded(text: str) -> str:
    """A text as a string of JSON, in its own characters."""
    return json.dumps(text, ensure_ascii=False)
