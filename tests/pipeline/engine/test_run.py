"""The engine: windows, guard, ledger, order, time."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tokaudit import load_tokenizer
from tokaudit.model.edits import Edit, apply_edits
from tokaudit.model.rules import Rule
from tokaudit.pipeline.engine.guard import WindowCounter, keeps
from tokaudit.pipeline.engine.languages import languages_of
from tokaudit.pipeline.engine.run import slim_text
from tokaudit.pipeline.engine.windows import Accepted, windows


def rule(name="test.rule", pattern="x", *, op="delete", stage="lexical", guard="saves", **fields):
    values = {"pattern": pattern, **fields.pop("values", {})}
    return Rule(name, "title", "why", "near", stage, op, values, guard=guard, **fields)


def replacing(name, pattern, by, **fields):
    return rule(name, pattern, op="replace", values={"with": by}, **fields)


@pytest.fixture(scope="module")
def o200k():
    return load_tokenizer("o200k_base")


@pytest.fixture(scope="module")
def several(o200k):
    return [o200k, load_tokenizer("qwen3"), load_tokenizer("deepseek-v3"), load_tokenizer("kimi-k2")]


PIECES = (
    "字",
    "词。",
    "word",
    " and",
    "  ",
    "\n",
    "\n",
    "\n\n",
    "    ",
    "\t",
    "/",
    "1",
    "23",
    ",",
    "！",
    "é",
    "\u3000",
    "x",
    "\r\n",
    "🙂",
)


def test_windows_differ_by_what_the_text_differs(several):
    """Whatever the edits: tokens of the windows before and after differ by what those of the text differ by."""
    generator = random.Random(5)
    for number in range(400):
        text = "".join(generator.choices(PIECES, k=generator.randint(1, 60)))
        accepted = Accepted()
        now = text
        for _ in range(3):
            edits = []
            at = 0
            while at < len(text) and len(edits) < 4:
                start = generator.randint(at, len(text))
                end = min(len(text), start + generator.randint(0, 4))
                edit = Edit(start, end, "".join(generator.choices(PIECES, k=generator.randint(0, 2))))
                if (end > start or edit.text) and not accepted.overlaps(edit):
                    edits.append(edit)
                at = max(end, start + 1)
            if not edits:
                continue
            found = windows(text, edits, accepted)
            assert [edit for window in found for edit in window.edits] == edits
            assert all(one.end <= other.start for one, other in pairwise(found))
            counter = WindowCounter(several)
            old = counter.counts([part(text, window, accepted.within(window.start, window.end)) for window in found])
            new = counter.counts(
                [
                    part(text, window, sorted([*accepted.within(window.start, window.end), *window.edits]))
                    for window in found
                ]
            )
            after = apply_edits(text, sorted([*accepted.edits, *edits]))
            for column, tokenizer in enumerate(several):
                change = sum(counts[column] for counts in new) - sum(counts[column] for counts in old)
                assert tokenizer.count(after) - tokenizer.count(now) == change, (number, text, edits)
            accepted.add(edits)
            now = after


def part(text, window, edits):
    return apply_edits(
        text[window.start : window.end],
        [Edit(edit.start - window.start, edit.end - window.start, edit.text) for edit in edits],
    )


@pytest.mark.parametrize(
    ("guard", "before", "after", "kept"),
    [
        ("saves", (5, 5), (4, 5), True),
        ("saves", (5, 5), (4, 6), False),
        ("saves", (5, 5), (3, 6), False),
        ("saves", (5, 5), (5, 5), False),
        ("any", (5, 5), (9, 4), True),
        ("any", (5, 5), (5, 5), False),
        ("all", (5, 5), (4, 5), False),
        ("all", (5, 5), (4, 4), True),
        ("never", (5, 5), (9, 9), True),
        ("saves", (), (), True),
    ],
)
def test_guard(guard, before, after, kept):
    assert keeps(guard, before, after) is kept


def test_what_costs_is_refused_and_told(o200k):
    costly = replacing("test.spell", "cat", "c a t")
    text = "a cat\nno animal\na cat and a cat\n"
    result = slim_text(text, [costly], counters=[o200k])
    assert result.text == text
    assert result.steps == []
    (delta,) = result.deltas
    assert (delta.matches, delta.applied, delta.refused) == (3, 0, 3)
    assert delta.refused_cost[0] > 0
    assert result.tokens_before == result.tokens_after


def test_each_line_is_judged_by_itself(o200k):
    text = "keep  this\nhello   world\n"
    narrower = replacing("test.spaces", " {2,}", " ")
    result = slim_text(text, [narrower], counters=[o200k])
    assert result.text == "keep this\nhello world\n"
    assert result.replay() == result.text


def test_rules_of_a_later_stage_see_what_earlier_ones_left(o200k):
    rules = [
        replacing("b.two", "bb", "c", stage="final"),
        replacing("a.one", "aa", "bb", stage="decode", guard="never"),
    ]
    result = slim_text("aa", rules)
    assert result.text == "c"
    assert [step.rule for step in result.steps] == ["a.one", "b.two"]


def test_the_longer_of_two_overlapping_edits_goes_first():
    short, long = rule("test.short", "bc"), rule("test.long", "abcd")
    assert slim_text("x abcd y", [short, long]).text == "x  y"
    assert [delta.rule for delta in slim_text("x abcd y", [short, long]).deltas] == ["test.long"]


def test_the_shorter_one_is_tried_where_the_longer_is_refused(o200k):
    long = replacing("test.long", " +hello", " h-e-l-l-o")
    short = replacing("test.short", " {2,}", " ")
    assert slim_text("say    hello\n", [long, short], counters=[o200k]).text == "say hello\n"


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("order 12 of 34\n", r"\d+ of "),
        ("我不去\n", "不"),
        ("see https://example.com/a\n", r"https\S+"),
        ("on 2024-05-20 at noon\n", r"-20"),
        ("do not go\n", "not "),
        ("pay ¥1,299.00 now\n", r"1,"),
    ],
)
def test_the_ledger_undoes_what_would_lose_a_fact(text, pattern, o200k):
    for counters in ([], [o200k]):
        result = slim_text(text, [rule(pattern=pattern, guard="never")], counters=counters)
        assert result.text == text
        assert result.ledger.whole
        if result.deltas:
            assert result.deltas[0].undone == result.deltas[0].matches


def test_an_edit_that_makes_a_fact_up_is_undone():
    assert slim_text("12 34\n", [rule(pattern=" ", guard="never")]).text == "12 34\n"


def test_only_the_edits_that_touch_the_fact_are_undone():
    result = slim_text("so so good, 7 so so\n", [rule(pattern=r"so |7", guard="never")])
    assert result.text == "good, 7 so\n"
    assert [lost.fact for lost in result.ledger.lost] == ["7"]
    assert result.deltas[0].undone == 1


def test_what_a_rule_declares_may_go():
    declared = rule(pattern=r"\d+ ", guard="never", removes=frozenset({"number"}))
    result = slim_text("take 12 of it\n", [declared])
    assert result.text == "take of it\n"
    assert result.ledger.removed == {"number": 1}
    assert result.ledger.whole


def test_protected_spans_are_not_entered_unless_the_rule_says_so():
    text = "aa `aa` {aa} “aa” aa\n"
    assert slim_text(text, [rule(pattern="aa", guard="never")]).text == " `aa` {aa} “aa” \n"
    entering = rule(pattern="aa", guard="never", enters=frozenset({"quote"}))
    assert slim_text(text, [entering]).text == " `aa` {aa} “” \n"


def test_off_and_on():
    text = "aa\n<!-- tokaudit:off -->\naa\n<!-- tokaudit:on -->\naa\n"
    everywhere = rule(pattern="aa", guard="never", enters=frozenset({"html-comment"}))
    assert (
        slim_text(text, [everywhere], kind="markdown").text == "\n<!-- tokaudit:off -->\naa\n<!-- tokaudit:on -->\n\n"
    )


def test_a_rule_that_runs_out_of_time_is_left_out():
    slow = rule("test.slow", r"(a|b|ab)*(?=z)", guard="never", timeout_ms=1)
    result = slim_text("x" + "ab" * 60 + "c  d\n", [slow, replacing("test.spaces", " {2,}", " ")])
    assert result.text.endswith("c d\n")
    assert {delta.rule: delta.timed_out for delta in result.deltas} == {"test.slow": True, "test.spaces": False}


def test_kinds_and_languages():
    for_json = rule(pattern="a", guard="never", kinds=("json",))
    assert slim_text("a", [for_json]).text == "a"
    for_chinese = rule(pattern="a", guard="never", langs=("zh",))
    assert slim_text("a b", [for_chinese]).text == "a b"
    assert slim_text("a 字", [for_chinese]).text == " 字"
    assert slim_text("a b", [for_chinese], langs=frozenset({"zh"})).text == " b"


@pytest.mark.parametrize(
    ("text", "langs"),
    [
        ("", ""),
        ("12", ""),
        ("hello", "en"),
        ("你好", "zh"),
        ("こんにちは世界", "ja"),
        ("你好 world", "en zh"),
        ("a b c", ""),
    ],
)
def test_languages(text, langs):
    assert languages_of(text) == frozenset(langs.split())


def test_an_empty_text(o200k):
    result = slim_text("", [rule()], counters=[o200k])
    assert (result.text, result.tokens_before, result.tokens_after, result.deltas) == ("", (0,), (0,), [])


@pytest.mark.parametrize("name", ["mistral-v1", "p50k_base"])
def test_tokenizers_that_cannot_be_cut(name, o200k):
    """The guard's tokenizer needs the whole text; the rules' savings still sum to the text's."""
    counters = [load_tokenizer(name), o200k]
    text = "hello   world\n  deep   down\nword word  word\n字  词\n" * 3
    rules = [
        replacing("test.spaces", " {2,}", " "),
        rule("test.word", "word "),
        replacing("test.long", "deep", "d e e p"),
    ]
    result = slim_text(text, rules, counters=counters)
    assert result.text != text
    for column, tokenizer in enumerate(counters):
        assert result.tokens_before[column] == tokenizer.count(text)
        assert result.tokens_after[column] == tokenizer.count(result.text)
        saved = sum(delta.saved[column] for delta in result.deltas)
        assert saved == result.tokens_before[column] - result.tokens_after[column] > 0
