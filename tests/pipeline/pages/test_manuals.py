"""Furniture of the manuals of Debian: found where it was seen, none left, and nothing else taken.

manuals/*.json hold what was seen on pages that were looked at as images; manuals/README.md says how.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import unicodedata
from collections import Counter
from html import unescape
from pathlib import Path

import pytest

from debian_manuals import MANUALS, html_of, pages_of, pdf_of
from tokaudit.model.pages import Mark, Page
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.pages.edge_lines import Headings, letters, page_numbers, unnumbered
from tokaudit.pipeline.pages.furniture import families, furniture, furniture_of_text
from tokaudit.sources.pdf.read import read_pages
from tokaudit.store.packs import load_pack

pytestmark = pytest.mark.xdist_group("manuals")  # each is read once
SEEN = Path(__file__).parent / "manuals"

RUNNING = {
    "install-zh": r"(?:CHAPTER|APPENDIX) \S+\. |CONTENTS$",
    "install-en": r"(?:CHAPTER|APPENDIX) \S+\. |CONTENTS$",
    "reference-zh": r"Debian 参考手册 (?:[ivxl]+|\d+ / \d+)$",
    "maint-zh": r"Debian 新维护者手册 (?:[ivxl]+|\d+ / \d+)$",
    "debmake-zh": r"(?:CHAPTER|APPENDIX) \S+\. |CONTENTS$",
    "debmake-en": r"(?:CHAPTER|APPENDIX) \S+\. |CONTENTS$|PREFACE$",
    "policy": r"Debian Policy Manual, Release|\d+ ?(?:Chapter|CONTENTS|Index)\b",
    "fhs": r"(?:The (?:Root Filesystem|/usr Hierarchy|/var Hierarchy)|Operating System Specific Annex|Appendix)$",
}
"""What running lines begin with, or are."""


OF_THE_PDF = ("Contents", "Index", "Debian Policy Manual, Release")
"""Titles that the edition in HTML does not have."""


def digest(page: int, text: str) -> str:
    """Of a line without white space, so that it stays the same however words are told apart."""
    said = "".join(unicodedata.normalize("NFKC", text).split())
    return hashlib.sha256(f"{page} {said}".encode()).hexdigest()[:10]


def is_furniture(kind: str) -> bool:
    return kind in ("running", "number")


@pytest.mark.parametrize("path", sorted(SEEN.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_seen_is_what_is_found(path: Path):
    seen = json.loads(path.read_text("utf-8"))
    if hashlib.sha256(pdf_of(path.stem)).hexdigest() != seen["sha256"]:
        pytest.skip(f"{path.stem} was looked at in another version")
    pages = furniture(pages_of(path.stem))
    there = of_all = 0
    for number, of_page in seen["pages"].items():
        lines = [(digest(int(number), line.text), line.kind) for line in pages[int(number) - 1].lines]
        found = Counter(f"{code} {kind}" for code, kind in lines if is_furniture(kind))
        assert found == Counter(of_page["furniture"]), f"page {number}"
        body = Counter(of_page["body"].split())
        taken = [code for code, kind in lines if is_furniture(kind) and code in body]
        assert not taken, f"page {number}"
        there += (body & Counter(code for code, _ in lines)).total()
        of_all += body.total()
    # Where tables are taken apart another way, some lines are others.
    assert there >= 0.9 * of_all
    assert len(seen["pages"]) >= 20


@pytest.mark.parametrize("name", MANUALS)
def test_nothing_is_left(name: str):
    for page in furniture(pages_of(name)):
        left = sorted((line.top, line.text.strip()) for line in page.lines if not is_furniture(line.kind))
        for _, text in [*left[:1], *left[-1:]]:
            assert not re.match(RUNNING[name], text) or _is_listed(page, text), (page.number, text)
        # A number by itself below everything else.
        if left:
            assert not re.fullmatch(r"\d{1,3}|[ivxl]{2,}", left[-1][1]), (page.number, left[-1])


def _is_listed(page: Page, text: str) -> bool:
    """Whether a line is a heading or of a table of contents rather than at the edge."""
    return any(line.text.strip() == text and 55 < line.top < page.height - 60 for line in page.lines)


@pytest.mark.parametrize("name", MANUALS)
def test_nothing_of_the_body_is_taken(name: str):
    pages = furniture(pages_of(name))
    titles = [
        unescape(re.sub(r"<[^>]*>", "", text))
        for page in html_of(name)
        for tags in ("title|h[1-6]|dt", "a|span|strong")
        for _, text in re.findall(rf"(?s)<({tags})\b[^>]*>(.{{2,300}}?)</\1>", page)
    ]
    if not titles:
        pytest.skip("no edition in HTML")
    headings = Headings([*(part for title in titles for part in (title, _bare(title))), *OF_THE_PDF])
    for page in pages:
        taken = [line for line in page.lines if is_furniture(line.kind)]
        # At the edges, two lines each at most and a number.
        assert len(taken) <= 4
        assert all(line.top < 60 or line.bottom > page.height - 60 for line in taken), page.number
        for line in taken:
            if line.kind == "number":
                assert any(number.alone for number in page_numbers(line.text.strip())), line.text
                continue
            numbers = page_numbers(line.text)
            said = unnumbered(numbers[0].masked) if numbers else line.text
            parts = [letters(_bare(part)) for part in re.split(r"(?<=\S) (?=(?:[A-Z]|\d+)\.\d)|…", said)]
            for part in parts:
                assert not part or _known(headings, part), (page.number, line.text, part)


def _bare(title: str) -> str:
    """A title without the number of its chapter or section."""
    return re.sub(
        r"^\s*\d*\s?(?:(?:chapter|appendix|第|附录)\s*)?(?:[A-Z]|\d+)?(?:[.．]\d+)*\s*章?[.．]?\s+",
        "",
        title,
        flags=re.IGNORECASE,
    )


def _known(headings: Headings, part: str) -> bool:
    return headings.parts(part) > 0 or headings.parts(part + "…") > 0


@pytest.mark.parametrize("name", MANUALS)
def test_text_gives_what_geometry_gives(name: str):
    pages = pages_of(name)
    by_place = Counter((page, pages[page].lines[line].text) for page, line in families(pages))
    text = "\f".join("\n".join(line.text for line in page.lines) for page in pages)
    by_order = Counter((mark.page - 1, text[mark.start : mark.end]) for mark in furniture_of_text(text))
    assert (by_place & by_order).total() >= 0.95 * by_place.total()
    # A title page's line that is the running line's text is at an edge too.
    assert (by_order - by_place).total() <= 2


@pytest.mark.parametrize("name", ["fhs", "policy", "debmake-zh"])
def test_slimming_takes_what_is_marked_and_nothing_else(name: str):
    pages = furniture(pages_of(name))
    marks: list[Mark] = []
    wanted: list[str] = []
    kept: set[str] = set()
    found = families(pages_of(name))
    text = ""
    for at, page in enumerate(pages):
        rest = []
        for number, line in enumerate(page.lines):
            start = len(text)
            text += line.text + "\n"
            what = found.get((at, number))
            if what is not None:
                marks.append(Mark(start, start + len(line.text), what.kind, page.number, what.family))
            if what is None or (what.kind == "running" and what.family not in kept):
                rest.append(f"{line.text}\n")
                kept.add(what.family if what else "")
        text += "\f"
        wanted.append("".join(rest))
    rules = [rule for rule in load_pack("pdf").rules if rule.op == "page-furniture"]
    once = slim_text(text, rules, kind="pdf", marks=marks)
    assert once.text.split("\f")[:-1] == wanted
    assert once.ledger.whole
    # Without its marks, there is nothing left to be found.
    assert slim_text(once.text, rules, kind="pdf").text == once.text


@pytest.mark.parametrize("name", ["install-zh", "reference-zh", "policy"])
def test_both_engines_tell_the_same_furniture(name: str):
    data = _stretch(pdf_of(name), 60, 12)
    found = []
    for engine in ("pdfium", "pdfplumber"):
        pages = read_pages(data, engine=engine, tables=False, page_seconds=60).pages
        found.append(
            Counter(
                (page, digest(page, pages[page].lines[at].text), what.kind)
                for (page, at), what in families(pages).items()
            )
        )
    assert found[0].total() >= 12
    assert found[0] == found[1]


def _stretch(data: bytes, start: int, count: int) -> bytes:
    """Some pages as a PDF of their own: pdfplumber takes a second for ten."""
    import pypdfium2

    whole, part, buffer = pypdfium2.PdfDocument(data), pypdfium2.PdfDocument.new(), io.BytesIO()
    part.import_pages(whole, list(range(start, start + count)))
    part.save(buffer)
    part.close()
    whole.close()
    return buffer.getvalue()
