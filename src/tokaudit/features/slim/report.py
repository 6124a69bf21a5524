"""The results of a run of ``slim`` as tables for people, and as rows for programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tokaudit.features.model_columns import count_columns, with_short_names
from tokaudit.features.slim.choose import chosen_rules, is_named
from tokaudit.features.slim.document import SlimRun, data_of, merged_deltas, share, sums
from tokaudit.features.slim.findings import LISTED, findings_of, tokens_text
from tokaudit.features.slim.types import Goal, Hint, SelectHint, Slimmed
from tokaudit.model import Cell, Column, ModelColumn, Report, Skipped, Table
from tokaudit.model.edits import Delta
from tokaudit.model.message import Message, counted, joined

_WORDS = 3
"""Words that are named for each rule that they silence."""
NOTHING = Message("nothing to shorten")
_TOOL_FILES = 3
"""Files that belong to tools and are named."""
_GOALS = 20
"""Files that met their goal and are named."""
_CLASSES = {"lossless": "lossless", "near": "near-lossless", "lossy": "lossy"}
_FILES = 40
"""Files that people are shown, as parts in ``count``."""
_CROWDED = 24
"""Cells of the models' columns from which on a line of 80 has no room for all others."""


def slim_report(run: SlimRun, *, people: bool) -> Report:
    """The report of a run, with tables to be read by people or parsed by programs."""
    if people:
        tables = [table for table in (_totals(run), _documents(run), _rules(run, people=True)) if table.columns]
    else:
        tables = [_rows(run), _rules(run, people=False)]
    findings = list(findings_of(run, thorough=not people))
    after = sum(document.result.tokens_after[run.models[0].column] for document in run.documents)
    skipped = one_of_tools(run.skipped) if people else run.skipped
    return Report("slim", tables, data_of(run, findings), findings, skipped, str(after))


def one_of_tools(skipped: Sequence[Skipped]) -> list[Skipped]:
    """Skipped inputs, with all files that belong to tools as one entry, the last."""
    owned = [item for item in skipped if item.code == "tool-file"]
    others = [item for item in skipped if item.code != "tool-file"]
    if len(owned) < 2:
        return [*others, *owned]
    names = tuple(item.what for item in owned[:_TOOL_FILES])
    more = len(owned) - _TOOL_FILES
    what = Message("{files} and {n:,} more", files=names, n=more) if more > 0 else Message("{files}", files=names)
    reason = Message("{n:,} files belong to tools; name them to slim them", n=len(owned))
    return [*others, Skipped(what, reason, code="tool-file")]


def _totals(run: SlimRun) -> Table:
    before, after = sums(run, "tokens_before"), sums(run, "tokens_after")
    columns = [
        Column("model", "Model"),
        Column("before", "Before", "right", ","),
        Column("after", "After", "right", ","),
        Column("saved", "Saved", "right", ","),
        Column("share", "Share", "right", ".1%"),
    ]
    rows: list[list[Cell]] = []
    for model in run.models:
        old, new = before[model.column], after[model.column]
        rows.append([model.name, *map(model.cell, (old, new, old - new)), share(old, new)])
    notes = _goal_notes(run)
    if not any(
        any(delta.matches or delta.timed_out for delta in document.result.deltas)
        or (document.met and not document.classes)
        or (document.skipped and document.source.kind in {"json", "jsonl"})  # the reason is shown
        for document in run.documents
    ):
        notes.append(NOTHING)
    notes += _waiting(run)
    if any(document.of_requests for document in run.documents):
        notes.append(Message("requests: tokens of the texts meant for the model; framing, tools and calls stay"))
        if not run.choice.system and "near" in run.choice.classes:
            notes.append(Message("system prompts: lossless rules only; --system applies the others too"))
    if run.more is not None:
        notes += _more(run.more)
    notes += [_silenced(delta) for delta in merged_deltas(run.documents) if delta.silenced]
    return Table(_title(run), columns, rows, notes=notes, key="totals")


def _more(more: SelectHint) -> list[Message]:
    """What rules that are left out would save: those that are off, and those for another kind, a line each."""
    notes: list[Message] = []
    parts: list[Message] = []
    if more.safe:
        parts.append(Message("{share:.1%} more: {options}", share=more.safe.more, options=_options(more.safe)))
    if more.lossy:
        lossy = Message("{share:.1%} more, deleting content: {options}", share=more.lossy.more,
                        options=_options(more.lossy))  # fmt: skip
        parts.append(lossy)
    said = joined("; ", *parts)
    if parts and more.part:
        notes.append(
            Message("rules that are off would save {parts} (of the first {n:,} characters)", parts=said, n=more.part)
        )
    elif parts:
        notes.append(Message("rules that are off would save {parts}", parts=said))
    if more.kind:
        kind = more.kind
        notes.append(
            Message(
                "{rules} for {kind} only and would save {tokens}: {options}",
                rules=counted(len(kind.rules), "1 rule is", "{n:,} rules are"),
                kind=Message(_KINDS.get(kind.kind, kind.kind)),
                tokens=counted(kind.saved, "1 token", "{n:,} tokens"),
                options=f"--kind {kind.kind}{' --lossy' if kind.lossy else ''}",
            )
        )
    return notes


_KINDS = {"chat": "chats", "log": "logs", "pdf": "pages"}
"""Kinds of texts by the names of many."""


def _options(hint: Hint) -> str:
    select = f"--select {','.join(hint.names)}" if hint.names else ""
    return " ".join(filter(None, ("--lossy" if hint.lossy else "", select)))


def _title(run: SlimRun) -> Message:
    first = run.documents[0]
    if len(run.documents) == 1:
        what = Message("{path} ({kind})", path=first.path, kind=first.source.kind)
    else:
        what = Message("{n:,} files", n=len(run.documents))
    rules = Message("rules: {packs}", packs=tuple(_pack_names(run)))
    return joined("; ", what, rules, _edits_title(run))


def _edits_title(run: SlimRun) -> Message | str:
    """The classes of edits that are made."""
    if run.goal is not None:
        return ""
    classes = run.choice.classes
    if "lossy" in classes:
        return Message("lossy edits too") if len(classes) > 1 else Message("lossy edits only")
    if not classes:
        return Message("selected rules only")
    return Message("safe edits only") if "near" in classes else Message("lossless edits only")


def _pack_names(run: SlimRun) -> list[str]:
    """Names of the packs that were used, those first that others extend."""
    names = list(dict.fromkeys(name for document in run.documents for name in document.source.packs))
    named = [name.partition("@")[0] for name in names]  # without the requested version
    own = {PurePath(name).stem for name in named} | {*names, *named}
    return [*(pack.name for pack in run.packs if pack.name not in own and pack.path not in own), *names]


def _waiting(run: SlimRun) -> list[str]:
    """Notes on packs of the user, none of whose own rules is applied."""
    notes: list[str] = []
    for pack in run.packs if run.goal is None else ():
        if pack.path.startswith("builtin:"):
            continue
        inherited = {id(rule) for base in pack.extends for rule in base.rules}
        own = [rule for rule in pack.rules if id(rule) not in inherited and not is_named(rule, run.choice.ignore)]
        if not own or chosen_rules(own, run.choice):
            continue
        off = [rule for rule in own if not rule.default]
        for rules, why in (
            (
                [rule for rule in own if rule.default and rule.rule_class == "lossy"],
                Message("lossy, give --lossy"),
            ),
            (
                [rule for rule in own if rule.default and rule.rule_class != "lossy"],
                Message("not of the classes asked for"),
            ),
            (off, Message("off, give --select {rule}", rule=off[0].id) if off else ""),
        ):
            if rules:
                count = counted(len(rules), "1 rule", "{n:,} rules")
                notes.append(Message("{rules} of {pack} not applied: {why}", rules=count, pack=pack.path, why=why))
    return notes


def _goal_notes(run: SlimRun) -> list[str]:
    if run.goal is None:
        return []
    met = [document for document in run.documents if document.met]
    alone = len(run.documents) == 1
    notes: list[str] = [
        joined(": ", "" if alone else document.path, _wanted(run.goal), _met_by(document)) for document in met[:_GOALS]
    ]
    return [*notes, *([Message("and {n:,} more files", n=len(met) - _GOALS)] if len(met) > _GOALS else [])]


def _met_by(document: Slimmed) -> Message:
    classes = tuple(Message(_CLASSES[name]) for name in document.classes)
    return Message("met with {classes} rules", classes=classes) if classes else Message("already met; no rules applied")


def _wanted(goal: Goal) -> Message:
    budget = "" if goal.budget is None else Message("at most {n:,} tokens", n=goal.budget)
    target = "" if goal.target is None else Message("at least {share:.4g}% saved", share=goal.target * 100)
    if budget and target:
        return Message("{budget} and {target}", budget=budget, target=target)
    return joined("", budget, target)


def _rows(run: SlimRun) -> Table:
    """One row for each document and model, for programs."""
    columns = [Column(key, key) for key in ("path", "kind", "model", "before", "after", "saved", "share")]
    rows: list[list[Cell]] = []
    for document in run.documents:
        for model in run.models:
            old, new = document.result.tokens_before[model.column], document.result.tokens_after[model.column]
            rows.append(
                [document.path, document.source.kind, model.name, old, new, old - new, round(share(old, new), 4)]
            )
    return Table("Saved by document", columns, rows, key="documents")


def _documents(run: SlimRun) -> Table:
    """The files that become shorter; one line tells how many do not."""
    columns = [Column("path", "File"), Column("before", "Before", "right", ","), Column("after", "After", "right", ",")]
    columns += [Column("saved", "Saved", "right", ","), Column("share", "Share", "right", ".1%")]
    column = run.models[0].column
    rows: list[list[Cell]] = []
    for document in run.documents:
        if document.result.text == document.result.before:
            continue
        old, new = document.result.tokens_before[column], document.result.tokens_after[column]
        rows.append([document.path, old, new, old - new, share(old, new)])
    unchanged = len(run.documents) - len(rows)
    if len(run.documents) == 1 or not rows:
        return Table("", [], [])
    notes: list[str] = [counted(unchanged, "1 file unchanged", "{n:,} files unchanged")] if unchanged else []
    notes.append(Message("tokens of {model}", model=run.models[0].name))
    if len(rows) > _FILES:
        notes.append(
            Message("the {n} of {all:,} files with the most saved; --format json has all", n=_FILES, all=len(rows))
        )
        rows.sort(key=lambda row: -row[3])  # type: ignore[operator]
    return Table("Saved by file", columns, rows[:_FILES], notes=notes, key="documents")


def _rules(run: SlimRun, *, people: bool) -> Table:
    deltas = merged_deltas(run.documents)
    columns = [
        Column("rule", "Rule"),
        Column("matches", "Found", "right", ","),
        Column("applied", "Applied", "right", ","),
        Column("refused", "Refused", "right", ","),
        Column("undone", "Undone", "right", ","),
        *count_columns(run.models),
    ]
    found = [delta for delta in deltas if delta.matches or delta.timed_out]
    rows: list[list[Cell]] = [
        [
            delta.rule, delta.matches, delta.applied, delta.refused, delta.undone,
            *(delta.saved[model.column] for model in run.models),
        ]
        for delta in found
    ]  # fmt: skip
    if not people:
        return Table("Saved by rule", columns, rows, key="rules")
    if not rows:
        return Table("", [], [])
    rows.append([Message("total"), *(sum(row[at] or 0 for row in rows) for at in range(1, len(columns)))])  # type: ignore[misc]
    shown = _shown(rows[-1], run.models)
    marks = {(len(rows) - 1, column): "total" for column in range(len(shown))}
    notes: list[str] = [_refused(delta, run) for delta in deltas if delta.refused]
    undone = [
        Message(
            "undone: {rule} would have changed the {kind} {fact!r} ({place})",
            rule=item.rule,
            kind=item.kind,
            fact=item.fact,
            place=f"{document.path}:{item.line}",
        )
        for document in run.documents
        for item in document.result.ledger.lost
    ]
    notes += undone[:LISTED]
    if len(undone) > LISTED:
        notes.append(Message("undone: and {n:,} more facts; --format json has all", n=len(undone) - LISTED))
    table = Table(
        "Tokens saved by rule",
        [columns[at] for at in shown],
        [[row[at] for at in shown] for row in rows],
        marks,
        notes,
        key="rules",
    )
    return with_short_names(table, run.models)


def _shown(total: Sequence[Cell], models: Sequence[ModelColumn]) -> list[int]:
    """The columns that people are shown.

    Refused and undone are omitted if there are none. If there are, found is merely the sum, and is omitted if
    many models leave little room for the rules' ids.
    """
    failed = [at for at in (3, 4) if total[at]]
    crowded = failed and sum(max(len(model.name), 5) + 2 for model in models) > _CROWDED
    return [0, *(() if crowded else (1,)), 2, *failed, *range(5, len(total))]


def _refused(delta: Delta, run: SlimRun) -> Message:
    """The reason why edits were refused, in one line."""
    worst = max(run.models, key=lambda model: delta.refused_cost[model.column])
    cost = delta.refused_cost[worst.column]
    more = Message("{tokens} more for {model}", tokens=tokens_text(cost), model=worst.name)
    why = more if cost > 0 else Message("saves no tokens")
    return Message("{rule}: {n:,} skipped ({why})", rule=delta.rule, n=delta.refused, why=why)


def _silenced(delta: Delta) -> Message:
    """The words because of which edits were left out, in one line."""
    most = sorted(delta.silenced, key=lambda item: -item.edits)[:_WORDS]
    words = tuple(
        Message("{word!r} (line {line:,})", word=item.word, line=item.line)
        if item.line
        else Message("{word!r}", word=item.word)
        for item in most
    )
    return Message(
        "{rule}: {n:,} left alone, since the text speaks of {words}",
        rule=delta.rule,
        n=sum(item.edits for item in delta.silenced),
        words=words,
    )
