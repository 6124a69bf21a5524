"""The explanation of one file: growth, tokens per class, rules that would help; ``tokaudit check --why PATH``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tokaudit.features.check.document import SPECIAL_TOKENS, cause_data, gate_data, part_data
from tokaudit.features.check.figures import (
    change_of,
    counted,
    difference,
    files_of,
    growth_text,
    percent,
    shell,
)
from tokaudit.features.check.parts import growth_of
from tokaudit.features.check.tables import gate_table
from tokaudit.features.check.types import Cause, CheckResult, Gate, PartGrowth, Rule
from tokaudit.features.documents import by_model, json_document
from tokaudit.features.model_columns import TABLE_ROWS, approximations, short_names, with_short_names
from tokaudit.model import Advice, Cell, Column, ModelColumn, Report, Skipped, Table
from tokaudit.model.gates import MeasuredFile
from tokaudit.model.message import Message
from tokaudit.model.record import record

_KEYS: Mapping[Rule, str] = {
    "max-tokens": "max_tokens",
    "max-growth": "max_growth",
    "max-density": "max_density",
    "window": "window",
    "slim": "slim_check",
}
"""Names of the limits in the configuration."""


@record
class ClassTokens:
    """Tokens of one class of characters."""

    name: str
    """han, latin, digit, punctuation, space, emoji, other."""
    before: tuple[int, ...] | None
    """For each tokenizer; None where there is no text to compare with, as with a baseline."""
    now: tuple[int, ...]


@record
class HelpfulRule:
    """A rule of ``slim`` that would save tokens."""

    id: str
    title: str
    saved: tuple[int, ...]
    """For each tokenizer."""


@dataclass(frozen=True)
class Explanation:
    """Everything known of one file."""

    file: MeasuredFile
    before: MeasuredFile | None
    """The file in the reference; None where it is new, or there is nothing to compare with."""
    models: Sequence[ModelColumn]
    against: str = ""
    """The name of the reference; empty for none."""
    classes: Sequence[ClassTokens] = ()
    """Tokens per character class, in the order to show."""
    causes: Sequence[Cause] = ()
    """The lines that changed, the largest growth first."""
    rules: Sequence[HelpfulRule] = ()
    """Rules that would save tokens, in any order."""
    skipped: Sequence[Skipped] = ()
    """Parts of the file that could not be measured."""
    result: CheckResult | None = None
    """A check of the file, or of all files, for its limits."""
    version: str = ""
    """Of tokaudit."""

    @cached_property
    def columns(self) -> list[int]:
        """Those of the models."""
        return [model.column for model in self.models]

    @cached_property
    def parts(self) -> list[PartGrowth]:
        """The parts by growth; by size where there is nothing to compare with."""
        parts = growth_of(self.before if self.before is not None else _nothing(self.file), self.file)
        return sorted(parts, key=lambda part: [-(part.delta(column) or 0) for column in self.columns])

    @cached_property
    def gates(self) -> list[Gate]:
        """The limits of the file."""
        return [] if self.result is None else gates_of(self.result, self.file.path)

    @cached_property
    def useful(self) -> list[HelpfulRule]:
        """The rules that save tokens of any model, the most useful first."""
        rules = [rule for rule in self.rules if any(rule.saved[column] > 0 for column in self.columns)]
        return sorted(rules, key=lambda rule: ([-rule.saved[column] for column in self.columns], rule.id))


def why_report(why: Explanation, *, people: bool) -> Report:
    """The totals, limits, parts, classes, changed lines and helpful rules of a file.

    Args:
        why: Everything known of it.
        people: True for tables to be read, with totals and notes; false for programs.
    """
    tables = [_parts(why, people=people), _classes(why), _lines(why, people=people), _rules(why)]
    if people:
        shown = [table for table in (_totals(why), _limits(why), *tables) if table.rows]
    else:
        shown = [_plain(table) for table in (*tables, gate_table(why.gates))]
    return Report("why", shown, _data(why), (), why.skipped)


def _nothing(file: MeasuredFile) -> MeasuredFile:
    """A file of the same parts that has no tokens, so that growth is size."""
    zero = (0,) * len(file.tokens)
    return replace(file, tokens=zero, parts=[replace(part, tokens=zero) for part in file.parts])


def _totals(why: Explanation) -> Table:
    columns = [Column("model", "Model"), Column("tokens", "Tokens", "right")]
    columns += [Column("tokens_per_char", "Tokens/char", "right", ".3f")]
    if why.before is not None:
        columns += [Column("before", "Before", "right"), Column("change", "Change", "right")]
    rows: list[list[Cell]] = []
    for model in why.models:
        now = why.file.tokens[model.column] or 0
        row: list[Cell] = [model.name, counted(now, model), now / why.file.chars if why.file.chars else 0.0]
        if why.before is not None:
            was = why.before.tokens[model.column]
            row += [None, None] if was is None else [counted(was, model), change_of(was, now, model)]
        rows.append(row)
    title = Message("{path}: {chars:,} characters", path=why.file.path, chars=why.file.chars)
    if why.before is not None:
        title += Message(", against {against}", against=why.against)
    notes: list[str] = []
    notes += [Message("new: it is not in {against}", against=why.against)] if why.before is None and why.against else []
    notes += approximations(why.models)
    return Table(title, columns, rows, notes=notes, key="totals")


def gates_of(result: CheckResult, path: str) -> list[Gate]:
    """The limits that a file is under: its own, and those of groups of files that it is in.

    A limit of a group of which not all files are known is not among them.
    """
    found = []
    for gate in result.gates:
        if gate.budget is None or not gate.is_total:
            found += [gate] if gate.path == path else []
            continue
        scope = result.settings.scopes[gate.budget]
        whole = result.before is not None or scope.asked
        found += [gate] if whole and path in scope.paths else []
    return found


def _limits(why: Explanation) -> Table:
    """The limits of the file, and their state."""
    result = why.result
    columns = [Column("key", "Limit"), Column("line", "Line", "right", "d"), Column("of", "Of")]
    columns += [Column("model", "Model"), Column("now", "Now", "right"), Column("allowed", "Allowed", "right")]
    columns += [Column("status", "Status")]
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    for gate in why.gates:
        budget = None if gate.budget is None or result is None else result.settings.budgets[gate.budget]
        of = Message("pack {what}", what=gate.what) if gate.rule == "slim" else gate.what or Message("the file")
        if gate.is_total:
            of = Message("{of} ({files})", of=of, files=files_of(gate.files))
        figure, allowed = _figures_of(gate)
        status = {"error": Message("over"), "warning": Message("close"), "passed": Message("ok")}[gate.level]
        line = None if budget is None else budget.line
        rows.append([_KEYS[gate.rule], line, of, gate.model.name, figure, allowed, status])
        if gate.level != "passed":
            marks[len(rows) - 1, len(columns) - 1] = "dear" if gate.level == "error" else "high"
    config = "" if result is None else result.settings.config
    title = Message("Limits in {config}", config=config) if config else "Limits"
    return Table(title, columns, rows, marks, key="limits")


def _figures_of(gate: Gate) -> list[Cell]:
    """The figure and the limit; of slim the saving and the allowance."""
    model = gate.model
    if gate.rule == "slim":
        return [Message("{tokens} to save", tokens=counted(int(gate.measured), model)), growth_text(gate.allowed)]
    if gate.rule == "max-density":
        measured, limit = gate.exact
        return [model.marked(str(measured)), Message("{limit}/char", limit=limit)]
    now = int(gate.measured)
    if gate.rule == "max-growth":
        return [change_of(gate.before or 0, now, model, gate.allowed), _limit_of(gate)]
    return [counted(now, model), _limit_of(gate)]


def _limit_of(gate: Gate) -> str:
    """The limit of tokens or growth as it stands in a table: ``1,200``, ``+5%``, ``+50``, ``0%``."""
    if gate.allowed is None:
        return f"{int(gate.limit):,}"
    bare = growth_text(gate.allowed).partition(" ")[0]
    return bare if bare in {"0", "0%"} else f"+{bare}"


def _figures(why: Explanation, compared: bool) -> list[Column]:
    """Columns of tokens: now for each model, and the change where there is one."""
    columns = []
    for model in why.models:
        columns.append(Column(model.name, model.name, "right", ","))
        if compared:
            columns.append(Column(Message("{name} delta", name=model.name), "Change", "right", "+,"))
    return columns


def _with_changes(table: Table, why: Explanation) -> Table:
    """The table with a narrower form that has the change alone for each model, under the model's name."""
    names = {model.name: model.name for model in why.models}
    short = names | short_names(list(names))
    kept = [at for at, column in enumerate(table.columns) if column.key not in names]
    if len(kept) + len(names) != len(table.columns) or not any(column.title == "Change" for column in table.columns):
        return with_short_names(table, why.models)
    columns = [
        replace(column, title=short.get(column.key.removesuffix(" delta"), column.title))
        for column in (table.columns[at] for at in kept)
    ]
    return replace(table, narrower=[Table("", columns, [[row[at] for at in kept] for row in table.rows])])


def _pair(now: int | None, before: int | None, *, compared: bool) -> list[Cell]:
    if not compared:
        return [now]
    return [now, difference(before, now)]


def _parts(why: Explanation, *, people: bool) -> Table:
    """The parts, those that grew most first."""
    compared = why.before is not None
    chosen = why.parts
    if people:
        changed = [part for part in chosen if any(part.delta(column) not in {0, None} for column in why.columns)]
        chosen = changed or chosen
    shown = chosen[:TABLE_ROWS] if people else chosen
    rows: list[list[Cell]] = []
    for part in shown:
        row: list[Cell] = [part.line, part.label]
        for model in why.models:
            row += _pair(part.now[model.column], part.before[model.column], compared=compared)
        if not people:
            row.insert(0, part.id)
        elif not compared:
            first, total = part.now[why.models[0].column], why.file.tokens[why.models[0].column]
            row.append(percent(first, total) if first is not None and total else None)
        rows.append(row)
    columns_ = [*([] if people else [Column("id", "Id")]), Column("line", "Line", "right", "d"), Column("part", "Part")]
    columns_ += _figures(why, compared)
    columns_ += [Column("share", "Share", "right")] if people and not compared else []
    said = (
        "{n} of {total:,} parts changed; --format json has all"
        if len(shown) == len(chosen)
        else "{n} of {total:,} parts; --format json has all"
    )
    notes = [Message(said, n=len(shown), total=len(why.parts))] if len(shown) < len(why.parts) else []
    title = Message("Parts by growth") if compared else Message("Parts by size")
    return _with_changes(Table(title, columns_, rows, notes=notes, key="parts"), why)


def _classes(why: Explanation) -> Table:
    """Tokens per character class."""
    compared = any(item.before is not None for item in why.classes)
    rows: list[list[Cell]] = []
    for item in why.classes:
        row: list[Cell] = [Message(item.name)]
        for model in why.models:
            before = None if item.before is None else item.before[model.column]
            row += _pair(item.now[model.column], before, compared=compared)
        if any(row[1:]):
            rows.append(row)
    columns = [Column("class", "Class"), *_figures(why, compared)]
    return _with_changes(Table("Tokens by class", columns, rows, key="classes"), why)


def _lines(why: Explanation, *, people: bool) -> Table:
    """The lines that changed, those that added most first."""
    shown = why.causes[:TABLE_ROWS] if people else why.causes
    columns = [Column("line", "Line", "right", "d"), Column("end_line", "To", "right", "d"), Column("kind", "Kind")]
    columns += [Column("text", "Text")]
    columns += [Column(model.name, model.name, "right", "+,") for model in why.models]
    rows: list[list[Cell]] = [
        [
            cause.line,
            cause.end_line,
            Message(cause.kind),
            cause.text,
            *(cause.deltas[model.column] for model in why.models),
        ]
        for cause in shown
    ]
    notes = (
        [Message("{n} of {total:,} shown; --format json has all", n=len(shown), total=len(why.causes))]
        if len(shown) < len(why.causes)
        else []
    )
    if why.parts:
        notes.append(Message("included in the parts above"))
    return with_short_names(Table("Lines that changed", columns, rows, notes=notes, key="lines"), why.models)


def _rules(why: Explanation) -> Table:
    columns = [Column("rule", "Rule"), Column("title", "Title")]
    columns += [Column(model.name, model.name, "right", ",") for model in why.models]
    rows: list[list[Cell]] = [
        [rule.id, rule.title, *(rule.saved[model.column] for model in why.models)] for rule in why.useful
    ]
    notes = [Message("tokens that each rule would save")]
    path = why.file.path if why.result is None else why.result.settings.shown.get(why.file.path, why.file.path)
    where = [Advice("to see where", "tokaudit slim --diff", [shell(path)])]
    table = Table("Rules that would help", columns, rows, notes=notes, key="rules", advice=where)
    return with_short_names(table, why.models)


def _plain(table: Table) -> Table:
    return Table(table.title, table.columns, table.rows, key=table.key)


def _data(why: Explanation) -> Mapping[str, Any]:
    models, file, was = why.models, why.file, why.before
    fields = {
        "path": file.path,
        "sha256": file.sha256,
        "chars": file.chars,
        "against": why.against or None,
        "tokens": by_model(file.tokens, models),
        "before": None if was is None else by_model(was.tokens, models),
        "parts": [part_data(part, models) for part in why.parts] if was is not None else list(_sizes(why)),
        "classes": [
            {
                "name": item.name,
                "before": None if item.before is None else by_model(item.before, models),
                "tokens": by_model(item.now, models),
            }
            for item in why.classes
        ],
        "causes": [cause_data(cause, models) for cause in why.causes],
        "gates": [gate_data(gate) for gate in why.gates],
        "rules": [{"rule": rule.id, "title": rule.title, "saved": by_model(rule.saved, models)} for rule in why.useful],
    }
    return json_document("why", why.version, fields, options=SPECIAL_TOKENS, models=models, skipped=why.skipped)


def _sizes(why: Explanation) -> Iterator[dict[str, Any]]:
    """The parts of a file with nothing to compare with: there is no before, rather than one of no tokens."""
    for part in why.parts:
        yield {**part_data(part, why.models), "before": None, "delta": None}
