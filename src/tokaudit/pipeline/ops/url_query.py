"""Delete parameters of URLs that only count visitors."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokaudit.model.edits import Edit
from tokaudit.pipeline.patterns import lazy
from tokaudit.pipeline.views.search import MENTIONS
from tokaudit.pipeline.views.view import Edits, Find, Parameter, Parameters, Values, View

SUMMARY = "Delete named parameters from the query of URLs, but for URLs that are signed."
PARAMETERS: Parameters = {
    "names": Parameter(
        "texts",
        "Names of parameters; a star at the end stands for any rest, name=value for that value alone.",
        required=True,
    ),
    "signed": Parameter("texts", "Names of parameters whose URLs stay as they are; a star as above.", default=()),
    **MENTIONS,
}
# A query ends before what no URL has as it is, so that text that follows without a space is not part of it.
_url = lazy(r"https?://[^\s<>\"'`|\\^{}，。；！？、（）]+")
_fragment = lazy(r"#[A-Za-z0-9._~%+\-!*:@/$,;=&?\[\]]+")
_CLOSING = ".,;:!?)]"
"""Marks at the end of what looks like a URL that belong to the text."""
_query = lazy(r"https?://[^\s?#<>\"'`|\\^{}]+\?([A-Za-z0-9._~%+\-!*:@/$,;=&?\[\]]+)")


def prepare(parameters: Values) -> Find:
    tracks = _matcher(parameters["names"])
    signed = _matcher(parameters["signed"])

    def find(view: View) -> Edits:
        if "://" not in view.text or "?" not in view.text:
            return
        found = [*_tracked(view.text)]
        same = _alike(view.text, found) if found else frozenset[str]()
        for link in found:
            if link.without not in same:
                yield from _edits(link.query, link.fields, link.gone)

    def _tracked(text: str) -> Iterator[_Link]:
        for match in _query().finditer(text):
            following = text[match.end() : match.end() + 2]
            if following[:1] in ("{", "(") or (following[:1] == "<" and following != "</"):
                continue  # a placeholder, or a value that goes on
            query = match[1].rstrip(".,;:!?")
            fields = query.split("&")
            gone = [tracks.fullmatch(one.removeprefix("amp;")) is not None for one in fields]
            if any(gone) and not any(signed.fullmatch(one.removeprefix("amp;")) for one in fields):
                kept = "&".join(one for one, goes in zip(fields, gone, strict=True) if not goes)
                address = text[match.start() : match.start(1) - 1]
                rest = _fragment().match(text, match.end())
                fragment = rest[0].rstrip(_CLOSING) if rest and query == match[1] else ""
                without = _opened(address + ("?" + kept if kept else "") + fragment)
                yield _Link(_opened(f"{address}?{query}{fragment}"), without, match.start(1), fields, gone)

    return find


class _Link(NamedTuple):
    """A URL with parameters that may go."""

    url: str
    without: str
    """What it would become."""
    query: int
    """Where its query begins in the text."""
    fields: list[str]
    gone: list[bool]


def _alike(text: str, links: Sequence[_Link]) -> frozenset[str]:
    """The URLs that different ones of a text would become: there the parameters are what tells them apart."""
    urls = defaultdict[str, set[str]](set)
    for link in links:
        urls[link.without].add(link.url)
    for match in _url().finditer(text):
        url = _opened(match[0].rstrip(_CLOSING))
        if url in urls:
            urls[url].add(url)
    return frozenset(without for without, several in urls.items() if len(several) > 1)


def _opened(url: str) -> str:
    """A URL without what does not change the page: the scheme, the case of the host, the slash of an empty path."""
    host, slash, path = re.sub("^https?://", "", url).partition("/")
    host, mark, query = host.partition("?")
    return host.lower() + (f"/{path}" if slash and not mark else f"/{mark}{query}{slash}{path}")


def _matcher(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern of parameters with one of the names."""
    if not names:
        return re.compile(r"(?!)")
    alternatives = []
    for name in names:
        key, equals, value = name.partition("=")
        pattern = re.escape(key.removesuffix("*")) + ("[^=]*" if key.endswith("*") else "")
        alternatives.append(pattern + (re.escape(equals + value) if equals else "(?:=.*)?"))
    return re.compile("|".join(f"(?:{one})" for one in alternatives), re.IGNORECASE)


def _edits(start: int, fields: list[str], gone: list[bool]) -> Edits:
    """An edit for each parameter that goes, with one separator, such that any of them may be left out."""
    at = start
    places = []
    for one in fields:
        places.append((at, at + len(one)))
        at += len(one) + 1
    first_kept = next((index for index, goes in enumerate(gone) if not goes), None)
    if first_kept is None:
        yield Edit(start - 1, places[-1][1], "")  # with the question mark
        return
    if first_kept:
        # In HTML the separator is "&amp;", whose rest is the beginning of the next field.
        yield Edit(start, places[first_kept][0] + (4 if fields[first_kept].startswith("amp;") else 0), "")
    for (_, before), (_, end), goes in zip(
        places[first_kept:], places[first_kept + 1 :], gone[first_kept + 1 :], strict=False
    ):
        if goes:
            yield Edit(before, end, "")
