"""The report of a command with what its texts cost: tables, notes, and the document for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tokaudit.features.costs.document import cost_data
from tokaudit.features.costs.evaluate import ModelCost, RunCosts
from tokaudit.features.costs.money import number
from tokaudit.features.costs.notes import cost_notes
from tokaudit.features.model_columns import TABLE_ROWS
from tokaudit.model import Cell, Column, Report, Table
from tokaudit.model.message import Message
from tokaudit.model.prices import MONTH_DAYS, Cost, decimal_of

_PARTS = ("fresh", "cached", "written", "output")
_TITLES = {"fresh": "Fresh", "cached": "Cached", "written": "Written", "output": "Answer"}
_WIDE = 120
"""Columns of a terminal from which on the table has the price's source."""


def with_costs(report: Report, costs: RunCosts, *, people: bool) -> Report:
    """The report with the costs of its texts, below its tables; for programs also one row for each text and model."""
    tables = [*report.tables, _people_table(costs) if people else _parsed_table(costs)]
    if costs.sent > 1 and not costs.compared:
        tables.append(_documents(costs, people=people))
    data = dict(report.data)
    tail: dict[str, Any] = {key: data.pop(key) for key in ("skipped", "findings") if key in data}
    return replace(report, tables=tables, data={**data, "costs": cost_data(costs), **tail})


def _people_table(costs: RunCosts) -> Table:
    """A row for each model with a price; the others are named below."""
    known = [one for one in costs.models if one.now is not None]
    parts = [part for part in _PARTS if part == "fresh" or any(_amount(one.now, part) for one in known)]
    month = bool(costs.costing.per_day)
    columns = [Column("model", "Model"), Column("currency", "Currency")]
    if costs.compared:
        columns += [
            Column("before", "Before", "right"),
            Column("now", "Now", "right"),
            Column("saved", "Saved", "right"),
        ]
    else:
        columns += [Column(part, _TITLES[part], "right") for part in parts] if len(parts) > 1 else []
        columns.append(Column("total", "Cost", "right"))
    columns += [Column("month", Message("{n} days", n=MONTH_DAYS), "right")] if month else []
    columns += [Column("checked_on", "Price of"), Column("source", "Source", wide=_WIDE)]
    rows: list[list[Cell]] = [_people_row(one, costs, parts) for one in known]
    marks: dict[tuple[int, int], str] = {}
    for at, one in enumerate(known):
        if one.price is not None and one.price.is_old(costs.costing.day):
            marks[at, len(columns) - 2] = "dear"
    what = Message("Cost of {n:,} requests", n=costs.sent) if costs.sent > 1 else Message("Cost of a request")
    table = Table(what, columns, rows, marks, cost_notes(costs), key="costs")
    less = {*_PARTS, "source"}
    forms = [_without(table, keys) for keys in ({"source"}, less, {*less, "checked_on"})]
    return replace(table, narrower=forms)


def _without(table: Table, keys: set[str]) -> Table:
    """The table without some of its columns."""
    kept = [at for at, column in enumerate(table.columns) if column.key not in keys]
    marks = {(row, kept.index(at)): mark for (row, at), mark in table.marks.items() if at in kept}
    return Table("", [table.columns[at] for at in kept], [[row[at] for at in kept] for row in table.rows], marks)


def _amount(cost: Cost | None, part: str) -> int:
    amount: int = 0 if cost is None else getattr(cost, part)
    return amount


def _people_row(one: ModelCost, costs: RunCosts, parts: list[str]) -> list[Cell]:
    now, price = one.now, one.price
    if now is None or price is None:
        return []

    def shown(amount: int, *, signed: bool = False) -> str:
        return one.model.marked(number(amount, signed=signed))

    row: list[Cell] = [one.model.name, now.currency]
    monthly: Cost | None = now
    if costs.compared:
        monthly = one.saved
        before, saved = one.before, one.saved
        row += [None if side is None else shown(side.total) for side in (before, now, saved)]
    else:
        row += [shown(getattr(now, part)) for part in parts] if len(parts) > 1 else []
        row.append(shown(now.total))
    if costs.costing.per_day:
        row.append(None if monthly is None else shown(monthly.times(costs.costing.per_day * MONTH_DAYS).total))
    old = price.is_old(costs.costing.day)
    return [*row, Message("{day} (old)", day=price.checked_on) if old else price.checked_on, price.source]


def _parsed_table(costs: RunCosts) -> Table:
    """A row for each model, the same columns always; amounts are unrounded."""
    names = ("model", "currency", *_PARTS, "total", "month", "before", "saved")
    columns = [Column(name, name.capitalize()) for name in names]
    columns += [Column(name, name.capitalize()) for name in ("price", "valid_from", "checked_on", "old", "reason")]
    return Table("Costs", columns, [list(_parsed_row(one, costs)) for one in costs.models], key="costs")


def _parsed_row(one: ModelCost, costs: RunCosts) -> Iterator[Cell]:
    now, before, saved = one.now, one.before, one.saved
    yield one.model.name
    yield None if now is None else now.currency
    yield from (None if now is None else plain(getattr(now, part)) for part in (*_PARTS, "total"))
    per_day = costs.costing.per_day
    yield plain(now.times(per_day * MONTH_DAYS).total) if now is not None and per_day else None
    yield None if before is None else plain(before.total)
    yield None if saved is None else plain(saved.total)
    price = one.price
    yield from (None, None, None, None) if price is None else (
        price.model, price.valid_from or None, price.checked_on, "old" if price.is_old(costs.costing.day) else None,
    )  # fmt: skip
    yield one.reason


def plain(amount: int) -> str:
    """An amount with all its digits and no others."""
    return format(decimal_of(amount).normalize(), "f")


def _documents(costs: RunCosts, *, people: bool) -> Table:
    """A row for each text: what it costs as a request, for each model with a price."""
    known = [one for one in costs.models if one.now is not None]
    columns = [Column("path", "File")]
    for one in known:
        title = _titled(one)
        columns.append(Column(f"{one.model.name} {one.now.currency if one.now else ''}", title, "right"))
    sent = [at for at, request in enumerate(costs.requests) if request.now is not None]
    first = {at: _at(known[0], at).total for at in sent} if known else {}
    shown = sorted(sent, key=lambda at: -first.get(at, 0))[:TABLE_ROWS] if people and len(sent) > TABLE_ROWS else sent
    text = number if people else plain
    rows: list[list[Cell]] = [[costs.requests[at].path, *(text(_at(one, at).total) for one in known)] for at in shown]
    marks: dict[tuple[int, int], str] = {}
    notes: list[str] = []
    if people:
        rows.append([Message("total"), *(text(one.now.total) for one in known if one.now is not None)])
        marks = {(len(rows) - 1, column): "total" for column in range(len(columns))}
        if len(shown) < len(sent):
            notes = [Message("the {table_rows} largest of {number:,}", table_rows=TABLE_ROWS, number=len(sent))]
    return Table("Cost by file", columns, rows, marks, notes, key="cost_documents")


def _titled(one: ModelCost) -> str:
    """The name of a model with the currency of its costs."""
    return one.model.name if one.now is None else f"{one.model.name} ({one.now.currency})"


def _at(one: ModelCost, at: int) -> Cost:
    request = one.requests[at]
    return request.cost if request is not None and request.cost is not None else Cost("")
