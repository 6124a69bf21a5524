"""Delete attributes of HTML that say how it looks, and the indentation of its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.html_pages import NOT_UNDER, edits_of_pages
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete attributes of elements in documents of HTML; an id stays if something refers to it."
PARAMETERS: Parameters = {
    **NOT_UNDER,
    "indent": Parameter("boolean", "Indentation goes too, but in elements that keep their lines.", default=False),
    "unwrap": Parameter("texts", "Elements whose tags go where no attribute is left.", default=()),
    "names": Parameter("texts", "Names of attributes, in small letters; * stands for any characters.", required=True),
}
_tag = lazy(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9:-]*)(?=[\s/>]))")
_attribute = lazy(r"""\s+([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>=`]+))?""")
_reference = lazy(
    r"""(?i)\b(?:for|headers|list|aria-\w+|href|xlink:href|usemap)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
)
_by_script = lazy(r"""getElementById\(\s*["']([^"']+)""")
_hides = lazy(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden")
_tag_end = lazy(r"\s*(/?)>")
_indent = lazy(r"(?<=\n)[ \t]+")
_keeps_lines = lazy(r"(?i)<(?:(pre|textarea|script|style|xmp|listing|plaintext)\b|!--)")
_comment_end = lazy("-->")
_drawing_end = lazy(r"(?i)</svg\s*>")
"""Sizes within a drawing are what it shows."""
_raw_end = lazy(r"(?i)</(?:script|style|textarea)\s*>")


def prepare(parameters: Values) -> Find:
    names, unwrap = tuple(parameters["names"]), frozenset(parameters["unwrap"])
    indent = parameters["indent"]

    def of_page(text: str, start: int, end: int) -> Edits:
        edits = _edits(text, start, end, _Names(text, start, end, names), unwrap)
        yield from _apart([*edits, *_indents(text, start, end)]) if indent else edits

    def find(view: View) -> Edits:
        return edits_of_pages(view, parameters, of_page)

    return find


class _Names:
    """Tells the attributes that go from those that stay."""

    def __init__(self, text: str, start: int, end: int, patterns: tuple[str, ...]) -> None:
        self._place = text, start, end
        self._patterns = patterns
        self._known: dict[str, bool] = {}
        self._referred: frozenset[str] | None = None

    def goes(self, name: str, value: str) -> bool:
        name = name.lower()
        if name not in self._known:
            self._known[name] = any(fnmatchcase(name, pattern) for pattern in self._patterns)
        if not self._known[name] or name != "id":
            return self._known[name] and not (name == "style" and _hides().search(value))
        if self._referred is None:
            self._referred = _referred(*self._place)
        return value.strip("\"'") not in self._referred


def _edits(text: str, start: int, end: int, names: _Names, unwrap: frozenset[str]) -> Iterator[Edit]:
    opened: list[tuple[str, bool]] = []  # elements of ``unwrap``, and whether their tags go
    at = start
    while tag := _tag().search(text, at, end):
        at = tag.end()
        if tag[1]:
            close = text.find("-->", at, end)
            if close < 0:
                return
            at = close
            continue
        name = tag[3].lower()
        if tag[2]:
            close = text.find(">", at, end)
            if name in unwrap and opened and opened[-1][0] == name and opened.pop()[1] and close >= 0:
                yield Edit(tag.start(), close + 1, "")
            continue
        edits: list[Edit] = []
        stays = False
        while attribute := _attribute().match(text, at, end):
            at = attribute.end()
            if names.goes(attribute[1], attribute[2] or ""):
                edits.append(Edit(*attribute.span(), ""))
            else:
                stays = True
        if name in unwrap:
            closing = None if stays else _tag_end().match(text, at, end)
            if closing is None or not closing[1]:
                opened.append((name, closing is not None))
            if closing:
                edits = [Edit(tag.start(), closing.end(), "")]
        yield from edits
        if name in {"script", "style", "textarea", "svg"}:
            closing = (_drawing_end() if name == "svg" else _raw_end()).search(text, at, end)
            if closing is None:
                return
            at = closing.start()


@cache
def _end_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s*>", re.IGNORECASE)


def _indents(text: str, start: int, end: int) -> Iterator[Edit]:
    at = start
    while at < end:
        kept = _keeps_lines().search(text, at, end)
        stop = kept.start() if kept else end
        for match in _indent().finditer(text, at, stop):
            yield Edit(*match.span(), "")
        if kept is None:
            return
        closing = (_comment_end() if kept[1] is None else _end_of(kept[1].lower())).search(text, kept.end(), end)
        at = closing.end() if closing else end


def _apart(edits: list[Edit]) -> Iterator[Edit]:
    """The edits in order, without those that another one before them reaches into."""
    done = 0
    for edit in sorted(edits):
        if edit.start >= done:
            yield edit
            done = edit.end


def _referred(text: str, start: int, end: int) -> frozenset[str]:
    """The ids that attributes refer to."""
    found = (next(filter(None, match.groups()), "") for match in _reference().finditer(text, start, end))
    by_script = frozenset(match[1] for match in _by_script().finditer(text, start, end))
    return by_script | frozenset(name for value in found for name in value.removeprefix("#").split())
