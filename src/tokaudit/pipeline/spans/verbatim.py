"""Regions that a markup takes as they are written: ``<pre>``, LaTeX's ``verbatim``, literal blocks, diffs, and so on.

As in ``blocks``, texts are padded. What ends a region is looked for once from any place on: see ``_Closes``.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache

from tokaudit.pipeline.spans.diffs import OPENING as DIFF
from tokaudit.pipeline.spans.diffs import diff_end

Stretch = tuple[int, int, str]

_ELEMENTS = "pre|textarea|script|style|svg|listing|xmp|nowiki|syntaxhighlight|code|kbd|samp|tt|math"
_ENVIRONMENTS = r"[BLV]?[vV]erbatim\*?|lstlisting|minted|alltt|comment|filecontents\*?"
_DIRECTIVES = (
    "code-block|code|sourcecode|parsed-literal|literalinclude|math|raw|table|csv-table|list-table|prompt|doctest|"
    "testcode|testoutput|ipython|productionlist|graphviz|digraph|mermaid|uml"
)
_HEREDOC = "EOF|EOT|EOS|EOL|END|SQL|HTML|XML|JSON|YAML|PY|PYTHON|SH|BASH|SCRIPT|TEXT|HEREDOC|MSG"
_ROFF = {".nf": ".fi", ".EX": ".EE", ".TS": ".TE", ".EQ": ".EN", ".DS": ".DE", ".PS": ".PE"}
_DEEPEST = 100
"""Blanks before a line of a literal block, at most."""
_SIGNATURE = re.compile(r"\n-- {1,2}(?=\n|\Z)")


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "element": re.compile(
            rf"<(?:({_ELEMENTS})(?:[ \t\n][^<>]{{0,2000}})?|(source)[ \t\n][^<>]{{0,2000}})>", re.IGNORECASE
        ),
        "data": re.compile(r"<!\[CDATA\[|<\?(?:php\b|=)"),
        "heredoc": re.compile(rf"<<[-~]?[ \t]*([\"']?)({_HEREDOC})\1"),
        "environment": re.compile(rf"\\begin\{{({_ENVIRONMENTS})\}}"),
        "verb": re.compile(
            r"\\(?:verb\*?(?![A-Za-z])|lstinline(?:\[[^\]\n]*\])?|mintinline(?:\[[^\]\n]*\])?\{[^{}\n]*\})"
            r"([^A-Za-z0-9\s*\[{])"
        ),
        "triple": re.compile(r'"""|' + "'''"),
        "org": re.compile(r"\n[ \t]*#\+begin_(src|example|export|comment|verse|latex|html)\b[^\n]*", re.IGNORECASE),
        "asciidoc": re.compile(
            r"\n\[(?:source|listing|literal|verse|stem|latexmath|asciimath|mermaid|plantuml|ditaa|graphviz)\b[^\]\n]*\]"
            r"[ \t]*(?:\n\.[^ \n][^\n]*)?(?=\n[^\s])"
        ),
        "asciidoc_fence": re.compile(r"\n(?:-{4,}|\.{4,}|\+{4,})[ \t]*(?=\n)"),
        "directive": re.compile(rf"\n([ \t]*)\.\. (?:\|[^|\n]+\| )?(?:\w+:)?(?:{_DIRECTIVES})::[^\n]*"),
        "literal": re.compile(r"::(?=\n[ \t]*\n[ \t]+[^\s])"),
        "roff": re.compile(rf"\n\.(?:{'|'.join(name[1:] for name in _ROFF)})(?![A-Za-z])[^\n]*"),
        "raw": re.compile(r"\{%[-+]?[ \t]*(raw|verbatim|highlight|codeblock)\b[^%\n]{0,200}%\}"),
    }


_PART = 1 << 16
"""Characters that are put into lower case at once."""


class _Closes:
    """The next places of texts. Each is looked for again only behind the place where it was found."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: dict[str, tuple[int, int]] = {}

    def next(self, close: str, position: int, *, folded: bool = False) -> int:
        """The next place of a text from a position on; -1 for none."""
        since, place = self._found.get(close, (0, -2))
        if since > position or place == -2 or 0 <= place < position:
            folded = folded and self._folds
            place = self._find_folded(close, position) if folded else self.source.find(close, position)
            self._found[close] = (position, place)
        return place

    @cached_property
    def _folds(self) -> bool:
        """False for a text with the letter that has two in lower case, after which nothing would stand where it was."""
        return "\u0130" not in self.source

    def _find_folded(self, close: str, position: int) -> int:
        for at in range(position, len(self.source), _PART):
            place = self.source[at : at + _PART + len(close) - 1].lower().find(close)
            if place >= 0:
                return at + place
        return -1


def _named(source: str, mark: str, names: dict[str, str]) -> Iterator[str]:
    """The names of those pairs of characters that a text has: a search for one is much faster than for a pair."""
    missing = dict(names)
    place = source.find(mark)
    while place >= 0 and missing:
        name = missing.pop(source[place : place + 2], None)
        if name:
            yield name
        place = source.find(mark, place + 1)


class Verbatim:
    """Finds the regions of a padded text from its beginning to its end."""

    def __init__(self, source: str, pages: Sequence[int] = ()) -> None:
        self.source = source
        self._pages = pages
        self._closes = _Closes(source)
        self._finders = list(dict.fromkeys(self._wanted()))
        self._ahead: dict[str, Stretch | None] = {}

    def __bool__(self) -> bool:
        return bool(self._finders)

    def search(self, position: int) -> Stretch | None:
        """The first region that begins at a position or behind it; the positions ascend."""
        first: Stretch | None = None
        for name in self._finders:
            ahead = self._ahead.get(name, (-1, -1, ""))
            if ahead is not None and ahead[0] < position:
                ahead = self._ahead[name] = self._search(name, position)
            if ahead is not None and (first is None or ahead[0] < first[0]):
                first = ahead
        return first

    def _wanted(self) -> Iterator[str]:
        """The kinds of regions that the text may have, by characters that prose lacks."""
        source = self.source
        yield from _named(source, "<", {"</": "element", "<!": "data", "<?": "data", "<<": "heredoc"})
        yield from _named(source, "\\", {"\\b": "environment", "\\v": "verb", "\\l": "verb", "\\m": "verb"})
        yield from _named(source, "@", {"@@": "diff"})
        if '"""' in source or "'''" in source:
            yield "triple"
        if "\n***************" in source:
            yield "diff"
        if "#+BEGIN_" in source or "#+begin_" in source:
            yield "org"
        if "-- \n" in source or "--  \n" in source or source.endswith("-- "):
            yield "signature"
        if source.startswith((".TH ", '.\\"', "'\\\"", ".SH "), 2):
            yield "roff"
        if "\n[source" in source or source.startswith("= ", 2):
            yield "asciidoc"
            yield "asciidoc_fence"
        if "::" in source:
            yield "directive"
            yield "literal"
        if "%" in source and "{%" in source:
            yield "raw"

    def _search(self, name: str, position: int) -> Stretch | None:
        pattern = DIFF if name == "diff" else _SIGNATURE if name == "signature" else _patterns()[name]
        for match in pattern.finditer(self.source, position):
            end = getattr(self, f"_{name}")(match)
            # What goes on from page to page has page numbers and headers in it, which are none of it.
            if end > match.start() and bisect(self._pages, end) == bisect(self._pages, match.start()):
                start = match.start() + (self.source[match.start()] == "\n")
                return (start, end, {"diff": "code", "verb": "inline-code", "signature": "quote"}.get(name, "fence"))
        return None

    def _behind(self, close: str, position: int, *, folded: bool = False) -> int:
        place = self._closes.next(close, position, folded=folded)
        return place + len(close) if place >= 0 else -1

    def _element(self, match: re.Match[str]) -> int:
        if match[0].endswith("/>") or self._in_ticks(match.start()):
            return -1
        return self._behind(f"</{(match[1] or match[2]).lower()}>", match.end(), folded=True)

    def _data(self, match: re.Match[str]) -> int:
        return self._behind("]]>" if match[0].endswith("[") else "?>", match.end())

    def _heredoc(self, match: re.Match[str]) -> int:
        end = self._closes.next(f"\n{match[2]}\n", match.end())
        if end < 0 and self.source.endswith(f"\n{match[2]}"):
            end = len(self.source) - len(match[2]) - 1
        return end + len(match[2]) + 1 if end >= match.end() else -1

    def _environment(self, match: re.Match[str]) -> int:
        return self._behind(f"\\end{{{match[1]}}}", match.end())

    def _verb(self, match: re.Match[str]) -> int:
        line = self._closes.next("\n", match.end())
        return self.source.find(match[1], match.end(), line if line >= 0 else len(self.source)) + 1 or -1

    def _triple(self, match: re.Match[str]) -> int:
        return -1 if self._in_ticks(match.start()) else self._behind(match[0], match.end())

    def _diff(self, match: re.Match[str]) -> int:
        return diff_end(self.source, match)

    def _signature(self, match: re.Match[str]) -> int:
        return match.end()

    def _org(self, match: re.Match[str]) -> int:
        return self._behind(f"#+end_{match[1].lower()}", match.end(), folded=True)

    def _asciidoc(self, match: re.Match[str]) -> int:
        """A fence, or else the paragraph that follows."""
        line = self._closes.next("\n", match.end() + 1)
        fence = self.source[match.end() + 1 : line if line >= 0 else len(self.source)].rstrip()
        if len(set(fence)) == 1 and len(fence) > 1 and len(fence) < 100 and fence[0] in "-.+_`":
            return self._fence_end(fence, line)
        blank = self._closes.next("\n\n", match.end())
        return blank if blank >= 0 else len(self.source)

    def _asciidoc_fence(self, match: re.Match[str]) -> int:
        fence = match[0].strip()
        return self._fence_end(fence, match.end()) if len(fence) < 100 else -1

    def _fence_end(self, fence: str, position: int) -> int:
        if position < 0:
            return -1
        end = self._closes.next(f"\n{fence}\n", position)
        if end < 0 and self.source.endswith(f"\n{fence}"):
            end = len(self.source) - len(fence) - 1
        return end + len(fence) + 1 if end >= position else -1

    def _directive(self, match: re.Match[str]) -> int:
        return self._body_end(match.end(), match[1])

    def _literal(self, match: re.Match[str]) -> int:
        source = self.source
        line = source.rfind("\n", max(0, match.start() - 300), match.start()) + 1
        indent = source[line : match.start()]
        return self._body_end(match.end(), indent[: len(indent) - len(indent.lstrip(" \t"))] if line else "")

    def _body_end(self, position: int, indent: str) -> int:
        """Behind the lines that are blank or indented further than ``indent``."""
        body = _body(indent).match(self.source, position) if len(indent) <= _DEEPEST else None
        end = body.end() if body else position
        while self.source[end - 1] in " \t\n" and end > position:
            end -= 1
        return end

    def _roff(self, match: re.Match[str]) -> int:
        return self._behind(f"\n{_ROFF[match[0][1:4]]}", match.end())

    def _raw(self, match: re.Match[str]) -> int:
        for close in (f"{{% end{match[1]} %}}", f"{{%- end{match[1]} -%}}", f"{{%end{match[1]}%}}"):
            end = self._behind(close, match.end())
            if end >= 0:
                return end
        return -1

    def _in_ticks(self, place: int) -> bool:
        """True if something is only mentioned, in code within a line."""
        line = self.source.rfind("\n", max(0, place - 200), place) + 1
        return self.source.count("`", line or max(0, place - 200), place) % 2 == 1


@lru_cache(maxsize=64)
def _body(indent: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\n[ \t]*(?=\n|\Z)|\n{re.escape(indent)}[ \t]+[^\n]*)*")
