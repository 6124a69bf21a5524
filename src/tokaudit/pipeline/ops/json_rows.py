"""Write arrays of objects with the same keys as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_strings import STRINGS, encoded, nested_texts
from tokaudit.pipeline.views.json_values import tokens, values
from tokaudit.pipeline.views.spoken import NOT_BY, not_spoken_of
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Write an array of objects with the same keys in the same order as one row of keys and rows of values."
PARAMETERS: Parameters = {
    "rows": Parameter("integer", "Objects, at least.", default=5),
    "form": Parameter(
        "choice",
        'columns: {"columns":[...],"rows":[[...]]}, which still is JSON; csv: lines of values, for whole documents of '
        "flat objects.",
        default="columns",
        choices=("columns", "csv"),
    ),
    "strings": Parameter("boolean", "Look in texts of JSON that are JSON too; not for csv.", default=False),
    **STRINGS,
    **NOT_BY,
    "not_with": Parameter("texts", "Keys of objects that are no rows.", default=()),
}
_bare = lazy(r"(?!-?\d|(?:true|false|null)\Z)[^\s,\"'\\](?:[^,\"'\\\t\n]*[^\s,\"'\\])?\Z")
"""Values that read as the same text without quotes, and as nothing else: no number, no word of JSON."""


@dataclass
class _Open:
    """An object or array that is not closed yet."""

    start: int
    is_object: bool
    parts: list[tuple[int, int]] = field(default_factory=list)
    """Places of keys and values in turn, for an object."""
    flat: bool = True
    """All values are scalars, of this object or of those in the array."""
    uniform: bool = True
    """For an array: all items are objects with the same keys."""
    keys: Sequence[str] | None = None
    rows: list[Sequence[tuple[int, int]]] = field(default_factory=list)
    fixed: bool = False
    """It is, or is in, the value of a key whose arrays stay."""


def prepare(parameters: Values) -> Find:
    least, csv = max(1, parameters["rows"]), parameters["form"] == "csv"
    strings = parameters["strings"] and not csv
    not_under, not_beside = frozenset(parameters["not_under"]), frozenset(parameters["not_beside"])
    words, not_with = tuple(parameters["not_by"]), frozenset(parameters["not_with"])

    def edits(text: str, start: int, end: int) -> Iterator[Edit]:
        for last, array in _arrays(text, start, end, not_under):
            if len(array.rows) < least or not not_with.isdisjoint(key[1:-1].lower() for key in array.keys or ()):
                continue
            if not csv:
                yield Edit(array.start, last, _columns(text, array))
            elif array.flat and (array.start, last) == (start, end):
                yield Edit(start, end, _csv(text, array))

    def nested(text: str, start: int, end: int) -> Iterator[Edit]:
        for first, last, inner in nested_texts(text, start, end, not_under, not_beside):
            outermost = _outermost([*edits(inner, 0, len(inner)), *nested(inner, 0, len(inner))])
            if outermost:
                yield Edit(first, last, encoded(apply_edits(inner, outermost)))

    def find(view: View) -> Edits:
        for start, end in not_spoken_of(view, values(view, "json"), words):
            found = [*edits(view.text, start, end), *(nested(view.text, start, end) if strings else ())]
            yield from _outermost(found)

    return find


def _outermost(edits: list[Edit]) -> list[Edit]:
    """The edits that are in no other one, ascending; what they are in is looked at again when it is written."""
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not found or edit.start >= found[-1].end:
            found.append(edit)
    return found


def _arrays(text: str, start: int, end: int, not_under: Collection[str]) -> Iterator[tuple[int, _Open]]:
    """The end of each array of uniform objects, with it."""
    around = [_Open(start, is_object=False)]
    for part, first, last in tokens(text, start, end):
        top = around[-1]
        if part in "{[":
            key = text[slice(*top.parts[-1])][1:-1].lower() if top.is_object else ""
            around.append(_Open(first, is_object=part == "{", fixed=top.fixed or key in not_under))
        elif part in "}]":
            closed, parent = around.pop(), around[-1]
            if closed.is_object and not parent.is_object:
                _add_row(text, parent, closed)
            else:
                parent.flat = parent.uniform = False
            if parent.is_object:
                parent.parts.append((closed.start, last))
            if not closed.is_object and closed.uniform and closed.keys and not closed.fixed:
                yield last, closed
        elif part in ",:":
            continue
        elif top.is_object:
            top.parts.append((first, last))
        else:
            top.uniform = False


def _add_row(text: str, array: _Open, row: _Open) -> None:
    if not array.uniform:
        return
    keys = [text[start:end] for start, end in row.parts[::2]]
    array.uniform = array.keys in (None, keys)
    array.flat = array.flat and row.flat
    array.keys = keys
    array.rows.append(row.parts[1::2])


def _columns(text: str, array: _Open) -> str:
    rows = ",".join(f"[{','.join(text[start:end] for start, end in row)}]" for row in array.rows)
    return f'{{"columns":[{",".join(array.keys or ())}],"rows":[{rows}]}}'


def _csv(text: str, array: _Open) -> str:
    rows = ([text[start:end] for start, end in row] for row in array.rows)
    return "\n".join(",".join(map(_cell, row)) for row in (array.keys or (), *rows))


def _cell(part: str) -> str:
    bare = part[1:-1]
    return bare if part.startswith('"') and _bare().match(bare) else part
