"""Comparing by segment and by change: both sum to the whole, and what is said of them is true."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from places import SAMPLES
from tokaudit import load_tokenizer
from tokaudit.features.diff.evaluate import compare
from tokaudit.features.diff.marked_text import hunks
from tokaudit.features.diff.report import report, visible
from tokaudit.features.diff.types import BY, Compared, DiffResult, Wanted
from tokaudit.features.model_columns import TABLE_ROWS
from tokaudit.model import ModelColumn, Skipped, TokenizerError, TokenizerRef
from tokaudit.sources import load

TEXTS = sorted(path for path in SAMPLES.iterdir() if path.is_file() and path.suffix != ".pdf")
NAMES = ("o200k_base", "qwen3", "mistral-v1")
TOKENIZERS = [load_tokenizer(name) for name in NAMES]
MODELS = [
    ModelColumn(name, tokenizer.info.ref, at)
    for at, (name, tokenizer) in enumerate(zip(NAMES, TOKENIZERS, strict=True))
]
EVERYTHING = Wanted(texts=True)
PARAGRAPHS = st.lists(
    st.sampled_from([
        "请在三个工作日内回复。", "The quick brown fox jumps over the lazy dog.", "# Heading", "- item one\n- item two",
        "订单号 12345，金额 ￥280。", "e\u0301 ﬁ １２３", "```\ncode\n```", "    indented", "x", "😀😀", "a  b   c",
    ]),
    max_size=8,
)  # fmt: skip


def compared(before: str | None, after: str | None, wanted: Wanted = EVERYTHING, name: str = "a.md") -> Compared:
    sides = [None if text is None else load(text, name, structure=wanted.by != "file") for text in (before, after)]
    return compare(name, *sides, TOKENIZERS, wanted)


def check(before: str, after: str, result: Compared) -> None:
    """All sums, and every place."""
    delta = tuple(tokenizer.count(after) - tokenizer.count(before) for tokenizer in TOKENIZERS)
    assert result.delta == delta
    for rows in (result.segments, result.changes):
        assert tuple(map(sum, zip(*[row.delta for row in rows], (0, 0, 0), strict=True))) == delta
    for change in result.changes:
        assert before[change.before.start : change.before.end] == change.old
        assert after[change.after.start : change.after.end] == change.new
        assert change.old != change.new
        assert before[change.before.start - len(change.lead) : change.before.start] == change.lead
        assert change.line_before == before.count("\n", 0, change.before.start) + 1
        assert change.line_after == after.count("\n", 0, change.after.start) + 1
    for pair in result.segments:
        assert (pair.before is None) == (pair.status == "added")
        assert (pair.after is None) == (pair.status == "removed")
        if pair.before and pair.after:
            old, new = before[pair.before.start : pair.before.end], after[pair.after.start : pair.after.end]
            assert (old == new) or pair.status in {"changed", "moved"}
            assert pair.status != "moved" or old.strip() == new.strip()
        tokens = [part.tokens if part else (0, 0, 0) for part in (pair.before, pair.after)]
        assert pair.delta == tuple(new - old for old, new in zip(*tokens, strict=True))


@settings(max_examples=60)
@given(PARAGRAPHS, PARAGRAPHS, st.sampled_from(["\n\n", "\n", " "]), st.sampled_from(["a.md", "a.txt", "a.py"]))
def test_deltas_sum_exactly(before, after, joint, name):
    old, new = joint.join(before), joint.join(after)
    result = compared(old, new, name=name)
    check(old, new, result)
    other = compared(new, old, name=name)
    assert other.delta == tuple(-delta for delta in result.delta)
    assert [change.delta for change in other.changes] == [tuple(-d for d in change.delta) for change in result.changes]
    pairs = {(pair.before and pair.before.id, pair.after and pair.after.id) for pair in result.segments}
    assert {(pair.after and pair.after.id, pair.before and pair.before.id) for pair in other.segments} == pairs


@settings(max_examples=60)
@given(st.text(), st.text(), st.sampled_from(["segment", "section"]))
def test_deltas_of_any_text_sum_exactly(before, after, by):
    check(before, after, compared(before, after, replace(EVERYTHING, by=by), name="a.txt"))


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_a_sample_and_itself(path, by):
    text = path.read_text(encoding="utf-8")
    result = compared(text, text, replace(EVERYTHING, by=by), path.name)
    assert (result.status, result.segments, result.changes, result.delta) == ("equal", (), (), (0, 0, 0))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_an_edited_sample(path):
    before = path.read_text(encoding="utf-8")
    after = before.replace("the ", "").replace("，", ", ").replace("1", "22")
    after += "" if path.suffix == ".jsonl" else "新的一行\n"  # where it would be a broken line
    check(before, after, compared(before, after, name=path.name))


def statuses(before: str, after: str, name: str) -> list[tuple[str, str]]:
    return [(pair.status, (pair.after or pair.before).label) for pair in compared(before, after, name=name).segments]


def test_what_became_of_each_segment():
    old = [
        "第一段没有变。",
        "第二段要改一个字。",
        "This one goes away.",
        "So does this.",
        "这一段搬到后面去。",
        "最后一段。",
    ]
    new = ["第一段没有变。", "第二段要改两个字。", "最后一段。", "全新的内容在这里！", "这一段搬到后面去。"]
    before, after = "\n\n".join([*old, ""]), "\n\n".join(new)
    assert statuses(before, after, "a.txt") == [
        ("changed", "第二段要改两个字。"),
        ("moved", "最后一段。"),
        ("added", "全新的内容在这里！"),
        ("moved", "这一段搬到后面去。"),
        ("removed", "This one goes away."),
        ("removed", "So does this."),
    ]


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("Short one.\n\nA long one that is taken.\n", "A long one that is taken.\n\nShort one.\n", 2),
        ("一段。\n\n二段。\n\n末尾这一段很长很长。\n", "末尾这一段很长很长。\n\n一段。\n\n二段。\n", 1),
        ("末尾这一段很长很长。\n\n一段。\n\n二段。\n", "一段。\n\n二段。\n\n末尾这一段很长很长。\n", 1),
        ("# A\n\none one\n\n# B\n\ntwo two\n", "# B\n\ntwo two\n\n# A\n\none one\n", 4),
    ],
)
def test_an_equal_paragraph_elsewhere_has_moved(old, new, moved):
    """It is not said to be changed where it is the one that the text difference keeps in its place."""
    result = compared(old, new)
    check(old, new, result)
    assert [pair.status for pair in result.segments].count("moved") == moved
    text = max(old.split("\n\n"), key=len).strip()
    assert ("moved", text) in [(pair.status, pair.after.label) for pair in result.segments if pair.after]


def test_fields_of_json_are_paired_by_name():
    before = '{"model": "gpt-4o", "prompt": "你好", "old": 1}'
    after = '{"prompt": "再见，下次一定", "model": "gpt-4o", "new": [2]}'
    result = compared(before, after, name="a.json")
    check(before, after, result)
    assert ("changed", "$.prompt") in [(pair.status, pair.after.label) for pair in result.segments if pair.after]


def test_one_that_is_rewritten_in_place_is_changed():
    assert statuses("# One\n\nabc def.\n\n# Two\n", "# One\n\n完全不同。\n\n# Two\n", "a.md") == [
        ("changed", "完全不同。")
    ]


def test_lone_braces_do_not_move():
    assert "moved" not in dict(statuses("a\n\n}\n\nb\n", "}\n\na\n\nb\n", "a.txt"))


@pytest.mark.parametrize("name", ["a.md", "a.jsonl", "a.json", "a.py", "a.txt"])
@pytest.mark.parametrize("text", ["", "x = 1\n", '{"a": 1}\n'])
def test_a_file_on_one_side_only_counts_fully(name, text):
    counts = tuple(tokenizer.count(text) for tokenizer in TOKENIZERS)
    if name == "a.jsonl" and text.startswith("x"):
        counts = (0, 0, 0)  # a broken line is not counted
    added, removed = compared(None, text, name=name), compared(text, None, name=name)
    assert (added.status, added.before, added.after.tokens, added.delta) == ("added", None, counts, counts)
    assert (removed.status, removed.after, removed.delta) == ("removed", None, tuple(-count for count in counts))
    assert {pair.status for pair in added.segments} <= {"added"}
    for rows in (added.segments, added.changes):
        assert tuple(map(sum, zip(*[row.delta for row in rows], (0, 0, 0), strict=True))) == counts


def test_lines_are_those_of_the_file():
    before = '{"a": 1}\nbroken\n{"b": 2}\n'
    result = compared(before, before.replace("2", "3"), name="a.jsonl")
    (change,) = result.changes
    assert (change.line_before, change.line_after) == (3, 3)


class _Placeless:
    """A tokenizer that can only count, as Claude's."""

    def count(self, text: str) -> int:
        return len(text)

    def encoding(self, text: str) -> None:
        raise TokenizerError("boundaries are not public", hint="use --by file")


def test_a_tokenizer_without_places_compares_files_only():
    before, after = load("a b", "a.txt"), load("a b c", "a.txt")
    assert compare("a.txt", before, after, [_Placeless()], Wanted("file", changes=False)).delta == (2,)
    with pytest.raises(TokenizerError, match="not public"):
        compare("a.txt", before, after, [_Placeless()], Wanted())


def result_of(documents, wanted=EVERYTHING, *, several=False, skipped=(), models=MODELS):
    return DiffResult(
        before="old",
        after="new",
        several=several,
        models=models,
        documents=documents,
        skipped=skipped,
        wanted=wanted,
        special=False,
        version="1.0",
    )


@pytest.mark.parametrize("by", BY)
def test_the_report_for_programs_has_a_shape_of_its_options(by):
    wanted = replace(EVERYTHING, by=by)
    texts = [("a", "a"), ("a\n", "b\n"), (None, "c"), ("d", None)]
    shapes = set()
    for before, after in texts:
        tables = report(result_of([compared(before, after, wanted)], wanted), people=False).tables
        shapes.add(tuple((table.key, *(column.key for column in table.columns)) for table in tables))
        assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    assert len(shapes) == 1


SCHEMA = json.loads(files("tokaudit").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("changes", [True, False])
def test_the_document_is_as_its_schema_says(by, changes):
    wanted = Wanted(by, changes=changes)
    texts = [("a", "a"), ("# 退款\n\na  b\n", "b\n\n# 退款\n"), (None, "c"), ("d", None), ("", None), (None, "")]
    documents = [compared(before, after, wanted) for before, after in texts]
    found = report(
        result_of(documents, wanted, several=True, skipped=[Skipped("x", "binary", code="binary")]), people=False
    ).data
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(found)))
    assert [document["changes_total"] is None for document in found["documents"]] == [not changes] * len(texts)
    broken = {**found, "documents": [{**found["documents"][0], "delta": {"o200k_base": 0.5}}]}
    assert not Draft202012Validator(SCHEMA).is_valid(json.loads(json.dumps(broken)))


def test_top_keeps_the_largest_deltas():
    before = "\n\n".join(f"段落 {number}" for number in range(60))
    after = "\n\n".join(f"段落 {number}" + " 更多" * (number % 7) for number in range(60))
    document = compared(before, after)
    tables = report(result_of([document]), people=True).tables
    assert [len(table.rows) for table in tables] == [3, TABLE_ROWS, TABLE_ROWS]
    assert "40 of 51 shown; --top N for more, 0 for all" in tables[1].notes
    data = report(result_of([document], replace(EVERYTHING, top=5)), people=False).data["documents"][0]
    assert (len(data["segments"]), len(data["changes"]), data["segments_changed"]) == (5, 5, 51)
    largest = sorted((abs(pair.delta[0]) for pair in document.segments), reverse=True)[:5]
    assert sorted((abs(pair["delta"]["o200k_base"]) for pair in data["segments"]), reverse=True) == largest


def test_an_approximation_is_told():
    about = [ModelColumn("model", TokenizerRef("t", "byte-bpe", "", exact=False, error="about 3 %"), 0)]
    table = report(result_of([compared("a", "a b")], models=about), people=True).tables[0]
    assert table.rows[0][1:4] == ["≈1", "≈2", "≈+1"]
    assert "≈ model: about 3 %" in table.notes


def test_nothing_before_has_no_percent():
    found = report(
        result_of([compared(None, "a b")], several=True, skipped=[Skipped("x", "binary", code="binary")]), people=True
    )
    assert found.tables[0].rows[0][:5] == ["o200k_base", 0, 2, "+2", None]
    assert found.data["totals"]["relative"] == dict.fromkeys(NAMES)
    assert found.tables[0].notes[-1] == "skipped: 1, see below"
    assert found.bare == "2"


@pytest.mark.parametrize(
    ("text", "seen"),
    [("a b", "a b"), (" a", "·a"), ("a  b ", "a··b·"), ("  ", "··"), ("a\n\t\u3000\u00a0", "a⏎⇥□⍽"), ("", "")],
)
def test_white_space_that_changes_is_visible(text, seen):
    assert visible(text) == seen


@settings(max_examples=60)
@given(PARAGRAPHS, PARAGRAPHS, st.integers(0, 3))
def test_hunks_have_every_change_and_its_delta(before, after, context):
    old, new = "\n".join(before), "\n".join(after)
    result = compared(old, new, name="a.txt")
    found = list(hunks(old, result.changes, context))
    assert tuple(map(sum, zip(*[hunk.delta for hunk in found], (0, 0, 0), strict=True))) == result.delta
    for mark, side in (("-", "old"), ("+", "new")):
        texts = [text for hunk in found for sign, text in hunk.pieces if sign == mark]
        assert "".join(texts) == "".join(getattr(change, side) for change in result.changes)
    for hunk in found:
        assert "".join(text for sign, text in hunk.pieces if sign in {"", "-", "…"}) in old
        assert "".join(text for sign, text in hunk.pieces if sign in {"", "+", "…"}) in new


def test_context_is_counted_in_lines():
    old = "".join(f"line {number}\n" for number in range(20))
    new = old.replace("line 5\n", "").replace("line 9\n", "line nine\n").replace("line 17\n", "line 17!\n")
    result = compared(old, new, name="a.txt")
    shown = [
        ["".join(text for _, text in hunk.pieces).count("line") for hunk in hunks(old, result.changes, context)]
        for context in (0, 1, 2)
    ]
    assert shown == [[1, 1, 1], [3, 3, 3], [9, 5]]


def test_the_middle_of_a_long_line_is_left_out():
    old = "字" * 1000 + "a" + "文" * 1000
    (hunk,) = hunks(old, compared(old, old.replace("a", "b"), name="a.txt").changes, 1)
    assert [(sign, len(text)) for sign, text in hunk.pieces if sign in {"", "…"}] == [
        ("", 80),
        ("…", 840),
        ("", 80),
    ] * 2
