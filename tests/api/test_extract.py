"""``tokaudit.extract``: pages, lines with places and kinds, what is kept, and why the rest is not."""

from __future__ import annotations

import pytest

import tokaudit
from places import SAMPLES
from small_pdf import DAMAGED, SCAN, manual

REPORT = SAMPLES / "annual-report.zh.pdf"
HEADER = "Pump Station Manual, Edition 4"


@pytest.fixture
def m_pdf(tmp_path):
    path = tmp_path / "m.pdf"
    path.write_bytes(manual())
    return path


def test_pages_and_lines(m_pdf):
    found = tokaudit.extract(m_pdf)
    assert [page.number for page in found.pages] == list(range(1, 9))
    assert not found.encrypted
    assert not found.skipped
    page = found.pages[2]
    assert (page.width, page.height, page.problem, page.unmapped) == (595, 842, "", 0)
    assert [line.kind for line in page.lines] == ["running", *["body"] * 5, "number"]
    for line in page.lines:
        left, top, right, bottom = line.box
        assert 0 < left < right < page.width
        assert 0 < top < bottom < page.height
        assert line.size == 11
    assert [line.kept for line in page.lines] == [False, *[True] * 5, False]
    assert page.lines[0].reason == "running line, on 8 pages"
    assert page.lines[-1].reason == "page number"
    assert page.text == "\n".join(line.text for line in page.lines[1:-1])


@pytest.mark.parametrize(("keep", "headers"), [("none", 0), ("first", 1), ("distinct", 1), ("all", 8)])
def test_what_is_kept(m_pdf, keep, headers):
    found = tokaudit.extract(m_pdf, keep=keep)
    assert found.text.count(HEADER) == headers
    assert found.text.count("\f") == 7
    assert len(found.dropped) == (0 if keep == "all" else 16 - headers)
    assert all(line.reason for _, line in found.dropped)
    first = found.pages[0].lines[0]
    assert first.kept is (headers > 0)
    if keep == "first":
        assert first.reason == "running line, on 8 pages: the first"


def test_the_sample():
    found = tokaudit.extract(REPORT)
    assert {line.kind for _, line in found.dropped} == {"running", "number", "watermark"}
    assert found.text.count("示例精密仪器股份有限公司 2025 年年度报告") == 1
    table = [line for line in found.pages[5].lines if line.kind == "table"]
    assert table[0].text.startswith("| ")
    assert all(line.kept for line in table)


def test_bytes_and_engines():
    pages = [
        [(line.text, line.kind) for line in page.lines]
        for engine in ("pdfium", "pdfplumber")
        for page in tokaudit.extract(manual(), pdf_engine=engine, jobs=1).pages
    ]
    assert pages[:8] == pages[8:]


def test_errors(tmp_path):
    with pytest.raises(tokaudit.InputError, match="cannot be read: No such file"):
        tokaudit.extract(tmp_path / "no.pdf")
    for data in (DAMAGED, SCAN, b"text"):
        with pytest.raises(tokaudit.InputError, match=r"^<bytes>: ") as caught:
            tokaudit.extract(data)
        assert "\n" not in str(caught.value)
    with pytest.raises(tokaudit.InputError, match="encrypted"):
        tokaudit.extract(manual(password="secret"))
    assert tokaudit.extract(manual(password="secret"), password="secret").encrypted
    with pytest.raises(tokaudit.UsageError, match="keep"):
        tokaudit.extract(manual(), keep="some")
    with pytest.raises(tokaudit.UsageError, match="engine"):
        tokaudit.extract(manual(), pdf_engine="other")
