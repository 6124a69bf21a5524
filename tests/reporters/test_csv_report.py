from __future__ import annotations

import csv
import re

import pytest

from places import GOLDEN
from tokaudit.model import Column, Finding, Place, Report, Skipped, Table
from tokaudit.reporters import render


def csv_of(*tables: Table) -> str:
    return render(Report("count", tables, {}), "csv")


def table(title: str, *rows: list) -> Table:
    return Table(title, [Column("label", "Label"), Column("tokens", "Tokens", "right", ",")], rows)


def test_one_table_is_plain_csv_with_unrounded_numbers():
    assert csv_of(table("T", ["a, 中", 1234], ['say "x"', 0.123456789], ["none", None])) == (
        'label,tokens\n"a, 中",1234\n"say ""x""",0.123456789\nnone,\n'
    )


def test_several_tables_are_one_with_their_names_in_the_first_column():
    other = Table("Two", [Column("line", "Line"), Column("label", "Label")], [[7, "b"]], key="lines")
    text = csv_of(table("One", ["a", 1]), other, Table("Three", [Column("x", "X")], []))
    assert text == "table,label,tokens,line,x\nOne,a,1,,\nlines,b,,7,\n"


def test_a_report_may_have_a_table_of_its_own_for_it():
    report = Report("check", [table("One", ["a", 1]), table("Two")], {}, rows=table("Rows", ["c", 3]))
    assert render(report, "csv") == "label,tokens\nc,3\n"


def test_what_was_skipped_and_found_does_not_change_the_shape():
    finding = Finding("x", "error", "grew", "a.md", Place())
    report = Report("count", [table("One", ["a", 1])], {}, [finding], [Skipped("c.png", "binary file", code="binary")])
    assert render(report, "csv") == "label,tokens\na,1\n"


PRINTED = sorted(
    path.with_name("stdout")
    for path in GOLDEN.glob("*/cmd")
    if re.search(r"(-f|--format) csv", path.read_text(encoding="utf-8")) and path.with_name("stdout").exists()
)
WRITTEN = sorted(GOLDEN.glob("*/files/*.csv"))


@pytest.mark.parametrize(
    "path", [*PRINTED, *WRITTEN], ids=lambda path: path.relative_to(GOLDEN).as_posix().removesuffix("/stdout")
)
def test_what_commands_print_is_one_table(path):
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, strict=True)
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    assert len({*header}) == len(header)
    assert all(re.fullmatch(r"[a-z][\w.-]*( \w+)?", name) for name in header)


def test_there_are_commands_that_print_it():
    printed = {path.parent.name for path in PRINTED}
    assert {"baseline-show-path", "check-why-csv", "count-format-csv-by-section", "slim-format-csv"} <= printed
    assert {path.parents[1].name for path in WRITTEN} >= {"check-outputs", "count-output-several", "diff-output"}
