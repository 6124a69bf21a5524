"""The results of ``budget`` as tables for people, and as rows and a document for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokaudit.features.budget.types import BudgetRow, BudgetRun
from tokaudit.features.documents import json_document
from tokaudit.features.model_columns import TABLE_ROWS, approximations
from tokaudit.model import Cell, Column, Report, Table
from tokaudit.model.message import Message

_TITLES = {
    "system": "System",
    "user": "User",
    "retrieval": "Retrieval",
    "summary": "History, summary",
    "tools": "Tools",
    "framing": "Framing",
    "output": "Left for output",
}


def report(run: BudgetRun, *, people: bool) -> Report:
    """The report, with tables to be read by people or parsed by programs."""
    tables = [_table(run, people=people)]
    if people and len({item.path for item in run.inputs}) > 1:
        tables.append(_inputs(run))
    left = run.window - run.input
    return Report("budget", tables, _data(run), skipped=run.skipped, bare=str(left))


def _table(run: BudgetRun, *, people: bool) -> Table:
    columns = [
        Column("part", "Part"),
        Column("tokens", "Tokens", "right", ","),
        Column("share", "Share", "right", ".2%"),
        Column("band", "Usual", "right"),
        *([Column("verdict", "Verdict")] if people else [Column("over", "Over"), Column("below", "Below")]),
    ]
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    for row in run.rows:
        if people and not row.tokens and row.band is None:
            continue
        band = f"{row.band[0]:.0%}-{row.band[1]:.0%}" if row.band else ""
        if people:
            if _is_wrong(row):
                marks[len(rows), 4] = "high"
            rows.append(
                [
                    Message(_TITLES[row.part]),
                    run.model.cell(row.tokens) if row.tokens else 0,
                    row.share,
                    band,
                    _verdict(row),
                ]
            )
        else:
            rows.append([row.part, row.tokens, round(row.share, 4), band, row.over, row.below])
    if people:
        marks |= {(len(rows) - 1, column): "total" for column in range(3)}
    title = Message("Window of {window:,}; {model}", window=run.window, model=run.model.name)
    notes = [*_notes(run), *run.notes, *approximations([run.model])]
    return Table(title, columns, rows, marks, notes, key="budget")


def _is_wrong(row: BudgetRow) -> bool:
    """True for a part that takes more than its band, and an answer that has less."""
    return bool(row.below if row.part == "output" else row.over)


def _verdict(row: BudgetRow) -> str:
    if not _is_wrong(row):
        return ""
    if row.part != "output":
        return Message("{n:,} over", n=row.over)
    return Message("{n:,} short", n=row.below) if row.tokens >= 0 else Message("the window overflows")


def _notes(run: BudgetRun) -> list[str]:
    left = run.window - run.input
    notes: list[str] = []
    if left < 0:
        notes.append(Message("the input has {n:,} tokens more than the window", n=-left))
    elif run.asked is not None and run.asked > left:
        notes.append(Message("max_tokens is {asked:,}, {n:,} more than are left", asked=run.asked, n=run.asked - left))
    return notes


def _inputs(run: BudgetRun) -> Table:
    """What each input takes."""
    columns = [
        Column("path", "File"),
        Column("part", "Part"),
        Column("tokens", "Tokens", "right", ","),
        Column("share", "Share", "right", ".2%"),
    ]
    listed = [item for item in run.inputs if item.tokens]
    rows: list[list[Cell]] = [
        [item.path, Message(_TITLES[item.part]), run.model.cell(item.tokens), item.tokens / run.window]
        for item in listed[:TABLE_ROWS]
    ]
    more = len(listed) - TABLE_ROWS
    notes = [Message("{n:,} more: --format json lists all", n=more)] if more > 0 else []
    return Table(Message("By file"), columns, rows, notes=notes, key="inputs")


def _data(run: BudgetRun) -> Mapping[str, Any]:
    fields = {
        "window": run.window,
        "window_of_model": run.window_known,
        "input": run.input,
        "left": run.window - run.input,
        "max_tokens": run.asked,
        "parts": [
            {
                "part": row.part,
                "tokens": row.tokens,
                "share": round(row.share, 4),
                "band": list(row.band) if row.band else None,
                "over": row.over,
                "below": row.below,
            }
            for row in run.rows
        ],
        "inputs": [{"path": item.path, "part": item.part, "tokens": item.tokens} for item in run.inputs],
    }
    return json_document("budget", run.version, fields, models=[run.model], skipped=run.skipped)
