"""Minify JSON: white space between its tokens, and escapes of characters that can stand as they are."""

from __future__ import annotations

from collections.abc import Iterator

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_strings import STRINGS, encoded, nested_texts
from tokaudit.pipeline.views.json_values import SPACE, STRING, values
from tokaudit.pipeline.views.spoken import NOT_BY, not_spoken_of, told
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete white space between the tokens of JSON and decode \\u escapes of printable characters."
PARAMETERS: Parameters = {
    "where": Parameter(
        "choice",
        "json: documents and lines of JSON; fence: fenced blocks that say json; strings: texts of JSON that are JSON.",
        default="json",
        choices=("json", "fence", "strings"),
    ),
    "space": Parameter("boolean", "Delete white space.", default=True),
    "escapes": Parameter("boolean", "Decode escapes.", default=True),
    **STRINGS,
    **NOT_BY,
    "by": Parameter(
        "texts",
        "In a text: words, in small letters, one of which stands shortly before JSON that is data; all of it is where "
        "none are given.",
        default=(),
    ),
}
# What stands between two runs of white space, and the second run; a few texts at once, since each match costs more
# than its characters, and not all of them, since each repetition takes memory until the match ends.
_run = lazy(rf'[^"{SPACE}]*(?:{STRING}[^"{SPACE}]*){{0,4}}([{SPACE}]*)')
# All backslashes of valid JSON stand in its strings; two of them are one character and no escape.
_escape = lazy(r"\\(?:((?:u[0-9a-fA-F]{4}\\)*u[0-9a-fA-F]{4})|.)")


def prepare(parameters: Values) -> Find:
    where, space, escapes = parameters["where"], parameters["space"], parameters["escapes"]
    not_under, not_beside = frozenset(parameters["not_under"]), frozenset(parameters["not_beside"])
    words: tuple[str, ...] = tuple(parameters["not_by"])
    by: tuple[str, ...] = tuple(parameters["by"])

    def edits(text: str, start: int, end: int) -> list[Edit]:
        found = _spaces(text, start, end) if space else []
        if escapes and text.find("\\u", start, end) >= 0:
            found = sorted([*found, *_escapes(text, start, end)])
        return found

    def nested(text: str, start: int, end: int) -> Edits:
        for first, last, inner in nested_texts(text, start, end, not_under, not_beside):
            small = apply_edits(inner, edits(inner, 0, len(inner)))
            small = apply_edits(small, list(nested(small, 0, len(small))))
            if small != inner:
                yield Edit(first, last, encoded(small))

    def find(view: View) -> Edits:
        found = values(view, "json" if where == "strings" else where)
        for start, end in told(view.text, not_spoken_of(view, found, words), by):
            yield from (nested if where == "strings" else edits)(view.text, start, end)

    return find


def _spaces(text: str, start: int, end: int) -> list[Edit]:
    runs = (match.span(1) for match in _run().finditer(text, start, end))
    return [Edit(first, last, "") for first, last in runs if first < last]


def _escapes(text: str, start: int, end: int) -> Edits:
    """An edit for each stretch of escapes that can all be decoded."""
    for match in _escape().finditer(text, start, end):
        if match[1] is None:
            continue
        at = match.start()
        first, decoded = at, ""
        for character, width in _characters(match[1]):
            if character:
                decoded += character
            else:
                if decoded:
                    yield Edit(first, at, decoded)
                first, decoded = at + width, ""
            at += width
        if decoded:
            yield Edit(first, at, decoded)


def _characters(escapes: str) -> Iterator[tuple[str, int]]:
    """Each character of escapes that follow each other, empty where it must stay one, and the escape's width."""
    units = [int(unit[1:], 16) for unit in escapes.split("\\")]
    index = 0
    while index < len(units):
        unit = units[index]
        following = units[index + 1] if index + 1 < len(units) else 0
        index += 1
        if 0xD800 <= unit < 0xDC00 <= following < 0xE000:
            index += 1
            character = chr(0x10000 + ((unit - 0xD800) << 10) + following - 0xDC00)
            yield (character if character.isprintable() else ""), 12
            continue
        # Surrogates without their other half, controls, and what would be a different character in the string.
        character = chr(unit)
        yield (character if character.isprintable() and character not in '"\\' else ""), 6
