"""Problems of rule packs as text: each with its place and the line of the file, and a mark below the very column."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokaudit.model.message import Message, joined

if TYPE_CHECKING:
    from tokaudit.store.pack_values import Problem

_WIDEST = 100
"""Columns of the shown line."""


def listed(path: str, problems: Sequence[Problem], most: int) -> str:
    """All problems, ``most`` of them with their lines."""
    count = Message("a problem") if len(problems) == 1 else Message("{n} problems", n=len(problems))
    lines: list[str] = [Message("{count} in {path}", count=count, path=path)]
    for problem in problems[:most]:
        lines += [joined(": ", f"{problem.path}:{problem.line}:{problem.column}", problem.message), *_shown(problem)]
    if len(problems) > most:
        lines.append(Message("and {n} more", n=len(problems) - most))
    return joined("\n", *lines)


def _shown(problem: Problem) -> list[str]:
    """The line with its number, cut around the column, and the mark below."""
    if not problem.shown.strip():
        return []
    text = "".join(sign if sign.isprintable() or sign == "\t" else "\ufffd" for sign in problem.shown)
    at = min(problem.column - 1, len(text))
    begin = 0
    while _width(text[begin:at]) > _WIDEST // 2:
        begin += max(1, (_width(text[begin:at]) - _WIDEST // 2) // 2)
    end = len(text)
    while _width(text[begin:end]) > _WIDEST:
        end = max(at + 1, end - max(1, (_width(text[begin:end]) - _WIDEST) // 2))
        if end == at + 1:
            break
    before = ("…" if begin else "") + text[begin:at]
    number = str(problem.line)
    line = before + text[at:end] + ("…" if end < len(text) else "")
    blank = "".join("\t" if sign == "\t" else " " * _width(sign) for sign in before)
    return [f"  {number} | {line}", f"  {' ' * len(number)} | {blank}^"]


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in {"W", "F"} else 1
        for sign in text
    )
