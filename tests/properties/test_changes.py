"""Steps told as changes of the first text: applied there, they give what the steps give."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tokaudit.model.edits import Edit, Step, apply_edits
from tokaudit.pipeline.engine.changes import changes


@st.composite
def runs(draw):
    before = text = draw(st.text("abc\n", max_size=30))
    steps = []
    for number in range(draw(st.integers(0, 4))):
        places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
        edits, done = [], -1
        for start, end in zip(places[::2], places[1::2], strict=False):
            if start > done:
                edits.append(Edit(start, end, draw(st.text("xyz", max_size=3))))
                done = end
        steps.append(Step(f"rule-{number}", edits))
        text = apply_edits(text, edits)
    return before, steps, text


@given(runs())
def test_changes_give_what_the_steps_give(run):
    before, steps, after = run
    found = changes(before, steps)
    assert apply_edits(before, [Edit(change.start, change.end, change.text) for change in found]) == after
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(change.rules for change in found)


def test_who_changed_what():
    steps = [
        Step("one", [Edit(2, 5, "")]),
        Step("two", [Edit(0, 1, "X"), Edit(3, 4, "YZ")]),
        Step("three", [Edit(1, 2, "")]),
    ]
    assert [tuple(change) for change in changes("abcdefgh", steps)] == [
        (0, 5, "X", ("two", "one", "three")),
        (6, 7, "YZ", ("two",)),
    ]
