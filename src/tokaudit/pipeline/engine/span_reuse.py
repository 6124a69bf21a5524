"""When spans need not be looked for again: edits that no span could begin, end or be told by."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from tokaudit.model.edits import Edit
from tokaudit.model.rules import PROTECTED
from tokaudit.pipeline.engine.ranges import Range, neighbourhoods
from tokaudit.pipeline.engine.windows import Accepted
from tokaudit.pipeline.spans.find import WITH_CODE, SpanMatch, Spans, find_spans

_PROTECTED = frozenset(PROTECTED)
_PLAIN = re.compile(r"[\w \u3000，。！？、；～…!?,\u00a0]*").fullmatch
"""Characters that no span begins, ends or is told by, if they are not at the beginning of a line."""
_PROSE = re.compile("[\u4e00-\u9fff]{3}").match
"""The beginning of a line that is none of these. A list's marker has at most two ideographs."""
_HEAD = 10
"""Characters of a line that may tell what the line is: indents, markers of lists and headings."""
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+").fullmatch
_OPENED, _CLOSED = frozenset("“‘「『«《"), frozenset("”’」』»》")
"""Marks that a quote begins or ends with, and no other span."""
_FAR = re.compile(r"[\n\r\f`\[\]{}<>|\\\"＂“”‘’「」『』«»《》]").search
"""What begins or ends spans that may be of many lines, or pairs with what is lines away."""
_SHORT = 32
"""Characters of a line, without its edit, that may be one of verse; those of verse are told by all of their group."""
_APART = "\n。\n\n"
"""Stands between lines that are looked at together though they are not together in the text: it ends what may go on."""


def _doubtful(text: str, edits: Iterable[Edit], starts: Sequence[int], ends: Sequence[int]) -> Iterable[Edit]:
    """The edits after which spans may be others; ``starts`` and ``ends`` are of the stretches that are protected.

    Letters, blanks and full stops within lines change little. What an edit joins must not be ASCII on both sides, which
    might make a URL or a path of two words, and no protected span but a quote may stand beside it.
    """
    for edit in edits:
        start, end, new = edit
        index = bisect_right(starts, end) - 1
        before, after = text[start - 1 : start], text[end : end + 1]
        if index >= 0 and ends[index] >= start:  # a quote beside the edit does no harm
            if starts[index] == end and after in _OPENED:
                index -= 1
            if index >= 0 and ends[index] >= start and not (ends[index] == start and before in _CLOSED):
                yield edit
                continue
        head = text.rfind("\n", max(0, start - _HEAD), start)  # -1 also where the line is longer
        if (
            ((head >= 0 or start < _HEAD) and not _PROSE(text, head + 1, start))
            or _is_short(text, start, end)
            or not _harmless(text[start:end], new, before, after)
        ):
            yield edit


def _harmless(old: str, new: str, before: str, after: str) -> bool:
    """Whether an edit within a line neither makes, breaks nor joins what spans are told by."""
    if "'" in (before, after):  # which is a quote or an apostrophe by what is beside it
        return False
    if not _PLAIN(old) or not _PLAIN(new):
        # A number with decimals among ideographs is no name of a file.
        decimal = _DECIMAL(new) and old.replace("．", "").isalnum()
        if not decimal or before.isascii() or after.isascii():
            return False
    if not after or (after == "\n" and (before.isspace() or not old.isprintable() or " " in old + new)):
        return False
    if not new:
        return not (before.isascii() and after.isascii()) or before.isspace() or after.isspace()
    if new.isspace():
        return True
    return not (before.isascii() and before.isalnum()) and not (after.isascii() and after.isalnum())


def spans_after(text: str, accepted: Accepted, spans: Spans, kind: str) -> Spans | None:
    """The spans of a text after edits, as they would be found; None where that takes a search in the whole text.

    Where edits are in doubt, the lines around them are looked at before and after. None is for spans of more lines than
    those, and for edits of what may pair with a mark far away.

    Args:
        text: The text before the edits.
        accepted: The edits.
        spans: Of the text before.
        kind: Of the document.
    """
    starts, ends = spans.merged(_PROTECTED)
    doubtful = list(_doubtful(text, accepted.edits, starts, ends))
    if kind in WITH_CODE and _shapes_change(text, accepted.edits):
        return None
    if not doubtful:
        return moved(spans, accepted)
    if kind == "template":  # whose tags are of many lines
        return None
    if any(_FAR(text, start, end) or _FAR(new) or _within(start, end, starts, ends) for start, end, new in doubtful):
        return None
    places = neighbourhoods(text, _with_short_lines(text, doubtful))
    if places == [(0, len(text))] or any(_cuts_span(place, starts, ends) for place in places):
        return None
    old = _found_in(text, [], places, kind)
    new = _found_in(text, accepted.edits, places, kind)
    if old is None or new is None:
        return None
    before, after = set(_moved(old, accepted)), set(new)
    gone, come = before - after, after - before
    if not gone and not come:
        return moved(spans, accepted)
    edges = set(accepted.shifted(start for start, _ in places if start))
    for end in accepted.shifted(end for _, end in places if end < len(text)):
        edges |= {end - 1, end}
    if any(span.start in edges or span.end in edges for span in gone | come):
        return None  # it may go on beyond the lines that were looked at
    everywhere = set(_moved(spans.all, accepted))
    return Spans(everywhere - gone | come) if gone <= everywhere else None


def _shapes_change(text: str, edits: Iterable[Edit]) -> bool:
    """Whether lines become others of code or of values, runs of which may be of any number of lines."""
    from tokaudit.pipeline.spans.code_lines import shapes_change

    if any("\n" in new or "\n" in text[start:end] for start, end, new in edits):
        return True
    return shapes_change(text, edits)


def _is_short(text: str, start: int, end: int) -> bool:
    """Whether the line or lines of a place have few characters beside it."""
    first, last = text.rfind("\n", max(0, start - _SHORT), start), text.find("\n", end, end + _SHORT)
    if (first < 0 and start >= _SHORT) or (last < 0 and end + _SHORT < len(text)):
        return False
    return start - first + (last if last >= 0 else len(text)) - end <= _SHORT


def _with_short_lines(text: str, edits: Iterable[Edit]) -> list[Range]:
    """The places of edits, those in short lines with all short lines right before and after."""
    found: list[Range] = []
    for start, end, _ in edits:
        if found and end <= found[-1][1]:
            continue
        low, high = start, end
        if _is_short(text, start, end):
            low, high = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
            while low and text[low - 2 : low] != "\n\n" and _is_short(text, low - 1, low - 1):
                low = text.rfind("\n", 0, low - 1) + 1
            while high < len(text) and text[high] != "\n" and _is_short(text, high, high):
                high = text.find("\n", high) + 1 or len(text)
        found.append((low, high))
    return found


def _within(start: int, end: int, starts: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether an edit changes something of a stretch."""
    index = bisect_left(starts, max(end, start + 1)) - 1
    return index >= 0 and ends[index] > start


def _cuts_span(place: Range, starts: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether a stretch is partly in a place."""
    index = bisect_right(ends, place[0])
    while index < len(starts) and starts[index] < place[1]:
        if not place[0] <= starts[index] <= ends[index] <= place[1]:
            return True
        index += 1
    return False


def _found_in(text: str, edits: Sequence[Edit], places: Sequence[Range], kind: str) -> list[SpanMatch] | None:
    """The spans of some lines after edits, where they stand in the text after the edits; None where lines share one."""
    parts: list[str] = []
    begins: list[int] = []  # of each place, among the lines that are looked at together
    shifts: list[int] = []  # from there to the text
    size = index = moved_by = 0
    for start, end in places:
        while index < len(edits) and edits[index].start < start:
            moved_by += len(edits[index].text) - (edits[index].end - edits[index].start)
            index += 1
        parts.append(_APART if start else "")
        size += len(parts[-1])
        begins.append(size)
        shifts.append(start + moved_by - size)
        at = start
        while index < len(edits) and edits[index].start < end:
            edit = edits[index]
            parts += [text[at : edit.start], edit.text]
            moved_by += len(edit.text) - (edit.end - edit.start)
            at = edit.end
            index += 1
        parts.append(text[at:end])
        size = end + moved_by - shifts[-1]
    found = []
    for start, end, what in find_spans("".join(parts), kind).all:
        index = bisect_right(begins, start) - 1
        if index < 0 or end > (begins[index + 1] - len(_APART) if index + 1 < len(begins) else size):
            return None
        found.append(SpanMatch(start + shifts[index], end + shifts[index], what))
    return found


def _moved(spans: Sequence[SpanMatch], accepted: Accepted) -> Iterable[SpanMatch]:
    starts, ends = accepted.shifted([span[0] for span in spans]), accepted.shifted([span[1] for span in spans])
    new = tuple.__new__  # twice as fast as Found(...), of which there are tens of thousands
    return [new(SpanMatch, (start, end, span[2])) for start, end, span in zip(starts, ends, spans, strict=True)]


def moved(spans: Spans, accepted: Accepted) -> Spans:
    """The spans where they stand after edits."""
    return Spans(_moved(spans.all, accepted))
