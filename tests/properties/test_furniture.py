from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model.edits import SlimResult
from tokaudit.model.pages import Page, PageLine
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.pages.furniture import families, furniture, furniture_of_text

SETTINGS = settings(max_examples=200, deadline=None)
# Lines from a few words recur often, which is where mistakes would be.
LINE = st.sampled_from(
    [
        *("", " ", "Manual", "Manual 1 / 9", "Manual 2 / 9", "Manual 3 / 9", "Chapter 1", "Scope", "CHAPTER 1. SCOPE"),
        *(
            "1",
            "2",
            "3",
            "4",
            "5",
            "i",
            "ii",
            "iii",
            "- 1 -",
            "第 1 页 共 9 页",
            "第 2 页 共 9 页",
            "DRAFT",
            "小计  1  2",
        ),
        *("a | b", "It is said here, in the manual, that the scope is", "text", "2 Scope", "Scope 3", "…", "#", "\r"),
    ]
)
PAGE = st.lists(LINE, max_size=9)
PAGES = st.lists(PAGE, max_size=12)
RULES = [
    Rule(
        f"test.{what}",
        what,
        "",
        "near",
        "structure",
        "page-furniture",
        {"what": what, "keep": keep},
        enters=frozenset({"path", "quote", "table"}),
        removes=frozenset({"number", "date", "identifier", "amount", "path"}),
    )
    for what, keep in (("number", "none"), ("running", "first"), ("watermark", "first"))
]


def text_of(pages: list[list[str]]) -> str:
    return "\f".join("\n".join(page) for page in pages)


def slim(text: str) -> SlimResult:
    return slim_text(text, RULES, kind="pdf", langs=frozenset())


@SETTINGS
@given(PAGES)
def test_marks_are_lines_in_order(pages: list[list[str]]):
    text = text_of(pages)
    marks = furniture_of_text(text)
    end = 0
    for mark in marks:
        assert end <= mark.start < mark.end <= len(text)
        assert mark.start == 0 or text[mark.start - 1] in "\n\f"
        assert text[mark.end : mark.end + 1] in ("", "\n", "\f")
        assert text[: mark.start].count("\f") + 1 == mark.page
        assert text[mark.start : mark.end].strip()
        assert "\n" not in text[mark.start : mark.end]
        end = mark.end
    furniture_of_text.cache_clear()
    assert furniture_of_text(text) == marks


@SETTINGS
@given(PAGES)
def test_slimming_again_changes_nothing(pages: list[list[str]]):
    once = slim(text_of(pages))
    assert once.text.count("\f") == once.before.count("\f")
    assert slim(once.text).text == once.text
    assert once.replay() == once.text


@SETTINGS
@given(st.integers(0, 12), st.integers(1, 9), st.booleans(), st.booleans(), st.data())
def test_lines_that_are_there_once_stay(pages: int, lines: int, head: bool, foot: bool, data: st.DataObject):
    # Words without a digit, each on one line only.
    names = data.draw(
        st.lists(
            st.text("abcdefgh", min_size=6, max_size=12), min_size=pages * lines, max_size=pages * lines, unique=True
        )
    )
    made = []
    for page in range(pages):
        body = names[page * lines : (page + 1) * lines]
        made.append([*(["Manual"] * head), *body, *([str(page + 5)] * foot)])
    after = slim(text_of(made)).text
    assert [line for line in after.replace("\f", "\n").split("\n") if line in set(names)] == names
    if pages >= 4:
        # A single letter of the body may be counted as a number; what recurs is gone but for the first.
        assert after.split("\f")[pages - 1].count("Manual") == 0
        assert not any(line.isdigit() for line in after.replace("\f", "\n").split("\n"))


@SETTINGS
@given(st.lists(st.lists(st.tuples(LINE, st.integers(0, 80)), max_size=9), max_size=9))
def test_pages_keep_their_lines(pages: list[list[tuple[str, int]]]):
    of = [
        Page(
            number,
            595.0,
            842.0,
            [PageLine(text, 10.0 * at, 10.0 * at + 10, 72.0, 72.0 + 5 * len(text), 10.0) for text, at in lines],
        )
        for number, lines in enumerate(pages, 1)
    ]
    after = furniture(of)
    assert [[line._replace(kind="body") for line in page.lines] for page in after] == [list(page.lines) for page in of]
    assert families(of) == families(of)
    for (page, line), found in families(of).items():
        assert after[page].lines[line].kind == found.kind
        assert found.kind in ("running", "number")
        assert bool(found.family) == (found.kind == "running")
