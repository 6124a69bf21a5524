"""PDF files as documents: one text, parts by page, what is not body, and what is said where there is no text."""

from __future__ import annotations

import hashlib
import runpy

import pytest

from places import SAMPLES
from small_pdf import DAMAGED, SCAN, manual
from tokaudit.model import InputError, Skipped
from tokaudit.model.pages import Page, PageLine
from tokaudit.pipeline.pages.furniture import families
from tokaudit.sources import PdfOptions, is_pdf, load
from tokaudit.sources.pdf import PdfPages, read_pages
from tokaudit.sources.pdf.document import document_of

REPORT = SAMPLES / "annual-report.zh.pdf"


def line(text, top, kind="body", left=72.0, size=11.0):
    return PageLine(text, top, top + size, left, left + 6 * len(text), size, kind)


def page(number, lines, **more):
    return Page(number, 595, 842, lines, glyphs=sum(len(one.text) for one in lines), **more)


def document(*pages, problems=()):
    return document_of(PdfPages(pages, encrypted=False, problems=problems), "a.pdf")


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"%PDF-1.7\n", True),
        (b"\xef\xbb\xbf%PDF-1.4", True),
        (b"\r\n %PDF-1.4 damaged", True),
        (b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4 ... startxref\n9\n%%EOF", True),
        (b"A file begins with %PDF-1.4 if it is one.", False),
        (b"Readers look for %PDF-1.4, then for startxref and its number.", False),
        (b" " * 1024 + b"%PDF-1.4", False),
        (b"", False),
        (b"%pdf", False),
    ],
)
def test_told_by_its_bytes(data, wanted):
    assert is_pdf(data) is wanted


def test_pages_and_lines_become_one_text():
    found = document(page(1, [line("eins", 100), line("zwei", 120)]), page(2, []), page(3, [line("drei", 100)]))
    assert (found.kind, found.charset, found.text) == ("pdf", "", "eins\nzwei\f\fdrei")
    assert found.sha256 == hashlib.sha256(found.text.encode()).hexdigest()
    assert [(part.id, part.span.start, part.span.end, part.place.page) for part in found.segments] == [
        ("a.pdf#page-1.body-1", 0, 11, 1),
        ("a.pdf#page-3.body-1", 11, 15, 3),
    ]
    assert [(part.id, part.kind, part.place.page, part.place.line) for part in found.sections] == [
        ("a.pdf#page-1", "page", 1, None),
        ("a.pdf#page-2", "page", 2, None),
        ("a.pdf#page-3", "page", 3, None),
    ]


def test_empty_pages_at_the_ends_are_no_parts():
    found = document(page(1, []), page(2, [line("text", 100)]), page(3, []))
    assert found.text == "\ftext\f"
    assert [part.id for part in found.segments] == ["a.pdf#page-2.body-1"]
    assert found.segments[0].span.start == 0
    assert [part.id for part in found.sections] == ["a.pdf#page-1", "a.pdf#page-2"]


def test_stretches_of_one_kind_are_segments():
    lines = [
        line("before", 100),
        line("| a | b |", 120, "table"),
        line("| 1 | 2 |", 140, "table"),
        line("after", 160),
        line("1 a note", 700, "footnote"),
        line("DRAFT", 400, "watermark", size=40),
    ]
    found = document(page(1, lines))
    assert [part.id.partition("#")[2] for part in found.segments] == [
        "page-1.body-1",
        "page-1.table-1",
        "page-1.body-2",
        "page-1.footnote-1",
        "page-1.watermark-1",
    ]
    assert "".join(found.text[part.span.start : part.span.end] for part in found.segments) == found.text
    assert found.text.startswith("before\n| a | b |\n| 1 | 2 |\n\nafter\n1 a note")
    marked = [(mark.kind, found.text[mark.start : mark.end], mark.page) for mark in found.marks]
    assert marked[0] == ("table", "| a | b |", 1)
    assert [kind for kind, _, _ in marked] == ["table", "table", "footnote", "watermark"]


def test_a_table_ends_with_a_blank_line_also_at_the_end_of_a_page():
    found = document(page(1, [line("| a | b |", 100, "table")]), page(2, [line("text", 100)]))
    assert found.text == "| a | b |\n\n\ftext"
    assert [part.span.start for part in found.segments] == [0, 12]


def test_characters_that_no_text_has():
    found = document(page(1, [line("a\fb\nc", 100), line("half \ud800", 120), line("net\x02work", 140)]))
    assert found.text == "a b c\nhalf \ufffd\nnet\x02work"


def test_pages_that_need_ocr_are_told_and_counted():
    found = document(
        page(1, [line("good text", 100)]),
        Page(2, 595, 842, [line("(cid:1)(cid:2) ok", 100)], unmapped=2, glyphs=5),
        problems=[Skipped("page 3", "took longer than 10 s", code="page")],
    )
    assert "(cid:1)(cid:2) ok" in found.text
    assert [(item.what, item.reason) for item in found.skipped] == [
        ("a.pdf:page 3", "took longer than 10 s"),
        ("a.pdf:page 2", "needs OCR: 40% of its glyphs have no character; counted as it is"),
    ]


def test_no_text_at_all():
    with pytest.raises(InputError, match=r"a\.pdf: no text on any of its 2 pages: a scan"):
        document(page(1, []), page(2, [line("  ", 100)]))
    with pytest.raises(InputError, match=r"a\.pdf: no text could be read: page 1: damaged"):
        document(page(1, []), problems=[Skipped("page 1", "damaged", code="page")])


@pytest.mark.parametrize("engine", ["auto", "pdfium", "pdfplumber"])
def test_a_manual(engine):
    found = load(manual(), "manual", pdf=PdfOptions(engine=engine))
    assert found.text.count("\f") == 7
    kinds = {part.kind for part in found.segments}
    assert kinds == {"body", "running", "number"}
    numbers = [found.text[mark.start : mark.end] for mark in found.marks if mark.kind == "number"]
    assert numbers == [str(number) for number in range(1, 9)]
    running = {found.text[mark.start : mark.end] for mark in found.marks if mark.kind == "running"}
    assert running == {"Pump Station Manual, Edition 4"}
    assert "3.2 Oil that was spilled is taken up with the grey cloths.\n" in found.text


def test_a_password():
    data = manual(3, "secret")
    with pytest.raises(InputError, match=r"m\.pdf: the PDF is encrypted") as caught:
        load(data, "m.pdf")
    assert "--password" in caught.value.hint
    with pytest.raises(InputError, match="password is wrong"):
        load(data, "m.pdf", pdf=PdfOptions("other"))
    assert load(data, "m.pdf", pdf=PdfOptions("secret")).text == load(manual(3), "m.pdf").text


@pytest.mark.parametrize("data", [DAMAGED, b"%PDF-1.7\nplain text follows", SCAN])
def test_what_cannot_be_read(data):
    with pytest.raises(InputError, match=r"^x\.pdf: ") as caught:
        load(data, "x.pdf")
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_the_sample_is_what_its_script_writes():
    assert runpy.run_path(str(REPORT.with_name("make_report_pdf.py")))["make"]() == REPORT.read_bytes()


@pytest.mark.parametrize("tables", [True, False])
def test_furniture_is_the_same_whatever_reads_the_sample(tables):
    kinds = {}
    for engine in ("auto", "pdfium", "pdfplumber"):
        pages = read_pages(REPORT.read_bytes(), engine=engine, tables=tables).pages
        kinds[engine] = {
            (page + 1, "".join(pages[page].lines[line].text.split())): found.kind
            for (page, line), found in families(pages).items()
        }
    assert kinds["auto"] == kinds["pdfium"] == kinds["pdfplumber"]
    numbers = [(page, text) for (page, text), kind in kinds["auto"].items() if kind == "number"]
    assert sorted(numbers) == [(page, f"第{page}页共7页") for page in range(1, 8)]


@pytest.mark.parametrize("engine", ["auto", "pdfium", "pdfplumber"])
def test_both_engines_read_the_sample(engine):
    found = load(REPORT.read_bytes(), "report.pdf", pdf=PdfOptions(engine=engine))
    assert found.text.count("\f") == 6
    assert "本次利润分配预案为：以现有总股本 21,600 万股为基数" in found.text
    assert ("| 营业收入 | 98,765.43 | 81,204.17 | 21.63% |" in found.text) is (engine != "pdfium")
    marked = {(found.text[mark.start : mark.end].replace(" ", ""), mark.page) for mark in found.marks}
    assert {(f"第{page}页共7页", page) for page in range(1, 8)} <= marked
    assert {("内部资料请勿外传", page) for page in range(1, 8)} <= marked
    assert not [part for part in found.segments if part.kind == "body" and "请勿外传" in part.label]
