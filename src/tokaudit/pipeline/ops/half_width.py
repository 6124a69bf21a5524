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
            known = near.has(edit) if edit.text.isdigit() else own.has(edit.text)
            if not known and not near.laid_out(edit) and not _is_part(text, edit) and not _is_group(text, edit):
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
        return frozenset(re.findall("[A-Za-z0-9]+", self._text))

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
    after, before = text[edit.end : edit.end + 2], text[max(0, edit.start - 2) : edit.start]
    return any(
        len(two) == 2 and mark in "._-" and other.isascii() and other.isalnum()
        for two, mark, other in ((after, after[:1], after[1:]), (before, before[1:], before[:1]))
    )


def _is_group(text: str, edit: Edit) -> bool:
    """True if full-width commas part the thousands of the number that a run is of: １，２３４."""
    before, after = text[max(0, edit.start - 2) : edit.start], text[edit.end : edit.end + 4]
    here = text[edit.start : edit.end]
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

    def has(self, edit: Edit) -> bool:
        """True if the number that an edit would make stands there already."""
        return edit.text in self._tokens(edit, "\n\n" if len(edit.text) >= _NUMBER else "\n")

    def laid_out(self, edit: Edit) -> bool:
        """True if the line has columns, which characters half as wide would move."""
        start = self._text.rfind("\n", 0, edit.start) + 1
        line = self._text[start : line_end(self._text, edit.end)][:_LONGEST_ROW]
        return len(re.findall(_GAPS, line)) > 1

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
