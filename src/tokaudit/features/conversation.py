"""The bill of a conversation: each turn sends everything before it again.

Let ``fixed`` be what every request carries (system prompt, tool definitions, framing) and ``added[t]`` what turn ``t``
adds to the next prefix. Turn ``t`` then sends ``fixed + added[1] + ... + added[t]``, and the conversation has billed
the sum of these prefixes. With equal turns of ``a`` tokens that is ``n * fixed + a * n * (n + 1) / 2``: it grows with
the square of the number of turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def prefixes(added: Sequence[int], fixed: int = 0, *, keep_last: int | None = None) -> list[int]:
    """Input tokens that each turn sends.

    Args:
        added: Tokens that each turn adds.
        fixed: Tokens that every request carries.
        keep_last: Turns that are sent at most, the current one included; None for all.

    Raises:
        ValueError: ``keep_last`` is below 1.
    """
    if keep_last is not None and keep_last < 1:
        raise ValueError("the current turn is always sent: keep_last is at least 1")
    sums = [0, *accumulate(added)]
    window = len(sums) if keep_last is None else keep_last
    return [fixed + sums[turn] - sums[max(0, turn - window)] for turn in range(1, len(sums))]


def bill(added: Sequence[int], fixed: int = 0, *, keep_last: int | None = None) -> int:
    """Input tokens that all turns together have been billed: the sum of ``prefixes``."""
    return sum(prefixes(added, fixed, keep_last=keep_last))


def turns_that_fit(added: Sequence[int], window: int, fixed: int = 0, reserve: int = 0) -> int:
    """Number of turns after which the next one overflows the window.

    For equal turns of ``a`` tokens it is ``floor((window - fixed - reserve) / a)``. Recorded turns that all fit are
    continued with turns of their mean, so that the answer is a forecast where it exceeds ``len(added)``.

    Args:
        added: Tokens that each turn adds; at least one above 0.
        window: Tokens of the window.
        fixed: Tokens that every request carries.
        reserve: Tokens that stay free for the answer.

    Raises:
        ValueError: No turn adds anything, so that none ever overflows.
    """
    room = window - fixed - reserve
    total = sum(added)
    if total <= 0:
        raise ValueError("turns that add nothing never overflow")
    if total > room:
        return sum(used <= room for used in accumulate(added))
    return len(added) + (room - total) * len(added) // total


def expansion(sent: int, question: int) -> float:
    """Input tokens for each token of the question: how much retrieval and instructions make of it.

    Raises:
        ValueError: The question has no tokens.
    """
    if question <= 0:
        raise ValueError("a question has at least one token")
    return sent / question
