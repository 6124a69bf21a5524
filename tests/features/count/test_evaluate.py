"""Counting by parts: they sum to the whole, and what is said of them is true."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from places import SAMPLES
from tokaudit import load_tokenizer
from tokaudit.features.count.evaluate import DocumentCounter
from tokaudit.features.count.merge import merged
from tokaudit.features.count.parts import spread_part
from tokaudit.features.count.report import report
from tokaudit.features.count.types import BY, SPREAD, WHOLE, Classes, Counted, CountResult, Part, Wanted
from tokaudit.features.model_columns import TABLE_ROWS
from tokaudit.jobs.count import measure
from tokaudit.model import Document, ModelColumn, Segments, Skipped, TokenizerRef
from tokaudit.sources import line_starts, load
from tokaudit.tokenizers.registry import manifest
from tokaudit.tokenizers.unicode_classes import SCRIPTS

NAMES = tuple(manifest())
INPUTS = {
    "chinese.txt": (SAMPLES / "support-chat.zh.txt").read_text(encoding="utf-8"),
    "english.txt": (SAMPLES / "rag-prompt.en.txt").read_text(encoding="utf-8"),
    "code.py": (SAMPLES / "inventory.py").read_text(encoding="utf-8"),
    "data.json": (SAMPLES / "tool-result.json").read_text(encoding="utf-8"),
    "data.jsonl": (SAMPLES / "requests.jsonl").read_text(encoding="utf-8"),
    "prompt.md": (SAMPLES / "system-prompt.md").read_text(encoding="utf-8"),
    "odd.txt": "\r\n\n\ta\u0301 👩‍👩‍👧 <|endoftext|>\0\n\n\n\u3000\u3000全角　空格\r\r\n    x\n",
}


@pytest.fixture(scope="session")
def tokenizers():
    """Every bundled tokenizer, loaded once."""
    return {name: load_tokenizer(name) for name in NAMES}


def check_sums(counted: Counted, by: str, text: str) -> None:
    """What holds for every count by parts."""
    for column, total in enumerate(counted.tokens):
        assert sum(part.tokens[column] for part in counted.parts) == total
        if total:
            assert sum(part.share[column] for part in counted.parts) == pytest.approx(1)
    assert sum(part.chars for part in counted.parts) == counted.chars == len(text)
    assert sum(part.size for part in counted.parts) == counted.size == len(text.encode())
    assert counted.parts_total == len(counted.parts)
    if by not in SPREAD:
        edges = [(part.start, part.end) for part in counted.parts]
        assert [start for start, _ in edges] == [0, *(end for _, end in edges)][: len(edges)]
        assert not edges or edges[-1][1] == len(text)
    assert len({part.id for part in counted.parts}) == len(counted.parts)
    assert all(part.label and "\n" not in part.label for part in counted.parts)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", INPUTS)
def test_parts_sum_to_the_whole(tokenizers, name, path):
    tokenizer = tokenizers[name]
    document = load(INPUTS[path], path)
    whole = tokenizer.count(document.text)
    for by in [by for by in BY if by not in WHOLE]:
        counted = measure(document, [tokenizer], Wanted(by))
        assert counted.tokens == (whole,)
        check_sums(counted, by, document.text)


@pytest.mark.parametrize("kind", ["text", "markdown", "json", "jsonl", "code"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=120) | st.text('ab 中文#*`{}[]":,.1\n\r\t|->é\u3000', max_size=80))
def test_parts_of_any_text_sum_to_the_whole(tokenizers, kind, text):
    document = load(text, "a.py", kind=kind)
    for by in [by for by in BY if by not in WHOLE]:
        counted = measure(document, list(tokenizers.values()), Wanted(by))
        check_sums(counted, by, document.text)
        assert counted.tokens == tuple(tokenizer.count(document.text) for tokenizer in tokenizers.values())


def test_the_order_of_tokenizers_is_kept(tokenizers):
    document = load(INPUTS["prompt.md"], "prompt.md")
    there = measure(document, list(tokenizers.values()), Wanted("section"))
    back = measure(document, list(tokenizers.values())[::-1], Wanted("section"))
    assert back.tokens == there.tokens[::-1]
    assert [part.tokens[::-1] for part in back.parts] == [part.tokens for part in there.parts]


@dataclass
class Letters:
    """A tokenizer of one token a letter, and two a capital."""

    divisible = True
    info = SimpleNamespace(special_tokens=())

    def encoding(self, text):
        return [at for at, char in enumerate(text) for _ in range(2 if char.isupper() else 1)]

    def count(self, text):
        return len(self.encoding(text))


class LetterEncoding(list):
    def within(self, offsets):
        before = [*(sum(start < offset for start in self) for offset in offsets), len(self)]
        return [end - start for start, end in pairwise(before)]


def by_letters(text, wanted, path="a.txt"):
    tokenizer = Letters()
    tokenizer.encoding = lambda text: LetterEncoding(Letters.encoding(tokenizer, text))
    starts = line_starts(text)
    lines = Segments(path, text, starts, ("line",), lines=range(1, len(starts) + 1))
    document = Document(path, text, "text", "", lines, lines, "0" * 64)
    return DocumentCounter([tokenizer], wanted, Classes((), bytes, bytes), line_starts).count(document)


LINES = "short\n" + "a" * 40 + "\n" + "B" * 30 + "\n" + "C" * 10 + "\n" + "d" * 100 + "\n"


@pytest.mark.parametrize(
    ("sort", "lines"),
    [("order", [1, 2]), ("tokens", [3, 5]), ("density", [2, 3]), ("chars", [2, 5]), ("name", [3, 4])],
)
def test_top_keeps_the_first_by_the_order_asked_for(sort, lines):
    counted = by_letters(LINES, Wanted("line", top=2, sort=sort))
    assert [part.line for part in counted.parts] == lines
    assert counted.parts_total == 5


def test_short_parts_come_last_by_density():
    order = by_letters(LINES, Wanted("line", top=4, sort="density"))
    assert [part.line for part in order.parts] == [1, 2, 3, 5]


def test_flags():
    counted = by_letters(LINES, Wanted("line", density_threshold=1.5))
    assert {part.line: part.flags for part in counted.parts if part.flags} == {3: ("dense",)}
    counted = by_letters(LINES, Wanted("line", density_threshold=2.0))
    assert not any(part.flags for part in counted.parts)
    counted = by_letters("x" * 500 + "\n" + "short\n" * 10, Wanted("line"))
    assert counted.parts[0].flags == ("dense", "large")
    assert not any(part.flags for part in counted.parts[1:])


@pytest.mark.parametrize(
    ("chars", "others", "large"),
    [
        ([500], 0, False),  # the whole is no part out of proportion
        ([40, 40], 0, False),
        ([500], 1, True),  # nearly all of two
        ([500], 2, True),
        ([100, 100, 100], 0, False),
        ([40], 40, True),  # as large as 6 others, but a seventh of the whole
        ([20], 60, False),  # less than a tenth
    ],
)
def test_large_is_four_times_the_average_of_the_others(chars, others, large):
    text = "".join("x" * (count - 1) + "\n" for count in chars) + "short\n" * others
    counted = by_letters(text, Wanted("line", density_threshold=9))
    assert ("large" in counted.parts[0].flags) == large
    halves = [by_letters(piece, Wanted("line", density_threshold=9)) for piece in text.splitlines(keepends=True)]
    pieces = merged(halves, "", Wanted("line", density_threshold=9), ())
    assert [part.flags for part in pieces.parts] == [part.flags for part in counted.parts]


@pytest.mark.parametrize(
    ("text", "model", "control"),
    [
        ("a <|endoftext|> b", "o200k_base", "<|endoftext|>"),
        ("a <|endoftext|> b", "mistral-v1", ""),  # of which it is none
        ("<|x|> <| <|endoftext| <|a|b|>", "o200k_base", ""),
        ("<think>", "qwen3", "<think>"),
        ("[gMASK]", "glm-4.5", "[gMASK]"),
        ("<｜User｜>", "deepseek-v3", "<｜User｜>"),
        ("x" * 100_000 + "<|endoftext|>", "qwen3", "<|endoftext|>"),
    ],
)
def test_control_tokens_that_are_counted_as_text(text, model, control):
    tokenizer = load_tokenizer(model)
    assert measure(load(text, "a.txt"), [tokenizer], Wanted()).control == control


def test_nothing_of_nothing(tokenizers):
    for by in BY:
        counted = measure(load("", "a.txt"), [tokenizers["qwen3"]], Wanted(by, top=3, sort="density"))
        assert (counted.tokens, counted.parts, counted.parts_total) == ((0,), counted.parts, 0)
        assert not counted.parts


def test_classes(tokenizers):
    counted = measure(load("你好 hello 123 ,.!? 😀\n", "a.txt"), [tokenizers["o200k_base"]], Wanted("class"))
    assert [part.label for part in counted.parts] == [
        name for name in SCRIPTS if name in {"han", "latin", "digit", "punctuation", "space", "emoji"}
    ]
    assert all(part.start is part.end is part.line is None for part in counted.parts)


def part(label, tokens, chars=100, line=1, path="a.txt", flags=()):
    share = tuple(0.5 for _ in tokens)
    return Part(
        id=f"{path}#{label}",
        kind="line",
        label=label,
        start=0,
        end=chars,
        line=line,
        chars=chars,
        size=chars,
        tokens=tokens,
        share=share,
        flags=flags,
    )


def document(path, tokens, parts=(), chars=100, skipped=()):
    return Counted(
        path=path,
        kind="text",
        charset="utf-8",
        sha256="0" * 64,
        chars=chars,
        size=chars,
        tokens=tokens,
        parts=parts,
        parts_total=len(parts),
        skipped=skipped,
    )


def ref(name, *, exact=True):
    return TokenizerRef(name, "byte-bpe", "0" * 64, exact, "" if exact else "within 3%, says its maker")


def result(documents, models, wanted=None, skipped=(), *, special=False):
    return CountResult(
        models=models,
        by_themselves=models,
        documents=documents,
        skipped=skipped,
        wanted=wanted or Wanted(),
        special=special,
        version="1.2.3",
    )


TWO = [ModelColumn("one", ref("first"), 0), ModelColumn("two", ref("second"), 1)]


def test_parts_of_several_documents_merge():
    documents = [
        document("a.txt", (60, 50), [part("x", (10, 1)), part("y", (1, 30)), part("same", (5, 5))]),
        document("b.txt", (60, 50), [part("z", (20, 20), path="b.txt"), part("same", (5, 5), path="b.txt")]),
    ]
    found = report(result(documents, TWO, Wanted("line", top=3, sort="tokens")), people=False)
    assert [row[0] for row in found.tables[0].rows] == ["a.txt", "b.txt", "a.txt"]
    assert [row[1] for row in found.tables[0].rows] == ["a.txt#y", "b.txt#z", "a.txt#x"]
    kept = [[segment["label"] for segment in item["segments"]] for item in found.data["documents"]]
    assert kept == [["y", "x"], ["z"]]
    assert [item["segments_total"] for item in found.data["documents"]] == [3, 2]
    shown = report(result(documents, TWO, Wanted("line", top=4, sort="tokens")), people=True)
    assert [row[1] for row in shown.tables[0].rows] == ["1: y", "1: z", "1: x", "1: same", ""]
    assert shown.tables[0].notes[0].startswith("4 of 5 shown")


def test_a_table_for_people_ends_somewhere():
    documents = [
        document(path, (200, 200), [part(f"{at:03}", (2, 2)) for at in range(50)]) for path in ("a.txt", "b.txt")
    ]

    def rows(top, *, people):
        return len(report(result(documents, TWO, Wanted("line", top=top)), people=people).tables[-1].rows)

    assert rows(None, people=True) == TABLE_ROWS + 2  # those of the first file, below its name, and the total
    assert rows(None, people=False) == 100
    assert rows(60, people=True) == rows(60, people=False) + 3 == 63
    assert rows(0, people=True) == rows(0, people=False) + 3 == 103


def test_parts_stand_below_the_names_of_their_files():
    documents = [
        document("a#1.txt", (9, 8), [part("x", (9, 8))]),
        document("b.txt", (60, 50), [part("y", (40, 30)), part("z", (20, 20))]),
    ]
    (table,) = report(result(documents, TWO, Wanted("line")), people=True).tables
    assert [row[0] for row in table.rows] == ["a#1.txt", "  1: x", "b.txt", "  1: y", "  1: z", "total (2 files)"]
    assert [row[2:4] for row in table.rows] == [[9, 8], [9, 8], [60, 50], [40, 30], [20, 20], [69, 58]]
    narrow = [[column.title for column in form.columns] for form in table.narrower]
    assert narrow[0] == ["Line", "one", "two", "Tok/char", "Share of file"]
    assert narrow[1] == ["Line", "one", "two", "Tok/char", "Of file"]


def test_of_many_parts_the_largest_are_shown():
    documents = [document("a.txt", (200, 200), [part(f"{at:03}", (at, at)) for at in range(50)])]
    (table,) = report(result(documents, TWO, Wanted("line")), people=True).tables
    assert [row[0] for row in table.rows] == [*(f"1: {at:03}" for at in range(10, 50)), "total"]
    assert table.notes[0] == "the 40 largest of 50, in the order of the text; --top 0 for all"


@pytest.mark.parametrize(
    ("tokens", "extremes", "note"),
    [
        ((10, 25), ("one", "two", 2.5), "fewest tokens: one; most: two (2.50x)"),
        ((25, 10), ("two", "one", 2.5), "fewest tokens: two; most: one (2.50x)"),
        ((1004, 1000), ("two", "one", 1.004), "fewest tokens: two; most: one (less than 1% more)"),
        ((10, 10), ("one", "one", 1.0), "all models: the same number of tokens"),
        ((0, 0), (None, None, None), None),
        ((0, 3), ("one", "two", None), None),
    ],
)
def test_cheapest_and_dearest(tokens, extremes, note):
    found = report(result([document("a.txt", tokens)], TWO), people=True)
    assert tuple(found.data[key] for key in ("cheapest", "dearest", "ratio")) == extremes
    assert list(found.tables[0].notes) == ([note] if note else [])
    marks = set(found.tables[0].marks.values())
    assert marks == ({"cheap", "dear"} if len({*tokens}) == 2 else set())


def test_one_tokenizer_is_no_comparison():
    models = [ModelColumn("one", ref("first"), 0), ModelColumn("alias", ref("first"), 0)]
    found = report(result([document("a.txt", (10,))], models), people=True)
    assert found.data["cheapest"] is found.data["dearest"] is found.data["ratio"] is None
    assert not found.tables[0].notes
    assert not found.tables[0].marks
    assert list(found.data["documents"][0]["counts"]) == ["one", "alias"]


def test_an_approximate_count_is_marked_everywhere():
    models = [TWO[0], ModelColumn("guess", ref("second", exact=False), 1)]
    documents = [document("a.txt", (1000, 2000), [part("x", (1000, 2000))]), document("b.txt", (1, 2))]
    single = report(result(documents[:1], models), people=True)
    assert [row[1] for row in single.tables[0].rows] == [1000, "≈2,000"]
    assert "≈ guess: within 3%, says its maker" in single.tables[0].notes
    lines = report(result(documents[:1], models, Wanted("line")), people=True)
    assert lines.tables[0].rows[0][3] == "≈2,000"
    assert "≈ guess: within 3%, says its maker" in lines.tables[0].notes
    several = report(result(documents, models), people=True)
    assert [row[3] for row in several.tables[0].rows] == ["≈2,000", "≈2", "≈2,002"]
    assert [(item["exact"], item["error"]) for item in single.data["tokenizers"]] == [
        (True, None),
        (False, "within 3%, says its maker"),
    ]
    assert single.data["documents"][0]["counts"]["guess"]["tokens"] == 2000


def test_what_was_skipped_is_told():
    broken = [Skipped("a.jsonl:2:1", "not valid JSON", code="invalid-json")]
    found = report(
        result([document("a.jsonl", (1, 1), skipped=broken)], TWO, skipped=[Skipped("b", "binary", code="binary")]),
        people=True,
    )
    assert [item["what"] for item in found.data["skipped"]] == ["b", "a.jsonl:2:1"]
    assert "skipped: 2, see below" in found.tables[0].notes


def test_special_tokens_are_told():
    found = report(result([document("a.txt", (1, 1))], TWO, special=True), people=True)
    assert found.data["special_tokens"] == "control"
    assert any("--special" in note for note in found.tables[0].notes)


def test_quiet_is_the_first_model():
    found = report(result([document("a.txt", (1, 5)), document("b.txt", (2, 5))], TWO[::-1]), people=True)
    assert found.bare == "10"


def test_merged_pieces():
    pieces = [
        document("a.txt", (10, 4), [part("x", (10, 4))]),
        document("a.txt", (30, 4), [part("y", (30, 4), line=9)]),
    ]
    found = merged(pieces, "f" * 64, Wanted("line"), ())
    assert (found.tokens, found.chars, found.sha256) == ((40, 8), 200, "f" * 64)
    assert [(item.start, item.end, item.line) for item in found.parts] == [(0, 100, 1), (100, 200, 9)]
    assert [item.share for item in found.parts] == [(0.25, 0.5), (0.75, 0.5)]


def test_classes_of_several_documents_are_of_none():
    documents = [
        document("a.txt", (3, 3), [spread_part("a.txt#han", "class", "han", 3, 9, (3, 3), (3, 3))]),
        document("b.txt", (9, 9), [spread_part("b.txt#han", "class", "han", 9, 27, (9, 9), (9, 9))]),
    ]
    rows = report(result(documents, TWO, Wanted("class")), people=False).tables[0].rows
    assert [(row[0], row[5]) for row in rows] == [("han", 12)]


def test_documents_are_sorted_and_limited():
    documents = [document("a.txt", (5, 5)), document("b.txt", (9, 2)), document("c.txt", (1, 7))]
    found = report(result(documents, TWO, Wanted("file", 2, "tokens")), people=True)
    assert [row[0] for row in found.tables[0].rows] == ["b.txt", "c.txt", "total (3 files)"]
    assert "2 of 3 shown; --top 0 for all" in found.tables[0].notes
    assert [one["path"] for one in found.data["documents"]] == ["b.txt", "c.txt"]
    assert found.data["totals"]["documents"] == 3
