"""How much work a function does: lines and calls of Python that it runs, the same however busy the machine is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

Input = TypeVar("Input")


def steps(work: Callable[[Input], object], on: Input) -> int:
    """Lines of Python that run, and calls of built-in functions. The work inside one such call is not seen."""
    count = 0

    def line(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return line

    def call(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "c_call"

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(line)
    sys.setprofile(call)
    try:
        work(on)
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return count


def assert_linear(work: Callable[[Input], object], of: Callable[[int], Input], size: int) -> None:
    """Fail where twice the input takes clearly more than twice the work: the square takes four times as much."""
    work(of(size // 2))  # what is loaded or compiled at the first use
    once, twice = steps(work, of(size)), steps(work, of(2 * size))
    assert twice <= 2.5 * once + 500, f"{once:,} steps for {size:,}, {twice:,} for twice that"
