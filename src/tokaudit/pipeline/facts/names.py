"""Names that a machine reads: ``foo_bar``, ``fooBar``, ``os.path``, ``--no-cache``. No letter of them may change."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
_LONGEST = 120
"""Characters before the place by which a name is told that may belong to it."""


@lru_cache(maxsize=1)
def _sign() -> re.Pattern[str]:
    """What tells a name: an underscore or a full stop within, a capital behind a small letter, two hyphens before."""
    # It begins with one set of characters, so that the search for it is one of those.
    return re.compile(
        "[A-Z_.-](?:(?<=[A-Za-z0-9]_)(?=[A-Za-z0-9])|(?<=[a-z][A-Z])|(?<=[A-Za-z0-9_][.])(?=[A-Za-z_])"
        "|(?<=-)(?<![A-Za-z0-9_-].)(?=-[A-Za-z]))"
    )


@lru_cache(maxsize=1)
def _name() -> re.Pattern[str]:
    return re.compile("--[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*|[A-Za-z0-9_]+(?:[.][A-Za-z0-9_]+)*")


def names(text: str) -> list[tuple[int, int]]:
    """Where names are: ascending and apart. Abbreviations such as e.g. and U.S. are none."""
    found = []
    search = _sign().search
    floor = 0
    while (sign := search(text, floor)) is not None:
        at = sign.start()
        start = at
        if text[at] != "-":
            before = text[max(floor, at - _LONGEST) : at]
            head = before[len(before.rstrip(_WORD + ".")) :]
            start = at - len(head.lstrip("."))
        match = _name().match(text, start)
        end = match.end() if match is not None else at
        if match is not None and not _is_abbreviation(match[0]):
            found.append((start, end))
        floor = max(end, at + 1)
    return found


def _is_abbreviation(written: str) -> bool:
    return "." in written and all(len(part) == 1 for part in written.split("."))
