"""Where long lines are cut, every tokenizer whose tokens are counted by windows cuts too."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit import load_tokenizer
from tokaudit.model.edits import Edit
from tokaudit.pipeline.engine.windows import LONG, Accepted, windows

PIECES = [
    *("我们", "好。", "对！", "是？", "了；", "，", "one", "Word", "it's", "a’s", "end. And", "it! It", "so? So"),
    *(
        " ",
        "  ",
        "\u3000",
        "１",
        "3.5",
        "...",
        "。。",
        "/",
        "\u0301",
        "\u200b",
        "😀",
        "é",
        "-",
        "“",
        "”",
        "\u3099",
        "が",
    ),
]
NAMES = ("o200k_base", "cl100k_base", "qwen3", "deepseek-v3", "glm-5", "kimi-k2", "tekken")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(st.lists(st.sampled_from(PIECES), min_size=5, max_size=40), st.integers(0, 30))
def test_windows_of_a_long_line_are_counted_by_themselves(name, pieces, at):
    tokenizer = load_tokenizer(name)
    line = ("".join(pieces) + "好。we go. Then 我") * (3 * LONG // (len("".join(pieces)) + 16) + 1)
    edit = Edit(len(line) // 2 + at, len(line) // 2 + at + 1, "")
    (window,) = windows(line, [edit], Accepted())
    assert window.end - window.start < len(line) // 2
    changed = line[: edit.start] + line[edit.end :]
    part, part_changed = line[window.start : window.end], changed[window.start : window.end - 1]
    whole = tokenizer.count(changed) - tokenizer.count(line)
    assert tokenizer.count(part_changed) - tokenizer.count(part) == whole


def test_windows_of_many_edits_in_a_long_line_ascend_and_hold_their_edits():
    line = "今天天气很好，我们出去玩。。" * 3000
    edits = [Edit(at, at + 1, "") for at in range(13, len(line), 14)]
    found = windows(line, edits, Accepted())
    assert len(found) == 1  # edits stand closer together than windows are wide
    few = edits[::400]
    found = windows(line, few, Accepted())
    assert [edit for window in found for edit in window.edits] == few
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(window.start <= edit.start < edit.end <= window.end for window in found for edit in window.edits)
    assert len(windows(line, few, Accepted(), None)) == 1
