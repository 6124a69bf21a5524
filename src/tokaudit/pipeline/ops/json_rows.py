"""Write arrays of objects with the same keys as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_values import tokens, values
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Write an array of flat objects with the same keys in the same order as one row of keys and rows of values."
PARAMETERS: Parameters = {
    "rows": Parameter("integer", "Objects, at least.", default=5),
    "form": Parameter(
        "choice",
        'columns: {"columns":[...],"rows":[[...]]}, which still is JSON; csv: lines of values, for whole documents.',
        default="columns",
        choices=("columns", "csv"),
    ),
}
_bare = lazy(r"(?!-?\d|(?:true|false|null)\Z)[^\s,\"'\\](?:[^,\"'\\\t\n]*[^\s,\"'\\])?\Z")
"""Values that read as the same text without quotes, and as nothing else: no number, no word of JSON."""


@dataclass
class _Open:
    """An object or array that is not closed yet."""

    start: int
    is_object: bool
    tokens: list[str] = field(default_factory=list)
    """Keys and values in turn, for an object."""
    flat: bool = True
    """For an object: all values are scalars. For an array: all items are flat objects with the same keys."""
    keys: Sequence[str] | None = None
    rows: list[Sequence[str]] = field(default_factory=list)


def prepare(parameters: Values) -> Find:
    least, csv = max(1, parameters["rows"]), parameters["form"] == "csv"

    def find(view: View) -> Edits:
        for start, end in values(view, "json"):
            yield from (
                Edit(first, last, _csv(array) if csv else _columns(array))
                for first, last, array in _arrays(view.text, start, end)
                if len(array.rows) >= least and (not csv or (first, last) == (start, end))
            )

    return find


def _arrays(text: str, start: int, end: int) -> Iterator[tuple[int, int, _Open]]:
    """Start and end of each array of uniform flat objects, with them."""
    around = [_Open(start, is_object=False)]
    for part, first, last in tokens(text, start, end):
        top = around[-1]
        if part in "{[":
            if top.is_object or part == "[":
                top.flat = False
            around.append(_Open(first, is_object=part == "{"))
        elif part == "}":
            closed = around.pop()
            _add_row(around[-1], closed)
        elif part == "]":
            closed = around.pop()
            if closed.flat and closed.keys:
                yield closed.start, last, closed
        elif part in ",:":
            continue
        elif top.is_object:
            top.tokens.append(part)
        else:
            top.flat = False


def _add_row(parent: _Open, row: _Open) -> None:
    keys = row.tokens[::2]
    if parent.is_object or not row.flat or parent.keys not in (None, keys):
        parent.flat = False
    elif parent.flat:
        parent.keys = keys
        parent.rows.append(row.tokens[1::2])


def _columns(array: _Open) -> str:
    rows = ",".join(f"[{','.join(row)}]" for row in array.rows)
    return f'{{"columns":[{",".join(array.keys or ())}],"rows":[{rows}]}}'


def _csv(array: _Open) -> str:
    return "\n".join(",".join(map(_cell, row)) for row in (array.keys or (), *array.rows))


def _cell(part: str) -> str:
    bare = part[1:-1]
    return bare if part.startswith('"') and _bare().match(bare) else part
