"""Models as the columns of tables for people and programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tokaudit.model import Column, ModelColumn, Table
from tokaudit.model.message import Message, as_message, joined

_SHORT = 8
"""Characters of a name that is short enough for any column."""
_FITTING = 4
"""Models whose whole names and figures leave room for a label in 80 cells."""
TABLE_ROWS = 40
"""Rows of parts that a table for people shows unless ``--top`` says otherwise."""

_OF_PAGE = {
    "running": "p. {page}, running: {label}",
    "number": "p. {page}, number: {label}",
    "watermark": "p. {page}, watermark: {label}",
    "table": "p. {page}, table: {label}",
    "footnote": "p. {page}, footnote: {label}",
    "vertical": "p. {page}, vertical: {label}",
}
"""Labels of what is not the body of a page, by its kind."""


def count_columns(models: Sequence[ModelColumn]) -> list[Column]:
    """A column of counts for each model."""
    return [Column(model.name, model.name, "right", ",") for model in models]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Shorter names for narrow columns: of a long one as many of its first words as no other begins with."""
    shorter = {}
    for name in names:
        if len(name) <= _SHORT:
            continue
        for end in [match.start() for match in re.finditer(r"[-_.:/@ ]", name) if match.start() > 1]:
            if not any(other.startswith(name[:end]) for other in names if other != name):
                shorter[name] = name[:end]
                break
    return shorter


def with_short_names(table: Table, models: Sequence[ModelColumn]) -> Table:
    """The table with a narrower form in which models have shorter names, if there are more than fit in any case."""
    names = short_names([model.name for model in models]) if len(models) > _FITTING else {}
    columns = [replace(column, title=names.get(column.title, column.title)) for column in table.columns]
    return replace(table, narrower=[Table("", columns, table.rows, table.marks)]) if names else table


def approximations(models: Sequence[ModelColumn]) -> list[str]:
    """A note for each model whose counts are approximate, with the known error."""
    return [
        Message("≈ {model}: {error}", model=model.name, error=as_message(model.ref.error))
        for model in models
        if not model.ref.exact
    ]


def placed(label: str, line: int | None, page: int | None, kind: str) -> str:
    """A label with its line or page before it; of what is not the body of a page, also what it is."""
    if page is not None:
        return Message(_OF_PAGE.get(kind, "p. {page}: {label}"), page=page, label=label)
    return label if line is None else f"{line}: {label}"


def with_estimates(models: Sequence[ModelColumn], errors: Sequence[Sequence[str]]) -> list[ModelColumn]:
    """The models, those as approximate that have an estimate in their figures.

    Args:
        models: Those of the results.
        errors: For each column the sentences on what is estimated; empty ones say that nothing is.
    """
    found = []
    for model in models:
        said = dict.fromkeys(filter(None, errors[model.column]))
        ref = model.ref
        if said:
            known = [as_message(ref.error)] if ref.error else []
            ref = replace(ref, exact=False, error=joined("; ", *known, *said))
        found.append(replace(model, ref=ref))
    return found
