"""The results of a run of ``slim`` as tables for people, and as rows for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from tokaudit.features.model_columns import count_columns
from tokaudit.features.slim.choose import chosen_rules, is_named
from tokaudit.features.slim.document import SlimRun, data_of, merged_deltas, share, sums
from tokaudit.features.slim.types import Goal, Slimmed
from tokaudit.model import Cell, Column, Finding, ModelColumn, Place, Report, Table, plural
from tokaudit.model.edits import Delta

_LISTED = 5
"""Undone edits that people are shown one by one."""
_ALREADY_MET = "already met; no rules applied"
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
        rules = _rules(run, people=True)
        tables = [
            _totals(run),
            *([_documents(run)] if len(run.documents) > 1 else []),
            *([rules] if rules.rows else []),
        ]
    else:
        tables = [_rows(run), _rules(run, people=False)]
    findings = list(_findings(run, thorough=not people))
    after = sum(document.result.tokens_after[run.models[0].column] for document in run.documents)
    return Report("slim", tables, data_of(run, findings), findings, run.skipped, str(after))


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
        document.result.deltas
        or (document.met and not document.classes)
        or (document.skipped and document.source.kind in {"json", "jsonl"})  # the reason is shown
        for document in run.documents
    ):
        notes.append("nothing to shorten")
    notes += _waiting(run)
    return Table(_title(run), columns, rows, notes=notes, key="totals")


def _title(run: SlimRun) -> str:
    first = run.documents[0]
    title = f"{first.path} ({first.source.kind})" if len(run.documents) == 1 else f"{len(run.documents):,} files"
    title += f"; rules: {', '.join(_pack_names(run))}"
    if run.goal is not None:
        return title
    classes = run.choice.classes
    if "lossy" in classes:
        return f"{title}; lossy edits too" if len(classes) > 1 else f"{title}; lossy edits only"
    if not classes:
        return f"{title}; selected rules only"
    return f"{title}; {'safe' if 'near' in classes else 'lossless'} edits only"


def _pack_names(run: SlimRun) -> list[str]:
    """Names of the packs that were used, those first that others extend."""
    names = list(dict.fromkeys(name for document in run.documents for name in document.source.packs))
    named = [name.partition("@")[0] for name in names]  # without the requested version
    own = {PurePath(name).stem for name in named} | {*names, *named}
    return [*(pack.name for pack in run.packs if pack.name not in own and pack.path not in own), *names]


def _waiting(run: SlimRun) -> list[str]:
    """Notes on packs of the user, none of whose own rules is applied."""
    notes = []
    for pack in run.packs if run.goal is None else ():
        if pack.path.startswith("builtin:"):
            continue
        inherited = {id(rule) for base in pack.extends for rule in base.rules}
        own = [rule for rule in pack.rules if id(rule) not in inherited and not is_named(rule, run.choice.ignore)]
        if not own or chosen_rules(own, run.choice):
            continue
        off = [rule for rule in own if not rule.default]
        for rules, why in (
            ([rule for rule in own if rule.default and rule.rule_class == "lossy"], "lossy, give --lossy"),
            ([rule for rule in own if rule.default and rule.rule_class != "lossy"], "not of the classes asked for"),
            (off, f"off, give --select {off[0].id}" if off else ""),
        ):
            if rules:
                notes.append(f"{plural(len(rules), 'rule')} of {pack.path} not applied: {why}")
    return notes


def _goal_notes(run: SlimRun) -> list[str]:
    if run.goal is None:
        return []
    met = [document for document in run.documents if document.met]
    notes = [
        f"{'' if len(run.documents) == 1 else f'{document.path}: '}{_wanted(run.goal)}: {_met_by(document)}"
        for document in met[:_GOALS]
    ]
    return [*notes, *([f"and {len(met) - _GOALS:,} more files"] if len(met) > _GOALS else [])]


def _met_by(document: Slimmed) -> str:
    classes = [_CLASSES[name] for name in document.classes]
    return f"met with {', '.join(classes)} rules" if classes else _ALREADY_MET


def _wanted(goal: Goal) -> str:
    wanted = [] if goal.budget is None else [f"at most {goal.budget:,} tokens"]
    wanted += [] if goal.target is None else [f"at least {goal.target * 100:.4g}% saved"]
    return " and ".join(wanted)


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
    columns = [Column("path", "File"), Column("before", "Before", "right", ","), Column("after", "After", "right", ",")]
    columns += [Column("saved", "Saved", "right", ","), Column("share", "Share", "right", ".1%")]
    column = run.models[0].column
    rows: list[list[Cell]] = []
    for document in run.documents:
        old, new = document.result.tokens_before[column], document.result.tokens_after[column]
        rows.append([document.path, old, new, old - new, share(old, new)])
    notes = [f"tokens of {run.models[0].name}"]
    if len(rows) > _FILES:
        rows.sort(key=lambda row: -row[3])  # type: ignore[operator]
        notes.append(f"the {_FILES} of {len(rows):,} files with the most saved; --format json has all")
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
    rows: list[list[Cell]] = [
        [
            delta.rule, delta.matches, delta.applied, delta.refused, delta.undone,
            *(delta.saved[model.column] for model in run.models),
        ]
        for delta in deltas
    ]  # fmt: skip
    if not people:
        return Table("Saved by rule", columns, rows, key="rules")
    if not rows:
        return Table("", [], [])
    rows.append(["total", *(sum(row[at] or 0 for row in rows) for at in range(1, len(columns)))])  # type: ignore[misc]
    shown = _shown(rows[-1], run.models)
    marks = {(len(rows) - 1, column): "total" for column in range(len(shown))}
    notes = [_refused(delta, run) for delta in deltas if delta.refused]
    undone = [
        f"undone: {item.rule} would have changed the {item.kind} {item.fact!r} ({document.path}:{item.line})"
        for document in run.documents
        for item in document.result.ledger.lost
    ]
    notes += undone[:_LISTED]
    if len(undone) > _LISTED:
        notes.append(f"undone: and {len(undone) - _LISTED:,} more facts; --format json has all")
    return Table(
        "Tokens saved by rule",
        [columns[at] for at in shown],
        [[row[at] for at in shown] for row in rows],
        marks,
        notes,
        key="rules",
    )


def _shown(total: Sequence[Cell], models: Sequence[ModelColumn]) -> list[int]:
    """The columns that people are shown.

    Refused and undone are omitted if there are none. If there are, found is merely the sum, and is omitted if
    many models leave little room for the rules' ids.
    """
    failed = [at for at in (3, 4) if total[at]]
    crowded = failed and sum(max(len(model.name), 5) + 2 for model in models) > _CROWDED
    return [0, *(() if crowded else (1,)), 2, *failed, *range(5, len(total))]


def _refused(delta: Delta, run: SlimRun) -> str:
    """The reason why edits were refused, in one line."""
    worst = max(run.models, key=lambda model: delta.refused_cost[model.column])
    cost = delta.refused_cost[worst.column]
    why = f"{plural(cost, 'token')} more for {worst.name}" if cost > 0 else "saves no tokens"
    return f"{delta.rule}: {delta.refused:,} skipped ({why})"


def _findings(run: SlimRun, *, thorough: bool) -> Sequence[Finding]:
    found = [finding for document in run.documents for finding in _timeouts(document, thorough=thorough)]
    found += [remark for document in run.documents for remark in _remarks(document, thorough=thorough)]
    found += [
        Finding(
            "ledger",
            "error",
            "facts before and after differ: please report it",
            document.path,
            Place(),
            fingerprint=f"ledger#{document.path}",
        )
        for document in run.documents
        if thorough and not document.result.ledger.whole
    ]
    found += [
        Finding("goal", "error", *_missed(document, run), fingerprint=f"goal#{document.path}")
        for document in run.documents
        if document.met is False
    ]
    return found


def _timeouts(document: Slimmed, *, thorough: bool) -> Iterable[Finding]:
    """Findings on rules that were stopped: each slow one, and those for which no time remained."""
    out = [delta for delta in document.result.deltas if delta.timed_out]
    slow = [delta.rule for delta in out if not delta.late]
    for delta in out:
        if not delta.late:
            yield _timeout(
                delta.rule,
                f"the rule {delta.rule} ran out of time, so its {_edits(delta)} left out; the text is whole, and all "
                f"other rules count: make its pattern cheaper, raise its timeout_ms, or give --ignore {delta.rule}",
                document,
            )
    late = [delta for delta in out if delta.late]
    of = f" ({', '.join(slow[:_LISTED])} took much of it)" if slow else ""
    what = f"found the time for all rules of a text spent{of}, so"
    do = f"give --ignore {slow[0] if slow else 'for slow rules'}, or divide the text"
    if thorough:
        for delta in late:
            message = f"the rule {delta.rule} {what} its {_edits(delta)} left out; the text is whole: {do}"
            yield _timeout(delta.rule, message, document)
    elif late:
        names = ", ".join(delta.rule for delta in late)
        rules = f"the rule {names}" if len(late) == 1 else f"{len(late)} rules"
        these = "" if len(late) == 1 else f": {names}"
        message = f"{rules} {what} {'its' if len(late) == 1 else 'their'} edits are left out{these}; the text is whole"
        yield _timeout(late[0].rule, f"{message}; {do}", document)


def _edits(delta: Delta) -> str:
    return "further edits are" if delta.applied else "edits are"


def _timeout(rule: str, message: str, document: Slimmed) -> Finding:
    return Finding(rule, "warning", message, document.path, Place(), fingerprint=f"{rule}#{document.path}")


def _remarks(document: Slimmed, *, thorough: bool) -> Iterable[Finding]:
    """Remarks of rules on a document; people are shown the first few of each rule."""
    totals = Counter(remark.rule for remark in document.remarks)
    seen: Counter[str] = Counter()
    for remark in document.remarks:
        seen[remark.rule] += 1
        if thorough or seen[remark.rule] <= _LISTED:
            yield remark
        elif seen[remark.rule] == _LISTED + 1:
            more = totals[remark.rule] - _LISTED
            message = f"{remark.rule}: and {more:,} more; --format json has all"
            yield Finding(remark.rule, remark.level, message, document.path, Place())


def missed(document: Slimmed, goal: Goal) -> str:
    """The distance from a goal that is not met, for the model that is farthest from it."""
    before, after = document.result.tokens_before, document.result.tokens_after
    if goal.budget is not None and max(after) > goal.budget:
        return f"over budget by {plural(max(after) - goal.budget, 'token')} after all rules"
    reached = min(share(old, new) for old, new in zip(before, after, strict=True))
    return f"saves {reached:.1%} of the tokens, not the {(goal.target or 0) * 100:.4g}% wanted after all rules"


def _missed(document: Slimmed, run: SlimRun) -> tuple[str, str, Place]:
    what = "" if run.goal is None else missed(document, run.goal)
    reached = ", ".join(f"{document.result.tokens_after[model.column]:,} ({model.name})" for model in run.models)
    return f"{what}: {reached}", document.path, Place()
