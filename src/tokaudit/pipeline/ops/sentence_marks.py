"""Shorten runs of marks that end a Chinese sentence, and are no data."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, chain

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
from tokaudit.model.text import line_end
from tokaudit.pipeline.views.search import KEEP, KeptWords
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Shorten a mark that is repeated at the end of a Chinese sentence to one; marks that are data stay."
PARAMETERS: Parameters = {
    "chars": Parameter("text", "The marks whose runs are shortened.", default="！？。"),
    **KEEP,
}
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\u3005\u3007"
_BEFORE = f"[{_HAN}）」』】》”’]"
_AFTER = f"[{_HAN}\\s）」』】》”’]|\\Z"
_NO_PROSE = "，、；：/／|=＝"
"""Characters that follow no mark that ends a sentence."""
_NO_END = "[进退平][一二三四五六七八九]\\Z|[是为叫]\\Z"
"""Words that end no sentence: moves of a game, which marks rate (炮二平五！！), and words before a value (是？？)."""
_NAME = f"(?:\\A|[\\s；;、/|，,：:（(·•])[{_HAN}]{{0,4}}\\Z"
"""The name of a step of a scale, before its mark: 高！！！ 中！！ 低！"""
_CLAUSE_LENGTH = 12
_CLAUSE = f"[{_HAN}]{{1,{_CLAUSE_LENGTH}}}\\Z"
_REACH = 14
_BESIDE = 12
"""Other marks beside a run that are looked over: ？？？！！！."""
_PARAGRAPH = r"\n[ \t\r\u3000]*\n"
_Run = tuple[int, int]


def prepare(values: Values) -> Find:
    """A finder of runs. It proposes all of a run but its first mark."""
    chars = "".join(dict.fromkeys(values["chars"]))
    if not chars:
        raise RuleError("'chars' is empty", keys=("chars",))
    keep_words = KeptWords(values.get("keep") or (), values.get("window") or 0)
    marks = re.compile("|".join(f"{re.escape(char)}+" for char in chars))

    def find(view: View) -> Edits:
        text = view.text
        runs = [
            (start, end)
            for start, end in sorted(chain.from_iterable(_runs(text, char) for char in chars))
            if _ends_sentence(text, start, end, chars) and not keep_words.touches(text, start, end)
        ]
        once = _told_apart(text, chars, runs) if runs else set()
        runs = [(start, end) for start, end in runs if _clause(text, start) + text[start] not in once]
        data = _Data(text, marks)
        yield from (Edit(start + 1, end, "") for start, end in runs if not data.has(start))

    return find


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern that is needed for many small texts; compiled where there is one."""
    return re.compile(pattern)


def _runs(text: str, char: str) -> Iterator[_Run]:
    """The runs of a character that is repeated. A search for characters is many times as fast as one for a class."""
    start = text.find(char * 2)
    while start >= 0:
        end = start + 2
        while text[end : end + 1] == char:
            end += 1
        yield start, end
        start = text.find(char * 2, end)


def _told_apart(text: str, chars: str, repeated: Sequence[_Run]) -> set[str]:
    """Clauses with a mark that stands there once, of those that also have it several times."""
    clauses = {_clause(text, start) + text[start] for start, _ in repeated}
    once = set()
    for char in chars:
        # How they end, with which most other clauses do not: two characters, or the only one.
        ends = {clause[-3:-1] for clause in clauses if clause[-1] == char}
        if not ends:
            continue
        ends |= {end[1:] for end in ends if end[:1] == char}  # the text is split there
        parts = text.split(char)
        places = [*accumulate(map(len, parts))]
        parts[-1] = parts[-1] or "\n"  # a mark at the end of the text stands there once as well
        for index, part in enumerate(parts[:-1]):
            if (part[-2:] in ends or part[-1:] in ends) and part and parts[index + 1]:
                clause = _clause(text, places[index] + index)
                if clause and clause + char in clauses:
                    once.add(clause + char)
    return once


def _ends_sentence(text: str, start: int, end: int, chars: str) -> bool:
    """True if an ideograph or closing mark stands before a run and marks beside it, and none of its sentence after."""
    low, high = start, end
    while start - low < _BESIDE and text[low - 1 : low] and text[low - 1] in chars:
        low -= 1
    while high - end < _BESIDE and text[high : high + 1] and text[high] in chars:
        high += 1
    before = text[max(0, low - 2) : low]
    if not _compiled(_BEFORE).match(before[-1:]) or not _compiled(_AFTER).match(text[high : high + 1]):
        return False
    return not _compiled(_NO_END).search(before)


def _clause(text: str, end: int) -> str:
    """The ideographs before a mark, at most twelve."""
    match = _compiled(_CLAUSE).search(text[max(0, end - _REACH) : end])
    return match[0] if match else ""


class _Data:
    """Tells which runs count something: of several lengths in a line, or after names of steps of a paragraph."""

    def __init__(self, text: str, marks: re.Pattern[str]) -> None:
        self._text = text
        self._marks = marks
        self._line = (0, -1, False)
        self._steps: dict[int, dict[str, set[int]]] = {}

    def has(self, start: int) -> bool:
        """True for a run that begins at a place; places are asked for in ascending order."""
        if not self._line[0] <= start <= self._line[1]:
            low, high = self._text.rfind("\n", 0, start) + 1, line_end(self._text, start)
            self._line = low, high, self._is_list(low, high)
        return self._line[2] or (self._has_name(start) and len(self._lengths(start)[self._text[start]]) > 1)

    def _is_list(self, low: int, high: int) -> bool:
        """True for a line with a mark that ends no sentence, or with runs of several lengths."""
        lengths: dict[str, int] = {}
        for start, end in (match.span() for match in self._marks.finditer(self._text, low, high)):
            if end < len(self._text) and self._text[end] in _NO_PROSE:
                return True
            if end > start + 1 and lengths.setdefault(self._text[start], end - start) != end - start:
                return True
        return False

    def _has_name(self, start: int) -> bool:
        before = self._text[max(0, start - 5) : start]
        line = before.rfind("\n")
        return _compiled(_NAME).search(before[line:] if line >= 0 else before) is not None

    @cached_property
    def _ends(self) -> list[int]:
        return [*(match.start() for match in re.finditer(_PARAGRAPH, self._text)), len(self._text)]

    def _lengths(self, start: int) -> dict[str, set[int]]:
        """The lengths of the runs of each mark after names, in the paragraph of a place."""
        index = bisect_right(self._ends, start, 0, len(self._ends) - 1)
        if index not in self._steps:
            lengths = self._steps[index] = defaultdict[str, set[int]](set)
            first = self._ends[index - 1] if index else 0
            for match in self._marks.finditer(self._text, first, self._ends[index]):
                if self._has_name(match.start()):
                    lengths[match[0][0]].add(len(match[0]))
        return self._steps[index]
