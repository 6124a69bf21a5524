"""JSON and JSON Lines: records and their fields, the text left exactly as it stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar

from tokaudit.model import Segments, Skipped
from tokaudit.model.message import Message
from tokaudit.model.text import LazyColumn
from tokaudit.sources import plain
from tokaudit.sources.columns import LineNumbers, whole
from tokaudit.sources.json_reader import DELIMITER, Columns, Invalid, Reader, after_space, fault, refuse_rest
from tokaudit.sources.native import FIELDS, NOTHING, LineScanner, scan_document

T = TypeVar("T")
Divided = tuple[str, str, Segments, Segments, Sequence[Skipped]]


class _FieldIds(LazyColumn[str]):
    """``record-3.messages``: the record's id and the field's path; a key met again in the record gets ``-2``."""

    def __init__(self, columns: Columns, record_ids: Sequence[str]) -> None:
        self._labels = columns.labels
        self._firsts = columns.records
        self._record_ids = record_ids
        self._of_record: tuple[int, list[str]] = (-1, [])

    def __len__(self) -> int:
        return len(self._labels)

    def item(self, index: int) -> str:
        record = bisect_right(self._firsts, index) - 1
        if self._of_record[0] != record:
            self._of_record = (record, self._ids(record))
        return self._of_record[1][index - self._firsts[record]]

    def _ids(self, record: int) -> list[str]:
        """Ids of all fields of a record, each used once."""
        end = self._firsts[record + 1] if record + 1 < len(self._firsts) else len(self._labels)
        taken: dict[str, int] = {}
        found = []
        for label in self._labels[self._firsts[record] : end]:
            own = ".".join(part for part in (self._record_ids[record], label[1:].lstrip(".")) if part)
            name = own
            while name in taken:
                taken[own] += 1
                name = f"{own}-{taken[own]}"
            taken[name] = 1
            found.append(name)
        return found


class _OfFields(LazyColumn[T]):
    """Something of each field, by the record that it is in."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns.labels)

    def record(self, index: int) -> int:
        """The index of the record of a field."""
        return bisect_right(self._columns.records, index) - 1


class _FieldLines(_OfFields[int]):
    """The line of a field in JSON Lines: that of its record."""

    def item(self, index: int) -> int:
        return self._columns.lines[self.record(index)]


class _ElementLabels(_OfFields[str]):
    """``$[2].messages``: the label of a field with the element of the document's array that it is of."""

    def item(self, index: int) -> str:
        return f"$[{self.record(index)}]{self._columns.labels[index][1:]}"


class _Numbered(LazyColumn[str]):
    """A name for each record, made of its number."""

    def __init__(self, template: str, numbers: Sequence[int]) -> None:
        self._template = template
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def item(self, index: int) -> str:
        return self._template % self._numbers[index]


def lines(
    path: str, text: str, *, structure: bool = True, first_line: int = 1
) -> tuple[str, str, Segments, Segments, Sequence[Skipped], Sequence[tuple[int, int]]]:
    """JSON Lines: each line is a record, its fields are segments; blank lines belong to the record before.

    A broken line is left out of the text and reported with path, line and column; the others keep their lines.
    """
    reader, columns, skipped = Reader(), Columns(), []
    gaps: list[tuple[int, int]] = []
    kept: list[str] = []
    kept_from = removed = 0
    scanner = LineScanner(text, FIELDS if structure else NOTHING, first_line=first_line)
    while True:
        scanned = scanner.scan(moved=-removed, start=-1 if columns.lines else 0)
        if scanned is not None:
            columns.add(scanned)
        span = scanner.next_line()
        if span is None:
            break
        at, end = span
        number = scanner.line - 1
        line = text[at:end]
        first = 0 if line[0] == "{" else after_space(line, 0)
        if first < len(line):
            known = len(columns.starts)
            try:
                _line(reader, columns, line, first, origin=at - removed, structure=structure)
                columns.lines.append(number)
            except Invalid as found:
                broken = fault(reader, line.rstrip("\r\n"), first) or found
                columns.undo(known)
                skipped.append(
                    Skipped(
                        f"{path}:{number}:{broken.at + 1}",
                        Message("not valid JSON: {reason}", reason=broken.reason),
                        code="invalid-json",
                    )
                )
                kept.append(text[kept_from:at])
                gaps.append((at - removed, 1))
                kept_from = end
                removed += end - at
    if skipped:
        kept.append(text[kept_from:])
        text = "".join(kept)
    return text, "jsonl", *_line_columns(path, text, columns, structure, first_line), tuple(skipped), tuple(gaps)


def _line(reader: Reader, columns: Columns, line: str, first: int, *, origin: int, structure: bool) -> None:
    """Add the record on a line."""
    # What stands before the first record belongs to it, there being none before.
    start = origin if columns.lines else 0
    if structure and line.startswith('{"', first):  # as nearly all begin
        columns.records.append(len(columns.starts))
        end = reader.fields(line, first, columns, origin, start)
    elif structure:
        end = reader.record(line, first, columns, origin=origin, start=start)
    else:
        end = reader.value(line, first)
    if end < len(line) - 1 or line[end:] not in ("", "\n"):
        rest = after_space(line, end)
        if rest < len(line):
            refuse_rest(rest)


def _line_columns(
    path: str, text: str, columns: Columns, structure: bool, first_line: int
) -> tuple[Segments, Segments]:
    if not structure or not columns.lines:
        single = whole(path, text, "jsonl", first_line)
        return single, single
    ids = _Numbered("record-%d", columns.lines)
    record_starts = columns.record_starts()
    segments = Segments(
        path,
        text,
        columns.starts,
        columns.kinds(),
        labels=columns.labels,
        ids=_FieldIds(columns, ids),
        lines=_FieldLines(columns),
    )
    sections = Segments(
        path,
        text,
        record_starts,
        ("record",),
        ids=ids,
        lines=columns.lines,
    )
    return segments, sections


def document(path: str, text: str, *, first_line: int = 1) -> Divided:
    """A JSON document: the elements of a top-level array are records; the fields of an object are sections too.

    What is not valid JSON is counted as plain text and reported.
    """
    if not text or text.isspace():
        return text, "json", *plain.divide(path, text, first_line), ()
    scanned = scan_document(text, FIELDS)
    if scanned is not None:
        columns = Columns()
        columns.add(scanned)
        array = text[after_space(text, 0)] == "["
        if not columns.records:
            columns.add_plain(0)  # an empty list
        return text, "json", *_document_columns(path, text, columns, first_line, array=array), ()
    reader, columns = Reader(), Columns()
    first = after_space(text, 0)
    try:
        array = text[first] == "["
        end = (
            _elements(reader, text, first + 1, columns)
            if array
            else reader.record(text, first, columns, origin=0, start=0)
        )
        end = after_space(text, end)
        if end < len(text):
            refuse_rest(end)
    except Invalid as found:
        broken = fault(reader, text.rstrip(), first) or found
        line = text.count("\n", 0, broken.at) + first_line
        column = broken.at - text.rfind("\n", 0, broken.at)
        skipped = Skipped(
            f"{path}:{line}:{column}",
            Message("not valid JSON: {reason}; counted as text", reason=broken.reason),
            code="json-as-text",
        )
        return text, "text", *plain.divide(path, text, first_line), (skipped,)
    return text, "json", *_document_columns(path, text, columns, first_line, array=array), ()


def _elements(reader: Reader, text: str, at: int, columns: Columns) -> int:
    """End of the array whose elements begin after ``at``; each element is a record."""
    at = after_space(text, at)
    start = 0
    if text[at : at + 1] == "]":
        columns.add_plain(0)
        return at + 1
    while True:
        at = reader.record(text, at, columns, origin=0, start=start)
        delimiter = DELIMITER(text, at)
        if delimiter is None or delimiter[1] == "}":
            raise Invalid("',' or ']' is expected", at)
        if delimiter[1] == "]":
            return delimiter.end(1)
        at = start = delimiter.end()


def _document_columns(
    path: str, text: str, columns: Columns, first_line: int, *, array: bool
) -> tuple[Segments, Segments]:
    record_starts = columns.record_starts()
    numbers = LineNumbers(text, columns.starts, first_line)
    names: Sequence[str] = _Numbered("record-%d", range(1, len(record_starts) + 1)) if array else ("",)
    ids: Sequence[str] = _FieldIds(columns, names)
    if len(ids) == 1 and not ids[0]:
        ids = ("record",)  # a document that is one scalar, or {}
    elements = array and text[after_space(text, after_space(text, 0) + 1)] != "]"
    labels: Sequence[str] = _ElementLabels(columns) if elements else columns.labels
    segments = Segments(path, text, columns.starts, columns.kinds(), labels=labels, ids=ids, lines=numbers)
    if not array:
        return segments, segments
    sections = Segments(
        path,
        text,
        record_starts,
        ("record",),
        labels=_Numbered("$[%d]", range(len(record_starts))),
        ids=names,
        lines=LineNumbers(text, record_starts, first_line),
    )
    return segments, sections
