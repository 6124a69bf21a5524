"""The bill of a conversation: worked examples of shared planning, and what must hold in general."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokaudit.features.conversation import bill, expansion, prefixes, turns_that_fit

TURNS = st.lists(st.integers(0, 5000), min_size=1, max_size=40)


def test_a_conversation_bills_the_sum_of_its_prefixes() -> None:
    turns = [800] * 20
    assert prefixes(turns, 500)[-1] == 16_500
    assert bill(turns, 500) == 178_000
    assert bill(turns, 500, keep_last=3) == 55_600


def test_the_turn_that_overflows() -> None:
    assert turns_that_fit([1500], 8000, 500, 2000) == 3
    assert turns_that_fit([1500] * 9, 8000, 500, 2000) == 3
    assert turns_that_fit([100, 5000, 700], 8000, 500, 2000) == 2
    assert turns_that_fit([6000], 8000, 500, 2000) == 0


def test_what_cannot_be_answered_is_refused() -> None:
    with pytest.raises(ValueError, match="never overflow"):
        turns_that_fit([0, 0], 100)
    with pytest.raises(ValueError, match="at least 1"):
        prefixes([1], keep_last=0)
    with pytest.raises(ValueError, match="question"):
        expansion(100, 0)


def test_retrieval_expands_a_question() -> None:
    assert expansion(6_020, 20) == 301


@given(TURNS, st.integers(0, 1000), st.integers(1, 50))
def test_keeping_more_turns_never_costs_less(turns: list[int], fixed: int, kept: int) -> None:
    assert bill(turns, fixed, keep_last=kept) <= bill(turns, fixed, keep_last=kept + 1) <= bill(turns, fixed)
    assert prefixes(turns, fixed, keep_last=len(turns)) == prefixes(turns, fixed)


@given(TURNS.filter(any), st.integers(0, 1000), st.integers(0, 60_000))
def test_the_turns_that_fit_do_and_one_more_does_not(turns: list[int], fixed: int, room: int) -> None:
    number = turns_that_fit(turns, fixed + room, fixed)
    if number < len(turns):
        assert sum(turns[:number]) <= room < sum(turns[: number + 1])
    else:
        mean = sum(turns) / len(turns)
        assert sum(turns) + (number - len(turns)) * mean <= room < sum(turns) + (number - len(turns) + 1) * mean + 1e-6
