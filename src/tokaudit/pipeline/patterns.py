"""Patterns: ours, compiled where they are first needed, and those of rules, checked and compiled by ``regex``.

How long a rule's pattern searches is limited where it is applied: by ``timeout=``, which ``regex`` heeds to the
hundredth of a second of CPU time. Compiling has no such limit, so what would make a compiled pattern huge is refused
here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from math import prod
from typing import Any, NamedTuple

from tokaudit.model.errors import RuleError
from tokaudit.model.message import Message

LONGEST = 10_000
"""Characters of a pattern, with the texts of its lists."""
_MOST_TIMES = 1000
"""The highest limit of a repeat."""
_LARGEST = 1_000_000
"""Characters of a pattern with its repeats written out, as ``regex`` does it: the least times of each."""
_TIMES = re.compile(r"(?<!\\)\{(\d*)(?:,(\d*))?\}")
_HINT = "write it as the regex module takes it, and quote it with ' in YAML"


def lazy(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A pattern of ``re`` that is compiled by the first call: most runs need few of ours."""
    return cache(partial(re.compile, pattern, flags))


class PatternProblem(NamedTuple):
    """One thing that keeps a pattern from being used."""

    offset: int
    """0-based, in characters of the pattern."""
    message: str


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Any:
    """A pattern as ``regex`` compiles it, with MULTILINE and VERSION0 unless its own flags say otherwise.

    Raises:
        RuleError: It does not compile. The message names the place.
    """
    import regex

    try:
        try:
            return regex.compile(pattern, regex.MULTILINE | regex.VERSION0)
        except ValueError:  # (?V1) in the pattern
            return regex.compile(pattern, regex.MULTILINE)
    except regex.error as error:
        place = Message(" at offset {pos}", pos=error.pos) if error.pos is not None else ""
        raise RuleError(
            Message(
                "pattern {pattern} does not compile: {reason}{place}",
                pattern=_short(pattern),
                reason=error.msg,
                place=place,
            ),
            hint=_HINT,
            keys=("pattern",),
        ) from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, MemoryError, IndexError) as error:
        raise RuleError(
            Message("pattern {pattern} does not compile: {error}", pattern=_short(pattern), error=error),
            hint=_HINT,
            keys=("pattern",),
        ) from error


def _short(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "...")


@lru_cache(maxsize=4096)
def pattern_problem(pattern: str) -> PatternProblem | None:
    """The first reason why a pattern cannot be used, or None: too long, too many repeats, or it does not compile."""
    if len(pattern) > LONGEST:
        return PatternProblem(
            LONGEST, Message("longer than {longest} characters: use a list of texts", longest=LONGEST)
        )
    of_groups, of_characters = [1], [1]
    for match in _TIMES.finditer(pattern):
        least, most = int(match[1] or 0), int(match[2] or 0)
        if max(least, most) > _MOST_TIMES:
            return PatternProblem(
                match.start(),
                Message("repeated up to {times} times: at most {most}", times=max(least, most), most=_MOST_TIMES),
            )
        repeats = of_groups if pattern[match.start() - 1] == ")" else of_characters
        repeats.append(max(least, 1))
        if prod(of_groups) * max(of_characters) * len(pattern) > _LARGEST:
            return PatternProblem(match.start(), "repeats of repeats: too large once they are written out")
    try:
        compile_pattern(pattern)
    except RuleError as error:
        cause = error.__cause__
        return PatternProblem(
            getattr(cause, "pos", None) or 0,
            Message("does not compile: {reason}", reason=getattr(cause, "msg", None) or cause),
        )
    return None
