"""The tables of a count: for people, and with columns that depend on the options only, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tokaudit.features.count.figures import density, extremes, fertility, selected
from tokaudit.features.count.merge import added_words, all_classes
from tokaudit.features.count.notes import comment_notes, document_notes, furniture_notes, part_notes, request_notes
from tokaudit.features.count.types import MEDIA, SPREAD, Counted, CountResult, Part
from tokaudit.features.documents import by_model
from tokaudit.features.model_columns import TABLE_ROWS, count_columns, placed, short_names
from tokaudit.model import Cell, Column, ModelColumn, Table
from tokaudit.model.message import Message, counted


def parsed_documents(result: CountResult, chosen: Sequence[Counted]) -> Table:
    """The documents for programs: the same columns for one as for many, and no total among the rows."""
    columns = [
        Column("path", "File"),
        Column("kind", "Kind"),
        Column("charset", "Charset"),
        Column("chars", "Chars", "right", ","),
        Column("bytes", "Bytes", "right", ","),
        *count_columns(result.models),
    ]
    rows: list[list[Cell]] = [
        [
            *(document.path, document.kind, document.charset or None, document.chars, document.size),
            *(document.tokens[model.column] for model in result.models),
        ]
        for document in chosen
    ]
    return _marked_special(result, Table("Tokens by file", columns, rows, key="documents"))


def _marked_special(result: CountResult, table: Table) -> Table:
    """A table for programs, whose rows say so where control tokens are counted as such (``--special``)."""
    if not result.special:
        return table
    columns = [*table.columns, Column("special_tokens", "Control tokens")]
    return replace(table, columns=columns, rows=[[*row, "control"] for row in table.rows])


def document_table(result: CountResult, chosen: Sequence[Counted], totals: Sequence[int]) -> Table:
    notes = [*document_notes(result, totals), *request_notes(result)]
    if len(result.documents) == 1:
        return _model_table(result, result.documents[0], notes)
    number = len(result.documents)
    if result.wanted.top is None and number > TABLE_ROWS:
        what = Message("{table_rows} of {number:,} shown", table_rows=TABLE_ROWS, number=number)
        if result.wanted.sort == "order":
            chosen, what = (
                sorted(chosen, key=lambda document: -max(document.tokens)),
                Message("the {table_rows} largest of {number:,}", table_rows=TABLE_ROWS, number=number),
            )
        chosen, notes = chosen[:TABLE_ROWS], [Message("{what}; --top 0 for all", what=what), *notes]
    elif len(chosen) < number:
        notes = [Message("{n} of {number:,} shown; --top 0 for all", n=len(chosen), number=number), *notes]
    columns = [Column("path", "File"), Column("chars", "Chars", "right", ",")]
    columns += count_columns(result.models)
    rows: list[list[Cell]] = []
    for document in chosen:
        counts = [model.cell(document.tokens[model.column]) for model in result.models_of(document)]
        rows.append([document.path, document.chars, *counts])
    rows.append(_total(result, totals))
    marks = {(len(rows) - 1, column): "total" for column in range(len(columns))}
    cheapest, dearest, _ = extremes(result, totals)
    for at, model in enumerate(result.models):
        if model.name in {cheapest, dearest} and cheapest != dearest:
            marks[len(rows) - 1, at + 2] = "cheap" if model.name == cheapest else "dear"
    return _with_narrower(Table("Tokens by file", columns, rows, marks, notes, key="documents"), result.models)


def _total(result: CountResult, totals: Sequence[int]) -> list[Cell]:
    """Characters and tokens of all documents."""
    chars = sum(document.chars for document in result.documents)
    unit = "inputs" if any(document.path.startswith("<") for document in result.documents) else "files"
    name = (
        Message("total ({what})", what=counted(len(result.documents), f"1 {unit}", f"{{n:,}} {unit}"))
        if len(result.documents) > 1
        else Message("total")
    )
    return [name, chars, *(model.cell(totals[model.column]) for model in result.models)]


def _with_narrower(table: Table, models: Sequence[ModelColumn]) -> Table:
    """The table with narrower forms: without characters, then also with shorter names of models."""
    kept = [at for at, column in enumerate(table.columns) if column.key != "chars"]
    rows = [[row[at] for at in kept] for row in table.rows]
    marks = {(row, kept.index(at)): mark for (row, at), mark in table.marks.items() if at in kept}
    columns = [table.columns[at] for at in kept]
    names = short_names([model.name for model in models])
    short = [
        replace(column, title=names.get(column.title, column.title.replace("Share of", "Of"))) for column in columns
    ]
    forms = [Table("", chosen, rows, marks) for chosen in (columns, short)]
    return replace(table, narrower=forms)


def folder_table(result: CountResult, totals: Sequence[int], *, people: bool) -> Table:
    """A row for each folder, with all that is below it; for people as a tree."""
    from tokaudit.features.count.folders import folders_of

    top = result.wanted.top
    most = top if top is not None else TABLE_ROWS if people else 0
    folders = folders_of(result, most=most)
    first = result.models[0]
    whole = totals[first.column]
    columns = [Column("path", "Folder"), Column("files", "Files", "right", ",")]
    columns += [Column("chars", "Chars", "right", ","), *([] if people else [Column("bytes", "Bytes", "right", ",")])]
    columns += count_columns(result.models)
    columns += [Column("share", "Share of all", "right", ".1%")]
    rows: list[list[Cell]] = []
    for folder in folders:
        share = folder.tokens[first.column] / whole if whole else 0.0
        if people:
            name = folder.path if not folder.depth else "  " * folder.depth + folder.path.rpartition("/")[2]
            counts: list[Cell] = [model.cell(folder.tokens[model.column]) for model in result.models]
            rows.append([f"{name.rstrip('/')}/", folder.files, folder.chars, *counts, share])
        else:
            counts = [folder.tokens[model.column] for model in result.models]
            rows.append([folder.path, folder.files, folder.chars, folder.size, *counts, round(share, 4)])
    if not people:
        return _marked_special(result, Table("Tokens by folder", columns, rows, key="folders"))
    notes = document_notes(result, totals)
    notes += [Message("Share: of all {name} tokens", name=first.name)] if len(result.models) > 1 else []
    total = len(folders_of(result))
    if len(folders) < total:
        notes = [Message("the {n} largest of {total:,} folders; --top 0 for all", n=len(folders), total=total), *notes]
    marks = {(0, column): "total" for column in range(len(columns))}
    return _with_narrower(Table("Tokens by folder", columns, rows, marks, notes, key="folders"), result.models)


def _model_table(result: CountResult, document: Counted, notes: Sequence[str]) -> Table:
    """One document: a row for each model."""
    cheapest, dearest, _ = extremes(result, document.tokens)
    columns = [
        Column("model", "Model"),
        Column("tokens", "Tokens", "right", ","),
        Column("tokens_per_char", "Tokens/char", "right", ".3f"),
        Column("bytes_per_token", "Bytes/token", "right", ".2f"),
        Column("tokenizer", "Tokenizer"),
    ]
    rows: list[list[Cell]] = []
    marks = {}
    for at, model in enumerate(result.models):
        tokens = document.tokens[model.column]
        text = document.of_text[model.column]
        per_token = document.size / text if text else 0.0
        rows.append([model.name, model.cell(tokens), density(text, document.chars), per_token, model.ref.name])
        if model.name in {cheapest, dearest} and cheapest != dearest:
            marks[at, 1] = "cheap" if model.name == cheapest else "dear"
    what = tuple(filter(None, [document.kind, document.decoding.described(document.charset)]))
    title = Message(
        "{path} ({what}): {chars:,} characters, {size:,} bytes",
        path=document.path,
        what=what,
        chars=document.chars,
        size=document.size,
    )
    return Table(title, columns, rows, marks, notes, key="documents")


def part_table(result: CountResult, totals: Sequence[int], *, people: bool) -> Table:
    return _parts_for_people(result, totals) if people else _parsed_parts(result)


def _parsed_parts(result: CountResult) -> Table:
    """The parts for programs: the columns depend on the options only, never on how many files there are."""
    wanted = result.wanted
    parts = selected(result, wanted.top or 0)
    rows = [_parsed_row(part, result) for part in parts]
    columns = [Column("id", "Id"), Column("kind", "Kind"), Column("line", "Line", "right", "d")]
    columns += [Column("page", "Page", "right", "d"), *_part_columns(result)]
    columns += [Column("words", "Words", "right", ",")] if wanted.by == "class" else []
    columns.append(Column("flags", "Flags"))
    if wanted.by not in SPREAD:
        columns = [Column("path", "File"), *columns]
        owners = _owners(result)
        rows = [[owners[id(part)].path, *row] for part, row in zip(parts, rows, strict=True)]
    return _marked_special(result, Table(Message("Tokens by {by}", by=wanted.by), columns, rows, key="segments"))


def _part_columns(result: CountResult) -> list[Column]:
    together = result.wanted.by in SPREAD and len(result.documents) > 1
    columns = [Column("label", Message(result.wanted.by.capitalize())), Column("chars", "Chars", "right", ",")]
    columns += [*count_columns(result.models), Column("tokens_per_char", "Tok/char", "right", ".2f")]
    if result.wanted.by == "class":
        columns.append(Column("fertility", "Tok/word", "right", ".2f"))
    return [
        *columns,
        Column(
            "share", Message("Share of {whole}", whole=Message("all") if together else Message("file")), "right", ".1%"
        ),
    ]


def _owners(result: CountResult) -> dict[int, Counted]:
    """The document of each part, by the part's identity."""
    return {id(part): document for document in result.documents for part in document.parts}


def _parts_for_people(result: CountResult, totals: Sequence[int]) -> Table:
    """The parts, below the names of their files where there are several; then the totals.

    In an order that is not that of the text each part has its file beside it.
    """
    wanted = result.wanted
    parts, shown = _shown_parts(result)
    several = len(result.documents) > 1 and wanted.by not in SPREAD
    headed = several and wanted.sort == "order"
    columns = [*([Column("path", "File")] if several and not headed else []), *_part_columns(result)]
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    owners = _owners(result)
    last: Counted | None = None
    for part in parts:
        document = owners.get(id(part))
        row = _people_row(part, result, result.models if document is None else result.models_of(document))
        if headed and document is not None:
            row[0] = f"  {row[0]}"
            if document is not last:
                last = document
                marks |= {(len(rows), column): "total" for column in range(len(columns))}
                rows.append(
                    [
                        document.path,
                        *_sums(document.chars, document.tokens, result.models_of(document), document.of_text),
                    ]
                )
        elif several:
            row = [owners[id(part)].path, *row]
        if part.flags:
            marks |= {(len(rows), column): "high" for column in range(len(columns))}
        rows.append(row)
    name, chars, *_ = _total(result, totals)
    texts = list(map(sum, zip(*(document.of_text for document in result.documents), strict=True)))
    total: list[Cell] = [name, *_sums(int(chars or 0), totals, result.models, texts)]
    total = _with_fertility(total, totals, added_words(document.words for document in result.documents), result)
    rows.append([total[0], "", *total[1:]] if several and not headed else total)
    marks |= {(len(rows) - 1, column): "total" for column in range(len(columns))}
    notes = [*shown, *document_notes(result, totals), *request_notes(result), *furniture_notes(result, totals)]
    notes += [*comment_notes(result, totals), *part_notes(result, parts)]
    title = Message("Tokens by {by}", by=Message(wanted.by))
    if len(result.documents) == 1:
        title = Message("{path}: tokens by {by}", path=result.documents[0].path, by=Message(wanted.by))
    return _with_narrower(Table(title, columns, rows, marks, notes, key="segments"), result.models)


def _sums(chars: int, tokens: Sequence[int], models: Sequence[ModelColumn], text: Sequence[int]) -> list[Cell]:
    """The figures of a whole document, or of all, which has no share."""
    densest = max(text[model.column] for model in models)
    return [chars, *(model.cell(tokens[model.column]) for model in models), density(densest, chars), ""]


def _shown_parts(result: CountResult) -> tuple[list[Part], list[str]]:
    """The parts that people are shown, and a note where these are not all."""
    wanted = result.wanted
    total = sum(document.parts_total for document in result.documents)
    if wanted.by in SPREAD:
        total = len(all_classes(result.documents))
    if wanted.top is None and wanted.sort == "order" and wanted.by not in SPREAD and total > TABLE_ROWS:
        parts = selected(result, 0)
        large = sorted(range(len(parts)), key=lambda at: -max(parts[at].tokens, default=0))[:TABLE_ROWS]
        note = Message(
            "the {table_rows} largest of {total:,}, in the order of the text; --top 0 for all",
            table_rows=TABLE_ROWS,
            total=total,
        )
        return [parts[at] for at in sorted(large)], [note]
    parts = selected(result, TABLE_ROWS if wanted.top is None else wanted.top)
    return parts, [Message("{n} of {total:,} shown; --top N for more, 0 for all", n=len(parts), total=total)] if len(
        parts
    ) < total else []


def _numbers(
    part: Part, result: CountResult, marked: Sequence[ModelColumn] | None = None
) -> tuple[list[Cell], float, float]:
    """Characters and tokens of each model, then the density of the densest and the share for the first model.

    For people the counts are ``marked`` where they are approximate.
    """
    densest = max((part.tokens[model.column] for model in result.models), default=0)
    tokens = by_model(part.tokens, result.models).values()
    counts: Iterable[Cell] = tokens if marked is None else map(ModelColumn.cell, marked, tokens)
    if marked is not None and part.kind in MEDIA:  # no rule, and not nothing
        counts = [count or "-" for count in counts]
    return [part.chars, *counts], density(densest, part.chars), part.share[result.models[0].column]


def _people_row(part: Part, result: CountResult, models: Sequence[ModelColumn]) -> list[Cell]:
    """A row that is narrow: line or page stand before the label, and a flag behind the number that it is about."""
    numbers, density, share = _numbers(part, result, models)
    shown = Message(part.label) if part.kind == "class" else part.label
    label = placed(shown, part.line, part.page, part.kind)
    if "base64" in part.flags:
        label = Message("{label} (base64)", label=label)
    dense = f"{density:.2f} !" if "dense" in part.flags else density
    large = f"{share:.1%} !" if "large" in part.flags else share
    return _with_fertility([label, *numbers, dense, large], part.tokens, part.words, result)


def _parsed_row(part: Part, result: CountResult) -> list[Cell]:
    numbers, density, share = _numbers(part, result)
    row = _with_fertility([part.label, *numbers, round(density, 4), round(share, 4)], part.tokens, part.words, result)
    words = [part.words] if result.wanted.by == "class" else []
    return [part.id, part.kind, part.line, part.page, *row, *words, " ".join(part.flags)]


def _with_fertility(row: Sequence[Cell], tokens: Sequence[int], words: int | None, result: CountResult) -> list[Cell]:
    """The row of a part with its tokens per word by the densest model before the share; by class alone."""
    if result.wanted.by != "class":
        return [*row]
    densest = max(tokens[model.column] for model in result.models)
    return [*row[:-1], fertility(densest, words or 0), row[-1]]
