"""Files that are cut short or mended: said, with the pages that have text."""

from __future__ import annotations

import pytest

from small_pdf import manual
from tokaudit.sources.pdf import read_pages
from tokaudit.sources.pdf.damage import faults

WHOLE = manual(8)


def test_a_whole_file_has_no_faults():
    assert faults(WHOLE) == ""
    assert faults(b"\r\nbefore" + WHOLE) == ""
    assert not read_pages(WHOLE).problems


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
def test_a_file_that_is_cut(share):
    read = read_pages(WHOLE[: int(share * len(WHOLE))])
    (problem,) = [problem for problem in read.problems if problem.code == "damaged"]
    have = sum(bool(page.glyphs) for page in read.pages)
    assert 0 < have <= 8
    assert "its end is missing (no startxref and no %%EOF)" in problem.reason
    assert ("all of its pages have text" if have == 8 else f"{have} of 8 pages have text") in problem.reason


def test_an_update_that_is_cut():
    assert faults(WHOLE + b"\n90 0 obj\n<< /Type /Page") == "its end is missing (objects after the last %%EOF)"


def test_a_table_of_objects_that_is_elsewhere():
    moved = WHOLE.replace(b"startxref\n", b"startxref\n1")
    assert "is not where startxref says" in faults(moved)
    assert len(read_pages(moved).problems) == 1
    assert "does not say" in faults(WHOLE.replace(b"startxref\n", b"startxref\nx"))
