"""Documents of HTML within a text, and the tree of one, as forgiving as browsers are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tokaudit.model.edits import Edit, apply_edits
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.json_places import Places
from tokaudit.pipeline.views.json_strings import encoded
from tokaudit.pipeline.views.json_values import values
from tokaudit.pipeline.views.spoken import not_spoken_of, says, unspoken
from tokaudit.pipeline.views.view import Parameter, Parameters, Values, View


def words(text: str) -> frozenset[str]:
    """The words of a text, as names of elements are listed here."""
    return frozenset(text.split())


_begin = lazy(r"(?i)(?:<\?xml\b[^<>]{0,200}>\s*)?<!doctype\s+html\b|(?:<\?xml\b[^<>]{0,200}>\s*)?<html\b")
_surrogate = lazy("[\ud800-\udfff]")
_end = lazy(r"(?i)</html\s*>")
_template = lazy(r"\{%|<\?php|<%")
_VOID = words("area base br col embed hr img input link meta param source track wbr")
_CLOSES = {
    "li": ("li", "ul ol menu dir"),
    "dt": ("dt dd", "dl"),
    "dd": ("dt dd", "dl"),
    "tr": ("tr td th", "table"),
    "td": ("td th", "tr table"),
    "th": ("td th", "tr table"),
    "option": ("option", "select"),
    "tbody": ("thead tbody tr td th", "table"),
    "thead": ("thead tbody tr td th", "table"),
    "tfoot": ("thead tbody tr td th", "table"),
}
"""An element to those that its start closes, and to those that they are not looked for beyond."""
BLOCKS = words(
    "address article aside blockquote body center details div dl dd dt fieldset figcaption figure footer form h1 h2 h3 "
    "h4 h5 h6 header hr html legend li main menu nav ol optgroup p pre section summary table ul"
)
"""Elements that begin a line, and of which none is in a paragraph."""
DEEPEST = 100
"""Elements within each other; what is deeper stands in the last of them."""


@dataclass(slots=True)
class Element:
    """An element of HTML with its attributes, and in order the texts and elements in it."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    holds_blocks: bool = False
    """It is a block, or one is in it."""

    def elements(self, *names: str) -> Iterator[Element]:
        """The elements of some names in it, at any depth, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name in names:
                    yield child
                yield from child.elements(*names)

    def text(self) -> str:
        """All text in it."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


NOT_UNDER: Parameters = {
    "not_under": Parameter("texts", "In JSON: keys whose values stay, with all that is in them.", default=()),
    "not_by": Parameter(
        "texts",
        "Words, in small letters, of sentences beside a page, or questions of a chat, that are about its source.",
        default=(),
    ),
}
"""The parameters of ops on pages by which pages stay."""


def edits_of_pages(view: View, parameters: Values, find: Callable[[str, int, int], Iterable[Edit]]) -> Iterator[Edit]:
    """The edits that ``find`` finds in each page, which it gets as a text with start and end.

    Of JSON the pages in its texts are looked at, each such text as a whole.
    """
    not_under, words = frozenset(parameters["not_under"]), tuple(parameters["not_by"])
    if view.kind not in {"json", "jsonl"}:
        for start, end in unspoken(view.text, [*_documents(view.text, view.kind)], says(words)):
            yield from find(view.text, start, end)
        return
    if not _begin().search(view.text):
        return
    places = Places()
    for start, end in not_spoken_of(view, values(view, "json"), words):
        if _begin().search(view.text, start, end):
            places.add(view.text, start, end, not_under, shortest=len('"<html>"'))
    for one in places.texts:
        if one.fixed or one.place.signed or not _begin().search(view.text, one.start, one.end):
            continue
        content = json.loads(view.text[one.start : one.end])
        edits = [edit for start, end in _documents(content, "text") for edit in find(content, start, end)]
        if edits and not _surrogate().search(content):
            yield Edit(one.start, one.end, encoded(apply_edits(content, edits)))


def _documents(text: str, kind: str) -> Iterator[tuple[int, int]]:
    """Start and end of each page: a whole file, or within a text. Templates are left out, whose page is not known."""
    at = 0
    while begin := _begin().search(text, at):
        start = begin.start()
        if kind == "code" and text[:start].lstrip("\ufeff \t\r\n"):
            return
        end = _end().search(text, start)
        if end is None and text[:start].strip():
            return
        last = end.end() if end else len(text.rstrip())
        if not _template().search(text, start, last):
            yield start, last
        at = last


def tree(html: str) -> Element:
    """The tree of a document."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    return parser.root


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _CLOSES:
            closed, within = _CLOSES[tag]
            self._close(closed.split(), within.split())
        elif tag in BLOCKS:
            self._close(["p"], ["td", "th", "li", "dd", "table", "div", "section"])
        element = Element(tag, {key: value or "" for key, value in reversed(attrs)})
        self._open[-1].children.append(element)
        if tag in BLOCKS:
            element.holds_blocks = True
            for around in reversed(self._open):
                if around.holds_blocks:
                    break
                around.holds_blocks = True
        if tag not in _VOID and len(self._open) < DEEPEST:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        within = [] if tag in {"table", "body", "html"} else ["table"]
        if tag not in _VOID:
            self._close([tag], within, whole=True)

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def _close(self, names: list[str], within: list[str], *, whole: bool = False) -> None:
        """Close the open elements down to the outermost of some names, which is looked for up to some others."""
        found = 0
        for at in range(len(self._open) - 1, 0, -1):
            name = self._open[at].name
            if name in names:
                found = at
                if whole:
                    break
            elif name in within:
                break
        if found:
            del self._open[found:]
