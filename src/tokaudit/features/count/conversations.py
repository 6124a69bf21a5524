"""The bill of a recorded conversation: every answer was paid for with all that stood before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import add

from tokaudit.features.conversation import turns_that_fit
from tokaudit.features.count.divisions import turn_label
from tokaudit.features.count.types import Conversation, CountResult, TurnBill
from tokaudit.features.model_columns import count_columns
from tokaudit.model import Cell, Column, ModelColumn, Table
from tokaudit.model.message import Message
from tokaudit.model.request import Request

BEFORE = "before"
"""Id of the part that stands before the first turn."""
MOST_MESSAGES = 400
"""Messages up to which each prefix is counted: the work grows with the square of their number."""


def conversation_of(
    request: Request,
    added: Sequence[Sequence[int]],
    count: Callable[[Request], Sequence[int]],
    windows: Sequence[int | None],
    hidden: int = 0,
) -> Conversation:
    """Count each request that the conversation was made of, exactly: one for each answer, and one for what waits.

    Args:
        request: The conversation.
        added: Tokens of each turn, for each model.
        count: Gives the input tokens of a request for each model.
        windows: Tokens of each model's window.
        hidden: Tokens that are added to each request.

    Raises:
        TokenizerError: A chat template refuses a part of the conversation.
    """
    bills: dict[int, TurnBill] = {}
    for at in _asked(request):
        sent = tuple(tokens + hidden for tokens in count(replace(request, messages=request.messages[:at])))
        turn = request.messages[at - 1].turn
        known = bills.get(turn)
        if known is None:
            bills[turn] = TurnBill(turn, 1, sent, sent)
        else:
            largest = tuple(map(max, known.largest, sent))
            bills[turn] = TurnBill(turn, known.requests + 1, tuple(map(add, known.sent, sent)), largest)
    reserve = request.max_output or 0
    overflow = [_overflow(bills, added, column, window, reserve) for column, window in enumerate(windows)]
    return Conversation([bills[turn] for turn in sorted(bills)], tuple(overflow), tuple(windows), reserve)


def _asked(request: Request) -> list[int]:
    """Numbers of messages that the requests of the conversation had."""
    messages = request.messages
    found = [at for at, message in enumerate(messages) if at and message.role == "assistant" and not message.is_example]
    if messages and messages[-1].role != "assistant":
        found.append(len(messages))
    return found


def _overflow(
    bills: dict[int, TurnBill], added: Sequence[Sequence[int]], column: int, window: int | None, reserve: int
) -> int | None:
    """The turn at which a request and its answer are over the window: one that is there, or a forecast."""
    if window is None:
        return None
    for turn in sorted(bills):
        if bills[turn].largest[column] + reserve > window:
            return turn
    tokens = [turn[column] for turn in added]
    last = max(bills)
    if not bills or sum(tokens) <= 0:
        return None
    fixed = max(0, bills[last].largest[column] - sum(tokens[: last or None]))
    return max(len(tokens), turns_that_fit(tokens, window, fixed, reserve)) + 1


def conversation_table(result: CountResult) -> Table | None:
    """The input tokens that each turn of one conversation has sent, and what all of them have billed."""
    found = result.documents[0].request if len(result.documents) == 1 else None
    if found is None or found.conversation is None:
        return None
    models, conversation = result.models, found.conversation
    columns = [Column("turn", "Turn"), Column("requests", "Requests", "right", ","), *count_columns(models)]
    rows: list[list[Cell]] = [
        [turn_label(bill.turn), bill.requests, *(model.cell(bill.sent[model.column]) for model in models)]
        for bill in conversation.turns
    ]
    billed = [sum(bill.sent[model.column] for bill in conversation.turns) for model in models]
    rows.append(
        [Message("billed"), sum(bill.requests for bill in conversation.turns), *map(ModelColumn.cell, models, billed)]
    )
    marks = {(len(rows) - 1, column): "total" for column in range(len(columns))}
    notes = []
    for model in models:
        turn, window = conversation.overflow[model.column], conversation.windows[model.column]
        if turn is None or window is None:
            continue
        said = Message(
            "{model}: turn {turn:,} is over the window of {window:,}", model=model.name, turn=turn, window=window
        )
        forecast = Message("{what}, if turns go on like these", what=said)
        notes.append(said if turn <= found.turns else forecast)
    title = Message("Input tokens sent by turn: each request sends all before it again")
    return Table(title, columns, rows, marks, notes, key="conversation")
