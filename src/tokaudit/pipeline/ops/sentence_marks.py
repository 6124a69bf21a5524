"""Shorten runs of marks that end a Chinese sentence, and are no data."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from tokaudit.model.edits import Edit
from tokaudit.model.errors import RuleError
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
        repeated = sorted(chain.from_iterable(_runs(text, char, 2) for char in chars))
        once = _told_apart(text, chars, repeated) if repeated else set()
        for first, last, of_paragraph in _paragraphs(text, repeated):
            data = _data(text, [match.span() for match in marks.finditer(text, first, last)])
            for start, end in of_paragraph:
                if (
                    (start, end) not in data
                    and _ends_sentence(text, start, end, chars)
                    and _clause(text, start) + text[start] not in once
                    and not keep_words.touches(text, start, end)
                ):
                    yield Edit(start + 1, end, "")

    return find


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern that is needed for many small texts; compiled where there is one."""
    return re.compile(pattern)


def _runs(text: str, char: str, least: int) -> Iterator[_Run]:
    """The runs of a character of at least so many. A search for characters is many times as fast as one for a class."""
    start = text.find(char * least)
    while start >= 0:
        end = start + least
        while text[end : end + 1] == char:
            end += 1
        yield start, end
        start = text.find(char * least, end)


def _told_apart(text: str, chars: str, repeated: Sequence[_Run]) -> set[str]:
    """Clauses with a mark that stands there once, of those that also have it several times."""
    clauses = {_clause(text, start) + text[start] for start, _ in repeated}
    # How they end, with which most other clauses do not: two characters and the mark, or the only one and the mark.
    ends = {clause[-3:] for clause in clauses}
    once = set()
    for start, end in chain.from_iterable(_runs(text, char, 1) for char in chars):
        if end == start + 1 and (text[max(0, start - 2) : end] in ends or text[max(0, start - 1) : end] in ends):
            clause = _clause(text, start)
            if clause and clause + text[start] in clauses:
                once.add(clause + text[start])
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


def _paragraphs(text: str, runs: Sequence[_Run]) -> Iterator[tuple[int, int, list[_Run]]]:
    """Start, end and runs of each paragraph that has any of them."""
    if not runs:
        return
    ends = [*(match.start() for match in re.finditer(_PARAGRAPH, text)), len(text)]
    index, own = -1, list[_Run]()
    for run in runs:
        at = bisect_right(ends, run[0], max(index, 0), len(ends) - 1)
        if at != index and own:
            yield ends[index - 1] if index else 0, ends[index], own
            own = []
        index = at
        own.append(run)
    yield ends[index - 1] if index else 0, ends[index], own


def _data(text: str, runs: Iterable[_Run]) -> set[_Run]:
    """Those of a paragraph's runs that count something: of several lengths in a line, or after names of steps."""
    data: set[_Run] = set()
    steps: dict[str, list[_Run]] = defaultdict(list)
    lines: dict[int, list[_Run]] = defaultdict(list)
    line, seen = 0, 0
    for start, end in runs:
        newline = text.rfind("\n", seen, start) + 1
        line, seen = newline or line, end
        lines[line].append((start, end))
        if _compiled(_NAME).search(text[max(0, start - 5) : start] if start - line >= 5 else "\n" + text[line:start]):
            steps[text[start]].append((start, end))
    for own in steps.values():
        if len({end - start for start, end in own}) > 1:
            data.update(own)
    for own in lines.values():
        lengths: dict[str, set[int]] = defaultdict(set)
        for start, end in own:
            if end > start + 1:
                lengths[text[start]].add(end - start)
        listed = any(text[end : end + 1] in _NO_PROSE for start, end in own if end < len(text))
        if listed or any(len(several) > 1 for several in lengths.values()):
            data.update(own)
    return data
