"""The changes of several steps together, in places of the text before all of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from tokaudit.model.edits import Step


class Change(NamedTuple):
    """``[start, end)``, in code points of the text before the steps, became ``text`` by some rules."""

    start: int
    end: int
    text: str
    rules: tuple[str, ...]


class _Piece(NamedTuple):
    """A part of the text as it stands: a stretch of the text before (``start`` to ``end``), or what rules put there.

    What a rule deleted leaves an empty piece, so that it is known who did it.
    """

    start: int
    end: int
    text: str
    rules: tuple[str, ...]

    @property
    def length(self) -> int:
        return len(self.text) if self.rules else self.end - self.start


def changes(before: str, steps: Sequence[Step]) -> list[Change]:
    """The changes of all steps together, ascending and apart; the edits of each step follow those before it."""
    pieces = [_Piece(0, len(before), "", ())]
    for step in steps:
        pieces = _stepped(pieces, step)
    found = []
    at = 0
    text, rules = "", dict[str, None]()
    for piece in [*pieces, _Piece(len(before), len(before), "", ())]:
        if piece.rules:
            text += piece.text
            rules.update(dict.fromkeys(piece.rules))
            continue
        if piece.start == piece.end < len(before):
            continue
        if rules and before[at : piece.start] != text:
            found.append(Change(at, piece.start, text, tuple(rules)))
        at, text, rules = piece.end, "", {}
    return found


def _stepped(pieces: Sequence[_Piece], step: Step) -> list[_Piece]:
    done: list[_Piece] = []
    rest = deque(pieces)
    at = 0
    for edit in step.edits:
        unchanged, at = _taken(rest, at, edit.start)
        done += unchanged
        gone, at = _taken(rest, at, edit.end)
        rules = dict.fromkeys(rule for piece in gone for rule in piece.rules)
        done.append(_Piece(0, 0, edit.text, (*rules, step.rule)))
    return [*done, *rest]


def _taken(rest: deque[_Piece], at: int, until: int) -> tuple[list[_Piece], int]:
    """The pieces from ``at`` until an offset, the last one cut there; they are no longer in ``rest``."""
    taken = []
    while rest and at + rest[0].length <= until:
        taken.append(rest.popleft())
        at += taken[-1].length
    if rest and at < until:
        piece, size = rest.popleft(), until - at
        if piece.rules:
            taken.append(piece._replace(text=piece.text[:size]))
            rest.appendleft(piece._replace(text=piece.text[size:]))
        else:
            taken.append(piece._replace(end=piece.start + size))
            rest.appendleft(piece._replace(start=piece.start + size))
        at = until
    return taken, at
