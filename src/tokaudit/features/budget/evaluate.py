"""The tokens of each part of a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tokaudit.features.budget.types import PARTS, BudgetRow, InputPart, PartName
from tokaudit.features.passages import passages_of
from tokaudit.features.turns import slot_of, turns_of
from tokaudit.model.request import Request


def request_parts(
    request: Request,
    contents: Sequence[Sequence[int]],
    media: Sequence[int],
    count: Callable[[str], int],
    *,
    tools: int,
    framing: int,
) -> dict[PartName, int]:
    """Tokens of each part of a request; they sum to its total.

    The user's part is the question of the last turn; what came before it is history, which a summary stands for, and
    so is an answer that is recorded already. Retrieved passages are those that the request marks or tags as such.

    Args:
        request: The request.
        contents: For each message the tokens of each of its contents.
        media: For each message the tokens of its images, recordings and files.
        count: Counts the text of a passage that is a part of a longer text.
        tools: Tokens of tool definitions and the answer's schema.
        framing: Tokens of what is around all of them.
    """
    parts: dict[PartName, int] = dict.fromkeys(PARTS[:-1], 0)
    turns = turns_of(request)
    last = max(turns, default=0)
    retrieved: dict[tuple[int, int], int] = {}
    for passage in passages_of(request):
        text = request.messages[passage.message].contents[passage.content].text
        if not passage.exact:  # a fenced block may be the user's own
            key = passage.message, passage.content
            retrieved[key] = retrieved.get(key, 0) + count(text[passage.start : passage.end])
    for at, message in enumerate(request.messages):
        for index, (content, tokens) in enumerate(zip(message.contents, contents[at], strict=True)):
            passages = tokens if content.kind == "passage" else min(tokens, retrieved.get((at, index), 0))
            parts["retrieval"] += passages
            if content.kind in {"call", "result"} and turns[at] == last:
                part: PartName = "tools"
            elif slot_of(message) or (turns[at] and (turns[at] < last or message.role != "user")):
                part = "summary"
            else:
                part = "user" if turns[at] else "system"
            parts[part] += tokens - passages
        parts["user" if turns[at] == last and turns[at] else "summary" if turns[at] else "system"] += media[at]
    parts["tools"] += tools
    parts["framing"] = framing
    return parts


def rows_of(inputs: Sequence[InputPart], window: int, bands: Mapping[str, tuple[float, float]]) -> list[BudgetRow]:
    """The rows of the table: each part's tokens, and for the answer what is left of the window."""
    rows = []
    for part in PARTS:
        if part == "output":
            tokens = window - sum(item.tokens for item in inputs)
        else:
            tokens = sum(item.tokens for item in inputs if item.part == part)
        band = bands.get(part)
        least, most = (round(share * window) for share in band) if band else (tokens, tokens)
        rows.append(BudgetRow(part, tokens, tokens / window, band, max(0, tokens - most), max(0, least - tokens)))
    return rows
