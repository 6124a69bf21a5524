"""The parts of a window."""

from __future__ import annotations

from tokaudit.features.budget.evaluate import request_parts, rows_of
from tokaudit.features.budget.types import BANDS, PARTS, InputPart
from tokaudit.model.request import Content, Request, RequestMessage


def test_the_usual_window():
    """A worked example: of 8,000 tokens 500, 1,000, 2,000 and 800 leave 3,700, which is 46.25%."""
    inputs = [
        InputPart("a", "system", 500),
        InputPart("a", "user", 1000),
        InputPart("a", "retrieval", 2000),
        InputPart("a", "summary", 800),
    ]
    rows = {row.part: row for row in rows_of(inputs, 8000, BANDS)}
    assert (rows["output"].tokens, rows["output"].share) == (3700, 0.4625)
    assert not any(row.over or row.below for row in rows.values())
    assert sum(row.tokens for row in rows.values()) == 8000
    assert round(sum(least for least, _ in BANDS.values()), 2) == 0.75
    assert round(sum(most for _, most in BANDS.values()), 2) == 1.25


def test_what_overflows():
    rows = {row.part: row for row in rows_of([InputPart("a", "retrieval", 1200)], 1000, BANDS)}
    assert rows["retrieval"].over == 900
    assert (rows["output"].tokens, rows["output"].below) == (-200, 500)


def message(role: str, *contents: Content, turn: int = 0) -> RequestMessage:
    return RequestMessage(role, contents, "$.messages[0]", turn=turn)


def test_parts_of_a_request():
    document = "<document>Returns within seven days.</document>\n"
    request = Request(
        "openai-chat",
        [
            message("system", Content("text", "Be brief.", "")),
            message("system", Content("text", "<known_facts>\norder: 7\n</known_facts>", "")),
            message("user", Content("text", "Before?", ""), turn=1),
            message("assistant", Content("call", "{}", "", name="f"), turn=1),
            message("tool", Content("result", "old", ""), turn=1),
            message("assistant", Content("text", "So.", ""), turn=1),
            message("user", Content("text", f"{document}Now?", ""), Content("passage", "More.", ""), turn=2),
            message("assistant", Content("call", "{}", "", name="f"), turn=2),
            message("tool", Content("result", "new", ""), turn=2),
        ],
    )
    contents = [[1], [2], [4], [8], [16], [32], [100, 64], [128], [256]]
    media = [0, 0, 0, 0, 0, 0, 512, 0, 0]
    parts = request_parts(
        request, contents, media, lambda text: 70 if text == document else 0, tools=1024, framing=2048
    )
    assert parts == {
        "system": 1,
        "user": 30 + 512,
        "retrieval": 70 + 64,
        "summary": 2 + 4 + 8 + 16 + 32,
        "tools": 128 + 256 + 1024,
        "framing": 2048,
    }
    assert list(parts) == list(PARTS[:-1])
