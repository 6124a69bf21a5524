"""Full-width letters and digits become half-width, where no other text of that width stands beside them."""

from __future__ import annotations

import re
from functools import cached_property

from tokaudit.model.edits import Edit
from tokaudit.model.text import line_end
from tokaudit.pipeline.ops import translate
from tokaudit.pipeline.views.search import KEEP
from tokaudit.pipeline.views.view import Edits, Find, Parameters, Values, View

SUMMARY = "Translate full-width characters, but for runs whose half-width form the text has too."
PARAMETERS: Parameters = {**{key: translate.PARAMETERS[key] for key in ("map", "joints")}, **KEEP}
_WORD = r"[A-Za-z0-9]+(?:[-._/+&][A-Za-z0-9]+)*"
_FEW = 64
"""Different words up to which each is searched for by itself."""
_IN_NAMES = frozenset("._-")
"""Characters within names of files and versions."""
_NUMBER = 3
"""Digits from which on a number that the paragraph has in both widths is left alone, not only one of the line."""
_GAPS = "(?<=\\S)(?:\u3000{2,}|[ \u3000]{3,})(?=\\S)"


def prepare(values: Values) -> Find:
    """A finder of runs. A text that has a name in both widths tells them apart, or shows one becoming the other."""
    every = translate.prepare(values)
    token = re.compile(_WORD)

    def find(view: View) -> Edits:
        text = view.text
        edits = list(every(view))
        if not edits:
            return
        own = _Words(text, token, many=len({edit.text for edit in edits}) > _FEW)
        near = _Near(text, token)
        for edit in edits:
            if _is_part(text, edit) or _is_group(text, edit) or near.laid_out(edit):
                continue
            if not (near.has(edit) if edit.text.isdigit() else own.has(edit.text)):
                yield edit

    return find


class _Words:
    """The half-width words of a text, by themselves or as parts of a name: ``b`` of ``a-b.c``."""

    def __init__(self, text: str, token: re.Pattern[str], *, many: bool) -> None:
        self._text = text
        self._token = token
        self._many = many
        self._known: dict[str, bool] = {}

    @cached_property
    def _parts(self) -> frozenset[str]:
        return frozenset(re.findall("[A-Za-z0-9]+", " ".join(self._names)))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._token.findall(self._text))

    def has(self, word: str) -> bool:
        if self._many:
            return word in (self._parts if word.isalnum() else self._names)
        if word not in self._known:  # a search that begins with a letter is much faster than one for all words
            escaped = re.escape(word)
            pattern = f"{escaped}(?<![A-Za-z0-9]{escaped})(?![A-Za-z0-9])"
            self._known[word] = re.search(pattern, self._text) is not None
        return self._known[word]


def _is_part(text: str, edit: Edit) -> bool:
    """True if half-width characters go on with a name or version that a run stands in: 报告２.docx."""
    start, end = edit.start, edit.end
    after, before = text[end : end + 1], text[start - 1 : start]
    return (after in _IN_NAMES and _is_ascii_word(text[end + 1 : end + 2])) or (
        before in _IN_NAMES and _is_ascii_word(text[max(0, start - 2) : start - 1])
    )


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _is_group(text: str, edit: Edit) -> bool:
    """True if full-width commas part the thousands of the number that a run is of: １，２３４."""
    start, end = edit.start, edit.end
    if text[start - 1 : start] != "，" and not text.startswith("，", end):
        return False
    before, after, here = text[max(0, start - 2) : start], text[end : end + 4], text[start:end]
    return bool(
        (re.search("[０-９0-9]，", before) and re.match("[０-９]{3}(?![０-９])", here))
        or (re.search("[０-９]{1,3}\\Z", here) and re.match("，[０-９]{3}", after))
    )


class _Near:
    """The line and the paragraph of an edit; edits are asked for in ascending order."""

    def __init__(self, text: str, token: re.Pattern[str]) -> None:
        self._text = text
        self._token = token
        self._sets: dict[str, tuple[int, int, set[str]]] = {}
        self._line = (0, -1, False)

    def has(self, edit: Edit) -> bool:
        """True if the number that an edit would make stands there already."""
        return edit.text in self._tokens(edit, "\n\n" if len(edit.text) >= _NUMBER else "\n")

    def laid_out(self, edit: Edit) -> bool:
        """True if the line has columns, which characters half as wide would move."""
        if not self._line[0] <= edit.start <= edit.end <= self._line[1]:
            start, end = self._text.rfind("\n", 0, edit.start) + 1, line_end(self._text, edit.end)
            line = self._text[start : min(end, start + _LONGEST_ROW)]
            gaps = re.findall(_GAPS, line) if "\u3000" in line or "   " in line else ()
            self._line = start, end, len(gaps) > 1
        return self._line[2]

    def _tokens(self, edit: Edit, between: str) -> set[str]:
        known = self._sets.get(between)
        if known is None or not known[0] <= edit.start <= known[1]:
            start = self._text.rfind(between, 0, edit.start) + 1
            end = self._text.find(between, edit.end)
            end = len(self._text) if end < 0 else end
            known = (start, end, set(self._token.findall(self._text, start, end)))
            self._sets[between] = known
        return known[2]


_LONGEST_ROW = 400
"""Characters of a line that are looked at for columns."""
