"""Parts of requests, and notes on them, of one document or of its pieces: flags, order, and how many are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tokaudit.features.count.parts import FLAGGED_CHARS
from tokaudit.features.count.types import Part, Wanted
from tokaudit.model import Skipped
from tokaudit.model.message import Message
from tokaudit.model.request import ROLES

_SHOWN = 5
_CODES = frozenset(("request", "framing"))
"""Codes of notes of which a large file may have one a line."""
_MORE = "{reason}, and {n:,} times more"
_ORDER = (
    *(*ROLES, "text", "passage", "thinking", "call", "result", "tools", "schema"),
    *("image", "audio", "video", "file", "framing", "hidden"),
)


def request_flags(chars: int, tokens: Sequence[int], wanted: Wanted, *, encoded: bool) -> tuple[str, ...]:
    """Flags of a part of requests that do not depend on the other parts; ``encoded`` where there is base64 in it."""
    flags = ("base64",) if encoded else ()
    is_dense = chars >= FLAGGED_CHARS and max(tokens, default=0) / chars > wanted.density_threshold
    return (*flags, "dense") if is_dense else flags


def in_order(parts: Iterable[Part]) -> list[Part]:
    """Roles and kinds as reports list them; others keep their order, between the roles and the kinds."""
    return sorted(parts, key=_place)


def _place(part: Part) -> int:
    name = part.id if part.kind in {"role", "message"} else part.kind
    return _ORDER.index(name) if name in _ORDER else len(ROLES)


def flagged_anew(parts: Iterable[Part], wanted: Wanted) -> list[Part]:
    """Parts that were added up, with the flags of what they are together."""
    return [
        replace(part, flags=request_flags(part.chars, part.tokens, wanted, encoded="base64" in part.flags))
        for part in parts
    ]


def each_reason_a_few_times(path: str, notes: Iterable[Skipped]) -> list[Skipped]:
    """The notes on a document; last those on requests, each reason a few times, and how often it comes besides.

    Notes that say how often may be among them, as those of the pieces of a file are.
    """
    others: list[Skipped] = []
    shown: list[Skipped] = []
    met: dict[str, int] = {}
    last: dict[str, Skipped] = {}
    for note in notes:
        if note.code not in _CODES:
            others.append(note)
            continue
        reason, times = note.reason, 1
        if isinstance(reason, Message) and reason.template == _MORE:
            reason, times = reason.values["reason"], reason.values["n"]
        elif met.get(reason, 0) < _SHOWN:
            shown.append(note)
        met[reason] = met.get(reason, 0) + times
        last[reason] = note
    for reason, times in met.items():
        if times > _SHOWN:
            shown.append(replace(last[reason], what=path, reason=Message(_MORE, reason=reason, n=times - _SHOWN)))
    return [*others, *shown]
