from __future__ import annotations

from collections.abc import Sequence

import pytest

from tokaudit.model.pages import Mark, Page, PageLine
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.ops import op
from tokaudit.pipeline.pages.edge_lines import Headings, is_row, page_numbers
from tokaudit.pipeline.pages.furniture import families, furniture, furniture_of_text
from tokaudit.pipeline.spans.find import find_spans
from tokaudit.pipeline.views.view import View
from tokaudit.store.packs import load_pack

WIDTH, HEIGHT = 595.0, 842.0
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omikron",
    "pi",
    "rho",
    "sigma",
    "tau",
]


def line(text: str, top: float, left: float = 72.0, size: float = 10.0, kind: str = "body") -> PageLine:
    return PageLine(text, top, top + size, left, left + 5.0 * len(text), size, kind)  # type: ignore[arg-type]


def body(page: int, lines: int = 30, top: float = 74.0) -> list[PageLine]:
    """Lines of text, of which no two are the same."""
    return [
        line(f"{WORDS[(page + at) % 19]} {WORDS[(page * at) % 19]} of {WORDS[at % 19]} on {page} is it", top + 13 * at)
        for at in range(lines)
    ]


def document(pages: Sequence[Sequence[PageLine]]) -> list[Page]:
    return [Page(number, WIDTH, HEIGHT, lines) for number, lines in enumerate(pages, 1)]


def found(pages: Sequence[Page]) -> list[list[tuple[str, str]]]:
    """Kind and text of what is furniture on each page."""
    return [
        [(line.kind, line.text) for line in page.lines if line.kind in ("running", "number")]
        for page in furniture(pages)
    ]


def nothing(pages: Sequence[Page]) -> bool:
    return not any(found(pages))


# With geometry


def test_a_header_and_a_number():
    pages = document([[line("A manual", 36), *body(page), line(str(page), 800, 300)] for page in range(1, 7)])
    assert found(pages) == [[("running", "A manual"), ("number", str(page))] for page in range(1, 7)]
    assert {what.family for what in families(pages).values()} == {"A manual", ""}


def test_odd_and_even_pages_have_headers_of_their_own():
    pages = document(
        [[line(f"{n} Guide" if n % 2 else f"Part two {n}", 36, 72 if n % 2 else 400), *body(n)] for n in range(10, 20)]
    )
    assert all(len(of_page) == 1 for of_page in found(pages))
    assert {what.family for what in families(pages).values()} == {"# Guide", "Part two #"}


def test_section_titles_that_change_are_one_family():
    titles = ["Setting out", "First steps", "Long roads", "Deep water", "Coming home", "Last words"]
    pages = []
    for page in range(24):
        title = titles[page // 4]
        header = line(f"CHAPTER {page // 8 + 1}. {title.upper()}", 36)
        # A chapter's first page has a large title and no header.
        pages.append([line(title, 100, size=20), *body(page, 20, 150)] if page % 4 == 0 else [header, *body(page)])
    places = document(pages)
    assert [len(of_page) for of_page in found(places)] == [int(page % 4 > 0) for page in range(24)]
    assert len({what.family for what in families(places).values()}) == 1


def test_a_number_beside_a_title_is_a_line_of_its_own():
    pages = document([[*body(n), line(str(n + 3), 800, 72), line("Chapter 1. Scope", 800, 400)] for n in range(6)])
    assert found(pages)[2] == [("number", "5"), ("running", "Chapter 1. Scope")]


def test_numberings_may_begin_anew_and_be_roman():
    numbers = ["i", "ii", "iii", "iv", *map(str, range(1, 9))]
    pages = document([[*body(at), line(number, 800, 300)] for at, number in enumerate(numbers)])
    assert found(pages) == [[("number", number)] for number in numbers]


def test_a_page_with_nothing_but_a_header():
    pages = document([[line("A manual", 36), *(body(n) if n != 3 else [])] for n in range(7)])
    assert all(of_page == [("running", "A manual")] for of_page in found(pages))


def test_a_footer_that_takes_two_lines_on_one_page():
    pages = [[*body(n), line(f"{n} Chapter 1. Scope", 742)] for n in range(8)]
    pages[4][-1:] = [line("4 Chapter 1. Scope of what is said in this", 742), line("manual)", 754)]
    assert found(document(pages))[4] == [
        ("running", "4 Chapter 1. Scope of what is said in this"),
        ("running", "manual)"),
    ]


def report(page: int, pages: int) -> list[PageLine]:
    """A page of a report with two lines above, two below and its number; a table on every third."""
    lines = [line("华东装备股份有限公司 2023 年年度报告", 30, size=9), line("证券代码：600000", 42, size=9)]
    if page % 3 == 0:
        lines += [line(row, 74 + 15 * at) for at, row in enumerate(["项目 2023年 2022年", f"收入 {page}8.1 {page}2.5"])]
    lines += body(page, 40, 110)
    lines += [line(f"本页小计 {7 * page % 5}00.00 0.0%", 630), line("差额 0.00 0.0%", 645)] if page % 3 == 0 else []
    lines += [line("本报告仅供参考，不构成投资建议，", 760, size=8), line("风险自担。", 770, size=8)]
    return [*lines, line(f"第 {page} 页 共 {pages} 页", 800, 270, 9)]


@pytest.mark.parametrize("count", [4, 9, 60])
def test_a_report_with_much_furniture(count: int):
    pages = document([report(page, count) for page in range(1, count + 1)])
    wanted = [
        "华东装备股份有限公司 2023 年年度报告",
        "证券代码：600000",
        "本报告仅供参考，不构成投资建议，",
        "风险自担。",
    ]
    text = "\f".join("\n".join(line.text for line in page.lines) for page in pages)
    for number, of_page in enumerate(found(pages), 1):
        assert [text for _, text in of_page] == [*wanted, f"第 {number} 页 共 {count} 页"]
    assert [text for _, _, text in marked(text)] == [text for of_page in found(pages) for _, text in of_page]


def test_what_is_no_furniture():
    # The same line opens each page, but where the text begins.
    assert nothing(document([[line("Note", 74), *body(n, top=87)] for n in range(8)]))
    # Titles of slides: large, in one place, apart, each once.
    slides = [[line(f"The {WORDS[n]} {WORDS[n + 3]}", 36, size=24), *body(n, 6, 150)] for n in range(12)]
    assert nothing(document(slides))
    # On three pages only; on few of many pages.
    assert nothing(document([[line("A manual", 36), *body(n)] for n in range(3)]))
    rare = [[line("A manual", 36), *body(n)] if n % 5 == 0 else body(n) for n in range(40)]
    assert nothing(document(rare))
    # Rows of a table.
    rows = [[line("Name 2022 2023 Sum", 60, kind="table"), *body(n)] for n in range(8)]
    assert nothing(document(rows))
    unmarked = [
        [line("Item 2022 2023", 74), *(line(f"a {n} {at}", 87 + 13 * at) for at in range(20))] for n in range(8)
    ]
    assert nothing(document(unmarked))


def test_line_numbers_of_a_listing_are_no_page_numbers():
    def listing(page: int) -> list[PageLine]:
        lines = []
        for at in range(40):
            lines += [line(str(40 * page + at + 1), 74 + 13 * at, 50), line(f"x{page} = f({at})", 74 + 13 * at, 80)]
        return lines

    assert nothing(document([listing(page) for page in range(8)]))


def test_chapter_titles_further_in_than_the_text_of_other_pages_stay():
    pages = []
    for n in range(16):
        if n % 2:
            pages.append([line("The manual", 36), *body(n)])
        else:
            pages.append([line("CHAPTER", 92), line(WORDS[n].upper(), 113), *body(n, 20, 200)])
    assert [len(of_page) for of_page in found(document(pages))] == [n % 2 for n in range(16)]


def test_other_kinds_stay_and_the_order_of_lines_does_not_matter():
    pages = document([[*body(n), line("DRAFT", 400, kind="watermark"), line("A manual", 36)] for n in range(6)])
    after = furniture(pages)
    assert [line.kind for line in after[0].lines[-2:]] == ["watermark", "running"]
    assert furniture(after) == after or all(line.kind != "body" for page in after for line in page.lines[-2:])
    assert furniture([]) == []
    assert furniture(document([[]])) == document([[]])


# Without geometry


def text_of(pages: Sequence[str]) -> str:
    return "\f".join(pages)


def marked(text: str) -> list[tuple[int, str, str]]:
    return [(mark.page, mark.kind, text[mark.start : mark.end]) for mark in furniture_of_text(text)]


def test_text_with_headers_and_numbers():
    text = text_of([f"Report 4.6\nabout {WORDS[n]}\n第 {n} 页 共 9 页\n" for n in range(1, 6)])
    assert marked(text)[:2] == [(1, "running", "Report 4.6"), (1, "number", "第 1 页 共 9 页")]
    assert len(marked(text)) == 10


def test_text_with_headings_as_headers():
    titles = [("1", "Setting out"), ("2", "Long roads"), ("3", "Coming home")]
    pages = []
    for number, title in titles:
        pages.append(f"Chapter {number}\n{title}\n{number}.1 The {title} again\nIt was so in {title}.\n")
        pages += [
            f"CHAPTER {number}. {title.upper()} {number}.1. THE {title.upper()} AGAIN\nwords of {title} {at}\n"
            for at in "abc"
        ]
    assert [page for page, _, _ in marked(text_of(pages))] == [2, 3, 4, 6, 7, 8, 10, 11, 12]


def test_footnotes_that_begin_with_a_number_are_none():
    pages = [f"text {WORDS[n]}\n{n} A note about the {WORDS[n + 2]} of it\n" for n in range(1, 9)]
    assert marked(text_of(pages)) == []


@pytest.mark.parametrize(
    "page",
    [
        "text {word}\nmore {word}\nItem  2022  2023\n{n}  7  {n}\n",
        "text {word}\nmore {word}\n小计 {n} 500 {n}\n",
        "{word}\nNote\n{word}\nmore of {word}\n",
        "Total {n}0\n{word}\n",
    ],
)
def test_text_that_is_no_furniture(page: str):
    pages = [page.format(word=WORDS[n], n=(n * 7) % 11) for n in range(8)]
    assert marked(text_of(pages)) == []


def test_pages_that_are_alike_are_no_furniture():
    form = "\n".join(f"Field {word}:" for word in WORDS)
    assert marked(text_of([form] * 6)) == []


def test_watermarks_of_text():
    text = text_of([f"{WORDS[n]}\n内部资料 严禁外传\n{WORDS[n + 1]}\n{WORDS[n + 2]}" for n in range(6)])
    assert {kind for _, kind, _ in marked(text)} == {"watermark"}
    assert len(marked(text)) == 6
    label = text_of([f"{WORDS[n]}\nTotal:\n{WORDS[n + 1]}\n{WORDS[n + 2]}" for n in range(6)])
    assert marked(label) == []
    # Any other words where they part a sentence on most pages.
    wide = "this line is as wide as the page and goes on with"
    torn = text_of([f"{WORDS[n]}, {wide}\nACME Works\nthe word {WORDS[n]}, as it should." for n in range(6)])
    assert [text for _, _, text in marked(torn)] == ["ACME Works"] * 6


# What a line says


@pytest.mark.parametrize(
    ("text", "value", "masked"),
    [
        ("12", 12, "#"),
        ("- 3 -", 3, "#"),
        ("xvii", 17, "#"),
        ("Page 3 of 9", 3, "#"),
        ("第 3 页 共 9 页", 3, "#"),
        ("56 / 223", 56, "#"),
        ("5 ページ", 5, "#"),
        ("Manual, Release 4.6 56 / 223", 56, "Manual, Release 4.6 #"),
        ("4 Chapter 1. About", 4, "# Chapter 1. About"),
        ("3.7. Base system 17", 17, "3.7. Base system #"),
    ],
)
def test_page_numbers(text: str, value: int, masked: str):
    assert (value, masked) in [(number.value, number.masked) for number in page_numbers(text)]


@pytest.mark.parametrize("text", ["Release 4.6.2.0", "2.5. Priorities", "", "0", "a1", "iiii", "see page", "x" * 999])
def test_no_page_numbers(text: str):
    assert page_numbers(text) == []


def test_rows_of_tables():
    assert is_row("| a | b |", "| 1 | 2 |")
    assert is_row("项目  金额", "甲  1")
    assert is_row("合计 3 5", "甲 1 2")
    assert not is_row("Release 4.6", "it is so")
    assert not is_row("A manual of something", "the words are here")


def test_headings_that_lines_are_made_of():
    headings = Headings(["Chapter 5", "Booting the system", "5.3 Boot parameters .... 26", "Boot parameters", "x"])
    assert headings.parts("CHAPTER 5. BOOTING THE SYSTEM 5.3. BOOT PARAMETERS") > 1
    assert headings.parts("CHAPTER 5. BOOTING THE … 5.3. BOOT PARA…") > 1
    assert headings.parts("Boot parameters") == 1
    assert headings.parts("Boot the parameters") == 0
    assert headings.elsewhere("BOOT PARAMETERS", 1)
    assert not headings.elsewhere("BOOT PARAMETERS", 2)


# The op


def slimmed(text: str, what: str, keep: str, marks: Sequence[Mark] | None = None) -> str:
    find = op("page-furniture").prepare({"what": what, "keep": keep})
    for edit in reversed(
        list(find(View(text, "pdf", frozenset(), lambda text=text: find_spans(text, "pdf"), marks=marks)))
    ):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_what_is_kept():
    text = text_of([f"Manual {n} / 9\n{word}\n" for n, word in enumerate("abcdef", 2)])
    bare = text_of([f"{word}\n" for word in "abcdef"])
    assert slimmed(text, "running", "none") == bare
    assert slimmed(text, "running", "first") == "Manual 2 / 9\n" + bare
    assert slimmed(text, "running", "distinct") == "Manual 2 / 9\n" + bare
    assert slimmed(text, "running", "all") == text
    assert slimmed(text, "number", "none") == text


def test_marks_are_believed():
    text = "Head\na\n\fHead\nb\n1"
    marks = [
        Mark(0, 4, "running", 1, "Head"),
        Mark(8, 12, "running", 2, "Head"),
        Mark(15, 16, "number", 2),
        # What an earlier edit has moved away from its line.
        Mark(9, 12, "number", 2),
        Mark(15, 14, "number", 2),
    ]
    assert slimmed(text, "running", "first", marks) == "Head\na\n\fb\n1"
    assert slimmed(text, "running", "none", marks) == "a\n\fb\n1"
    assert slimmed(text, "number", "none", marks) == "Head\na\n\fHead\nb"


def test_a_page_with_nothing_else_keeps_its_form_feed():
    text = text_of(["Manual\na", "Manual", "Manual\nb", "Manual", "Manual\nc"])
    assert slimmed(text, "running", "first") == "Manual\na\f\fb\f\fc"
    # Pages with nothing but the same are content.
    assert slimmed("\f".join(["Manual"] * 5), "running", "first") == "\f".join(["Manual"] * 5)


def test_kept_running_lines_are_not_joined():
    rule = next(rule for rule in load_pack("pdf").rules if rule.id == "pdf.soft-wrap-zh")
    head = "本手册介绍如何在常见的计算机上安装并配置这一操作系统的有关内容"
    text = f"{head}\n{head}\n{head}\n{head}。\n"
    length = len(head)
    marks = [Mark(at * (length + 1), at * (length + 1) + length, "running", 1, "head") for at in range(2)]
    joined = slim_text(text, [rule], kind="pdf").text
    assert joined == f"{head * 4}。\n"
    kept = slim_text(text, [rule], kind="pdf", marks=marks).text
    assert kept == f"{head}\n{head}\n{head * 2}。\n"


def record(page: int, first: str, last: str) -> list[PageLine]:
    return [line(first, 36), *body(page), line(last, 800)]


def test_fields_of_records_are_no_running_lines():
    verdicts = ["合格", "合格", "合格", "不合格", "合格", "合格"]
    notes = ["无", "无", "需复检", "无", "无", "无"]
    pages = document([record(at, f"结论：{verdicts[at]}", f"备注：{notes[at]}") for at in range(6)])
    assert found(pages) == [[]] * 6
    assert found(document([record(at, "结论：合格", "Status: done") for at in range(6)])) == [[]] * 6


def test_a_field_of_the_document_is_a_running_line():
    pages = document([record(at, "公司：东方 有限公司", "Version: 4.2") for at in range(6)])
    assert found(pages) == [[("running", "公司：东方 有限公司"), ("running", "Version: 4.2")]] * 6


def test_years_and_large_numbers_are_no_page_numbers():
    assert found(document([[line(str(2019 + at), 36), *body(at)] for at in range(6)])) == [[]] * 6
    assert found(document([[line(str(1 + at), 36, size=20), *body(at)] for at in range(6)])) == [[]] * 6


OF_PAGES = [
    *("•", "}", "● 检查油位", "- Check the oil level", "（1）检查油位", "☑ 通过", "是", "0.00", "2024-05-01"),
    *("return 0;", "else:", "$ ls -l", "print(result)", "import os", "#include <stdio.h>", "sudo apt-get update"),
    *("Operators must wear gloves here.", "注意：不得带电操作。", "承租人不得转租", "乙方应于收到货物后三日内付款。"),
    *("The tenant pays the rent on the first of the month.", "本协议自双方签字之日起生效。", "Is the pump running?"),
    *("合计 100.00 元", "Total 100.00", "签字：", "Signature:", "Result:PASS", "status = PASS", "性别：男 结论：合格"),
    *("Final inspection result: PASS", "Answer: B"),
]


@pytest.mark.parametrize("text", OF_PAGES)
def test_what_is_said_of_a_page_is_no_running_line(text):
    assert found(document([record(at, text, text) for at in range(8)])) == [[]] * 8
    assert marked("\f".join("\n".join([text, *(line.text for line in body(at)), text]) for at in range(8))) == []


@pytest.mark.parametrize(
    "text",
    [
        *("Invoice {}", "Invoice #{}", "Invoice No. {}", "Work order {}", "Customer {}", "第{}题", "工位 {}", "样品{}"),
        *("Annual results 201{}", "201{} results", "FY 201{}", "201{}", "201{}年", "201{}年度经营情况"),
    ],
)
def test_what_counts_up_in_the_text_is_no_page_number(text):
    lines = [text.format(at) for at in range(1, 9)]
    assert found(document([[line(lines[at], 36), *body(at)] for at in range(8)])) == [[]] * 8
    assert found(document([[*body(at), line(lines[at], 800)] for at in range(8)])) == [[]] * 8
    assert marked("\f".join("\n".join([lines[at], *(line.text for line in body(at))]) for at in range(8))) == []


@pytest.mark.parametrize("text", ["结论 {}", "Result - {}", "Status | {}"])
def test_values_without_a_colon_are_no_running_lines(text):
    lines = [text.format("合格" if at % 3 else "不合格") for at in range(8)]
    assert found(document([record(at, lines[at], lines[at]) for at in range(8)])) == [[]] * 8


@pytest.mark.parametrize(
    "text",
    [
        *("© 2024 Example Corp. All rights reserved.", "https://www.example.com/manual", "printf(3)", "前言"),
        *(
            "Company confidential. Do not distribute.",
            "本报告仅供投资者参考，不构成任何投资建议。",
            "严禁复制，请勿外传。",
        ),
    ],
)
def test_what_is_said_of_the_document_is_a_running_line(text):
    assert found(document([record(at, text, str(at + 1)) for at in range(8)])) == [
        [("running", text), ("number", str(at + 1))] for at in range(8)
    ]


def test_scores_without_a_colon_are_no_running_lines():
    lines = [f"得分 {score}" for score in (85, 85, 90, 85, 85, 72, 85, 85)]
    assert found(document([record(at, lines[at], lines[at]) for at in range(8)])) == [[]] * 8


@pytest.mark.parametrize(
    "text", ["第 {} 页 共 8 页 打印日期：2024-05-01", "Printed: 2024-05-01 Page {} of 8", "Page: {}"]
)
def test_a_field_beside_the_number_of_the_page_is_a_running_line(text):
    lines = [text.format(at + 1) for at in range(8)]
    assert found(document([[*body(at), line(lines[at], 800)] for at in range(8)])) == [
        [("running", text)] for text in lines
    ]


def test_a_sentence_over_two_lines_stays_whole():
    lines = [line("The cover must not be opened by anyone who", 780), line("does not work here", 792)]
    assert found(document([[*body(at), *lines] for at in range(8)])) == [[]] * 8


def test_lines_that_differ_in_a_figure_are_others():
    pages = [
        [*body(at, 20), *(line(f"The motor ran {at * n + 1} hours", 400 + 20 * n) for n in range(4))] for at in range(8)
    ]
    assert (
        found(
            document([[*of_page, line(f"The motor ran {45 + 7 * at} hours", 800)] for at, of_page in enumerate(pages)])
        )
        == [[]] * 8
    )


def test_the_last_lines_of_pages_that_end_at_one_height_are_body():
    assert found(document([[line("结论：合格", 36), *body(at, 30, 49)] for at in range(8)])) == [[]] * 8


def test_what_stands_once_is_no_running_line():
    heads = ["A manual", "A manual", "Only here it is said", "A manual", "A manual", "A manual", "A manual"]
    pages = document([[line(head, 36), *body(at)] for at, head in enumerate(heads)])
    assert found(pages) == [[("running", "A manual")] if head == "A manual" else [] for head in heads]


def test_lines_that_stand_within_pages_too_are_body():
    pages = document(
        [
            [line("return result", 36), *body(at), *[line("return result", 300 + 20 * n) for n in range(3)]]
            for at in range(6)
        ]
    )
    assert found(pages) == [[]] * 6
