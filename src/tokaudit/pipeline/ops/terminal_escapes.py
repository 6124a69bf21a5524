"""Delete the escape sequences of terminals, but for colours that say what nothing else says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.log_lines import alarm_pattern
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = (
    "Delete escape sequences of terminals. Links stay whole, and so do red, green and struck out where they carry a "
    "difference: in a word diff, and where words or marks do not say what the colours say."
)
PARAMETERS: Parameters = {}
# CSI, OSC but for links (8), character sets, and sequences of two characters; the parameters of colours (1).
_escape = lazy(
    r"\x1b(?:\[(?:([\d;:]*)m|[0-?]*[ -/]*[@-~])|\](?!8;)[^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78cDEHM])"
)
_drawn = lazy(
    r"[.FEsxXpR\s]*(?:\[ *\d+%\])?|[-=_─━│|*\\/.\s]*|\s+in [\d.]+s[\s=]*|[\d.]+(?:/[\d.]+)? [kKMGT]?i?B(?:/s)?"
)
"""Runs that show a result by their letters, as pytest's, or are drawn."""
_hunk = lazy(r"^(?:\x1b\[[\d;:]*m)*@@ -\d", re.MULTILINE)
_marked = lazy(r"[-+<>]|@@|diff |index |E\s|\s*$")
_telling = lazy(
    r"\b(?:ok|pass\w*|succe\w+|done|ready|complet\w+|finish\w*|active|running|healthy|up"
    r"|expected|received|actual|added|removed|insert\w*|delet\w+|new|old)\b|[✓✔✗✘√×☑☒✅❌]|成功|通过|完成|正常|就绪|运行",
    re.IGNORECASE,
)
_level = lazy(r"\b(?:info|debug|notice|trace)\b", re.IGNORECASE)
"""Tells of the colour that it is in itself, and of no other in its line."""
_MOVES = "ABCDEFGHfdu"
"""Ends of sequences that move the cursor; grep writes others, such as K, within words."""
_RED, _GREEN, _STRUCK = "red", "green", "struck"


class _Hue(NamedTuple):
    """A colour that differences are shown in."""

    name: str
    palette: str


class _Run(NamedTuple):
    """A part of the text in one colour, between two escape sequences that set it."""

    start: int
    end: int
    hue: _Hue


def prepare(_parameters: Values) -> Find:

    def find(view: View) -> Edits:
        text = view.text
        if "\x1b" not in text:
            return
        escapes = list(_escape().finditer(text))
        runs = _runs(escapes, len(text))
        kept = frozenset[int]()
        if _carry(runs, text):
            # All or none: what is left must read the same way when it is read again.
            kept = frozenset(run.start for run in runs) | frozenset(run.end for run in runs)
        apart = _apart(escapes, text)
        for escape in escapes:
            if escape.start() not in apart and not (
                escape[1] is not None and (escape.end() in kept or escape.start() in kept)
            ):
                yield Edit(escape.start(), escape.end(), "")

    return find


def _apart(escapes: list[re.Match[str]], text: str) -> set[int]:
    """Starts of movements of the cursor that alone part two words: 5 and 6 are not 56."""
    apart = set[int]()
    moves: list[int] = []
    begun = -1
    for escape, after in zip_longest(escapes, escapes[1:]):
        begun = escape.start() if begun < 0 else begun
        if escape[0].startswith("\x1b[") and escape[0][-1] in _MOVES:
            moves.append(escape.start())
        if after and after.start() == escape.end():
            continue
        if moves and text[begun - 1 : begun].isalnum() and text[escape.end() : escape.end() + 1].isalnum():
            apart.update(moves)
        moves, begun = [], -1
    return apart


def _runs(escapes: list[re.Match[str]], size: int) -> list[_Run]:
    runs: list[_Run] = []
    state: dict[str, _Hue] = {}
    hue: _Hue | None = None
    start = 0
    for escape in escapes:
        if escape[1] is None:
            continue
        _set(state, escape[1])
        new = state.get("9") or state.get("4") or state.get("3")
        if new != hue:
            if hue:
                runs.append(_Run(start, escape.start(), hue))
            hue, start = new, escape.end()
    if hue:
        runs.append(_Run(start, size, hue))
    return runs


def _set(state: dict[str, _Hue], parameters: str) -> None:
    """Set what holds after an escape sequence: the hue of the letters (3), of their ground (4), struck out (9)."""
    codes = iter([int(code or 0) for code in re.split("[;:]", parameters)])
    for code in codes:
        layer, colour = str(code // 10), code % 10
        if code == 0:
            state.clear()
        elif code in (9, 29):
            _put(state, "9", _Hue(_STRUCK, "") if code == 9 else None)
        elif layer in ("3", "4"):
            _put(state, layer, _extended(codes) if colour == 8 else _named(colour, "plain"))
        elif layer in ("9", "10"):
            _put(state, "3" if layer == "9" else "4", _named(colour, "bright"))


def _put(state: dict[str, _Hue], layer: str, hue: _Hue | None) -> None:
    if hue:
        state[layer] = hue
    else:
        state.pop(layer, None)


def _named(colour: int, palette: str) -> _Hue | None:
    return {1: _Hue(_RED, palette), 2: _Hue(_GREEN, palette)}.get(colour)


def _extended(codes: Iterator[int]) -> _Hue | None:
    """The hue of 5;N of 256 colours, or of 2;R;G;B."""
    if next(codes, 0) == 5:
        number = next(codes, 0)
        if number < 16:
            return _named(number % 8, "bright" if number > 7 else "plain")
        cube = max(0, number - 16)
        levels = (cube // 36, cube // 6 % 6, cube % 6) if number < 232 else (0, 0, 0)
    else:
        levels = (next(codes, 0), next(codes, 0), next(codes, 0))
    red, green, blue = levels
    if red > 1.5 * max(green, blue):
        return _Hue(_RED, "exact")
    return _Hue(_GREEN, "exact") if green > 1.2 * max(red, blue) else None


def _carry(runs: list[_Run], text: str) -> bool:
    """True if colours carry a difference that words and marks of the text do not."""
    is_diff = _hunk().search(text) is not None
    untold: set[_Hue] = set()
    line = _line(text, 0)
    before: _Run | None = None
    for run in runs:
        if _drawn().fullmatch(shown := _plain(text[run.start : run.end])):
            continue
        if run.hue.name == _STRUCK:
            return True
        if before and before.hue.name != run.hue.name and not _plain(text[before.end : run.start]):
            return True  # old and new beside each other
        before = run if not shown.endswith("\n") else None
        marked, told, line = _said(text, run, line)
        if not marked:
            if is_diff:
                return True
            if not told and not _level().search(shown):
                untold.add(run.hue)
    return any(hue.name == _RED and hue._replace(name=_GREEN) in untold for hue in untold)


class _Line(NamedTuple):
    """A line of the text, and what it says of its colours."""

    start: int
    end: int
    marked: bool
    told: bool


def _line(text: str, start: int) -> _Line:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    line = _plain(text[start:end])
    tells = not line.strip() or _telling().search(line) or alarm_pattern().search(line)
    return _Line(start, end, _marked().match(line) is not None, bool(tells))


def _said(text: str, run: _Run, line: _Line) -> tuple[bool, bool, _Line]:
    """True for marks at the beginnings of all lines that a run stands in, and for words in them that tell.

    ``line`` is the last line of the run before; the last of this one is returned.
    """
    if run.start > line.end:
        line = _line(text, text.rfind("\n", line.end, run.start) + 1)
    marked, told = line.marked, line.told
    while line.end + 1 < run.end:
        line = _line(text, line.end + 1)
        marked, told = marked and line.marked, told and line.told
    return marked, told, line


def _plain(text: str) -> str:
    return _escape().sub("", text)
