"""The table of a check for people: a row for each file under a limit, models as columns, the verdict last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tokaudit.features.check.figures import change_of, counted, files_of, growth_text, percent, signed
from tokaudit.features.check.totals import tokens_of, total_before
from tokaudit.features.check.types import CheckResult, Gate
from tokaudit.features.model_columns import TABLE_ROWS, short_names
from tokaudit.model import Cell, Column, ModelColumn, Table
from tokaudit.model.message import Message
from tokaudit.model.message import counted as number_of

_FEW = 10
"""Rows up to which those that passed are shown too, with what is left of their limits."""
_RANK = {"passed": 0, "warning": 1, "error": 2}
_STATES = ("ok", "close", "over")
_MARKS = ("cheap", "high", "dear")


@dataclass(frozen=True)
class _Row:
    """The limits of one figure of a file, of a part of it, or of a group of files."""

    gates: Sequence[Gate]
    """Of all models; of a model with a budget and a limit of growth there are two."""

    @property
    def first(self) -> Gate:
        return self.gates[0]

    @property
    def rank(self) -> int:
        """0 passed, 1 near a limit, 2 over it."""
        return max(_RANK[gate.level] for gate in self.gates)

    @property
    def deciding(self) -> Mapping[str, Gate]:
        """Of each model the limit that is broken, or nearest to it: of two broken ones the lower."""
        found: dict[str, Gate] = {}
        for gate in self.gates:
            known = found.get(gate.model.name)
            if known is None or (_RANK[gate.level], -gate.limit) > (_RANK[known.level], -known.limit):
                found[gate.model.name] = gate
        return found

    def verdict(self, *, limits: bool) -> str:
        """``over: budget, growth >1%``, with what a budget allows if ``limits``."""
        among = self.gates if self.rank else list(self.deciding.values())
        broken = sorted((gate for gate in among if _RANK[gate.level] == self.rank), key=_is_growth)  # a budget first
        kinds = dict.fromkeys(self._kind(gate, limits) for gate in broken)
        return Message("{state}: {kinds}", state=Message(_STATES[self.rank]), kinds=tuple(kinds))

    def _kind(self, gate: Gate, limits: bool) -> str:
        if _is_growth(gate):
            allowed = {other.allowed for other in self.gates if _is_growth(other)}
            if len(allowed) > 1:
                return Message("growth")
            template = "growth >{allowed}" if self.rank == _RANK["error"] else "growth up to {allowed}"
            return Message(template, allowed=growth_text(gate.allowed))
        if gate.rule == "slim":
            return Message("savings {allowed}", allowed=growth_text(gate.allowed))
        known = {other.limit for other in self.gates if other.rule == gate.rule}
        name = Message(_NAMES.get(gate.rule, "budget"))
        if not limits or len(known) > 1:
            return name
        limit = gate.exact[1] if gate.rule == "max-density" else f"{int(gate.limit):,}"
        return Message("{name} {limit}", name=name, limit=limit)


_NAMES = {"max-density": "density", "window": "window"}
"""Limits by their rules; others are called budgets."""


def _is_growth(gate: Gate) -> bool:
    return gate.rule == "max-growth"


def overview(result: CheckResult) -> Table:
    """Each limit: of a failed run those that failed or nearly did, of a passed one of a few files all.

    A cell has the tokens and what is allowed, ``334 / 350``; where that does not fit, the tokens alone.
    """
    rows = _rows(result.gates)
    shown = rows
    if len(rows) > _FEW or any(row.rank == 2 for row in rows):
        shown = [row for row in rows if row.rank]
    notes = []
    if len(shown) > TABLE_ROWS:
        notes = [Message("{table_rows} of {n:,} shown; --format json has all", table_rows=TABLE_ROWS, n=len(shown))]
        # Those over their limits first, but in the order of paths.
        kept = sorted(range(len(shown)), key=lambda at: -shown[at].rank)[:TABLE_ROWS]
        shown = [shown[at] for at in sorted(kept)]
    table = replace(_form(result, shown, limits=True), notes=notes)
    return replace(table, narrower=[_form(result, shown, limits=False)])


def _rows(gates: Sequence[Gate]) -> list[_Row]:
    """The limits of each figure, in the order of the gates."""
    found: dict[tuple[str, str, str], list[Gate]] = {}
    for gate in gates:
        key = (gate.target.group or gate.path, gate.target.key, gate.rule if gate.rule in _NAMES else "")
        found.setdefault(key, []).append(gate)
    return [_Row(group) for group in found.values()]


def _form(result: CheckResult, shown: Sequence[_Row], *, limits: bool) -> Table:
    """The table with limits in its cells, or in the verdict alone."""
    models = result.models
    columns = [Column("path", "File"), Column("part", "Part")]
    short = {} if limits else short_names([model.name for model in models])
    columns += [Column(model.name, short.get(model.name, model.name), "right") for model in models]
    columns += [Column("verdict", "Verdict", firm=True)]
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    for row in shown:
        deciding = row.deciding
        for at, model in enumerate(models, 2):
            if model.name in deciding:
                marks[len(rows), at] = _MARKS[_RANK[deciding[model.name].level]]
        marks[len(rows), len(models) + 2] = _MARKS[row.rank]
        cells: list[Cell] = [_figure(deciding.get(model.name), model, row, limits) for model in models]
        rows.append([*_subject(row), *cells, row.verdict(limits=not limits)])
    for cells in _totals(result, shares_only=not limits):
        marks |= {(len(rows), at): "total" for at in range(len(columns))}
        rows.append([cells[0], "", *cells[1:], ""])
    used = [at for at in range(len(columns)) if any(row[at] not in {None, ""} for row in rows)]
    marks = {(row, used.index(at)): mark for (row, at), mark in marks.items() if at in used}
    return Table("", [columns[at] for at in used], [[row[at] for at in used] for row in rows], marks, key="limits")


def _subject(row: _Row) -> list[Cell]:
    """The file or files of a limit, and the part of them."""
    gate = row.first
    if gate.is_total:
        patterns = gate.target.group
        return [
            Message("{patterns} ({files})", patterns=patterns, files=files_of(gate.files)),
            gate.what.removeprefix(patterns).strip(),
        ]
    part = Message("pack {what}", what=gate.what) if gate.rule == "slim" else gate.what
    worst = max(row.gates, key=lambda gate: (_RANK[gate.level], gate.line is not None))
    return [gate.path if worst.line is None else f"{gate.path}:{worst.line}", part]


def _figure(gate: Gate | None, model: ModelColumn, row: _Row, limits: bool) -> Cell:
    """``418 / 340``, the figure alone, or the tokens of a model for which there is no limit."""
    if gate is None:
        tokens = row.first.target.tokens[model.column]
        return None if tokens is None or row.first.rule in {"slim", "max-density"} else counted(tokens, model)
    if gate.rule == "slim":
        tokens = gate.target.tokens[model.column] or 0
        share = f" ({percent(int(gate.measured), tokens, gate.allowed)})" if tokens else ""
        return f"-{counted(int(gate.measured), model)}{share}" if gate.measured else "0"
    if gate.rule == "max-density":
        figure, limit = model.marked(gate.exact[0]), gate.exact[1]
    else:
        figure, limit = counted(int(gate.measured), gate.model), f"{int(gate.limit):,}"
    return f"{figure} / {limit}" if limits else figure


def _totals(result: CheckResult, *, shares_only: bool) -> list[list[Cell]]:
    """All files together, how those changed that were there before, and what new ones add; none if nothing was judged.

    With ``shares_only`` changes are in per cent, where there were any tokens.
    """
    if not result.gates and result.outcome == "unmeasured":
        return []
    title = Message("total ({what})", what=files_of(len(result.files)))
    rows: list[list[Cell]] = [[title, *(counted(tokens_of(result.files, model), model) for model in result.models)]]
    if result.before is None:
        return rows
    known = [row for row in result.files if row.before is not None]
    new = [row for row in result.files if row.status == "new"]
    if known or result.before.gone or not new:
        now = [tokens_of(known, model) for model in result.models]
        was = [total_before(result, model) for model in result.models]
        cells: list[Cell] = [Message("change")]
        for before, tokens, model in zip(was, now, result.models, strict=True):
            if before is None:
                cells.append(None)
            elif shares_only and before and tokens != before:
                cells.append(model.marked(f"{'+' * (tokens > before)}{percent(tokens - before, before)}"))
            else:
                cells.append(change_of(before, tokens, model))
        rows.append(cells)
    if new:
        added = [signed(tokens_of(new, model), model) for model in result.models]
        rows.append([number_of(len(new), "1 new file", "{n:,} new files"), *added])
    return rows
