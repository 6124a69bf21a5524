"""Spans that are moved instead of looked for again are those that would be found."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.pipeline.engine.span_reuse import spans_after
from tokaudit.pipeline.engine.windows import Accepted
from tokaudit.pipeline.spans.find import find_spans

PIECES = [
    *(
        "啊",
        "，",
        "。。。",
        "！！",
        "今天",
        "天气",
        "word",
        "a",
        "1",
        " ",
        "  ",
        "\u3000",
        "\n",
        "\n\n",
        "`x`",
        "“好”",
        "http://a.b/c",
    ),
    *(
        "- ",
        "# ",
        "| a | b |",
        "{x}",
        "```\n",
        "> ",
        "<b>",
        "a/b.py",
        "x@y.cn",
        "~~~",
        "\t",
        "C:\\d\\e",
        "一、",
        "（1）",
        "$HOME",
        "%s",
    ),
]


@st.composite
def cases(draw):
    text = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=25)))
    edits, at = [], 1
    while at < len(text) and len(edits) < 3:
        start = draw(st.integers(at, len(text)))
        end = min(len(text), start + draw(st.integers(0, 3)))
        edits.append(Edit(start, end, draw(st.sampled_from(["", "", " ", "啊", "a1", "。"]))))
        at = end + 1
    return text, [edit for edit in edits if edit.end > edit.start or edit.text]


@settings(max_examples=1500)
@given(cases(), st.sampled_from(["text", "markdown", "chat", "log", "template"]))
def test_moved_spans_are_those_that_would_be_found(case, kind):
    text, edits = case
    spans = find_spans(text, kind)
    accepted = Accepted()
    accepted.add(edits)
    kept = spans_after(text, accepted, spans, kind) if edits else None
    if kept is None:
        return
    assert set(kept.all) == set(find_spans(apply_edits(text, edits), kind).all)
