"""Reading order: columns one after the other, tables row by row, values of form fields beside their labels."""

from __future__ import annotations

import pytest

from pdf_bytes import pdf, show, shown, stream
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.sources.pdf import read_pages
from tokaudit.sources.pdf.document import document_of
from tokaudit.store.packs import load_pack

SENTENCE = "the pump is switched off before the cover and the filter were opened by hand today"
WORDS = SENTENCE.split()
A3 = "0 0 1191 842"


def column(name: str, count: int, words: int) -> list[str]:
    return [
        f"{name}{at} " + " ".join(WORDS[(at * 3 + word) % len(WORDS)] for word in range(words)) for at in range(count)
    ]


def chained(columns: list[list[str]]) -> list[str]:
    return [text for lines in columns for text in lines]


def one_after_other(columns: list[list[str]], places: list[float]) -> str:
    return "".join(shown(lines, x, 700) for lines, x in zip(columns, places, strict=True))


def line_by_line(columns: list[list[str]], places: list[float]) -> str:
    content = ""
    for at in range(max(map(len, columns))):
        for lines, x in zip(columns, places, strict=True):
            content += show(lines[at], x, 700 - 12 * at) if at < len(lines) else ""
    return content


def texts(content: str, box: str = "0 0 600 800") -> list[str]:
    return [line.text for line in read_pages(pdf([content], box=box)).pages[0].lines]


@pytest.mark.parametrize("heads", [0, 1, 2])
@pytest.mark.parametrize("lengths", [(20, 20, 20), (20, 17, 9), (20, 20, 2)])
def test_three_columns(lengths, heads):
    columns = [column(name, count, 4) for name, count in zip("abc", lengths, strict=True)]
    over = [
        f"Heading {at} goes over all of the three columns of this page, as they do in a gazette" for at in range(heads)
    ]
    content = shown(over, 40, 740, 12, 16) + one_after_other(columns, [40, 220, 400])
    assert texts(content) == [*over, *chained(columns)]


def test_two_columns_of_prose_that_the_file_has_line_by_line():
    columns = [column("a", 18, 9), column("b", 14, 9)]
    assert texts(line_by_line(columns, [40, 330])) == chained(columns)


@pytest.mark.parametrize("gap", [0, 5])
def test_three_columns_of_prose_that_the_file_has_line_by_line(gap):
    columns = [column(name, count, 7) for name, count in zip("abc", (24, 20, 14), strict=True)]
    content = ""
    for at in range(24):
        for number, lines in enumerate(columns):
            content += show(lines[at], 40 + 260 * number, 700 - 12 * at - gap * number) if at < len(lines) else ""
    assert texts(content, "0 0 842 800") == chained(columns)


def test_a_table_of_names_and_departments_is_read_row_by_row():
    names = ["Anna Smith", "John Johnson", "Wei Zhang", "Olga Ivanova", "Hans Mueller", "Yuki Tanaka"] * 3
    places = ["Quality control of incoming goods", "Accounting", "Human resources department"] * 6
    content = "".join(
        show(name, 60, 700 - 14 * y) + show(place, 150, 700 - 14 * y)
        for y, (name, place) in enumerate(zip(names, places, strict=True))
    )
    assert texts(content) == [f"{name} {place}" for name, place in zip(names, places, strict=True)]


def test_a_heading_between_columns():
    upper, lower = [column("a", 9, 4), column("b", 9, 4)], [column("c", 9, 4), column("d", 7, 4)]
    heading = "A heading that goes over both of the columns, between two parts of a page of news"
    content = one_after_other(upper, [60, 330]) + show(heading, 60, 560)
    content += "".join(shown(lines, x, 530) for lines, x in zip(lower, [60, 330], strict=True))
    assert texts(content) == [*upper[0], *upper[1], heading, *lower[0], *lower[1]]


@pytest.mark.parametrize("order", [one_after_other, line_by_line])
def test_two_columns_of_a_large_page(order):
    columns = [column("a", 25, 16), column("b", 25, 16)]
    assert texts(order(columns, [60, 650]), A3) == chained(columns)


@pytest.mark.parametrize("by_line", [False, True])
def test_questions_with_options_in_two_columns(by_line):
    pieces, expected = [], []
    for x, first in ((60, 1), (650, 9)):
        y = 760
        for number in range(first, first + 8):
            question = f"{number}. which of the following sentences about pumps is the right one here"
            options = [f"{letter}. answer {number}" for letter in "ABCD"]
            pieces += [(y, x, question), *((y - 14, x + 110 * at, option) for at, option in enumerate(options))]
            expected += [question, " ".join(options)]
            y -= 36
    if by_line:  # the numbers go on from the left column to the right one
        pieces.sort(key=lambda piece: (-piece[0], piece[1]))
    assert texts("".join(show(text, x, y) for y, x, text in pieces), A3) == expected


def test_a_table_is_read_row_by_row():
    rows = [[f"r{row}c{cell}" for cell in range(4)] for row in range(12)]
    content = "".join(
        show(text, 60 + 120 * x, 700 - 14 * y) for y, row in enumerate(rows) for x, text in enumerate(row)
    )
    assert texts(content) == [" ".join(row) for row in rows]


def test_a_table_within_a_column():
    left, right = column("a", 20, 4), column("b", 15, 4)
    rows = [[f"r{row}c{cell}" for cell in range(4)] for row in range(6)]
    table = "".join(show(text, 330 + 60 * x, 440 - 14 * y) for y, row in enumerate(rows) for x, text in enumerate(row))
    content = shown(left, 60, 700) + shown(right, 330, 700) + table
    assert texts(content) == [*left, *right, *(" ".join(row) for row in rows)]


def test_rows_that_white_parts_are_not_joined():
    rows = [
        ("the pump is switched off before the cover and the filter,", "reads the value and"),
        ("opened by hand when the motor is warm and the light goes,", "writes it down here"),
        ("green at last.", "and there."),
    ]
    content = "".join(show(a, 60, 700 - 14 * y) + show(b, 420, 700 - 14 * y) for y, (a, b) in enumerate(rows))
    content += shown(["1.", "2."], 60, 600, step=14) + shown(
        ["The first item of a list.", "The second."], 90, 600, step=14
    )
    document = document_of(read_pages(pdf([content])), "rows.pdf")
    assert [line.parted for line in read_pages(pdf([content])).pages[0].lines] == [True, True, True, False, False]
    assert slim_text(document.text, load_pack("pdf").rules, kind="pdf", marks=document.marks).text == document.text


WIDGET = "/Type /Annot /Subtype /Widget"
CHOICE = "/FT /Ch /Ff 131072 /T (city) /Opt [(Paris) (Rome)]"
BUTTON = "/AP << /N << /Yes 1004 0 R /Off 1004 0 R >> >>"


def test_values_of_form_fields_stand_beside_their_labels():
    numbers = " ".join(f"{number} 0 R" for number in range(1000, 1004))
    fields = {
        1: f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{numbers}] >> >>".encode(),
        1000: f"<< {WIDGET} /FT /Tx /T (name) /V (Li Lei) /Rect [150 690 300 710] >>".encode(),
        1001: f"<< {WIDGET} /FT /Btn /T (ok) /V /Yes /AS /Yes {BUTTON} /Rect [150 660 165 675] >>".encode(),
        1002: f"<< {WIDGET} {CHOICE} /V (Rome) /Rect [150 630 300 650] >>".encode(),
        1003: f"<< {WIDGET} /FT /Btn /T (no) /V /Off /AS /Off {BUTTON} /Rect [150 600 165 615] >>".encode(),
        1004: stream(b"", "/Type /XObject /Subtype /Form /BBox [0 0 15 15]"),
    }
    labels = show("Name:", 72, 696) + show("Agreed:", 72, 663) + show("City:", 72, 636) + show("Paid:", 72, 603)
    (page,) = read_pages(pdf([labels], page=f"/Annots [{numbers}]", more=fields)).pages
    assert [line.text for line in page.lines] == ["Name: Li Lei", "Agreed: Yes", "City: Rome", "Paid: Off"]
