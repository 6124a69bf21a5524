"""The report of a comparison, as tables for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokaudit.features.diff.document import STATUSES, by_status, data_of, largest, listed, side_total, total_delta
from tokaudit.features.diff.types import DiffResult, Part, SegmentPair, Side, TextChange, Wanted
from tokaudit.features.model_columns import TABLE_ROWS, approximations, placed, with_short_names
from tokaudit.model import Cell, Column, ModelColumn, Report, Table, plural
from tokaudit.model.message import Message, joined
from tokaudit.model.signs import visible

_PLACES = [
    Column("line_before", "Line before", "right", "d"),
    Column("line_after", "Line after", "right", "d"),
    Column("page_before", "Page before", "right", "d"),
    Column("page_after", "Page after", "right", "d"),
]
_BESIDE, _SHOWN = 8, 40
"""Code points of unchanged text beside a change, and of each side of the change, that a table for people shows."""


def report(result: DiffResult, *, people: bool) -> Report:
    """The report of a run; for people with totals and notes, for programs with one row for each thing that changed."""
    by_file = result.wanted.by == "file"
    tables = []
    if people:
        tables.append(_totals_table(result))
        if result.several:
            tables.append(_document_table(result))
        if not by_file:
            tables.append(_segment_table(result))
        if result.wanted.changes:
            tables.append(_change_table(result))
        tables = [with_short_names(table, result.models) for at, table in enumerate(tables) if table.rows or not at]
    else:
        tables.append(_parsed_documents(result) if by_file else _parsed_segments(result))
        if result.wanted.texts:
            tables.append(_parsed_changes(result))
    bare = str(total_delta(result)[result.models[0].column])
    return Report("diff", tables, data_of(result), (), result.skipped, bare)


def _painted(rows: Sequence[Sequence[int]], models: Sequence[ModelColumn], first: int) -> dict[tuple[int, int], str]:
    """Marks of the columns of deltas, from column ``first`` on: fewer tokens are cheap, more are dear."""
    return {
        (at, first + column): "cheap" if delta[model.column] < 0 else "dear"
        for at, delta in enumerate(rows)
        for column, model in enumerate(models)
        if delta[model.column]
    }


def _deltas(delta: Sequence[int], models: Sequence[ModelColumn]) -> list[Cell]:
    return [model.signed(delta[model.column]) for model in models]


def _delta_columns(models: Sequence[ModelColumn]) -> list[Column]:
    return [Column(model.name, model.name, "right") for model in models]


def _totals_table(result: DiffResult) -> Table:
    columns = [
        Column("model", "Model"),
        Column("before", "Before", "right", ","),
        Column("after", "After", "right", ","),
        Column("delta", "Delta", "right"),
        Column("relative", "Percent", "right"),
        Column("tokenizer", "Tokenizer"),
    ]
    delta = total_delta(result)
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    for at, model in enumerate(result.models):
        before = side_total([document.before for document in result.documents], model.column)
        after = side_total([document.after for document in result.documents], model.column)
        change = delta[model.column]
        counts = map(model.cell, (before, after))
        percent = Message("{change:+.1%}", change=change / before) if before and change else "0.0%" if before else None
        rows.append([model.name, *counts, model.signed(delta[model.column]), percent, model.ref.name])
        if change:
            marks[at, 3] = marks[at, 4] = "cheap" if change < 0 else "dear"
    title = Message("{before} → {after}{kinds}", before=result.before, after=result.after, kinds=_what(result))
    return Table(title, columns, rows, marks, list(_notes(result)), key="totals")


def _what(result: DiffResult) -> str:
    """Kind and charset of the two texts, where there are two, and their sizes."""
    if result.several or not result.documents:
        return ""
    sides = [side for side in (result.documents[0].before, result.documents[0].after) if side is not None]
    kinds = dict.fromkeys(joined(", ", side.kind, side.decoding.described(side.charset)) for side in sides)
    return Message(
        " ({kinds}): {chars} characters",
        kinds=joined(" → ", *kinds),
        chars=" → ".join(f"{side.chars:,}" for side in sides),
    )


def _notes(result: DiffResult) -> Iterator[str]:
    if result.several:
        counts = by_status(result.documents)
        said = (Message("{n:,} {status}", n=counts[status], status=Message(status)) for status in STATUSES)
        yield joined(": ", plural(len(result.documents), "file"), joined(", ", *said))
    elif all(document.status == "equal" for document in result.documents):
        yield Message("the texts are equal")
    yield from approximations(result.models)
    if result.special:
        yield Message("control tokens in the text are counted as control tokens (--special)")
    if skipped := sum(not item.is_note for item in result.skipped):
        yield Message("skipped: {n:,}, see below", n=skipped)


def _limit(wanted: Wanted) -> int | None:
    """Rows of a table for people."""
    return (wanted.top if wanted.top is not None else TABLE_ROWS) or None


def _shown_of(shown: int, total: int) -> list[str]:
    return (
        [Message("{shown} of {total:,} shown; --top N for more, 0 for all", shown=shown, total=total)]
        if shown < total
        else []
    )


def _document_table(result: DiffResult) -> Table:
    """A row for each file that is not equal, by name."""
    differing = [document for document in result.documents if document.status != "equal"]
    chosen = sorted(largest(result, [document.delta for document in differing], _limit(result.wanted)))
    rows: list[list[Cell]] = []
    for at in chosen:
        document = differing[at]
        rows.append([document.path, Message(document.status), *_deltas(document.delta, result.models)])
    columns = [Column("path", "File"), Column("status", "Status"), *_delta_columns(result.models)]
    marks = _painted([differing[at].delta for at in chosen], result.models, 2)
    return Table("Tokens by file", columns, rows, marks, _shown_of(len(rows), len(differing)), key="documents")


def _segment_table(result: DiffResult) -> Table:
    """A row for each segment that changed, the largest delta first."""
    pairs = [(document, pair) for document in result.documents for pair in document.segments]
    chosen = largest(result, [pair.delta for _, pair in pairs], _limit(result.wanted))
    rows: list[list[Cell]] = []
    for document, pair in (pairs[at] for at in chosen):
        row = [_label(pair), Message(pair.status), *_deltas(pair.delta, result.models)]
        rows.append([document.path, *row] if result.several else row)
    columns = [Column("label", Message(result.wanted.by.capitalize())), Column("status", "Status")]
    columns = [*([Column("path", "File")] if result.several else []), *columns, *_delta_columns(result.models)]
    marks = _painted([pairs[at][1].delta for at in chosen], result.models, len(columns) - len(result.models))
    notes = _shown_of(len(rows), len(pairs))
    if any(pairs[at][1].status == "equal" for at in chosen):
        notes.append("equal: the same text, at whose edge a token begins elsewhere")
    return Table(
        Message("{by}s that changed", by=Message(result.wanted.by.capitalize())),
        columns,
        rows,
        marks,
        notes,
        key="segments",
    )


def _label(pair: SegmentPair) -> str:
    """Line and label of a segment; both lines where it moved."""
    part = pair.after or pair.before
    if part is None:
        return ""
    label = placed(part.label, part.line, part.page, part.kind)
    if pair.status == "moved" and pair.before is not None:
        before = pair.before
        return f"{before.line if before.page is None else f'p. {before.page}'} → {label}"
    return label


def _change_table(result: DiffResult) -> Table:
    """A row for each change, in the order of the text unless only the largest are shown."""
    pairs = [(document, change) for document in result.documents for change in document.changes]
    chosen = sorted(largest(result, [change.delta for _, change in pairs], _limit(result.wanted)))
    rows: list[list[Cell]] = []
    for document, change in (pairs[at] for at in chosen):
        row = [_marked(change), *_deltas(change.delta, result.models)]
        rows.append([document.path, *row] if result.several else row)
    columns = [*([Column("path", "File")] if result.several else []), Column("change", "Change")]
    columns += _delta_columns(result.models)
    marks = _painted([pairs[at][1].delta for at in chosen], result.models, len(columns) - len(result.models))
    return Table("Changes", columns, rows, marks, _shown_of(len(rows), len(pairs)), key="changes")


def _marked(change: TextChange) -> str:
    """A change on one line, with a few characters around it."""
    old, new = visible(_shortened(change.old)), visible(_shortened(change.new))
    whole_lines_gone = not change.new and "\n" in change.old
    line, page = (
        (change.line_before, change.page_before) if whole_lines_gone else (change.line_after, change.page_after)
    )
    lead, trail = change.lead[-_BESIDE:].rpartition("\n")[2], change.trail[:_BESIDE].partition("\n")[0]
    marked = (f"[-{old}-]" if old else "") + (f"{{+{new}+}}" if new else "")
    return f"{line if page is None else f'p. {page}'}: {lead.lstrip()}{marked}{trail.rstrip()}"


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}…{text[-_SHOWN // 4 :]}"


def _parsed_columns(models: Sequence[ModelColumn]) -> list[Column]:
    return [
        Column(f"{model.name} {what}", Message("{model} {what}", model=model.name, what=Message(what)), "right", ",")
        for model in models
        for what in ("before", "after", "delta")
    ]


def _parsed_counts(
    before: Side | Part | None, after: Side | Part | None, delta: Sequence[int], models: Sequence[ModelColumn]
) -> list[Cell]:
    return [
        count
        for model in models
        for count in (
            before.tokens[model.column] if before else None,
            after.tokens[model.column] if after else None,
            delta[model.column],
        )
    ]


def _parsed_documents(result: DiffResult) -> Table:
    columns = [Column("path", "File"), Column("status", "Status"), *_parsed_columns(result.models)]
    rows: list[list[Cell]] = []
    for at in listed(result, [document.delta for document in result.documents]):
        document = result.documents[at]
        counts = _parsed_counts(document.before, document.after, document.delta, result.models)
        rows.append([document.path, document.status, *counts])
    return Table("Tokens by file", columns, rows, key="documents")


def _parsed_segments(result: DiffResult) -> Table:
    columns = [
        Column("path", "File"),
        Column("status", "Status"),
        Column("kind", "Kind"),
        *_PLACES,
        Column("label", Message(result.wanted.by.capitalize())),
        *_parsed_columns(result.models),
    ]
    pairs = [(document, pair) for document in result.documents for pair in document.segments]
    rows: list[list[Cell]] = []
    for document, pair in (pairs[at] for at in listed(result, [pair.delta for _, pair in pairs])):
        part = pair.after or pair.before
        sides = (pair.before, pair.after)
        places = [side.line if side else None for side in sides] + [side.page if side else None for side in sides]
        named: list[Cell] = [
            document.path,
            pair.status,
            part.kind if part else None,
            *places,
            part.label if part else "",
        ]
        rows.append([*named, *_parsed_counts(pair.before, pair.after, pair.delta, result.models)])
    return Table(Message("{by}s that changed", by=result.wanted.by.capitalize()), columns, rows, key="segments")


def _parsed_changes(result: DiffResult) -> Table:
    columns = [
        Column("path", "File"),
        Column("kind", "Kind"),
        *_PLACES,
        Column("before", "Before"),
        Column("after", "After"),
        *(
            Column(Message("{name} delta", name=model.name), Message("{name} delta", name=model.name), "right", ",")
            for model in result.models
        ),
    ]
    pairs = [(document, change) for document in result.documents for change in document.changes]
    rows: list[list[Cell]] = []
    for document, change in (pairs[at] for at in listed(result, [change.delta for _, change in pairs])):
        texts: list[Cell] = [
            change.line_before, change.line_after, change.page_before, change.page_after, change.old, change.new,
        ]  # fmt: skip
        rows.append([document.path, change.kind, *texts, *(change.delta[model.column] for model in result.models)])
    return Table("Changes", columns, rows, key="changes")
