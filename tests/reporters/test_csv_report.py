from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokaudit.model import Column, Report, Skipped, Table
from tokaudit.reporters import render
from tokaudit.reporters.cells import one_line


def csv_of(*tables: Table, skipped: list[Skipped] | None = None) -> str:
    return render(Report("count", tables, {}, skipped=skipped or []), "csv")


def table(title: str, *rows: list) -> Table:
    return Table(title, [Column("label", "Label"), Column("tokens", "Tokens", "right", ",")], rows)


def test_one_table_is_plain_csv_with_unrounded_numbers():
    assert csv_of(table("T", ["a, 中", 1234], ['say "x"', 0.123456789], ["none", None])) == (
        'label,tokens\n"a, 中",1234\n"say ""x""",0.123456789\nnone,\n'
    )


def test_several_tables_and_skipped_inputs_are_parted():
    assert csv_of(table("One", ["a", 1]), table("Two", ["b", 2]), skipped=[Skipped("c.png", "binary file")]) == (
        "# One\nlabel,tokens\na,1\n\n# Two\nlabel,tokens\nb,2\n\n# skipped\nwhat,reason\nc.png,binary file\n"
    )


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
