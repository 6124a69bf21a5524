"""What changed between two texts: it leads from the one to the other, both ways, by words, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokaudit.features.diff.alignment import equal_runs
from tokaudit.features.diff.text_diff import Change, changes_of, equal_stretches
from tokaudit.model import Span
from tokaudit.model.edits import Edit, apply_edits
from work import assert_linear

WORDS = st.sampled_from([
    "foo", "bar", "naïve", "的", "是", "不", "您好", " ", "  ", "\t", "\n", "\r\n", "，", "。", "x1", "3.14", "é",
    "👍🏽", "👩‍👩‍👧", "\u3000", "\u00a0", "\x0b", "\u2028", "カナ", "한국어", "<|endoftext|>",
])  # fmt: skip
TEXTS = st.lists(WORDS, max_size=40).map("".join)


@st.composite
def versions(draw):
    """A text and an edited one."""
    words = draw(st.lists(WORDS, max_size=60))
    edited = list(words)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(edited)))
        edited[at : at + draw(st.integers(0, 4))] = draw(st.lists(WORDS, max_size=4))
    return "".join(words), "".join(edited)


def shown(before: str, after: str) -> str:
    """The older text with all changes marked."""
    parts, at = [], 0
    for change in changes_of(before, after):
        old = before[change.before.start : change.before.end]
        new = after[change.after.start : change.after.end]
        parts += [before[at : change.before.start], f"[-{old}-]" if old else "", f"{{+{new}+}}" if new else ""]
        at = change.before.end
    return "".join([*parts, before[at:]])


def replayed(before, after, changes):
    return apply_edits(
        before, [Edit(c.before.start, c.before.end, after[c.after.start : c.after.end]) for c in changes]
    )


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("same", "same", "same"),
        ("", "new\n", "{+new\n+}"),
        ("old\n", "", "[-old\n-]"),
        ("请在三天内回复", "请在3天内回复", "请在[-三-]{+3+}天内回复"),
        ("谢谢您的配合。", "谢谢配合！", "谢谢[-您的-]配合[-。-]{+！+}"),
        ("the quick fox jumps", "the slow fox leaps", "the [-quick-]{+slow+} fox [-jumps-]{+leaps+}"),
        ("see the quick brown fox", "see the slow red fox", "see the [-quick brown-]{+slow red+} fox"),
        ("a  b\n", "a b\n", "a[-  -]{+ +}b\n"),
        ("x\r\ny\r\n", "x\ny\n", "x[-\r\n-]{+\n+}y[-\r\n-]{+\n+}"),
        ("one\ntwo\nthree\n", "one\nthree\n", "one\n[-two\n-]three\n"),
        ("one\nthree\n", "one\ntwo\nthree\n", "one\n{+two\n+}three\n"),
        ("last", "last\n", "last{+\n+}"),
        ("quite another line\n", "全部是新的一行\n", "[-quite another line\n-]{+全部是新的一行\n+}"),
        ("e\u0301a", "ea", "[-e\u0301a-]{+ea+}"),
        ("ok 👍🏽", "ok 👍", "ok [-👍🏽-]{+👍+}"),
        ("人👩‍👩‍👧家", "人👩‍👧家", "人[-👩‍👩‍👧-]{+👩‍👧+}家"),
        ("カナ2", "カタナ2", "カ{+タ+}ナ2"),
    ],
)
def test_by_word(before, after, marked):
    assert shown(before, after) == marked


def check(before: str, after: str) -> None:
    changes = changes_of(before, after)
    assert replayed(before, after, changes) == after
    assert replayed(after, before, [Change(change.after, change.before) for change in changes]) == before
    assert bool(changes) == (before != after)
    last = Span(0, 0)
    for change in changes:
        assert change.before or change.after
        assert change.before.start >= last.end
        last = change.before
    for at, other, length in equal_stretches(changes, len(before)):
        assert length > 0
        assert before[at : at + length] == after[other : other + length]
    assert sum(length for *_, length in equal_stretches(changes, len(before))) == len(before) - sum(
        len(change.before) for change in changes
    )
    mirrored = changes_of(after, before)
    assert mirrored == [Change(change.after, change.before) for change in changes]


@given(versions())
def test_an_edited_text(pair):
    check(*pair)


@given(TEXTS, TEXTS)
def test_any_two_texts(before, after):
    check(before, after)


@given(st.text(), st.text())
def test_any_characters(before, after):
    check(before, after)


@given(TEXTS)
def test_a_text_and_itself(text):
    assert changes_of(text, text) == []


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("a b", "a  b", "space"),
        ("a\n", "a", "space"),
        ("a", "a b", "added"),
        ("a b", "a", "removed"),
        ("a", "b", "changed"),
    ],
)
def test_kinds(before, after, kind):
    (change,) = changes_of(before, after)
    assert change.kind(before, after) == kind


@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=30), st.booleans())
def test_equal_runs_are_equal_and_ascend(before, after, shortest):
    at = other = 0
    for start, place, length in equal_runs(before, after, shortest=shortest):
        assert start >= at
        assert place >= other
        assert before[start : start + length] == after[place : place + length]
        at, other = start + length, place + length


def common(before, after):
    """Length of the longest common subsequence, the plain way."""
    row = [0] * (len(after) + 1)
    for item in before:
        last = 0
        for at, other in enumerate(after):
            last, row[at + 1] = row[at + 1], last + 1 if item == other else max(row[at], row[at + 1])
    return row[-1]


@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=30))
def test_short_sequences_have_the_shortest_script(before, after):
    assert sum(length for *_, length in equal_runs(before, after, shortest=True)) == common(before, after)


def hostile(size: int) -> dict[str, tuple[str, str]]:
    """Texts before and after of some thousand words or lines."""
    return {
        "no line ends": (" ".join(map(str, range(size))), " ".join(map(str, range(1, size))).replace("7 ", "8 ")),
        "reversed lines": ("\n".join(map(str, range(size))), "\n".join(map(str, range(size, 0, -1)))),
        "few distinct words": ("x y " * size, "y x z " * size),
        "few distinct lines": ("x\ny\n" * size, "y\nx\nx\n" * size),
        "one letter": ("a" * size * 10, "a" * (size * 10 - 1) + "b"),
        "nested anchors": (
            "\n".join(f"{n}\n{size - n}" for n in range(size // 4)),
            "\n".join(map(str, range(0, size, 3))),
        ),
        "every line changed": ("the cat sat\n" * (size // 6), "the dog sat\n" * (size // 6)),
        "every word changed, islands left": ("aaaa b " * size, "cccc b " * size),
    }


@pytest.mark.parametrize("name", hostile(10))
def test_work_does_not_explode(name):
    before, after = hostile(4_000)[name]
    assert replayed(before, after, changes_of(before, after)) == after
    assert_linear(lambda texts: changes_of(*texts), lambda size: hostile(size)[name], 2_000)
