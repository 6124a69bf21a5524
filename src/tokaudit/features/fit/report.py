"""The results of ``fit`` as tables for people, and as rows for programs."""

from __future__ import annotations

from tokaudit.features.fit.document import data_of, parts_of
from tokaudit.features.fit.types import FitRun, FittedRequest
from tokaudit.features.model_columns import TABLE_ROWS, approximations
from tokaudit.features.turns import turns_of
from tokaudit.model import Cell, Column, ModelColumn, Report, Table
from tokaudit.model.message import Message, joined

_TITLES = {
    "prompt": "System prompt and examples",
    "summary": "Summary",
    "facts": "Facts",
    "turns": "Turns",
    "rest": "Tools and framing",
}
_REASONS = {"old-turn": "old turn", "duplicate": "said already", "top-k": "beyond --top-k"}


def report(run: FitRun, *, people: bool, with_text: bool = False) -> Report:
    """The report, with tables to be read by people or parsed by programs."""
    if people:
        tables = [_parts(run.requests[0]) if len(run.requests) == 1 else _requests(run)]
        tables += [_dropped(run, people=True)] if any(item.plan.dropped for item in run.requests) else []
    else:
        tables = [_dropped(run, people=False)]
    after = sum(item.plan.after.total for item in run.requests)
    return Report("fit", tables, data_of(run, with_text=with_text), skipped=run.skipped, bare=str(after))


def _budget_note(item: FittedRequest) -> Message:
    if item.window is None:
        return Message("budget {budget:,}", budget=item.goal.budget)
    return Message(
        "budget {budget:,}: the window of {window:,} less {reserve:,} for the answer",
        budget=item.goal.budget,
        window=item.window,
        reserve=item.reserve,
    )


def _parts(item: FittedRequest) -> Table:
    """One request: its parts before and after."""
    plan = item.plan
    before = parts_of(plan.original, turns_of(plan.original), plan.before)
    after = parts_of(plan.fitted, turns_of(plan.fitted), plan.after)
    rows: list[list[Cell]] = []
    for name, title in _TITLES.items():
        if before[name] or after[name]:
            figures = (before[name], after[name])
            rows.append([Message(title), *(item.model.cell(tokens) if tokens else 0 for tokens in figures)])
    rows.append([Message("Total"), *map(item.model.cell, (plan.before.total, plan.after.total))])
    columns = [
        Column("part", "Part"),
        Column("before", "Before", "right", ","),
        Column("after", "After", "right", ","),
    ]
    marks = {(len(rows) - 1, column): "total" for column in range(3)}
    kept = len({turn for turn in turns_of(plan.fitted) if turn})
    turns = max(plan.turns, default=0)
    said = Message("{kept:,} of {turns:,} turns kept", kept=kept, turns=turns)
    title = joined("; ", Message("{model} ({form})", model=item.model.name, form=item.form), said)
    notes = [_budget_note(item)]
    if not plan.changed:
        notes.insert(0, Message("it fits; nothing is dropped"))
    return Table(title, columns, rows, marks, [*notes, *approximations([item.model])], key="parts")


def _figures(item: FittedRequest) -> tuple[int, int]:
    return item.plan.before.total, item.plan.after.total


def _requests(run: FitRun) -> Table:
    """Several requests: those that changed."""
    changed = [item for item in run.requests if item.plan.changed]
    columns = [
        Column("line", "Line", "right"),
        Column("model", "Model"),
        Column("budget", "Budget", "right", ","),
        Column("before", "Before", "right", ","),
        Column("after", "After", "right", ","),
        Column("dropped", "Dropped", "right", ","),
    ]
    rows: list[list[Cell]] = [
        [
            item.line,
            item.model.name,
            item.goal.budget,
            *map(item.model.cell, (item.plan.before.total, item.plan.after.total)),
            len(item.plan.dropped),
        ]
        for item in changed[:TABLE_ROWS]
    ]
    before, after = (sum(figures) for figures in zip(*map(_figures, run.requests), strict=True))
    rows.append([None, Message("Total"), None, before, after, sum(len(item.plan.dropped) for item in changed)])
    fitting = len(run.requests) - len(changed)
    notes = [Message("{n:,} of {all:,} requests fit as they are", n=fitting, all=len(run.requests))]
    if len(changed) > TABLE_ROWS:
        notes.append(Message("{n:,} more: --format csv lists all", n=len(changed) - TABLE_ROWS))
    models = {item.model.name: item.model for item in run.requests}
    return Table(
        Message("Requests"), columns, rows, notes=[*notes, *approximations([*models.values()])], key="requests"
    )


def _dropped(run: FitRun, *, people: bool) -> Table:
    """What the fitted requests no longer have."""
    listed = [(item, row) for item in run.requests for row in item.plan.dropped]
    several = len(run.requests) > 1
    columns = [
        *([Column("line", "Line", "right")] if several or not people else []),
        Column("turn", "Turn", "right"),
        Column("role", "Role"),
        Column("tokens", "Tokens", "right", ","),
        Column("reason", "Reason"),
        *([] if people else [Column("path", "Path")]),
        Column("head", "First words", cut=0),
    ]
    rows: list[list[Cell]] = []
    for item, row in listed[:TABLE_ROWS] if people else listed:
        rows.append(
            [
                *([item.line] if several or not people else []),
                row.turn,
                row.role,
                _tokens(item.model, row.tokens, people=people),
                Message(_REASONS[row.reason]) if people else row.reason,
                *([] if people else [row.path]),
                row.head,
            ]
        )
    more = len(listed) - TABLE_ROWS
    notes = [Message("{n:,} more: --format csv lists all", n=more)] if people and more > 0 else []
    return Table(Message("Dropped"), columns, rows, notes=notes, key="dropped")


def _tokens(model: ModelColumn, tokens: int, *, people: bool) -> Cell:
    return model.cell(tokens) if people else tokens
