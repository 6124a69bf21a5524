from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tokaudit.model import Column, Report, Skipped, Table
from tokaudit.reporters import render
from tokaudit.reporters.cells import one_line


def markdown_of(*rows: list, notes: tuple[str, ...] = (), skipped: tuple[Skipped, ...] = ()) -> str:
    table = Table("T", [Column("label", "Label"), Column("tokens", "Tokens", "right", ",")], rows, {}, notes)
    return render(Report("count", [table], {}, skipped=skipped), "markdown")


def test_a_table_with_notes_and_skipped():
    skipped = (Skipped("a_b.png", "binary file"),)
    assert markdown_of(["a|b", 1234], ["x", None], notes=("# no heading", "≈ 1"), skipped=skipped) == (
        "### T\n\n| Label | Tokens |\n| --- | ---: |\n| a\\|b | 1,234 |\n| x | - |\n\n\\# no heading\n\n≈ 1\n\n"
        "**Skipped (1)**\n\n- a_b.png: binary file\n"
    )


def test_all_skipped_inputs_are_listed():
    assert markdown_of(skipped=tuple(Skipped(f"{n}.png", "binary") for n in range(25))).count("\n- ") == 25


@pytest.mark.parametrize("text", ["# h", "- item", "+ item", "1. one", "12) twelve", "=== x", "> q", "```", "---"])
def test_a_note_stays_a_paragraph(text):
    rendered = MarkdownIt("commonmark").enable("table").render(markdown_of(["a", 1], notes=(text,)))
    assert rendered.rstrip().endswith(f"<p>{html.escape(text)}</p>")


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("|\\`*_[]<>&~$\n\r"), max_size=30))
def test_a_cell_is_one_cell_with_its_text(text):
    source = markdown_of([text, 7])
    assert source.count("\n") == 5
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source)
    cells = re.findall(r"<td(?: [^>]*)?>(.*?)</td>", rendered)
    assert [html.unescape(cell) for cell in cells] == [one_line(text).strip(), "7"] or not text.strip()
