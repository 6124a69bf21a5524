"""Words, lines, columns, what stands beside the body, tables."""

from __future__ import annotations

import pytest

from pdf_bytes import cid_font, line, pdf, show, shown
from tokaudit.model.pages import Page
from tokaudit.sources.pdf import read_pages
from tokaudit.sources.pdf.hyphens import known_words, link
from tokaudit.sources.pdf.tables import written
from tokaudit.sources.pdf.text import cleaned, parted

ENGINES = ("auto", "pdfplumber")


def page(content: str, engine: str = "auto", **kwargs) -> Page:
    return read_pages(pdf([content], **kwargs), engine=engine).pages[0]


def texts(content: str, engine: str = "auto", kind: str = "body", **kwargs) -> list[str]:
    return [found.text for found in page(content, engine, **kwargs).lines if found.kind == kind]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_line_has_its_place(engine):
    found = page(show("Hello world", 72, 700, 12), engine)
    assert (found.width, found.height, found.number) == (600, 800, 1)
    (only,) = found.lines
    assert only.text == "Hello world"
    assert (only.left, only.size, only.kind) == (pytest.approx(72, abs=1), 12, "body")
    assert only.top < 100 < only.bottom
    assert (found.glyphs, found.unmapped) == (10, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_words_moved_apart_without_a_space_are_words(engine):
    content = "BT /F1 10 Tf 72 700 Td [(glued) -300 (not) -10 (hing) -300 (to) 30 (rn)] TJ ET"
    assert texts(content, engine) == ["glued nothing torn"]


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_are_read_from_the_top_whatever_the_order_of_the_file(engine):
    content = show("third", 72, 600) + show("first", 72, 700) + show("second", 72, 650)
    assert texts(content, engine) == ["first", "second", "third"]


LEFT = [f"left column line {n} is full of many words here" for n in range(12)]
RIGHT = [f"right column line {n} is full of other words too" for n in range(12)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shift", [0, 5])
def test_two_columns_one_after_the_other(engine, shift):
    content = (
        show("A title that runs over both of the columns of this page, as titles do", 60, 740, 12)
        + shown(LEFT, 60, 700)
        + shown(RIGHT, 330, 700 - shift)
        + show("a foot line that runs over both of the columns of this page, as some do", 60, 500)
    )
    found = texts(content, engine)
    assert found[1:-1] == LEFT + RIGHT
    assert found[0].startswith("A title")
    assert found[-1].startswith("a foot line")


def test_two_columns_of_prose_that_the_file_has_row_by_row():
    rows = [
        shown([left], 60, 700 - 12 * n) + shown([right], 330, 700 - 12 * n)
        for n, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
    ]
    assert texts("".join(rows)) == LEFT + RIGHT


def test_a_table_without_lines_stays_row_by_row():
    rows = "".join(show(f"item {n}", 60, 700 - 12 * n) + show(f"{n * 7}.00", 400, 700 - 12 * n) for n in range(10))
    assert texts(rows) == [f"item {n} {n * 7}.00" for n in range(10)]


def test_the_number_of_a_note_stays_with_its_word():
    content = show("as was shown", 72, 700) + show("12", 131, 704, 6) + show("before", 142, 700)
    assert texts(content)[0].startswith("as was shown")
    assert len(texts(content)) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_divided_words_are_joined_and_compounds_keep_their_hyphen(engine):
    content = shown(
        [
            "A network is a net-",
            "work of hosts, and a well-",
            "known one is well-known; it is not",
            "a Multi-",
            "Arch.",
        ],
        72,
        700,
    )
    assert texts(content, engine) == [
        "A network is a network",
        "of hosts, and a well-known",
        "one is well-known; it is not",
        "a Multi-Arch.",
    ]


@pytest.mark.parametrize(
    ("head", "tail", "expected"),
    [
        ("net", "work", ""),  # the document has it
        ("un", "heard", ""),  # it has neither
        ("/usr/share/de", "bian/rules", ""),
        ("x86_64-linux", "gnu", "-"),
        ("foo:bin,foo", "doc:doc", "-"),
        ("PCI/PCI", "Express", "-"),
        ("IN", "ABILITY", ""),
        ("Multi", "Arch", "-"),
        ("non", "free", "-"),
    ],
)
def test_what_stands_between_the_parts_of_a_word(head, tail, expected):
    assert link(head, tail, known_words(["the network of Debian is non-free", "x\x02y"])) == expected


def test_ligatures_and_unmapped_glyphs():
    font, more = cid_font({1: "ﬁ", 2: "n", 3: "ﬀ", 4: "\ue000"}, 1000)
    found = page(
        "BT /C 10 Tf 72 700 Td <0001000200030009> Tj ET BT /C 10 Tf 72 600 Td <00020004> Tj ET",
        fonts={"C": font},
        more=more,
    )
    assert [each.text for each in found.lines] == ["finff(cid:9)", "n\ue000"]
    assert (found.unmapped, found.glyphs) == (2, 8)


def test_a_character_of_several_letters_is_not_taken_for_bold_type():
    font, more = cid_font({1: "di", 2: "ff", 3: "er"}, 1000)
    assert texts("BT /C 10 Tf 72 700 Td <000100020003> Tj ET", fonts={"C": font}, more=more) == ["differ"]


def test_chinese_that_is_stretched_has_no_spaces():
    font, more = cid_font(dict(enumerate("中文排版a（，", start=1)), 1000)
    stretched = "BT /C 10 Tf 72 700 Td [<0001> -300 <0002> -300 <0003> -300 <0004> -300 <0005>] TJ ET"
    assert texts(stretched, fonts={"C": font}, more=more) == ["中文排版 a"]
    apart = "BT /C 10 Tf 72 700 Td [<0001> -900 <0002>] TJ ET"
    assert texts(apart, fonts={"C": font}, more=more) == ["中 文"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_slanted_watermark_is_no_body(engine):
    content = shown(["The body of the page", "goes on below it"], 72, 420) + show(
        "CONFIDENTIAL", 100, 300, 60, matrix="0.7071 0.7071 -0.7071 0.7071"
    )
    assert texts(content, engine) == ["The body of the page", "goes on below it"]
    assert texts(content, engine, "watermark") == ["CONFIDENTIAL"]


@pytest.mark.parametrize("engine", ENGINES)
def test_slanted_names_at_an_axis_are_no_watermarks(engine):
    slant = "0.7071 0.7071 -0.7071 0.7071"
    content = shown(["Sales of the year"], 72, 420) + show("January", 100, 300, 8, matrix=slant)
    light = f"0.85 g {show('for Li Lei only', 200, 300, 8, matrix=slant)} 0 g "
    assert texts(content + light, engine, "vertical") == ["January"]
    assert texts(content + light, engine, "watermark") == ["for Li Lei only"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_light_level_watermark_over_text_is_no_body(engine):
    body = [f"line {n} of the body of a page with a watermark" for n in range(12)]
    content = f"0.85 g {show('DRAFT', 80, 620, 70)} 0 g " + shown(body, 72, 700)
    assert texts(content, engine) == body
    assert texts(content, engine, "watermark") == ["DRAFT"]


@pytest.mark.parametrize("engine", ENGINES)
def test_upright_text_beside_the_body(engine):
    content = shown(["The body of the page goes on"] * 3, 72, 420) + show("SIDE NOTE", 30, 300, 8, matrix="0 1 -1 0")
    assert texts(content, engine) == ["The body of the page goes on"] * 3
    assert texts(content, engine, "vertical") == ["SIDE NOTE"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("matrix", "x"), [("0 1 -1 0", (100, 120)), ("0 -1 1 0", (500, 480))])
def test_a_page_that_is_turned_as_a_whole_is_read(engine, matrix, x):
    content = show("the first line", x[0], 300, matrix=matrix) + show("the second line", x[1], 300, matrix=matrix)
    found = page(content, engine)
    assert [each.text for each in found.lines] == ["the first line", "the second line"]
    assert (found.width, found.height) == (800, 600)
    assert found.lines[0].top < found.lines[1].top


@pytest.mark.parametrize("engine", ENGINES)
def test_a_page_with_a_rotation_is_read_as_it_is_shown(engine):
    content = show("the first line", 100, 300, matrix="0 1 -1 0") + show("the second line", 120, 300, matrix="0 1 -1 0")
    found = page(content, engine, page="/Rotate 90")
    assert [each.text for each in found.lines] == ["the first line", "the second line"]
    assert (found.width, found.height) == (800, 600)
    assert found.lines[0].left == pytest.approx(300, abs=1)


def test_a_box_that_does_not_begin_at_zero():
    found = page(show("Hello", 172, 800), box="100 100 700 900")
    assert found.lines[0].left == pytest.approx(72, abs=1)
    assert found.lines[0].top == pytest.approx(92, abs=1)


def test_notes_below_a_rule():
    content = (
        shown(["The body says much,1 and it goes on", "for several lines of the page", "to its end."], 72, 400)
        + line(72, 130, 200, 130)
        + show("1 A note on what was said, set in small type,", 72, 118, 8)
        + show("which takes two lines.", 72, 108, 8)
        + show("17", 300, 40, 10)
    )
    found = page(content)
    assert [each.text for each in found.lines if each.kind == "footnote"] == [
        "1 A note on what was said, set in small type,",
        "which takes two lines.",
    ]
    assert found.lines[-1].text == "17"
    assert found.lines[-1].kind == "body"


def ruled(rows: list[list[str]], *, sides: bool = True, foot: bool = True) -> str:
    content, columns, height = "", len(rows[0]), 20
    for r, row in enumerate(rows):
        content += "".join(show(cell, 105 + 120 * c, 686 - height * r) for c, cell in enumerate(row))
    for r in range(len(rows) + foot):
        content += line(100, 700 - height * r, 100 + 120 * columns, 700 - height * r)
    for c in range(0 if sides else 1, columns + 1 if sides else columns):
        content += line(100 + 120 * c, 700, 100 + 120 * c, 700 - height * len(rows))
    return content


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("sides", "foot"), [(True, True), (False, True), (True, False)])
def test_a_ruled_table_is_compact_markdown(engine, sides, foot):
    rows = [["Name", "Size", "Use"], ["alpha", "10", "first"], ["beta", "", "second"]]
    content = show("Before the table", 72, 740) + ruled(rows, sides=sides, foot=foot) + show("After it", 72, 500)
    found = page(content, engine)
    assert [each.text for each in found.lines] == [
        "Before the table",
        "| Name | Size | Use |",
        "|---|---|---|",
        "| alpha | 10 | first |",
        "| beta |  | second |",
        "After it",
    ]
    assert [each.kind for each in found.lines] == ["body", *["table"] * 4, "body"]


def test_a_frame_is_no_table():
    content = shown(["a listing", "in a frame"], 110, 680) + "100 600 400 100 re S\n102 602 396 96 re S\n"
    assert texts(content) == ["a listing", "in a frame"]


def test_grounds_of_rows_are_no_table():
    strips = "".join(f"0.9 g 100 {690 - 12 * n} 10 12 re f 110 {690 - 12 * n} 300 12 re f\n" for n in range(6))
    content = strips + "0 g " + shown(["12 # a listing", "13 with numbers"], 102, 692)
    assert texts(content) == ["12 # a listing", "13 with numbers"]


def test_tables_can_be_left_alone():
    content = ruled([["Name", "Size"], ["alpha", "10"]])
    found = read_pages(pdf([content]), tables=False).pages[0]
    assert [each.text for each in found.lines] == ["Name Size", "alpha 10"]


def test_a_bar_in_a_cell_makes_tsv():
    assert written([["a", "b"], ["x | y", "1"]]) == ["a\tb", "x | y\t1"]
    assert written([["a", "b"], ["x", ""]]) == ["| a | b |", "|---|---|", "| x |  |"]


def test_spaces_beside_full_width_marks():
    assert not parted("）", "a", 0.3, 1)
    assert not parted("h", "（", 0.3, 1)
    assert parted("文", "a", 0.25, 1)
    assert not parted("a", "b", 0.05, 1)
    assert parted("a", "b", 0.2, 0)


def test_a_space_that_was_written_between_ideographs_parts_them():
    assert parted("优", "良", 0.2, 2)
    assert not parted("优", "良", 0.2, 0)
    assert not parted("优", "良", 0.2, 1)
    assert not parted("。", "良", 0.2, 2)


def test_control_characters_are_dropped():
    assert cleaned("a\x01b\u200bc ﬂ") == "abc fl"
    assert cleaned("co\xadop net\xad") == "co-op net\x02"


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        (["Call the number of the office 010-", "12345678 before noon."], "Call the number of the office 010-12345678"),
        (["The binding of the protein alpha2-", "integrin is seen."], "The binding of the protein alpha2-integrin"),
        (["The report shows changes in mid-", "to long-term rates."], "The report shows changes in mid-"),
        (["The years were counted from 1990-", "and that was all."], "The years were counted from 1990-"),
        (["Die Ein-", "und Ausgabe"], "Die Ein-"),
        (["Grade 5-", "6 apples"], "Grade 5-"),
        (["It is a user-", "friendly tool: the user is friendly."], "It is a user-friendly"),
        (["These rules are in the doc-", "ument of the house."], "These rules are in the document"),
        (["The e-", "mail was sent, and no email."], "The e-mail"),
        (["He had it re-", "sent, as people sent it."], "He had it re-sent,"),
    ],
)
def test_hyphens_at_the_ends_of_lines(lines, read):
    (page,) = read_pages(pdf([shown(lines, 72, 700)])).pages
    assert page.lines[0].text == read
    assert "".join(line.text for line in page.lines).replace("-", "").replace(" ", "") == "".join(lines).replace(
        "-", ""
    ).replace(" ", "")
