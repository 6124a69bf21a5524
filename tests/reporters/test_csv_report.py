from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from places import GOLDEN
from tokaudit.model import Column, Finding, Place, Report, Skipped, Table
from tokaudit.reporters import render
from tokaudit.reporters.cells import one_line


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


SCENARIOS = sorted(
    path.parent.name
    for path in GOLDEN.glob("*/cmd")
    if re.search(r"(-f|--format) csv", path.read_text(encoding="utf-8")) and (path.parent / "stdout").exists()
)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_commands_print_is_one_table(scenario):
    with (GOLDEN / scenario / "stdout").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, strict=True)
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    assert len({*header}) == len(header)
    assert all(re.fullmatch(r"[a-z][\w.-]*( \w+)?", name) for name in header)


def test_there_are_commands_that_print_it():
    assert {"baseline-show-path", "check-csv", "check-why-csv", "count-format-csv", "slim-format-csv"} <= {*SCENARIOS}


@pytest.mark.parametrize("text", ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "＝1", "- item", "-", "+1+1"])
def test_a_formula_gets_an_apostrophe(text):
    assert csv_of(table("T", [text, 1])) == f"label,tokens\n'{text},1\n"


@pytest.mark.parametrize("text", ["-5%", "+1,234", "-0.5", "a=b", "'quoted"])
def test_what_is_no_formula_stays(text):
    assert next(csv.reader([csv_of(table("T", [text, -5])).splitlines()[1]])) == [text, "-5"]


@given(st.lists(st.tuples(st.text(), st.integers() | st.floats(allow_nan=False) | st.none()), max_size=6))
def test_round_trip(rows):
    text = csv_of(table("T", *[list(row) for row in rows]))
    assert text.count("\n") == len(rows) + 1
    _, *found = csv.reader(io.StringIO(text, newline=""))
    for (label, number), (label_cell, number_cell) in zip(rows, found, strict=True):
        assert label_cell in (one_line(label), f"'{one_line(label)}")
        assert number_cell == ("" if number is None else str(number))
