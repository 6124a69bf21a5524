"""Chinese, Japanese and Korean in fonts that are not in the file: read alike on every machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pdf_bytes import pdf, show
from tokaudit.sources.pdf import read_pages

CASES = {
    "UniGB-UCS2-H": ("GB1", "utf-16-be", "张三优良中差"),
    "GBK-EUC-H": ("GB1", "gbk", "性别男女是否"),
    "90ms-RKSJ-H": ("Japan1", "cp932", "日本語の成績"),
    "KSCms-UHC-H": ("Korea1", "cp949", "한국어성적표"),
    "ETen-B5-H": ("CNS1", "big5", "學號姓名成績"),
}


def unembedded(encoding: str, ordering: str) -> str:
    descriptor = (
        "<< /Type /FontDescriptor /FontName /Song /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800"
        " /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    system = f"<< /Registry (Adobe) /Ordering ({ordering}) /Supplement 0 >>"
    below = (
        f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /DW 1000 /CIDSystemInfo {system}"
        f" /FontDescriptor {descriptor} >>"
    )
    return f"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /{encoding} /DescendantFonts [{below}] >>"


@pytest.mark.parametrize("encoding", CASES)
def test_single_glyphs_of_a_font_that_is_not_in_the_file(encoding):
    ordering, charset, text = CASES[encoding]
    content = show("Marks", 72, 740) + "".join(
        f"BT /F2 12 Tf 1 0 0 1 {72 + 40 * at} 700 Tm <{char.encode(charset).hex()}> Tj ET\n"
        for at, char in enumerate(text)
    )
    data = pdf([content], fonts={"F2": unembedded(encoding, ordering)})
    read = read_pages(data, page_seconds=60)  # the second engine is loaded for it
    assert [line.text for line in read.pages[0].lines] == ["Marks", " ".join(text)]
    assert not read.problems


def test_spaces_without_width_are_no_lost_text():
    content = show("Nothing is lost here", 72, 700) + "BT /F1 0.001 Tf 1 0 0 1 72 690 Tm ( ) Tj ET\n"
    read = read_pages(pdf([content]))
    assert [line.text for line in read.pages[0].lines] == ["Nothing is lost here"]
    assert not read.problems


def test_the_engine_asks_for_no_font_of_the_machine():
    """Where fontless and full machines differ is the engine's source of fonts: with none it is as on the former."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import pypdfium2.raw as raw
from test_fonts import CASES, unembedded
from pdf_bytes import pdf
from tokaudit.sources.pdf.pdfium import PdfiumDocument

ordering, charset, text = CASES["UniGB-UCS2-H"]
content = "BT /F2 12 Tf 72 700 Td <" + text[0].encode(charset).hex() + "> Tj ET"
sheet = PdfiumDocument(pdf([content], fonts={"F2": unembedded("UniGB-UCS2-H", ordering)}), "").sheet(0)
print(sheet.count, sheet.lost)
"""
    here = Path(__file__).parent
    support = here.parent.parent / "support"
    took = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(support)!r}){code}", str(here)],
        stdout=subprocess.PIPE,
        check=True,
    )
    assert took.stdout.split() == [b"0", b"1"]
